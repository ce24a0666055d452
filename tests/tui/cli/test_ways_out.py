"""Hostile text out of a log stays text on every way out: files, tables, papers, pages, copies."""

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.core.exchange.making import sample, write_log
from tui.cli.main import cli

EVIL = "=cmd()|' /C calc'!A0 <script>alert(1)</script> [/b] \\input{/etc/passwd} \x1b[31m\u202e"
AUTHOR = "=cmd() <script>[/b] \\input{x}"
SCORER = "[/b]<script>\\input{y}"
STARTS = ("=", "+", "-", "@", "\t", "\r")
WHATS = ("facts", "responses", "labels", "adjudications")


def run(database: Path, *words: object) -> Result:
    result = CliRunner().invoke(cli, ["--db", str(database), *map(str, words)])
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A log whose every text is hostile, and a person who says otherwise."""
    score = {"value": "I", "explanation": EVIL}
    samples = [
        {
            **sample(f"{EVIL}/{number}", EVIL),
            "input": f"{EVIL} {number}?",
            "target": EVIL,
            "scores": {SCORER: score},
        }
        for number in range(2)
    ]
    log = write_log(tmp_path / "=evil [b].json", samples, model=f"m {EVIL}", task="=t [/b]")
    path = tmp_path / "o.db"
    run(path, "import", log)
    rows = exported(path, "responses", tmp_path)
    labels = [
        {key: row[key] for key in ("fact_id", "task", "model", "thinking", "sample")}
        | {"grader": f"human:{AUTHOR}", "label": "CORRECT", "rationale": EVIL}
        for row in rows
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)))
    run(path, "import", tmp_path / "labels.jsonl")
    return path


def exported(database: Path, what: str, folder: Path) -> list[dict[str, Any]]:
    file = folder / f"out-{what}.jsonl"
    run(database, "export", what, "-o", file)
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_edits_are_to_the_letter(database: Path, tmp_path: Path) -> None:
    found = exported(database, "edits", tmp_path)
    assert {(row["author"], row["reason"], row["value"]) for row in found} == {(AUTHOR, EVIL, "C")}
    assert [row["sample_id"] for row in found] == [f"{EVIL}/0", f"{EVIL}/1"]
    assert all(line.isascii() or "\x1b" not in line for line in raw(tmp_path))


def raw(folder: Path) -> list[str]:
    return (folder / "out-edits.jsonl").read_text().splitlines()


@pytest.mark.parametrize("what", [*WHATS, "edits"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_spreadsheet_runs_nothing(what: str, ending: str, database: Path, tmp_path: Path) -> None:
    file = tmp_path / f"{what}.{ending}"
    run(database, "export", what, "-o", file, "--excel-safe")
    with file.open(newline="", encoding="utf-8") as lines:
        cells = [cell for row in csv.reader(lines, excel_of(ending)) for cell in row]
    assert any("cmd()" in cell for cell in cells)
    assert not [cell for cell in cells if cell.startswith(STARTS)]


def excel_of(ending: str) -> type[csv.Dialect]:
    return csv.excel_tab if ending == "tsv" else csv.excel


@pytest.mark.parametrize(
    "words",
    [
        ("profiles", "--grader", f"human:{AUTHOR}"),
        ("confusion", f"inspect:{SCORER}", f"human:{AUTHOR}"),
        ("graders",),
        ("models",),
    ],
)
def test_tables_move_no_cursor_and_papers_read_no_file(
    words: tuple[str, ...], database: Path
) -> None:
    shown = run(database, *words).stdout
    assert all(line.isprintable() for line in shown.splitlines())
    if words[0] in ("profiles", "confusion"):
        paper = run(database, *words, "--latex").stdout
        assert "\\input" not in paper
        assert "textbackslash" in paper


@pytest.mark.slow
def test_a_page_and_a_copy_hold_it_as_text(database: Path, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    run(database, "report", "-o", page, "--grader", f"human:{AUTHOR}")
    assert "<script>alert" not in page.read_text()
    share = tmp_path / "share.db"
    run(database, "publish", "-o", share, "--grader", f"human:{AUTHOR}")
    with sqlite3.connect(share) as copy:
        texts = {text for (text,) in copy.execute("SELECT response FROM answers")}
        assert texts == {EVIL}
        assert not copy.execute(
            "SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')"
        ).fetchall()
    json.loads((tmp_path / "share.metadata.json").read_text())
