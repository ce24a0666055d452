"""The program with its screens in a pseudo-terminal; the demo with the real embedded model."""

import re
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

import db.integrity
from core.demo.demo_setup import GRADERS
from core.project import OpenProject
from tests.terminal import Terminal, forked, running

pytestmark = pytest.mark.slow

LONG = 240.0
"""Seconds to wait for the model, which shares the machine with whatever else runs."""

DEMO = ("demo", "--facts", "1", "--samples", "1", "--db", "demo.db")
ANSWERS = 18
LEFT = b"\x1b[?1049l"
"""Tells the terminal to show what was there before the program."""


def answers(path: Path) -> int:
    with OpenProject(path, "read") as project:
        assert db.integrity.faults(project.connection) == []
        assert not db.integrity.grids_are_stale(project.connection)
        return project.grids.count(0)


def labels(path: Path) -> dict[str, int]:
    with OpenProject(path, "read") as project:
        return {one.name: project.grids.count(one.plane) for one in project.graders()}


def share(text: str) -> int:
    """Per cent answered, as the status line says; -1 where it says nothing."""
    found = re.search(r"answering (\d+)%", text)
    return int(found[1]) if found else -1


def wait_for(terminal: Terminal, pattern: bytes) -> None:
    """Read until a pattern stands in what the program has written."""
    terminal.wait(lambda _: re.search(pattern, terminal.raw) is not None, LONG)


def copied(path: Path, name: str) -> Path:
    """A copy of a database that nobody has open, with what a kill left beside it."""
    for file in path.parent.glob(f"{path.name}*"):
        shutil.copy(file, file.with_name(file.name.replace(path.name, name)))
    return path.with_name(name)


def test_the_demo_is_stopped_quit_killed_and_goes_on_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    with running((*DEMO, "--headless"), tmp_path) as terminal:
        wait_for(terminal, rb"[1-9]\d*/18")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
        assert b"what was done is kept" in terminal.raw
        assert b"Traceback" not in terminal.raw
    stopped = answers(path)
    assert 0 < stopped < ANSWERS
    with forked(DEMO, tmp_path) as terminal:
        terminal.wait(lambda text: share(text) > 0, LONG)
        assert "1 fact" in terminal.text
        terminal.press("q")
        terminal.wait("goes on in the background")
        terminal.press("q")
        terminal.wait("goes on in the background")
        terminal.press("q")
        assert terminal.end() == 0
        assert b"started again, it goes on" in terminal.raw
        assert LEFT in terminal.raw
    kept = answers(path)
    assert stopped <= kept < ANSWERS
    with running((*DEMO, "--headless"), tmp_path) as terminal:
        wait_for(terminal, rb"(?:[7-9]|1\d)/18")
        terminal.process.kill()
    killed = answers(path)
    assert kept <= killed <= ANSWERS
    other = copied(path, "other.db")

    with running((*DEMO, "--headless"), tmp_path) as terminal:
        assert terminal.end(LONG) == 0
        assert b"1 of 1" in terminal.raw
        assert b"embedded:smollm2-135m" in terminal.raw
    with forked((*DEMO[:-1], other.name), tmp_path) as terminal:
        terminal.wait(f"is over: {ANSWERS} answers", LONG)
        terminal.wait("nothing runs")
        terminal.press("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.raw
    for one in (path, other):
        assert answers(one) == ANSWERS
        assert set(labels(one)) == {*GRADERS, "choice"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_it_and_give_the_terminal_back(tmp_path: Path, number: signal.Signals) -> None:
    with running((), tmp_path) as terminal:
        terminal.wait("No facts here yet")
        terminal.wait("lostkeys.db")
        terminal.process.send_signal(number)
        terminal.end()
        assert LEFT in terminal.raw
        assert b"Traceback" not in terminal.raw
    assert list(tmp_path.glob("*.db*")) == []


@pytest.mark.parametrize("words", [("--db", "some.db"), ()])
def test_without_a_command_the_screens_open(tmp_path: Path, words: Sequence[str]) -> None:
    with running(words, tmp_path) as terminal:
        terminal.wait("No facts here yet")
        terminal.wait("some.db" if words else "lostkeys.db")
        terminal.press("q")
        assert terminal.end() == 0
    assert list(tmp_path.glob("*.db*")) == []


def test_a_file_of_another_program_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("no database" * 1000)
    with running(("--db", "notes.db"), tmp_path) as terminal:
        assert terminal.end() == 1
        terminal.settle()
        _, left, after = bytes(terminal.raw).partition(LEFT)
    assert left
    message = "lostkeys: notes.db is not a database: check the name, or give another with --db"
    assert message in after.decode()
    assert after.count(b"notes.db") == 1
