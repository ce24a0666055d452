"""Lines of spans: the only place that cuts and pads text to terminal cells."""

from typing import NamedTuple

from tui.text.cell_width import head, laid_width, pad_for_layout, tail, width_of
from tui.text.inert_text import make_inert
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


def keep_end(text: str, room: int) -> str:
    """Inert text of at most `room` cells, cut at its beginning: of a path the end tells most."""
    if width_of(text) <= room:
        return text
    mark = spell(ELLIPSIS)[: max(0, room)]
    return f"{mark}{tail(text, room - len(mark))}"


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
            self.put(Span(make_inert(text), role, part))
        return self

    def put(self, span: Span) -> "Line":
        """Append a span whose text is inert, with the room that it takes in any terminal."""
        text = pad_for_layout(span.text)
        self.spans.append(span if text is span.text else span._replace(text=text))
        self.width += laid_width(text)
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
        shown = cut(make_inert(_beginning(text, width)), width)
        blank, shown = " " * (width - width_of(shown)), pad_for_layout(shown)
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

    def overlay_mark(self, mark: str, role: str) -> "Line":
        """A copy with a mark in its first cell, which is blank here."""
        line = Line(mark, role)
        first, *others = [span for span in self.spans if span.text] or [Span(" ", role)]
        for span in (first._replace(text=first.text[1:]), *others):
            line.put(span)
        return line

    def rule(self, width: int, role: str = "rule") -> "Line":
        """Fill up to `width` with a hairline."""
        return self.add(spell("─") * max(0, width - self.width), role)

    def copy_clipped(self, width: int) -> "Line":
        """This line, or a copy of `width` cells of it where it is longer."""
        return self if self.width <= width else Line().join(self).clip(width)

    def clip(self, width: int) -> "Line":
        """Cut the line to `width` cells, ending in `…` where something is missing."""
        if self.width <= width:
            return self
        mark = spell(ELLIPSIS)[: max(0, width)]
        kept, room = [], max(0, width - len(mark))
        for span in self.spans:
            size = laid_width(span.text)
            kept.append(
                span if size <= room else span._replace(text=pad_for_layout(head(span.text, room)))
            )
            if size > room:
                break
            room -= size
        role = kept[-1].role if kept else "ink"
        self.spans = [*kept, Span(mark, role)] if mark else []
        self.width = sum(laid_width(span.text) for span in self.spans)
        return self

    def part_at(self, column: int) -> str | None:
        """What a click on this column means."""
        for span in self.spans:
            column -= laid_width(span.text)
            if column < 0:
                return span.part
        return None
