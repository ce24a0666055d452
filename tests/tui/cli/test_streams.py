"""What is written where: screens to stdout, errors to stderr, and tables as wide as they need."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.terminal import LOSTKEYS, running, surroundings
from tests.tui.sample import sample_project
from tui.cli import main as cli_main
from tui.screens.confusion.calibration_dialog import wrong_amount
from tui.screens.profiles.lens_controls import wrong_tau
from tui.screens.review.screen import wrong_number


def piped(folder: Path, *words: str, code: str = LOSTKEYS) -> subprocess.CompletedProcess[str]:
    """The program with no terminal at all."""
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=surroundings(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_screens_open_though_stderr_is_a_file(tmp_path: Path) -> None:
    sample_project(tmp_path / "p.db")
    with (
        (tmp_path / "err.log").open("wb") as errors,
        running(("--db", "p.db"), tmp_path, errors=errors.fileno()) as terminal,
    ):
        terminal.wait("12 facts")
        terminal.press("q")
        assert terminal.end() == 0
    assert (tmp_path / "err.log").read_bytes() == b""


@pytest.mark.parametrize("words", [(), ("--db", "p.db")])
def test_without_a_terminal_it_is_said_that_one_is_needed(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    found = piped(tmp_path, *words)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr == (
        "lostkeys: no command is given, and the screens need a terminal: stdin and stdout are "
        "none (`lostkeys --help` shows what it takes)\n"
    )


LONG = "9" * 5_000
FACT = '{"fact_id": "1", "object": "o", "direct": "d", "gbc": LONG}'
FILES = {
    "facts.jsonl": FACT,
    "facts.json": f"[{FACT}]",
    "facts.csv": "fact_id,direct_answer,direct,gbc\n1,o,d,LONG\n",
    "responses.jsonl": '{"fact_id": "1", "task": "direct", "model": "m", "sample": LONG}',
    "labels.jsonl": '{"human_correct": true, "prediction": LONG}',
}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sample", "--model", "embedded:smollm2-135m", "--samples", LONG), "is not a valid"),
        (("sample", "--model", "embedded:smollm2-135m", "--max-cost", LONG), "is no amount"),
        (("profiles", "--tau", LONG), "outside [0, 1)"),
        (("profiles", "--grader", "gpt-5", "--where", f"views:>{LONG}"), "no number of views"),
        (("profiles", "--grader", "gpt-5", "--where", f"number:{LONG}"), "no number of a fact"),
        (("profiles", "--grader", "gpt-5", "--where", f"random:{LONG}"), "no number of facts"),
        (("jobs", "log", LONG), "is not a valid"),
        (("build", "--target", LONG), "is not a valid"),
        (("import", "facts.jsonl"), "facts.jsonl, line 1: a number of 5,000 digits is too long"),
        (("import", "facts.json"), "facts.json: a number of 5,000 digits is too long"),
        (("import", "facts.csv"), "not a whole number of page views"),
        (("import", "responses.jsonl"), "line 1: a number of 5,000 digits is too long"),
        (("graders", "evaluate", "exact", "--labels", "labels.jsonl"), "5,000 digits is too long"),
    ],
    ids=lambda value: " ".join(value).replace(LONG, "LONG") if isinstance(value, tuple) else "",
)
def test_a_number_of_5000_digits_is_told_in_our_words(
    tmp_path: Path,
    words: tuple[str, ...],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample_project(tmp_path / "p.db")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace("LONG", LONG))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["lostkeys", "--db", "p.db", *words])
    with pytest.raises(SystemExit) as stop:
        cli_main.main()
    err = capsys.readouterr().err
    assert stop.value.code
    assert says in err
    assert "limit" not in err
    assert "fault of the program" not in err
    assert len(max(err.splitlines(), key=len)) < 400


@pytest.mark.slow
def test_tables_in_a_file_are_as_wide_as_they_need(tmp_path: Path) -> None:
    name = "openai:a-model-with-a-rather-long-name-" + "x" * 60
    sample_project(tmp_path / "p.db")
    with closing(sqlite3.connect(tmp_path / "p.db")) as connection, connection:
        connection.execute("UPDATE model SET label = ? WHERE label = 'gemma3-4b'", (name,))
        connection.execute("UPDATE fact SET fact_id = fact_id || ?", ("-" + "y" * 60,))
    graders = ("--grader", "gemini-2.5-pro")
    for words in (
        ("profiles", *graders),
        ("profiles", *graders, "--by", "category", "--intervals"),
        ("profiles", *graders, "--per-fact"),
        ("analyze", "direction", *graders),
        ("models",),
    ):
        found = piped(tmp_path, "--db", "p.db", *words)
        assert found.returncode == 0, found.stderr
        lines = found.stdout.splitlines()
        assert any(name in line for line in lines), words
        assert not any("…" in line for line in lines), words
        assert max(map(len, lines)) < 600, words


def test_a_width_that_is_set_is_kept_to(tmp_path: Path) -> None:
    sample_project(tmp_path / "p.db")
    words = ("--db", "p.db", "profiles", "--grader", "gemini-2.5-pro")
    code = f"import os; os.environ['COLUMNS'] = '60'; {LOSTKEYS}"
    found = piped(tmp_path, *words, code=code)
    assert found.returncode == 0
    assert max(map(len, found.stdout.splitlines())) <= 60


@pytest.mark.parametrize("wrong", [wrong_number, wrong_amount, wrong_tau])
def test_number_fields_refuse_one_in_our_words(wrong: Callable[[str], str | None]) -> None:
    said = wrong(LONG)
    assert said is not None
    assert "limit" not in said
    assert len(said) < 80
