"""The source text of a fact in lines, with subject and object marked."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from core.views.fact_view import Span as Place
from tui.text.cell_width import width_of
from tui.text.inert_text import PARAGRAPH, make_inert
from tui.text.line import ELLIPSIS, Line, Span
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell

LONGEST = 100_000
"""Characters of a source text that are shown even where all of it is asked for."""

MORE = f"{ELLIPSIS} "


@lru_cache(maxsize=8)
def source_lines(
    text: str,
    subjects: tuple[Place, ...],
    objects: tuple[Place, ...],
    width: int,
    lines: int | None,
) -> tuple[Line, ...]:
    """The end of a text in exactly that many lines, or all of it; the spans are places in it.

    A text that ends with its object is one that was cut off there: `…` says so.
    """
    marked = sorted(
        [(start, end, "subject bold underline") for start, end in subjects]
        + [(start, end, "object bold underline") for start, end in objects]
    )
    first = max(0, len(text) - (LONGEST if lines is None else (lines + 1) * width))
    spans = list(_spans(text, marked, first))
    if objects and max(end for _, end in objects) == len(text):
        spans.append(Span(f" {spell(ELLIPSIS)}", "ink-3"))
    return tuple(last_lines(spans, width, lines, cut=first > 0))


def tail_lines(text: str, role: str, width: int, lines: int) -> list[Line]:
    """The end of a text in at most that many lines."""
    first = max(0, len(text) - (lines + 1) * width)
    spans = list(_spans(text, [], first, role))
    return last_lines(spans, width, lines, cut=first > 0, fill=False)


def last_lines(
    spans: list[Span], width: int, lines: int | None, cut: bool = False, fill: bool = True
) -> list[Line]:
    """The last lines of wrapped spans, after `…` where something is missing before them."""
    found = list(wrap_spans(spans, width))
    if lines is None:
        return found
    if cut or len(found) > lines:
        found = found[-lines:]
        found[0] = Line(spell(MORE), "ink-3").join(
            _drop_first_words(found[0], width - len(spell(MORE)))
        )
    return found + [Line()] * (lines - len(found) if fill else 0)


def _spans(
    text: str, marked: Sequence[tuple[int, int, str]], first: int, role: str = "ink-2"
) -> Iterator[Span]:
    """Inert spans of a text from a character on, each in its role."""
    at = first
    for start, end, entity in [*marked, (len(text), len(text), role)]:
        if start < at:
            continue
        yield from _draw_plain(text, at, start, role)
        if end > start:
            yield Span(_inert_part(text, start, end), entity)
        at = end


def _draw_plain(text: str, start: int, end: int, role: str) -> Iterator[Span]:
    for place, part in enumerate(_inert_part(text, start, end).split(spell(PARAGRAPH))):
        if place:
            yield Span(spell(PARAGRAPH), "ink-3")
        if part:
            yield Span(part, role)


def _inert_part(text: str, start: int, end: int) -> str:
    """A part of a text made inert as what it is, a part: breaks at its ends are kept."""
    return make_inert(f".{text[start:end]}.")[1:-1]


def _drop_first_words(line: Line, room: int) -> Line:
    """A line without as many of its first words as it takes to fit."""
    spans = list(line.spans)
    while spans and sum(width_of(span.text) for span in spans) > room:
        _, blank, rest = spans[0].text.lstrip().partition(" ")
        spans[:1] = [spans[0]._replace(text=rest)] if blank and rest else []
    short = Line()
    for place, span in enumerate(spans):
        short.add(span.text if place else span.text.lstrip(), span.role)
    return short
