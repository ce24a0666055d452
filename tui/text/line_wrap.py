"""Lines of a text within a width: where they break, between words where that is possible."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate

from rich.cells import get_character_cell_size

from tui.text.cell_width import clusters
from tui.text.inert_text import lines
from tui.text.line import Line, Span


def wrap_spans(spans: Iterable[Span], width: int) -> Iterator[Line]:
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
        for match in _build_even_pattern(width).finditer(text):
            yield match.span(match.lastgroup or 0)
    else:
        place = 0
        while place < len(text):
            end, place, start = *_find_line_end(text, place, width), place
            yield start, end


@lru_cache
def _build_even_pattern(width: int) -> re.Pattern[str]:
    """A line of characters of one cell each: whole words, or the beginning of one too long."""
    return re.compile(rf"(?P<words>.{{0,{width - 1}}}\S)(?:\s+|\Z)|(?P<part>.{{1,{width}}})")


def _find_line_end(text: str, place: int, width: int) -> tuple[int, int]:
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
            found += wrap_spans([Span(one, role)], width)
    return found
