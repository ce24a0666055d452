"""The library: its numbers are those of the command line, and nothing heavy comes with it."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core import api
from core.api import LostkeysError, Policy, Table, UsageError
from tests.tui.sample import sample_project
from tui.cli.main import cli


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("api") / "p.db")


def printed(*words: str) -> object:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_numbers_are_those_of_the_command_line(path: Path) -> None:
    start = ("--db", str(path))
    with api.open(path) as project:
        assert len(project.facts("number:1-5")) == 5 < len(project.facts())
        policy = Policy(0.4, "fact", graders=["gpt-5"])  # type: ignore[arg-type]
        words = ("--tau", "0.4", "--strategy", "fact", "--grader", "gpt-5")
        found = project.profiles(policy)
        assert found.to_dict() == printed(*start, "profiles", "--json", *words)
        per_fact = printed(*start, "profiles", "--json", "--per-fact", *words)
        assert isinstance(per_fact, dict)
        assert list(found.facts) == per_fact["facts"]
        assert project.analyze("thinking", policy).to_dict() == printed(
            *start, "analyze", "thinking", "--json", *words
        )
        graders = sorted({row["grader"] for row in project.labels()})
        crossed = project.confusion(*graders[:2])
        assert crossed.to_dict() == printed(*start, "confusion", *graders[:2], "--json")
        assert sum(row["n"] for row in crossed.rows) == crossed.document["n"]


def test_tables_hold_what_an_export_writes(path: Path, tmp_path: Path) -> None:
    with api.open(path) as project:
        for what, table in (
            ("facts", project.facts()),
            ("responses", project.responses()),
            ("labels", project.labels()),
        ):
            file = tmp_path / f"{what}.jsonl"
            assert project.export(what, file) == len(table) > 0
            written = [json.loads(line) for line in file.read_text().splitlines()]
            assert [{k: v for k, v in row.items() if v is not None} for row in table] == written
            assert {tuple(row) for row in table} == {table.columns}
        one = project.responses(tasks="direct")
        assert {row["task"] for row in one} == {"direct"}
        model = one[0]["model"]
        assert {row["model"] for row in project.responses(models=model)} == {model}
        with pytest.raises(UsageError, match="unknown task directly"):
            project.responses(tasks=["directly"])


def test_tables_are_arrow_streams(path: Path) -> None:
    import polars
    import pyarrow

    with api.open(path) as project:
        found = project.responses()
    table = pyarrow.table(found)
    assert table.num_rows == len(found)
    assert table.column_names == list(found.columns)
    assert table["thinking"].to_pylist() == [row["thinking"] for row in found]
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is of the extra `scale`")
    counted = duckdb.sql("SELECT count(*), count(DISTINCT response) FROM found").fetchall()
    assert counted == [(len(found), len({row["response"] for row in found}))]
    pandas = pytest.importorskip("pandas", reason="pandas is of the test group")
    assert list(pandas.DataFrame.from_arrow(found)["response"]) == table["response"].to_pylist()
    frame = polars.DataFrame(found)
    assert frame["response"].to_list() == [row["response"] for row in found]
    grades = frame["grades"][0]  # a mapping, or of older Polars the list of its pairs
    pairs = grades.items() if isinstance(grades, dict) else [one.values() for one in grades]
    assert dict(pairs) == found[0]["grades"]


def test_arrow_has_the_types_of_the_parquet_export(path: Path, tmp_path: Path) -> None:
    from pyarrow import parquet

    policy = Policy(graders=("gpt-5",))
    with api.open(path) as project:
        tables = {
            "facts": project.facts(),
            "responses": project.responses(),
            "labels": project.labels(),
            "profiles": project.profiles(policy).facts,
        }
        for what, table in tables.items():
            project.export(what, tmp_path / "t.parquet", policy=policy)
            written = parquet.read_table(tmp_path / "t.parquet").select(table.columns)
            assert table.to_arrow().schema.types == written.schema.types, what
            assert table.to_arrow().to_pylist() == written.to_pylist(), what
        assert project.analyze("phrasing", policy).rows.to_arrow().num_rows > 0


WRONG: tuple[object, ...] = (
    *(5, 1.5, True, b"x", [1], {"a": 1}, object(), "\0", "\ud800", float("nan"), [None], 2**70),
)


@pytest.mark.parametrize("value", WRONG, ids=map(repr, range(len(WRONG))))
def test_a_wrong_argument_is_said_in_one_line(path: Path, tmp_path: Path, value: Any) -> None:
    """Whatever it is; most of these values are wrong in most places."""
    (tmp_path / "mine.db").write_bytes(path.read_bytes())
    out = tmp_path / "x.jsonl"
    key = ("direct", "gemma3-4b", 0)
    with api.open(tmp_path / "mine.db", write=True) as project:
        name = project.facts()[0]["fact_id"]
        calls: list[Callable[[], object]] = [
            lambda: api.open(value),
            lambda: api.read(value),
            lambda: api.profiles(value, []),
            lambda: api.profiles([value], []),
            lambda: Policy(tau=value),
            lambda: Policy(strategy=value),
            lambda: Policy(weight=value),
            lambda: project.profiles(value),
            lambda: project.profiles(Policy(graders=value)),
            lambda: project.profiles(by=value),
            lambda: project.responses(models=value),
            lambda: project.responses(tasks=value),
            lambda: project.analyze(value),
            lambda: project.analyze("phrasing", Policy(graders=("gpt-5",))).plot(value),
            lambda: project.confusion(value, "gpt-5"),
            lambda: project.label(value, *key, "CORRECT", author="x"),
            lambda: project.label(name, value, "gemma3-4b", 0, "CORRECT", author="x"),
            lambda: project.label(name, "direct", value, 0, "CORRECT", author="x"),
            lambda: project.label(name, *key, value, author="x"),
            lambda: project.load(value),
            lambda: project.load(out, format=value),
            *(
                lambda option=option: project.load(out, **{option: value})
                for option in ("map", "prefix", "as", "scores", "words", "correct_at", "set")
            ),
            lambda: project.export(value, out),
            lambda: project.export("facts", value),
            lambda: project.export("profiles", out, policy=value),
            lambda: project.publish(value),
        ]
        if not isinstance(value, str):
            calls += [lambda: Policy(graders=value), lambda: project.labels(graders=value)]
        for number, call in enumerate(calls):
            with pytest.raises(LostkeysError) as caught:
                call()
            assert "\n" not in str(caught.value), number
        for option in ("excel_safe", "rejected", "anonymous"):
            if not isinstance(value, bool):
                with pytest.raises(UsageError, match=f"^{option} is .*: give True or False"):
                    project.export("facts", out, **{option: value})


def test_labels_take_everybody_as_a_policy_does(path: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.db").write_bytes(path.read_bytes())
    with api.open(tmp_path / "mine.db", write=True) as project:
        for row, author in zip(project.responses(tasks="direct"), ("ada", "bo"), strict=False):
            key = (row["fact_id"], row["task"], row["model"], row["sample"])
            project.label(*key, "OTHER", thinking=row["thinking"], author=author)
        every = project.labels()
        people = project.labels(graders=["human:*"])
        assert [*people] == [row for row in every if row["grader"].startswith("human:")]
        assert {"human:ada", "human:bo"} <= {row["grader"] for row in people}
        both = project.labels(graders=("human:*", "gpt-5"))
        assert len(both) == len(people) + len(project.labels(graders="gpt-5"))


def test_a_label_moves_a_profile_and_carries_its_author(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "mine.db"
    copy.write_bytes(path.read_bytes())
    with api.open(copy, write=True) as project:
        row = project.responses(tasks="direct")[0]
        key = (row["fact_id"], row["task"], row["model"], row["sample"])
        project.label(*key, "OTHER", thinking=row["thinking"], rationale="odd", author="ada")
        said = [one for one in project.labels(graders="human:ada") if one["rationale"] == "odd"]
        assert [one["label"] for one in said] == ["OTHER"]
        with api.open(copy) as other:
            before = len(other.labels(graders="human:bo"))
            project.label(*key, "CORRECT", thinking=row["thinking"], author="bo")
            assert len(other.labels(graders="human:bo")) == before + 1
        with pytest.raises(UsageError, match="no label WRONG"):
            project.label(*key, "WRONG", author="ada")
        with pytest.raises(UsageError, match="unknown fact"):
            project.label("nowhere", "direct", row["model"], 0, "CORRECT", author="ada")
        with pytest.raises(UsageError, match="a name is needed"):
            project.label(*key, "OTHER", thinking=row["thinking"], author=" ")
    with api.open(copy) as reader, pytest.raises(UsageError, match="open for reading"):
        reader.label(*key, "OTHER", author="ada")


def test_profiles_of_rows_in_memory_are_those_of_the_project(path: Path) -> None:
    policy = Policy(graders=("gpt-5",))
    with api.open(path) as project:
        facts, responses = project.facts(), project.responses()
        wanted = {
            (one["fact_id"], one["model"]): one["profile"] for one in project.profiles(policy).facts
        }
    for given in (responses, list(responses)):
        found = api.profiles(facts, given, policy)
        assert {(one["fact_id"], one["model"]): one["profile"] for one in found.facts} == wanted
    bad = [{**responses[0], "task": "directly"}]
    with pytest.raises(UsageError, match=r"responses, row 1: .*directly"):
        api.profiles(facts, bad, policy)


def test_files_are_read_without_a_database(path: Path, tmp_path: Path) -> None:
    with api.open(path) as project:
        files = [tmp_path / "facts.jsonl", tmp_path / "responses.jsonl"]
        project.export("facts", files[0])
        project.export("responses", files[1])
        wanted = project.responses()
    files[1].write_text(files[1].read_text() + '{"fact_id": "nowhere"}\n')
    found = api.read(*files)
    assert list(found.responses) == list(wanted)
    assert found.report.bad == 1
    assert found.report.to_dict()["files"][1]["bad"][0]["row"] == len(wanted) + 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["facts.jsonl", "responses.jsonl"]


def test_options_are_those_of_the_command_line(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_bytes("Frage;Gold;Modell;Antwort;ok\nWo?;hier;m;dort\xe9;jein\n".encode("latin-1"))
    columns = {"direct": "Frage", "direct_answer": "Gold", "model": "Modell", "response": "Antwort"}
    columns["grades.human:eva"] = "ok"
    text = ",".join(f"{name}={column}" for name, column in columns.items())
    words = "human:eva:jein=PARTIALLY"
    for given in (columns, text, text.split(",")):
        found = api.read(table, map=given, encoding="cp1252", words=[words])
        assert [row["response"] for row in found.responses] == ["dort\xe9"]
        assert [(row["grader"], row["label"]) for row in found.labels] == [
            ("human:eva", "PARTIALLY")
        ]
    for wrong, said in (
        (
            {"mpa": columns},
            "no such option of an import: 'mpa'; there is arguments, as, ",
        ),
        ({"thinking": "maybe"}, "say 'on' or 'off'"),
        ({"correct_at": 2}, "correct_at is 2"),
        ({"words": "x"}, "SCORER:WORD=LABEL"),
        ({"map": {"direct": "Wer"}, "encoding": "cp1252"}, "no column 'Wer'"),
    ):
        with pytest.raises(UsageError, match=said):
            api.read(table, **wrong)


def test_what_notebooks_show_is_text(path: Path) -> None:
    table = Table(
        ("<b>", "n"), ({"<b>": "<script>alert(1)</script>\x1b[31m", "n": 0.5},), {"n": float}
    )
    shown = table._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "\x1b" not in shown
    with api.open(path) as project:
        found = project.analyze("thinking", Policy(graders=("gpt-5",)))
        assert "<table>" in found._repr_html_()
        drawing = found.plot()
        assert drawing._repr_svg_().lstrip().startswith("<?xml")
        assert "<table>" in project.profiles(Policy(graders=("gpt-5",)))._repr_html_()


def test_errors_are_one_line(path: Path, tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match=r"nothing\.db"):
        api.open(tmp_path / "nothing.db")
    (tmp_path / "text.db").write_text("no database")
    with pytest.raises(LostkeysError, match=r"text\.db"):
        api.open(tmp_path / "text.db")
    with pytest.raises(UsageError, match="no strategy pairs"):
        Policy(strategy="pairs")  # type: ignore[arg-type]
    with api.open(path) as project:
        with pytest.raises(UsageError, match="no analysis named thoughts"):
            project.analyze("thoughts")
        with pytest.raises(UsageError, match="no such option: 'colour'"):
            project.export("facts", tmp_path / "f.csv", colour="red")
        with pytest.raises(UsageError, match="random"):
            project.facts("random:many")


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, lostkeys\nprint(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    heavy = {"numpy", "textual", "rich", "click", "openai", "google", "pyarrow", "sqlite3", "scipy"}
    assert "lostkeys" in loaded
    assert not loaded & heavy


def test_a_copy_is_published(path: Path, tmp_path: Path) -> None:
    with api.open(path) as project:
        policy = Policy(tau=0.25)
        made = project.publish(tmp_path / "share.db", policy=policy, where="number:1-2")
        assert made == tmp_path / "share.db"
        with closing(sqlite3.connect(made)) as copy:
            assert copy.execute("SELECT count(*) FROM facts").fetchone() == (2,)
            assert copy.execute("SELECT value FROM about WHERE key = 'tau'").fetchone() == ("0.25",)
        with pytest.raises(UsageError, match="no such option"):
            project.publish(tmp_path / "other.db", nonsense=True)


def test_data_frames_are_rows(path: Path) -> None:
    """Arrow, Polars and what pandas makes of rows: lists as arrays, missing as NaN."""
    import numpy as np
    import polars

    policy = Policy(graders=("gpt-5",))
    with api.open(path) as project:
        facts, responses = project.facts(), project.responses()
    wanted = list(api.profiles(facts, responses, policy).facts)

    class Frame:
        """As a data frame of pandas hands out its rows."""

        def __init__(self, table: Table) -> None:
            self.table = table

        def to_dict(self, orient: str) -> list[dict[str, object]]:
            assert orient == "records"
            return [
                {
                    name: float("nan")
                    if (value := row.get(name)) is None
                    else np.array(value)
                    if isinstance(value, list)
                    else np.bool_(value)
                    if isinstance(value, bool)
                    else value
                    for name in self.table.columns
                }
                for row in self.table
            ]

    for make in (Frame, Table.to_arrow, polars.DataFrame):
        found = api.profiles(make(facts), make(responses), policy)
        assert list(found.facts) == wanted


def test_an_import_shows_what_came_of_it(tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    good = {"fact_id": "<script>", "direct": "Who?", "direct_answer": "I"}
    file.write_text(json.dumps(good) + "\n" + json.dumps({"fact_id": "<b>"}) + "\n")
    found = api.read(file)
    assert found.to_dict()["files"][0]["added"] == 1
    shown = found._repr_html_()
    assert "<td>facts.jsonl</td>" in shown
    assert "<b>" not in shown
    assert "<script>" not in found.facts._repr_html_()


def test_a_broken_file_stops_no_other(tmp_path: Path) -> None:
    good, broken, last = (tmp_path / name for name in ("a.jsonl", "b<i>.jsonl", "c.jsonl"))
    row = {"fact_id": "f", "object": "Paris", "direct": "Capital?", "direct_answer": "Paris"}
    good.write_text(json.dumps(row) + "\n")
    broken.write_text(json.dumps(row)[:-5])
    last.write_text(json.dumps({**row, "fact_id": "g"}) + "\n")
    found = api.read(good, broken, tmp_path / "absent.csv", last)
    assert [fact["fact_id"] for fact in found.facts] == ["f", "g"]
    assert [one["format"] for one in found.report.files] == ["facts", None, None, "facts"]
    first, second = found.report.errors
    assert first.startswith(f"{broken}, line 1: not valid JSON")
    assert second == f"{tmp_path / 'absent.csv'} does not exist: check the name"
    shown = found._repr_html_()
    assert "line 1" in shown
    assert "<i>" not in shown
    with pytest.raises(LostkeysError, match="line 1"):
        api.read(broken)
