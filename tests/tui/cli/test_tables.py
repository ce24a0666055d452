"""A colleague's spreadsheet comes in by one command, as the worked example has it."""

import gzip
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from core.errors import UsageError
from tui.cli.main import cli

WORDS = (
    "--encoding cp1252 --map direct=Frage,direct_answer=Gold,model=Modell,response=Antwort,"
    "grades.human:eva=richtig?,rationale.human:eva=warum "
    "--words human:eva:ja=CORRECT,nein=INCORRECT"
)


def lostkeys(database: Path, *words: str, text: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["--db", str(database), *words], input=text)


def rows_of(text: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    return sorted(
        ({key: value for key, value in row.items() if value is not None} for row in found),
        key=lambda row: json.dumps(row, sort_keys=True),
    )


def test_the_worked_example(shared: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shared("design/examples/exchange-table")
    database = tmp_path / "a.db"
    words = ("import", str(folder / "antworten.csv"), *shlex.split(WORDS))
    tried = lostkeys(database, *words, "--dry-run", "--json")
    done = lostkeys(database, *words)
    assert (tried.exit_code, done.exit_code) == (1, 1)
    expected_report = json.loads((folder / "expected_report.json").read_text())
    (found,) = json.loads(tried.stdout)["files"]
    for one, wanted in zip(found["bad"], expected_report["bad"], strict=True):
        assert (found["file"], one["row"]) == (wanted["file"], wanted["row"])
        assert one["reason"].startswith(wanted["reason"])
        assert f"antworten.csv, line {one['row']}: {one['reason']}" in done.stderr
    assert found["unlabelled"] == expected_report["unlabelled"]
    for what in ("facts", "responses", "labels"):
        assert lostkeys(database, "export", what, "-o", str(tmp_path / "o.jsonl")).exit_code == 0
        expected = (folder / f"expected_{what}.jsonl").read_text(encoding="utf-8")
        assert rows_of((tmp_path / "o.jsonl").read_text(encoding="utf-8")) == rows_of(expected)


def test_standard_input_and_output(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    content = gzip.compress("question;answer\nQ?;größer\n".encode())
    done = lostkeys(database, "import", "-", text=content)
    assert done.exit_code == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith("-: table, 1 row read")
    broken = lostkeys(database, "import", "-", text=b'question;answer\nQ?;"g\n')
    assert str(broken.exception).startswith("-, line 2: broken quoting")
    written = lostkeys(database, "export", "facts", "-o", "-", "--as-type", "jsonl")
    assert json.loads(written.stdout)["direct_answer"] == "größer"
    other = tmp_path / "b.db"
    given = lostkeys(other, "import", "-", "--format", "facts", text=written.stdout_bytes)
    assert given.exit_code == 0, given.stderr
    again = lostkeys(other, "export", "facts", "-o", "-", "--as-type", "jsonl")
    assert again.stdout == written.stdout
    for words, why in (
        (("export", "facts", "-o", "-"), "-o - needs --as-type"),
        (("export", "facts", "-o", "f.csv", "--as-type", "csv"), "--as-type goes with -o -"),
        (("export", "lake", "-o", "-"), "a lake is a folder"),
        (("import", "-", "-"), "once"),
    ):
        wrong = lostkeys(database, *words)
        assert isinstance(wrong.exception, UsageError)
        assert why in str(wrong.exception)
