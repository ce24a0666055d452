"""Lines of spans: the only place that cuts and pads text to terminal cells."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from rich.cells import get_character_cell_size

from tui.text.cell_width import clusters, head, tail, width_of
from tui.text.inert_text import inert, lines
from tui.theme.glyphs import spell

ELLIPSIS = "…"


class Span(NamedTuple):
    """Text in one role (see `tui.theme.look`); `part` names what a click on it means."""

    text: str
    role: str
    part: str | None = None


def cut(text: str, room: int) -> str:
    """Inert text of at most `room` cells, ending in `…` where something is missing."""
    if width_of(text) <= room:
        return text
    if room <= 0:
        return ""
    mark = spell(ELLIPSIS)[:room]
    return head(text, room - len(mark)).rstrip() + mark


def cut_inside(text: str, room: int) -> str:
    """Inert text of at most `room` cells, cut in its middle: names differ at both ends."""
    if width_of(text) <= room:
        return text
    mark = spell(ELLIPSIS)[: max(0, room)]
    left = room - len(mark)
    end = tail(text, left // 3).lstrip()
    return f"{head(text, left - width_of(end)).rstrip()}{mark}{end}"


def _beginning(text: str, room: int) -> str:
    """As much of a text as can matter in a field of `room` cells, however long it is."""
    enough = 8 * max(room, 0) + 64
    return text if len(text) <= enough else text[:enough]


class Line:
    """One line on its way to the screen. All text is made inert as it is added."""

    __slots__ = ("spans", "width")

    def __init__(self, text: str = "", role: str = "ink") -> None:
        self.spans: list[Span] = []
        self.width = 0
        if text:
            self.add(text, role)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self.spans == other.spans

    __hash__ = None  # type: ignore[assignment]

    @property
    def text(self) -> str:
        """What stands on the line, without roles."""
        return "".join(span.text for span in self.spans)

    def add(self, text: str, role: str = "ink", part: str | None = None) -> "Line":
        """Append text."""
        if text:
            self.put(Span(inert(text), role, part))
        return self

    def put(self, span: Span) -> "Line":
        """Append a span whose text is inert."""
        self.spans.append(span)
        self.width += width_of(span.text)
        return self

    def join(self, other: "Line") -> "Line":
        """Append another line."""
        self.spans += other.spans
        self.width += other.width
        return self

    def cell(
        self, text: str, width: int, role: str = "ink", part: str | None = None, right: bool = False
    ) -> "Line":
        """Append text in a field of exactly `width` cells: cut with `…`, or padded."""
        shown = cut(inert(_beginning(text, width)), width)
        blank = " " * (width - width_of(shown))
        self.spans.append(Span(blank + shown if right else shown + blank, role, part))
        self.width += max(width, 0)
        return self

    def number(self, text: str, width: int, role: str = "ink") -> "Line":
        """Append a number at the right of a field of `width` cells: a wider one is not cut."""
        return self.cell(text, max(width, width_of(text) + 1), role, right=True)

    def to(self, column: int, role: str = "ink") -> "Line":
        """Pad with blanks up to a column (no further if the line is there already)."""
        if column > self.width:
            self.spans.append(Span(" " * (column - self.width), role))
            self.width = column
        return self

    def right(self, other: "Line", width: int) -> "Line":
        """Let another line end at `width`; this one is cut before it where both do not fit."""
        self.clip(max(0, width - other.width - 1) if other.width else width)
        return self.to(width - other.width).join(other)

    def rule(self, width: int, role: str = "rule") -> "Line":
        """Fill up to `width` with a hairline."""
        return self.add(spell("─") * max(0, width - self.width), role)

    def clipped(self, width: int) -> "Line":
        """This line, or a copy of `width` cells of it where it is longer."""
        return self if self.width <= width else Line().join(self).clip(width)

    def clip(self, width: int) -> "Line":
        """Cut the line to `width` cells, ending in `…` where something is missing."""
        if self.width <= width:
            return self
        mark = spell(ELLIPSIS)[: max(0, width)]
        kept, room = [], max(0, width - len(mark))
        for span in self.spans:
            size = width_of(span.text)
            kept.append(span if size <= room else span._replace(text=head(span.text, room)))
            if size > room:
                break
            room -= size
        role = kept[-1].role if kept else "ink"
        self.spans = [*kept, Span(mark, role)] if mark else []
        self.width = sum(width_of(span.text) for span in self.spans)
        return self

    def part_at(self, column: int) -> str | None:
        """What a click on this column means."""
        for span in self.spans:
            column -= width_of(span.text)
            if column < 0:
                return span.part
        return None


def wrapped(spans: Iterable[Span], width: int) -> Iterator[Line]:
    """Break spans into lines of at most `width` cells, between words where that is possible.

    Blanks at a break fall away. Lines come one by one, so a long text need not be broken whole.
    """
    pieces = list(spans)
    text = "".join(span.text for span in pieces)
    starts = list(accumulate((len(span.text) for span in pieces), initial=0))
    first = 0
    for start, end in breaks(text, max(2, width)):
        while first < len(pieces) and starts[first + 1] <= start:
            first += 1
        line = Line()
        for place in range(first, len(pieces)):
            if starts[place] >= end:
                break
            piece, before = pieces[place], starts[place]
            line.put(Span(piece[0][max(start - before, 0) : end - before], piece[1], piece[2]))
        yield line


def breaks(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where the lines of an inert text begin and end; at least one line, which may be empty."""
    if not text:
        yield 0, 0
    elif all(get_character_cell_size(char) == 1 for char in set(text)):
        for match in _even(width).finditer(text):
            yield match.span(match.lastgroup or 0)
    else:
        place = 0
        while place < len(text):
            end, place, start = *_uneven(text, place, width), place
            yield start, end


@lru_cache
def _even(width: int) -> re.Pattern[str]:
    """A line of characters of one cell each: whole words, or the beginning of one too long."""
    return re.compile(rf"(?P<words>.{{0,{width - 1}}}\S)(?:\s+|\Z)|(?P<part>.{{1,{width}}})")


def _uneven(text: str, place: int, width: int) -> tuple[int, int]:
    """Where a line that begins at `place` ends, and where the next one begins."""
    used, blank, at = 0, 0, place
    for after, cells in clusters(text, place):
        used += cells
        if used > width and not text[at].isspace():
            end = blank or (at if at > place else after)
            return end, _past_blanks(text, end)
        if text[at].isspace():
            blank = at
            if used > width:
                return at, _past_blanks(text, at)
        at = after
    return len(text), len(text)


def _past_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def paragraph(text: str, width: int, role: str = "ink") -> list[Line]:
    """Text with its own line breaks, wrapped; every line inert."""
    found: list[Line] = []
    for one in lines(text):
        if len(one) <= width and one.isascii():
            found.append(Line().put(Span(one, role)))
        else:
            found += wrapped([Span(one, role)], width)
    return found
