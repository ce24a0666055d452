"""Deciding disagreements in the real program, one person or two on one file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.project import OpenProject
from tests.patience import wait_until
from tests.terminal import Terminal, forked
from tests.tui.sample import sample_project

pytestmark = pytest.mark.slow

NAME = "p.db"
SIZES = ((80, 24), (200, 60))


def settle_on(terminal: Terminal) -> None:
    """Open the Confusion screen."""
    terminal.wait("12 facts")
    terminal.press("ctrl+o", "c")
    terminal.wait("would change a profile")


@pytest.fixture(params=SIZES, ids=str)
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('name = "mira"\n')
    sample_project(tmp_path / NAME)
    with forked(("--db", NAME), tmp_path, *request.param) as found:
        settle_on(found)
        yield found


def labels(folder: Path, name: str) -> list[tuple[Any, ...]]:
    """A person's labels with their notes."""
    with OpenProject(folder / NAME, "read") as project:
        return project.connection.execute(
            "SELECT outcome, rationale FROM grade JOIN grader ON grader.id = grade.grader "
            "LEFT JOIN remark USING (response, grader) WHERE name = ?",
            (f"human:{name}",),
        ).fetchall()


def test_a_note_typed_right_after_a_decision_is_on_that_one(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.press("enter")
    terminal.settle()
    terminal.press("a", "n", "h", "i", "enter")
    terminal.settle()
    wait_until(lambda: [note for _, note in labels(tmp_path, "mira")] == ["hi"])


@pytest.mark.parametrize("terminal", SIZES[1:], indirect=True, ids=str)
def test_what_another_program_decides_is_seen_and_contradicted(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.press("enter")
    terminal.settle()
    terminal.press("a")
    terminal.wait("is right")
    with forked(
        ("--db", NAME, "--fresh"), tmp_path, 200, 60, environment={"LOSTKEYS_USER": "ada"}
    ) as other:
        settle_on(other)
        other.wait("mira")
        other.press("enter")
        other.settle()
        other.press("b")
        other.wait("mira ≠")
        terminal.wait("ada ≠")
        terminal.wait("1 by others")
        other.press("q")
        assert other.end() == 0
    assert len(labels(tmp_path, "ada")) == len(labels(tmp_path, "mira")) == 1


@pytest.mark.parametrize("terminal", SIZES[:1], indirect=True, ids=str)
def test_a_question_is_rejected_on_the_card_and_comes_back(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.press("enter")
    terminal.wait("or the question is at fault")
    terminal.press("d", "1")
    terminal.wait("rejected, gold is wrong")
    terminal.wait("11 facts")
    terminal.press("u")
    terminal.wait("not decided again")
    terminal.press("U")
    terminal.wait("rejected again")
    terminal.press("u")
    terminal.wait("not decided again")
