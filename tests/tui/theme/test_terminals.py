"""The bytes that kinds of terminals get: every screen can be read, in colours and without."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import Terminal, forked
from tests.tui.sample import sample_project

pytestmark = pytest.mark.slow

SIZE = 100, 30
KINDS = {
    "linux": {"TERM": "linux", "COLORTERM": ""},
    "16 colours": {"TERM": "xterm-16color", "COLORTERM": ""},
    "256 colours, said at the end": {"TERM": "xterm-256color", "COLORTERM": ""},
    "256 colours, not said at the end": {"TERM": "screen-256color-bce", "COLORTERM": ""},
    "true colours": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
}
SCREENS = {
    "f2": "3 direct",
    "f3": "threshold",
    "f4": "agreement",
    "f5": "suspicious",
    "f6": "Nothing",
    "f7": "Figures",
    "f1": "China",
}
"""The key of each screen, and what stands on it."""

STYLE = re.compile(rb"\x1b\[([0-9;]*)m")


def seen(folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, Terminal]]:
    """Every screen and a dialog, each once it is painted."""
    sample_project(folder / "p.db")
    with forked(("--db", "p.db"), folder, *SIZE, environment=environment) as terminal:
        terminal.wait("12 facts")
        for key, sign in SCREENS.items():
            terminal.press(key)
            terminal.wait(sign)
            terminal.settle()
            yield key, terminal
        terminal.press("ctrl+o")
        terminal.wait("esc stays")
        terminal.settle()
        yield "ctrl+o", terminal
        terminal.press("escape")
        terminal.wait(lambda text: "esc stays" not in text)
        terminal.press("q")
        assert terminal.end() == 0


def inks(raw: bytes) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The colours of text and ground that are set together; a colour that is not set is empty."""
    return {colours(found[1]) for found in STYLE.finditer(raw)}


def colours(style: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    numbers = [int(number or 0) for number in style.split(b";")]
    ink: tuple[int, ...] = ()
    ground: tuple[int, ...] = ()
    while numbers:
        first = numbers[0]
        length = {2: 5, 5: 3}[numbers[1]] if first in (38, 48) else 1
        colour, numbers = tuple(numbers[:length]), numbers[length:]
        if 30 <= first <= 39 or 90 <= first <= 97:
            ink = colour
        elif 40 <= first <= 49 or 100 <= first <= 107:
            ground = colour
    return ink, ground


def unreadable(terminal: Terminal) -> set[str]:
    """Characters in the colour of their own ground."""
    return {
        cell.data
        for row in terminal.screen.buffer.values()
        for cell in row.values()
        if cell.data.strip() and cell.fg == cell.bg != "default"
    }


def cursor_row(terminal: Terminal) -> tuple[set[object], set[object]]:
    """How the cells of the cursor's row in the list of facts stand out, and those of the next."""
    row = next(
        number
        for number, text in enumerate(terminal.rows)
        if "China → Beijing" in text or "China > Beijing" in text
    )
    return tuple(  # type: ignore[return-value]
        {
            (cell.reverse, cell.bg)
            for cell in map(terminal.screen.buffer[y].__getitem__, range(2, 30))
        }
        for y in (row, row + 1)
    )


@pytest.mark.parametrize("kind", ["linux", "true colours"])
def test_without_colours_no_byte_asks_for_one(kind: str, tmp_path: Path) -> None:
    for key, terminal in seen(tmp_path, KINDS[kind] | {"NO_COLOR": "1"}):
        assert inks(bytes(terminal.raw)) == {((), ())}, key
        if key == "f1":
            on, beside = cursor_row(terminal)
            assert on == {(True, "default")}
            assert beside == {(False, "default")}
    assert STYLE.search(bytes(terminal.raw))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_in_the_colour_of_its_ground(kind: str, tmp_path: Path) -> None:
    for key, terminal in seen(tmp_path, KINDS[kind]):
        assert not unreadable(terminal), key
        if key == "f1":
            on, beside = cursor_row(terminal)
            assert not on & beside
    found = inks(bytes(terminal.raw))
    assert not {(ink, ground) for ink, ground in found if ink and ink[1:] == ground[1:] != ()}
    depths = {ink[1] for ink, _ in found if ink[:1] == (38,)}
    assert depths == {"true colours": {2}, "256 colours, said at the end": {5}}.get(kind, set())
