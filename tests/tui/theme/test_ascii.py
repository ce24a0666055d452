"""`glyphs = ascii`: all that is drawn is ASCII, whatever is drawn; what the data say stays."""

from pathlib import Path

import pytest

from core.demo.demo_setup import read_facts
from core.project import OpenProject
from tests.core.making import put_facts, put_rows
from tests.terminal import Terminal, forked, running
from tests.tui.sample import FACTS, rows_of

pytestmark = pytest.mark.slow

KEYS = (
    *("f2", "v", "n", "escape", "&", "escape", "N", "f3", "v", "I", "C", "enter", "escape"),
    *("f4", "v", "enter", "enter", "n", "escape", "escape", "B", "f5", "v", "+", "escape"),
    *("f6", "f7", "v", "I", "down", "v", "down", "w", "escape", "f8", "f9", "f1"),
    *("?", "escape", "ctrl+o", "escape", "ctrl+p", "escape", "f", "escape", "g", "escape"),
    *("m", "escape", "r", "escape", "v", "v", "space", "enter"),
)
"""All screens and their views, most dialogs, then the fact and its answers."""

SIZES = ((80, 24), (120, 40))
KINDS = {
    "as set": ('glyphs = "ascii"\n', {"LC_ALL": "C.UTF-8"}),
    "linux": ("", {"TERM": "linux", "COLORTERM": ""}),
    "no UTF-8": ("", {"LC_ALL": "en_US.ISO-8859-1"}),
}


def ascii_project(path: Path) -> None:
    """A sample whose facts are ASCII only."""
    facts = [fact for fact in read_facts() if repr(fact).isascii()][:FACTS]
    assert len(facts) == FACTS
    with OpenProject(path, "create") as project:
        put_facts(project, facts)
        put_rows(project, list(rows_of(facts)))


def cursor_stands_out(terminal: Terminal) -> bool:
    """Whether the row of the cursor begins with its bar, and its cells differ from the next's."""
    row = next(number for number, text in enumerate(terminal.rows) if "China >" in text)
    styles = [
        {(cell.reverse, cell.bold, cell.bg) for cell in terminal.screen.buffer[y].values()}
        for y in (row, row + 1)
    ]
    bars = [terminal.rows[y].lstrip("|").startswith("DR") for y in (row, row + 1)]
    return "|" in terminal.rows[row][:2] and styles[0] != styles[1] and bars[0]


@pytest.mark.parametrize("kind", KINDS)
def test_no_byte_of_ours_is_above_ascii(kind: str, tmp_path: Path) -> None:
    settings, environment = KINDS[kind]
    ascii_project(tmp_path / "p.db")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text(settings)
    # The alphabet of a language is taken in where a program begins.
    run = running if kind == "no UTF-8" else forked
    with run(("--db", "p.db"), tmp_path, *SIZES[0], environment=environment) as terminal:
        for size in (*SIZES[1:], SIZES[0]):
            terminal.wait("China >")
            assert cursor_stands_out(terminal)
            terminal.resize(*size)
            terminal.settle()
        for size in SIZES:
            terminal.resize(*size)
            for key in KEYS:
                terminal.press(key)
                terminal.settle()
                assert terminal.raw.isascii(), f"{key}\n{terminal.text}"
        terminal.press("q")
        assert terminal.end() == 0
