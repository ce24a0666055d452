"""Looking questions over by key in the real program, and what is exported of it."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

import db.integrity
from core.project import OpenProject
from tests.terminal import Terminal, forked
from tests.tui.sample import sample_project

pytestmark = pytest.mark.slow

NAME = "p.db"
SIZES = ((80, 24), (200, 60))


@pytest.fixture(params=SIZES, ids=str)
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """The program on the Review screen, with a name in its settings."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('name = "mira"\n')
    sample_project(tmp_path / NAME)
    with forked(("--db", NAME), tmp_path, *request.param) as found:
        found.wait("12 facts")
        do(found, "ctrl+o", "r")
        found.wait("suspicious")
        found.wait(lambda text: "2/2" in text or "2 of 2" in text)
        yield found


def reviews(folder: Path) -> list[dict[str, str]]:
    with forked(("export", "reviews", "-o", "out.csv", "--db", NAME), folder) as program:
        assert program.end() == 0
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def do(terminal: Terminal, *keys: str) -> None:
    for key in keys:
        terminal.press(key)
        terminal.settle()


def quit_program(terminal: Terminal) -> None:
    do(terminal, "q")
    assert terminal.end() == 0
    assert b"Traceback" not in terminal.raw


def test_reject_edit_undo_and_export(terminal: Terminal, tmp_path: Path) -> None:
    do(terminal, "enter", "a")
    terminal.wait("accepted. u undoes it")
    do(terminal, "d", "2")
    terminal.wait("rejected, not unique. u undoes it")
    do(terminal, "d", "6")
    terminal.press(*"too [red]easy[/]", "enter")
    terminal.wait("rejected, too [red]easy[/]")
    do(terminal, "e")
    terminal.press(*" Really?")
    terminal.wait("version 2 of")
    do(terminal, "ctrl+s")
    terminal.wait("edited. u undoes it")
    quit_program(terminal)
    found = {one["verdict"]: one for one in reviews(tmp_path) if one["verdict"] != "rejected"}
    assert set(found) == {"accepted", "edited"}
    assert found["edited"]["became"] == found["edited"]["question"] + " Really?"
    assert {one["reason"] for one in reviews(tmp_path) if one["verdict"] == "rejected"} == {
        "not unique",
        "too [red]easy[/]",
    }


TABLES = ("grade", "remark", "stale_grade", "review", "fact")
CURRENT = ("question", "gold")


def counting(folder: Path) -> list[list[tuple[object, ...]]]:
    """What is in use, and what was said of it."""
    wanted = [f"SELECT * FROM {name} ORDER BY 1, 2" for name in TABLES]
    wanted += [f"SELECT * FROM {name} WHERE current ORDER BY id" for name in CURRENT]
    with OpenProject(folder / NAME, "read") as project:
        assert db.integrity.faults(project.connection) == []
        return [project.connection.execute(sql).fetchall() for sql in wanted]


@pytest.mark.parametrize("terminal", SIZES[:1], indirect=True, ids=str)
def test_undo_goes_on_in_another_run(terminal: Terminal, tmp_path: Path) -> None:
    before = counting(tmp_path)
    do(terminal, "enter", "d", "1")
    terminal.wait("rejected, gold is wrong")
    do(terminal, "e")
    terminal.press(*" Or not?")
    terminal.wait("version 2 of")
    do(terminal, "ctrl+s")
    terminal.wait("edited. u undoes it")
    quit_program(terminal)
    assert counting(tmp_path) != before
    with forked(("--db", NAME, "--fresh"), tmp_path) as again:
        again.wait("11 facts")
        do(again, "ctrl+o", "r")
        again.wait("suspicious")
        for done in ("as it was before the edit", "not decided again"):
            do(again, "u")
            again.wait("u again undoes")
            do(again, "u")
            again.wait(done)
        again.wait("12 facts")
        quit_program(again)
    assert counting(tmp_path) == before
