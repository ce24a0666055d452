"""`--anonymous`: no form of a name, and no address, in a byte of what goes out."""

import json
import sqlite3
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import db.reviews
import db.sampling_runs
from core.curation import label_writer
from core.project import OpenProject
from core.scoring.curtailed_runs import list_asked
from core.scoring.curtailment import as_text, fixed_policy
from core.scoring.policy import Policy
from core.settings.preferences import NAME_VARIABLE
from core.vocabulary import TASKS, Label
from db.connection import write_transaction
from db.reviews import Review
from tui.cli.main import cli

PEOPLE = ("Groß Weiß", "İpek", "Zenobia Quill", "Ann", "Anna", "Łukasz Żak", "ﬁona", "张伟")
ASKING = "Æthel Ørsted"
HOST = "gpu7.uni.example"
MODELS = (
    f"openai:m@http://{HOST}:8000/v1",
    "openai:m@http://10.1.2.3:9/v1",
    "zenobia-run",
)
JUDGE = f"llm:{MODELS[0]}"
LISTS = ("disagreements", "questions", "latent", "bench")
TABLES = (
    *("facts", "responses", "labels", "runs", "profiles", "adjudications", "reviews", "triples"),
    *("zp-scores", "zp-positions", "zp-models", "zp-templates", "inspect-dataset"),
)
QUESTIONS = ("completion", "contextual", "direct", "direct_natural", "reverse", "reverse_natural")


def run(*words: object) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def forms(name: str) -> set[str]:
    """A name and its longer parts, in the forms in which they may be written."""
    ways: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, str.casefold)
    normal = ("NFC", "NFD", "NFKC", "NFKD")
    every = {name, *(part for part in name.split() if len(part) > 2)}
    return {
        unicodedata.normalize(form, way(one))  # type: ignore[arg-type]
        for one in every
        for way in ways
        for form in normal
    }


def note() -> str:
    said = " and ".join(sorted(set().union(*map(forms, (*PEOPLE, ASKING)))))
    return f"as {said} say; {MODELS[0]} and {HOST}; Zeno\u200dbia; /home/zed/runs/x.json"


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers of models at addresses, labelled, reviewed and audited by many people.

    One answer names Anna, which is data; the log, the policy and the set are named after people.
    """
    monkeypatch.setenv(NAME_VARIABLE, ASKING)
    path = tmp_path / "Zenobia's p.db"
    gold = {"direct_answer": "Rome", "reverse_answer": "Italy", "category": "Arts"}
    facts = [
        {"fact_id": f"f{at}", "subject": "Italy", "object": "Rome", **gold}
        | {name: f"{name} {at}?" for name in QUESTIONS}
        for at in range(3)
    ]
    answers = [
        {
            "fact_id": fact["fact_id"],
            "task": task,
            "model": model,
            "thinking": thinking,
            "sample": sample,
            "response": "Rome" if sample else "Santa Maria",
            "grades": {
                "lexical": "CORRECT" if sample else "INCORRECT",
                JUDGE: "CORRECT",
                "zenobia rules": "CORRECT",
            },
        }
        for fact in facts
        for task in QUESTIONS
        for model in MODELS
        for thinking in (False, True)
        for sample in range(2)
    ]
    run("--db", path, "import", write(tmp_path / "f.jsonl", facts))
    run("--db", path, "import", "--format", "responses", write(tmp_path / "r.jsonl", answers))
    key = {name: answers[0][name] for name in ("fact_id", "task", "model", "thinking", "sample")}
    labels = [{**key, "grader": JUDGE, "label": "CORRECT", "rationale": note()}]
    run("--db", path, "import", "--format", "labels", write(tmp_path / "l.jsonl", labels))
    with OpenProject(path, "write") as project:
        slots = [slot for (slot,) in project.connection.execute("SELECT id FROM response LIMIT 9")]
        for person in PEOPLE:
            for slot in slots[:2]:
                label_writer.set_label(project, person, slot, Label.OTHER, note())
                label_writer.set_label(project, person, slot, Label.PARTIALLY, note())
        with write_transaction(project.connection):
            for name in ("Reviewing Rita", PEOPLE[0]):
                said = Review("rejected", f"{name} says so", note(), 1)
                db.reviews.set_review(project.connection, 13, f"human:{name}", said)
            project.connection.execute(
                "INSERT INTO source_file (name, format) VALUES ('Anna ﬁona.eval', 'inspect')"
            )
            project.connection.execute(
                "INSERT INTO response_source (response, file) VALUES (?, 1)", (slots[0],)
            )
            project.connection.execute(
                "INSERT INTO served (model, name, fingerprint) VALUES (1, '/home/zed/m', 'Anna')"
            )
            policy = fixed_policy(Policy(), (f"human:{PEOPLE[0]}", JUDGE, "zenobia rules"))
            every = list_asked(project.index, ~project.index.rejected, TASKS)
            db.sampling_runs.start(project.connection, 1, every, 2, curtailed=as_text(policy))
            project.connection.execute("INSERT INTO triple_set (name) VALUES ('Weiß set')")
    for words in (
        ("profiles", "--grader", f"human:{PEOPLE[2]},lexical", "--save", "strict as Zenobia"),
        (
            *("audit", "draw", "İpek's audit", "--person", "human:Auditing Aubrey"),
            *("--grader", f"{JUDGE}", "--model", MODELS[0]),
        ),
    ):
        run("--db", path, *words)
    return path


HIDDEN = (*PEOPLE, ASKING, "Reviewing Rita", "Auditing Aubrey", "Zeno\u200dbia")


def contents(path: Path) -> Iterator[bytes]:
    """The bytes of all files in a folder, their names, and what is packed in them."""
    for file in path.rglob("*"):
        yield str(file.relative_to(path)).encode()
        if not file.is_file():
            continue
        yield file.read_bytes()
        if file.suffix == ".parquet":
            parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
            table = parquet.read_table(file, partitioning=None)
            yield str(table.schema.metadata).encode()
            yield str(table.to_pylist()).encode()
        elif file.suffix == ".eval":
            with zipfile.ZipFile(file) as packed:
                yield from (packed.read(name) for name in packed.namelist())


def check(folder: Path) -> None:
    data = b"".join(part + b"\n" for part in contents(folder))
    for name in HIDDEN:
        for form in sorted(forms(name) - {"ann", "Ann", "ANN", "anna", "Anna", "ANNA"}):
            for code in ("utf-8", "utf-16-le", "utf-16-be"):
                assert form.encode(code) not in data, (name, form)
            assert json.dumps(form)[1:-1].encode() not in data, (name, form)
    people = {f"human:{name}".encode() for name in HIDDEN}
    assert not any(one in data for one in people)
    for address in (HOST, "10.1.2.3", "zed", ":8000/v1"):
        assert address.encode() not in data, address
    for word in (b" Ann ", b" Anna ", b"as ANN"):
        assert word not in data, word


@pytest.mark.slow
def test_a_published_copy_names_nobody(database: Path, tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    words = ("--policy", "strict as Zenobia", "--where", "source:'Anna ﬁona.eval'")
    run("--db", database, "publish", "-o", out / "share.db", "--anonymous", *words)
    check(out)
    with closing(sqlite3.connect(out / "share.db")) as copy:
        about = dict(copy.execute("SELECT * FROM about"))
        models = {model for (model,) in copy.execute("SELECT DISTINCT model FROM settings")}
        files = copy.execute("SELECT DISTINCT source FROM answers WHERE source <> ''").fetchall()
        answers = copy.execute("SELECT DISTINCT response FROM answers ORDER BY 1").fetchall()
        assert copy.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert about["policy"] == "strict as person-3"
    assert json.loads(about["graders"]) == ["human:person-3", "lexical"]
    assert (
        set(json.loads(about["models"])) == models == {"openai:m", "openai:m (2)", "person-3-run"}
    )
    assert files == [("person-5 person-7.eval",)]
    assert answers == [("Rome",), ("Santa Maria",)]


@pytest.mark.slow
def test_no_table_and_no_list_names_anybody(database: Path, tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    for what in (*TABLES, *LISTS):
        grader = f"human:{PEOPLE[2]},lexical"
        run(
            "--db",
            database,
            "export",
            what,
            "-o",
            out / f"{what}.jsonl",
            "--anonymous",
            "--grader",
            grader,
        )
    for ending in ("csv", "parquet", "md"):
        for what in ("responses", "labels", "adjudications"):
            run("--db", database, "export", what, "-o", out / f"{what}.{ending}", "--anonymous")
    run(
        "--db",
        database,
        "export",
        "facts",
        "--columns",
        "title,note",
        "-o",
        out / "list.csv",
        "--anonymous",
        "--grader",
        grader,
        "--model",
        MODELS[0],
        "--compare",
        f"{JUDGE},lexical",
    )
    run("--db", database, "export", "lake", "-o", out / "lake", "--anonymous")
    check(out)
    labels = [json.loads(line) for line in (out / "labels.jsonl").read_bytes().splitlines()]
    assert {row["grader"] for row in labels if row["grader"].startswith("human:")} == {
        f"human:person-{number}" for number in range(1, len(PEOPLE) + 1)
    }
    decisions = (out / "adjudications.jsonl").read_bytes().splitlines()
    assert any(json.loads(line)["history"] for line in decisions)
    runs = [json.loads(line) for line in (out / "runs.jsonl").read_bytes().splitlines()]
    assert {(row["model"], *row["graders"]) for row in runs} == {
        ("openai:m", "human:person-1", "llm:openai:m", "person-3 rules")
    }
    (tmp_path / "again.db").unlink(missing_ok=True)
    for what in ("facts", "responses", "labels", "runs"):
        run("--db", tmp_path / "again.db", "import", out / f"{what}.jsonl")


@pytest.mark.slow
def test_a_report_names_nobody(database: Path, tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    for ending in ("html", "md"):
        run(
            "--db",
            database,
            "report",
            "-o",
            out / f"r.{ending}",
            "--anonymous",
            "--policy",
            "strict as Zenobia",
            "--where",
            "source:'Anna ﬁona.eval'",
        )
    check(out)
    said = (out / "r.md").read_text()
    assert "strict as person\\-3" in said or "strict as person-3" in said


@pytest.mark.slow
def test_edits_and_copies_of_logs_name_nobody(
    shared: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    monkeypatch.setenv(NAME_VARIABLE, "")
    log = json.loads((shared("design/examples/exchange-edits") / "rivers.json").read_bytes())
    log["eval"] |= {
        "model_base_url": f"http://{HOST}:8000/v1",
        "task_file": "/home/zed/rivers.py",
        "metadata": {"by": "Zenobia Quill"},
        "revision": {"type": "git", "origin": "git@host:zed/x.git", "commit": "1"},
    }
    (tmp_path / "zenobia.json").write_text(json.dumps(log))
    path, out = tmp_path / "p.db", tmp_path / "out"
    run("--db", path, "import", tmp_path / "zenobia.json")
    with OpenProject(path, "write") as project:
        for (slot,) in project.connection.execute("SELECT id FROM response").fetchall():
            label_writer.set_label(project, "Zenobia Quill", slot, Label.OTHER, "ZENOBIA says")
    out.mkdir()
    run(
        "--db",
        path,
        "export",
        "edits",
        "--score",
        "match",
        "-o",
        out / "e.jsonl",
        "--anonymous",
        "--apply",
        tmp_path / "zenobia.json",
        "--to",
        out / "logs",
    )
    check(out)
    rows = [json.loads(line) for line in (out / "e.jsonl").read_bytes().splitlines()]
    assert {(row["log"], row["author"]) for row in rows} == {("person-1.json", "person-1")}
    copied = json.loads((out / "logs" / "person-1.json").read_bytes())
    assert copied["samples"][0]["input"] == log["samples"][0]["input"]
    run("--db", tmp_path / "q.db", "import", out / "logs" / "person-1.json")
    with OpenProject(tmp_path / "q.db") as project:
        assert "human:person-1" in {one.name for one in project.graders()}


@pytest.mark.slow
def test_request_files_name_nobody(database: Path, tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    words = ("--model", "file:base", "--as", "Zenobia’s run", "-o", out / "plan", "--anonymous")
    run("--db", database, "requests", *words)
    check(out)
    manifest = json.loads((out / "plan" / "manifest.json").read_bytes())
    assert manifest["label"] == "person-3’s run"


def test_words_of_answers_stay(tmp_path: Path) -> None:
    """Somebody called Paris: their labels and notes lose the name, answers and golds keep it."""
    path, out = tmp_path / "p.db", tmp_path / "labels.jsonl"
    fact = {"fact_id": "f", "direct": "Capital of France?", "direct_answer": "Paris"}
    run("--db", path, "import", write(tmp_path / "f.jsonl", [fact]))
    answer = {"fact_id": "f", "task": "direct", "model": "m", "thinking": False, "sample": 0}
    row = {**answer, "response": "It is Paris."}
    run("--db", path, "import", "--format", "responses", write(tmp_path / "r.jsonl", [row]))
    label = {**answer, "grader": "human:Paris", "label": "CORRECT", "rationale": "Paris it is"}
    run("--db", path, "import", "--format", "labels", write(tmp_path / "l.jsonl", [label]))
    run("--db", path, "export", "labels", "-o", out, "--anonymous")
    said = json.loads(out.read_bytes())
    assert (said["grader"], said["rationale"]) == ("human:person-1", "person-1 it is")
    for what, text in (("responses", "It is Paris."), ("facts", '"Paris"')):
        run("--db", path, "export", what, "-o", out, "--anonymous")
        assert text in out.read_text()
