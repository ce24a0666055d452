"""`merge` and `export adjudications` from the command line: what lands, exit codes, lines."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import db.integrity
import db.project_values
from core.curation import label_writer, undo_history
from core.project import OpenProject
from core.vocabulary import Label
from db.connection import write_transaction
from tui.cli import main as cli_main
from tui.cli.main import cli

FACT = {"fact_id": "1", "subject": "France", "object": "Paris", "direct": "Its capital?"}
ANSWER = {"fact_id": "1", "task": "direct", "model": "m", "thinking": False}


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def made(folder: Path, name: str, responses: Sequence[Mapping[str, object]]) -> Path:
    rows = [{**ANSWER, "sample": n, **one} for n, one in enumerate(responses)]
    for file, content in (("facts.jsonl", [FACT]), ("rows.jsonl", rows)):
        lines = "".join(json.dumps(row) + "\n" for row in content)
        (folder / file).write_text(lines, encoding="utf-8")
    run("--db", folder / name, "import", folder / "facts.jsonl", folder / "rows.jsonl")
    return folder / name


def test_merge(tmp_path: Path) -> None:
    a = made(tmp_path, "a.db", [{"response": "Paris"}])
    b = made(tmp_path, "b.db", [{"response": "Paris"}, {"response": "Lyon"}])
    result = run("merge", a, b, "-o", tmp_path / "c.db")
    assert result.stdout == ""
    assert result.stderr.endswith("c.db: 2 merged, no differences\n")
    run("--db", tmp_path / "c.db", "export", "responses", "-o", tmp_path / "c.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert [row["response"] for row in rows] == ["Paris", "Lyon"]


def test_differences_are_listed_and_the_exit_code_says_so(tmp_path: Path) -> None:
    a = made(tmp_path, "a.db", [{"response": "Paris"}])
    b = made(tmp_path, "b.db", [{"response": "\x1b[31mLyon"}])
    result = run("merge", a, b, "-o", tmp_path / "c.db", code=1)
    assert result.stdout == (
        f"{b}, unlike {a}: fact '1', direct, 'm', thinking off, sample 0: another response; "
        "its labels are left out\n"
    )
    assert result.stderr.endswith("c.db: 2 merged, 1 difference, the first kept\n")


def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    a = made(tmp_path, "a.db", [{"response": "Paris"}])
    (tmp_path / "text.db").write_text("not a database at all, but long enough to be read as one")
    for words, code, says in (
        (("merge", a, a, "-o", tmp_path / "c.db"), 2, "are one file"),
        (("merge", a, tmp_path / "no.db", "-o", tmp_path / "c.db"), 1, "does not exist"),
        (("merge", a, tmp_path / "text.db", "-o", tmp_path / "c.db"), 1, "text.db"),
        (("merge", a, "-o", tmp_path / "c.db"), 2, "name two or more"),
    ):
        monkeypatch.setattr("sys.argv", ["lostkeys", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            cli_main.main()
        err = capsys.readouterr().err
        assert stop.value.code == code
        assert err.count("\n") == 1
        assert says in err
    assert not (tmp_path / "c.db").exists()


def test_decisions_go_to_another_machine(tmp_path: Path) -> None:
    here = made(tmp_path, "here.db", [{"response": "Paris", "grades": {"g": "OTHER"}}])
    there = made(tmp_path, "there.db", [{"response": "Paris", "grades": {"g": "OTHER"}}])
    with OpenProject(here, "write") as project:
        (slot,) = project.connection.execute("SELECT id FROM response").fetchone()
        label_writer.set_label(project, "ann", slot, Label.CORRECT, "it is")
    files = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("--db", here, "export", "adjudications", "-o", files[0])
    assert "added 1" in run("--db", there, "import", "--format", "labels", files[0]).stderr
    run("--db", there, "export", "adjudications", "-o", files[1])
    assert files[0].read_bytes() == files[1].read_bytes()
    (row,) = [json.loads(line) for line in files[1].read_text().splitlines()]
    assert (row["grader"], row["label"], row["rationale"]) == ("human:ann", "CORRECT", "it is")
    document = json.loads(run("--db", there, "confusion", "g", "human:ann", "--json").stdout)
    assert document["matrix"]["OTHER"]["CORRECT"] == document["n"] == 1


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_jobs_and_what_is_a_persons_own_stay_behind(tmp_path: Path, order: tuple[int, int]) -> None:
    """Of no file are there jobs, spending or discarded responses; the union is no file's own."""
    files = [made(tmp_path, f"{name}.db", [{"response": "Paris"}]) for name in "ab"]
    for file in files:
        with OpenProject(file, "write") as project:
            (slot,) = project.connection.execute("SELECT id FROM response").fetchone()
            label_writer.set_label(project, "ann", slot, Label.CORRECT)
            with write_transaction(project.connection):
                job = project.connection.execute("SELECT max(id) FROM job").fetchone()[0]
                project.connection.execute(
                    "INSERT INTO spend VALUES (?, 'off', 'm', 1, 1, 1, 1, 1.5, 1)", (job,)
                )
                project.connection.execute(
                    "INSERT INTO aside (slot, text, grades, reason) VALUES (?, 'x', '{}', 'why')",
                    (slot,),
                )
    run("merge", *(files[place] for place in order), "-o", tmp_path / "c.db")
    identities = set()
    for file in (*files, tmp_path / "c.db"):
        with OpenProject(file) as project:
            identities.add(db.project_values.value(project.connection, db.project_values.IDENTITY))
    assert len(identities) == 3
    with OpenProject(tmp_path / "c.db", "write") as project:
        for table in ("job", "stage", "spend", "event", "batch", "lease", "claim", "aside"):
            assert project.connection.execute(f"SELECT * FROM {table}").fetchall() == [], table
        assert undo_history.undo(project, "ann") is None
        assert db.integrity.faults(project.connection) == []
