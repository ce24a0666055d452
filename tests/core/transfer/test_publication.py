"""Published copies: what they hold, and that Datasette and sqlite-utils show all of it."""

import json
import re
import resource
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlite_utils

import db.publication_tables
import db.reviews
from core.curation import label_writer
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.results import profile_summary
from core.scoring.policy import Policy
from core.transfer.exports import Subset, export
from core.transfer.pseudonyms import PersonNumbers
from core.transfer.publication import publish
from core.vocabulary import Label
from db.connection import write_transaction
from db.reviews import Review
from tests.tui.hostile import texts
from tests.tui.sample import A, sample_project

PERSON, OTHER = "Zenobia Quill", "xanthe"
FOREIGN_KEYS = {
    ("questions", "fact"),
    ("answers", "question"),
    ("answers", "setting"),
    ("labels", "answer"),
    ("labels", "grader"),
    ("profiles", "fact"),
    ("profiles", "setting"),
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """A project in which two people have labelled, with hostile notes, and one reviewed."""
    path = sample_project(tmp_path / "p.db")
    with OpenProject(path, "write") as made:
        slots = [row[0] for row in made.connection.execute("SELECT id FROM response LIMIT 60")]
        for key, note in zip(slots, ["", *texts(3, 50)], strict=False):
            storable = note.encode(errors="replace").decode()
            label_writer.set_label(made, PERSON, key, Label.OTHER, f"{storable} says quill, Z.")
        label_writer.set_label(made, OTHER, slots[0], Label.CORRECT, "as Zenobia has it")
        with write_transaction(made.connection):
            db.reviews.set_review(made.connection, 1, "human:Reviewing Rita", Review(None, at=1))
        made.refresh()
        yield made


def read(path: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_a_copy_holds_what_exports_hold(project: OpenProject, tmp_path: Path) -> None:
    found = publish(project, tmp_path / "share.db")
    for what, sql in {
        "responses": "SELECT fact_id, task, model, thinking, sample, response, shown_order "
        "FROM answers JOIN settings ON settings.id = setting "
        "JOIN questions ON questions.id = answers.question JOIN facts ON facts.id = fact",
        "labels": "SELECT fact_id, task, model, thinking, sample, graders.name, label, rationale "
        "FROM labels JOIN graders ON graders.id = grader "
        "JOIN answers ON answers.id = labels.answer "
        "JOIN settings ON settings.id = setting "
        "JOIN questions ON questions.id = answers.question JOIN facts ON facts.id = fact",
    }.items():
        export(project, what, tmp_path / "rows.jsonl")
        rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_bytes().splitlines()]
        keys = ("fact_id", "task", "model", "thinking", "sample")
        more = (
            ("response", "shown_order") if what == "responses" else ("grader", "label", "rationale")
        )
        wanted = [tuple(row.get(key) for key in (*keys, *more)) for row in rows]
        shared = [
            (*row[:3], bool(row[3]), *row[4:-1], json.loads(row[-1]))
            if what == "responses" and row[-1]
            else (*row[:3], bool(row[3]), *row[4:])
            for row in read(found.path, sql)
        ]
        assert sorted(map(str, shared)) == sorted(map(str, wanted))
    profiles = read(
        found.path,
        "SELECT fact_id, model, profile, e, k0, kt FROM profiles "
        "JOIN settings ON settings.id = setting JOIN facts ON facts.id = fact",
    )
    derived = profile_summary.list_fact_profiles(
        project, profile_summary.profiles(project, Policy())
    )
    assert sorted(profiles) == sorted(
        (one.fact_id, one.model, one.profile, one.e, one.k0, one.kt) for one in derived
    )
    about = dict(read(found.path, "SELECT key, value FROM about"))
    assert (about["tau"], json.loads(about["graders"])) == ("0.5", ["human:*", A])


def test_keys_are_indexed_and_hold(project: OpenProject, tmp_path: Path) -> None:
    path = publish(project, tmp_path / "share.db").path
    assert read(path, "PRAGMA foreign_key_check") == read(path, "SELECT 1 WHERE false")
    assert read(path, "PRAGMA integrity_check") == [("ok",)]
    assert read(path, "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')") == []
    indexed, keys = set(), set()
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM pragma_table_list")]
        for table in tables:
            for _, name, *_ in connection.execute(f"PRAGMA index_list({table})").fetchall():
                first = connection.execute(f"PRAGMA index_info({name})").fetchone()
                indexed.add((table, first[2]))
            keys |= {
                (table, row[3]) for row in connection.execute(f"PRAGMA foreign_key_list({table})")
            }
    assert keys == FOREIGN_KEYS <= indexed


def test_rows_of_a_table_lie_together(
    project: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In batches as in one go: what is read in order lies in order on the disk."""
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(db.publication_tables, "FACTS_IN_BATCH", 2)
    path = publish(project, tmp_path / "s.db", None, False, lambda *at: told.append(at)).path
    assert told == sorted(told)
    assert told[-1] == (12, 12)
    assert read(path, "PRAGMA page_size") == [(db.publication_tables.PAGE_BYTES,)]
    leaves = "SELECT name, pageno FROM dbstat WHERE name IN ('answers', 'labels') ORDER BY pageno"
    try:
        names = [name for name, _ in read(path, leaves)]
    except sqlite3.OperationalError:
        pytest.skip("this SQLite does not say where pages lie")
    runs = [name for name, before in zip(names, [None, *names], strict=False) if name != before]
    assert names.count("answers") > 3
    assert len(runs) <= 4, "each table in one piece, but for its first page"


def test_fewer_facts_and_models(project: OpenProject, tmp_path: Path) -> None:
    subset = Subset(["gemma3-4b"], "number:1-3", Policy(tau=0.25))
    path = publish(project, tmp_path / "share.db", subset).path
    assert read(path, "SELECT count(*) FROM facts") == [(3,)]
    assert read(path, "SELECT DISTINCT model FROM settings") == [("gemma3-4b",)]
    assert read(path, "SELECT count(*) FROM profiles") == [(3,)]
    assert read(path, "SELECT count(DISTINCT question) FROM answers") == [(30,)]


def test_nobody_s_name_goes_out(project: OpenProject, tmp_path: Path) -> None:
    policy = Policy(graders=(f"human:{PERSON}", A))
    found = publish(project, tmp_path / "share.db", Subset(None, None, policy), anonymous=True)
    every = b"".join(one.read_bytes() for one in (found.path, found.metadata, found.counts))
    for name in ("zenobia", "quill", OTHER, "rita"):
        assert name.encode() not in every.lower(), name
    people = read(found.path, "SELECT name FROM graders WHERE name LIKE 'human:%'")
    assert people == [("human:person-1",), ("human:person-2",)]
    assert read(found.path, "SELECT rationale FROM labels WHERE rationale LIKE 'as %'") == [
        ("as person-1 has it",)
    ]
    assert "human:person-1" in dict(read(found.path, "SELECT * FROM about"))["graders"]


def test_a_name_is_a_word() -> None:
    people = PersonNumbers(["Ada Byron", "Al", "c(*", "Ada"])
    assert people.replace_in_text("ADA, al and Canada; byron_2 c(* ada's Alb") == (
        "person-4, person-2 and Canada; person-1_2 person-3 person-4's Alb"
    )
    assert people.replace_in_grader("human:Ada Byron#1") == "human:person-1#1"
    assert people.replace_in_grader("human:*") == "human:*"
    assert people.replace_in_grader("Ada") == "Ada"
    assert PersonNumbers([]).replace_in_text("Ada") == "Ada"


def test_a_copy_takes_the_place_of_a_copy_alone(project: OpenProject, tmp_path: Path) -> None:
    note = tmp_path / "note.db"
    note.write_text("mine")
    for path in (note, project.path, tmp_path):
        with pytest.raises(UsageError, match="no published copy"):
            publish(project, path)
    with pytest.raises(LostkeysError, match="not a folder"):
        publish(project, tmp_path / "nowhere" / "share.db")
    share = tmp_path / "share.db"
    publish(project, share)
    publish(project, share, Subset(None, "number:1"))
    assert read(share, "SELECT count(*) FROM facts") == [(1,)]
    names = {one.name for one in tmp_path.iterdir() if not one.name.startswith("p.db")}
    assert names == {"note.db", "share.db", "share.metadata.json", "share.counts.json", "state"} & (
        names | {"share.db"}
    )
    assert project.connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_full_disk_leaves_nothing(
    project: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = sorted(tmp_path.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
    try:
        with pytest.raises(LostkeysError, match=r"share\.db cannot be written"):
            publish(project, tmp_path / "share.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(tmp_path.iterdir()) == before
    assert publish(project, tmp_path / "share.db").rows["facts"] == 12


def test_sqlite_utils_reads_a_copy(project: OpenProject, tmp_path: Path) -> None:
    found = publish(project, tmp_path / "share.db")
    copy = sqlite_utils.Database(found.path)
    for table in ("facts", "questions", "answers"):
        assert copy.table(table).detect_fts() == f"{table}_fts"
    word = read(found.path, "SELECT response FROM answers")[0][0].split()[0]
    assert next(iter(copy.table("answers").search(word)))["response"]
    assert {name: copy.table(name).count for name in found.rows} == dict(found.rows)
    copy.close()


@pytest.mark.slow
async def test_datasette_shows_every_page(project: OpenProject, tmp_path: Path) -> None:
    """Tables with facets and labels of keys, rows, searches; as it is told to be opened."""
    app = pytest.importorskip("datasette.app", reason="datasette is not installed")
    cli = pytest.importorskip("datasette.cli", reason="datasette is not installed")
    found = publish(project, tmp_path / "share.db")
    counts = json.loads(found.counts.read_text())
    metadata = json.loads(found.metadata.read_text())
    shown = app.Datasette([], immutables=[str(found.path)], metadata=metadata, inspect_data=counts)
    inspected = await cli.inspect_([str(found.path)], [])
    inspected["share"]["file"] = found.path.name
    assert inspected == counts

    async def page(path: str) -> str:
        answer = await shown.client.get(f"/share{path}")
        assert answer.status_code == 200, path
        assert "<script>alert" not in answer.text
        return str(answer.text)

    await page("")
    described = metadata["databases"]["share"]["tables"].items()
    tables = {name: words for name, words in described if words.get("allow") is not False}
    listed = set(re.findall(r'"/share/(\w+)"', await page("?_show_hidden=1")))
    inside = {name for name in listed if re.search("_fts_", name)}
    assert {"facts", "facts_fts"} <= listed
    assert not inside, "rows of what SQLite keeps inside a search index have no page"
    for name, words in tables.items():
        said = await page(f"/{name}")
        if words.get("hidden"):
            continue
        assert f"{found.rows[name]:,} row" in said
        assert words["description"] in said
        document = json.loads(await page(f"/{name}.json?_shape=objects&_labels=on"))
        assert set(document["facet_results"]) == set(words.get("facets", []))
        for facet in document["facet_results"].values():
            assert facet["results"], (name, facet["name"])
        for row in document["rows"]:
            await_key = {key for table, key in FOREIGN_KEYS if table == name}
            assert all(row[key]["label"] for key in await_key), row
        first = document["rows"][0]
        await page(f"/{name}/{first.get('id', first.get('key'))}")
    quick = {"answers": {"id", "setting"}, "labels": {"id"}, "answers_fts": {"rowid"}}
    for name, columns in quick.items():
        links = re.findall(r"_sort(?:_desc)?=(\w+)", await page(f"/{name}"))
        assert set(links) == columns, "no page sorts millions of rows without an index"
    for name, column in (("facts", "subject"), ("questions", "answer"), ("answers", "response")):
        for (text,) in read(found.path, f"SELECT {column} FROM {name} LIMIT 5"):
            word = re.findall(r"\w+", text)[0]
            document = json.loads(await page(f"/{name}.json?_shape=objects&_search={word}"))
            assert text in {row[column] for row in document["rows"]}
    for db_ in shown.databases.values():
        db_.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["share", "the <b>1st share.v2 ~2F é"])
async def test_the_page_of_answers_leads_to_the_quick_search(
    project: OpenProject, tmp_path: Path, name: str
) -> None:
    app = pytest.importorskip("datasette.app", reason="datasette is not installed")
    found = publish(project, tmp_path / f"{name}.db")
    metadata = json.loads(found.metadata.read_text())
    shown = app.Datasette([], immutables=[str(found.path)], metadata=metadata)
    base = shown.urls.database(found.path.stem)
    row = read(found.path, "SELECT id FROM answers LIMIT 1")[0][0]
    for place in (f"{base}/answers", f"{base}/answers/{row}"):
        page = await shown.client.get(place)
        assert page.status_code == 200, place
        link = re.search(r'<a href="([^"]*)">Search answers</a>', page.text)
        assert link is not None
        assert link[1] == f"{base}/search_answers"
        assert (await shown.client.get(link[1])).status_code == 200
    for db_ in shown.databases.values():
        db_.close()


@pytest.mark.slow
async def test_a_search_of_answers_is_counted_and_can_be_filtered(
    project: OpenProject, tmp_path: Path
) -> None:
    app = pytest.importorskip("datasette.app", reason="datasette is not installed")
    found = publish(project, tmp_path / "share.db")
    metadata = json.loads(found.metadata.read_text())
    shown = app.Datasette([], immutables=[str(found.path)], metadata=metadata)
    like = "SELECT count(*) FROM answers WHERE response LIKE '%paris%' AND setting = 1"
    ((count,),) = read(found.path, like)
    query = "/share/answers.json?_search=paris&setting=1&_shape=objects"
    answer = (await shown.client.get(query)).json()
    assert count > 0
    assert answer["filtered_table_rows_count"] == count
    for db_ in shown.databases.values():
        db_.close()


@pytest.mark.slow
async def test_a_query_finds_answers_a_hundred_at_a_time(
    project: OpenProject, tmp_path: Path
) -> None:
    """What is quick however common the words are, with what stands around each answer."""
    app = pytest.importorskip("datasette.app", reason="datasette is not installed")
    found = publish(project, tmp_path / "share.db")
    metadata = json.loads(found.metadata.read_text())
    shown = app.Datasette([], immutables=[str(found.path)], metadata=metadata)

    async def search(words: str, after: int | str = "") -> list[dict[str, Any]]:
        query = urlencode({"_shape": "objects", "search": words, "after": after})
        answer = await shown.client.get(f"/share/search_answers.json?{query}")
        assert answer.status_code == 200, answer.text
        rows: list[dict[str, Any]] = answer.json()["rows"]
        return rows

    assert (await shown.client.get("/share/search_answers")).status_code == 200
    assert await search("") == await search("nowhere to be seen") == []
    texts_of = dict(read(found.path, "SELECT id, response FROM answers ORDER BY id"))
    word = Counter(one for text in texts_of.values() for one in set(text.lower().split()))
    (common, count), *_ = [one for one in word.most_common() if one[0].isalpha()]
    first = await search(common)
    assert [row["id"] for row in first] == sorted(row["id"] for row in first)
    assert len(first) == min(count, 100)
    assert (await search(common, first[0]["id"]))[:99] == first[1:]
    labels = "SELECT name || ': ' || label FROM labels JOIN graders ON graders.id = grader"
    for row in first[:5]:
        assert common in row["response"].lower()
        assert row["response"] == texts_of[row["id"]]
        said = read(found.path, f"{labels} WHERE answer = {row['id']}")
        assert row["labels"] == (", ".join(one[0] for one in said) or None)
    hostile = 'nowhere) OR "* ^ NEAR(x'
    assert await search(hostile) == [], "signs of the index's own language are words"
    for db_ in shown.databases.values():
        db_.close()
