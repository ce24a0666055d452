"""Text that terminals measure each in its own way, with what follows it put at its column.

Of scripts that combine some terminals give vowel signs a cell and others none. Textual writes a
line from left to right by one of these widths: behind such a text columns and borders would stand
wherever the terminal has come to.
"""

import re

from rich.color import ColorSystem
from rich.console import Console
from textual.strip import Strip

from tui.text.cell_width import laid_width
from tui.text.line import cut

ESCAPE = "\x1b"

UNSURE = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u058b-\u1fff\u200b-\u200f\u2028-\u202f\u20d0-\u20ff"
    r"\u2c00-\u2fff\u302a-\u302f\u3099-\u309a\ua62c-\uabff\ud7a4-\ufeff\uff9e-\U0010ffff]"
)
"""Characters that are not of the same width in all terminals, with some that are."""


class PlacedStrip(Strip):
    """A strip that begins at a column of the screen, each unsure part of it at its own column.

    The cells of such a part are blanked first, so that nothing stays of what stood there where
    the terminal draws the text in fewer. Text that may take more than its cells is cut.
    """

    __slots__ = ["_column"]

    def __init__(self, strip: Strip, column: int) -> None:
        super().__init__(strip._segments, strip.cell_length)
        self._column = column

    def crop(self, start: int, end: int | None = None) -> Strip:
        """A part of it."""
        return type(self)(super().crop(start, end), self._column + start)

    def render(self, console: Console) -> str:
        """What the terminal is sent."""
        return "".join(self._parts(console)) + _move(self._column + self.cell_length)

    def _parts(self, console: Console) -> list[str]:
        """What each segment is drawn with."""
        colours = console._color_system or ColorSystem.TRUECOLOR
        parts: list[str] = []
        at = self._column
        for text, style, _ in self._segments:
            cells = laid_width(text)
            shown = self._draw(text, cells, at)
            parts.append(
                "".join(
                    part
                    if style is None or part.startswith(ESCAPE)
                    else self.render_style(style, part, colours)
                    for part in shown
                )
            )
            at += cells
        return parts

    def _draw(self, text: str, cells: int, column: int) -> list[str]:
        if not UNSURE.search(text):
            return [text]
        return [
            *(" " * cells, _move(column)),
            *(cut(text.rstrip(" "), cells), _move(column + cells)),
        ]


class TypedStrip(PlacedStrip):
    """A strip of what is being typed: none of it is cut.

    Its parts are drawn from the last to the first, so that what is typed lies above the blanks
    behind it.
    """

    __slots__ = ()

    def _parts(self, console: Console) -> list[str]:
        return super()._parts(console)[::-1]

    def _draw(self, text: str, cells: int, column: int) -> list[str]:
        return [_move(column), text]


def _move(column: int) -> str:
    """What moves the cursor to a column of its line, counted from 0."""
    return f"{ESCAPE}[{column + 1}G"


def place_strip(strip: Strip, column: int, typed: bool = False) -> Strip:
    """A strip that begins at a column, placed where it has to be."""
    for text, _, _ in strip._segments:
        if not text.isascii() and UNSURE.search(text):
            return (TypedStrip if typed else PlacedStrip)(strip, column)
    return strip
