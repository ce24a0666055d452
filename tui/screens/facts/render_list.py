"""The lines of the list of facts: heading, facts, and where a search hit."""

from functools import lru_cache
from typing import NamedTuple

from core.views.fact_query import FactHit, FactOrder
from core.views.snapshot import AGREE, AT_STAKE, Snapshot
from tui.screens.facts.render_numbers import topic_words, views_words
from tui.text.cells import head, width_of
from tui.text.line import Line, cut
from tui.text.safe import inert
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role

TITLED = 70
"""Cells from which title and topic have columns of their own."""

CODE, FIRST = 1, 4
VIEWS, TOPIC, TITLE = 5, 5, 26
AFTER_VIEWS, MARKS, END = 2, 4, 0
WHERE, BEFORE = 11, 15
"""Cells at most for where a hit is, and for what stands before it."""

LONG = 400
"""Characters of a text that are looked at around a hit."""


class ListColumns(NamedTuple):
    """Cells of the columns that share what is left of a width; 0 for a column left out."""

    title: int
    entities: int


@lru_cache(maxsize=64)
def columns(width: int) -> ListColumns:
    """How a width is shared out."""
    fixed = FIRST + 1 + VIEWS + AFTER_VIEWS + MARKS + END
    if width < TITLED:
        return ListColumns(0, max(0, width - fixed))
    rest = width - fixed - TOPIC - 2
    title = min(TITLE, rest * 26 // 56)
    return ListColumns(title, rest - title)


def heading(width: int, noted: bool, look: Look) -> Line:
    """What the columns hold."""
    title, entities = columns(width)
    line = Line().to(FIRST)
    if title:
        line.cell("title", title + 1, "ink-3", part=_sort(FactOrder.TITLE))
    subject = f"subject {look.glyph('arrow')} object"
    line.cell(subject, entities + 1, "ink-3", part=_sort(FactOrder.SUBJECT))
    if title:
        line.cell("topic", TOPIC + 1, "ink-3", part=_sort(FactOrder.TOPIC))
    line.cell("views", VIEWS, "ink-3", right=True, part=_sort(FactOrder.VIEWS))
    line.to(line.width + AFTER_VIEWS)
    names = ("at-stake", "edited", "flagged", *(["noted"] if noted else []))
    marks = "".join(map(look.glyph, names))
    return line.add(marks, "ink-3", _sort(FactOrder.STAKE))


def _sort(order: FactOrder) -> str:
    """What a click on a column's name does."""
    return f"sort_by('{order}')"


def fact_line(snapshot: Snapshot, place: int, width: int, chosen: bool, look: Look) -> Line:
    """One fact: code, title, subject and object, topic, views, marks."""
    title, entities = columns(width)
    found, index = snapshot.headings[place], snapshot.index
    line = _code(snapshot, place).to(FIRST)
    if title:
        line.cell(found.title, title + 1 and title, "ink-2").add(" ")
    line.join(entities_line(found.subject, found.object, entities, chosen, look)).add(" ")
    if title:
        line.cell(topic_words(index.categories[place]), TOPIC, "ink-3").add(" ")
    line.cell(views_words(int(index.views[place])), VIEWS, "ink-3", right=True)
    return line.add(" " * AFTER_VIEWS).join(_marks(snapshot, place, look))


def entities_line(subject: str, object_: str, width: int, chosen: bool, look: Look) -> Line:
    """Subject and object in `width` cells; where both are long each is cut to half of them."""
    room = max(0, width - 3)
    subject, object_ = inert(subject[:LONG]), inert(object_[:LONG])
    first = min(width_of(subject), max(room // 2, room - width_of(object_)))
    line = Line().add(cut(subject, first), "ink bold" if chosen else "ink")
    line.add(f" {look.glyph('arrow')} ", "ink-3")
    line.add(cut(object_, width - line.width), "ink" if chosen else "ink-2")
    return line.clip(width).to(width)


def hit_line(hit: FactHit | None, width: int) -> Line:
    """Where a search hit, and what stands around; blank until that is read."""
    if hit is None:
        return Line()
    line = Line().to(FIRST).add(cut(inert(hit.where.replace("_", " ")), WHERE), "ink-3").add("  ")
    text, start = hit.text, hit.start
    end = next((at for at in range(hit.end, len(text)) if not text[at].isalnum()), len(text))
    before = _end(_around(text[max(0, start - LONG) : start]), BEFORE, start > LONG)
    line.add(before, "ink-2").add(_around(text[start : min(end, start + LONG)]), "ink bold @hit")
    line.add(_around(text[end : end + LONG]), "ink-2")
    return line.clip(width - 1)


def _code(snapshot: Snapshot, place: int) -> Line:
    """The verdict; `…` after it while labels are missing, nothing where no model was asked."""
    line = Line().to(CODE)
    if snapshot.index.rejected[place]:
        return line.add("RJ", "ink-3 bold")
    if snapshot.row is None:
        return line
    code = snapshot.code(place)
    line.add(spell(code), f"{code_role(code)} bold")
    return line.add(spell("…"), "ink-3") if snapshot.provisional[place] else line


def _marks(snapshot: Snapshot, place: int, look: Look) -> Line:
    """Graders differ, edited, flagged, noted: each in its own cell."""
    differs = int(snapshot.differs[place])
    line = Line()
    if differs == AGREE:
        line.add(" ")
    elif differs == AT_STAKE:
        line.add(look.glyph("at-stake"), "label-i bold")
    else:
        line.add(look.glyph("differs"), "label-p")
    line.add(look.glyph("edited") if snapshot.edited[place] else " ", "accent")
    line.add(look.glyph("flagged") if snapshot.index.flagged[place] else " ", "object bold")
    return line.add(look.glyph("noted") if snapshot.noted[place] else " ", "ink-2")


def _around(text: str) -> str:
    """Part of a text, inert, with the breaks at its ends kept."""
    return inert(f".{text}.")[1:-1]


def _end(text: str, room: int, more: bool) -> str:
    """The last `room` cells of an inert text, after `…` where something is missing."""
    if width_of(text) <= room and not more:
        return text
    kept = head(text[::-1], room - 1)[::-1]
    return spell("…") + kept
