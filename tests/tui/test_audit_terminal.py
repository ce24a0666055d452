"""Five answers decided, undone, done again and found after a restart, in every kind of terminal."""

from pathlib import Path

import pytest

from core.project import OpenProject
from tests.patience import wait_until
from tests.terminal import Terminal, running
from tests.tui.theme.test_ascii import ascii_project
from tests.tui.theme.test_terminals import inks

pytestmark = pytest.mark.slow

SIZE, QUEUE = (120, 40), 50
KINDS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    "no colours": ("", {"NO_COLOR": "1"}, ()),
    "linux": ("", {"TERM": "linux", "COLORTERM": ""}, ()),
    "ascii": ('glyphs = "ascii"\n', {}, ()),
    "reader": ("", {}, ("--reader",)),
}
"""Settings, variables and options."""

COLOURLESS, ASCII = {"no colours"}, {"linux", "ascii"}


def labels(path: Path) -> int:
    """How many answers mira has labelled."""
    with OpenProject(path, "read") as project:
        [(count,)] = project.connection.execute(
            "SELECT count(*) FROM grade JOIN grader ON grader.id = grade.grader WHERE name = ?",
            ("human:mira",),
        ).fetchall()
        return int(count)


def queue(terminal: Terminal) -> list[str]:
    """The left of the screen, where the queue stands; the card beside it says how fast it goes."""
    return [row[:QUEUE] for row in terminal.rows[:-2]]


@pytest.mark.parametrize("kind", KINDS)
def test_an_audit_is_made_undone_left_and_found_again(kind: str, tmp_path: Path) -> None:
    settings, environment, options = KINDS[kind]
    path, words = tmp_path / "p.db", ("--db", "p.db", *options)
    ascii_project(path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text(f'name = "mira"\n{settings}')
    with running(words, tmp_path, *SIZE, environment=environment) as terminal:
        terminal.wait("12 facts")
        terminal.press("f4")
        terminal.wait("would change a profile")
        terminal.settle()
        terminal.press("enter")
        for number, key in enumerate("abcip", 1):
            terminal.settle()
            terminal.press(key)
            terminal.wait(f"so far, {number} of ")
        wait_until(lambda: labels(path) == 5)
        terminal.press("u")
        wait_until(lambda: labels(path) == 4)
        terminal.settle()
        terminal.press("U")
        wait_until(lambda: labels(path) == 5)
        terminal.settle()
        terminal.press("escape")
        # A busy program that has not read it yet would take it and `q` for `alt+q`.
        terminal.wait(lambda text: "esc queue" not in text)
        terminal.settle()
        left = queue(terminal)
        terminal.press("q")
        assert terminal.end() == 0
        written = bytes(terminal.raw)
    with running(words, tmp_path, *SIZE, environment=environment) as terminal:
        terminal.wait(lambda _: queue(terminal) == left)
        terminal.press("q")
        assert terminal.end() == 0
        written += bytes(terminal.raw)
    assert labels(path) == 5
    assert (inks(written) == {((), ())}) is (kind in COLOURLESS)
    assert (max(written) < 0x80) is (kind in ASCII | {"reader"})
