"""The lines of the list of facts: heading, facts, and where a search hit."""

from collections.abc import Mapping
from unicodedata import category

from core.settings.escapes import JOINERS
from core.views.fact_cells import FactCells
from core.views.fact_columns import GRADE, SORTED, grade_of, model_of_column
from core.views.fact_query import FactHit, FactOrder
from core.views.snapshot import AGREE, AT_STAKE, Snapshot
from core.views.verdict_reasons import format_g
from core.vocabulary import TASK_INDEX
from tui.keys import DIGITS
from tui.screens.facts.column_layout import CODE, ENTITIES, FIRST, ColumnCells
from tui.text.cell_width import head, width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut
from tui.text.number_text import views_words
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role

WHERE, BEFORE = 11, 15
"""Cells at most for where a hit is, and for what stands before it."""

LONG = 400
"""Characters of a text that are looked at around a hit."""


TOPICS = {
    "Everyday Life": "Life",
    "Geography": "Geo",
    "People": "Peo",
    "Science": "Sci",
    "Society": "Soc",
}
"""Topics that are not known by their first four letters."""

_HEADINGS: Mapping[str, str] = {"number": "no.", "profile": ""}
_ORDERS = {name: order for order, name in SORTED.items()}


def heading(columns: tuple[ColumnCells, ...], width: int, look: Look) -> Line:
    """What the columns hold."""
    line = Line().to(CODE)
    for name, cells, gap in columns:
        words = _heading(name, look)
        order = _ORDERS.get("subject" if name == ENTITIES else name)
        part = None if order is None else _sort(order)
        room = max(cells, len(words)) if look.is_spoken else cells
        line.cell(words, room, "ink-3", right=_is_number(name), part=part)
        line.to(line.width + gap)
    return line.to(width)


def _heading(name: str, look: Look) -> str:
    if name == ENTITIES:
        return f"subject {look.glyph('arrow')} object"
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        task, thinking = graded
        return f"g{DIGITS[TASK_INDEX[task]]}{'+T' if thinking else ''}"
    return make_inert(model) if model is not None else _HEADINGS.get(name, name)


def _is_number(name: str) -> bool:
    return name in ("views", "number") or name.startswith(GRADE)


def _sort(order: FactOrder) -> str:
    """What a click on a column's name does."""
    return f"sort_by('{order}')"


def fact_line(
    cells: FactCells,
    columns: tuple[ColumnCells, ...],
    place: int,
    width: int,
    chosen: bool,
    look: Look,
) -> Line:
    """One fact, column by column."""
    line = Line().to(CODE)
    for name, room, gap in columns:
        if name == "profile":
            line.join(_code(cells.snapshot, place).clip(room).to(room))
        elif name == ENTITIES:
            found = cells.snapshot.headings[place]
            line.join(entities_line(found.subject, found.object, room, chosen, look))
        elif name == "marks":
            marks = _marks(cells, place, look)
            line.join(marks if look.is_spoken else marks.clip(room).to(room))
        else:
            words, role = _cell(cells, name, place, chosen)
            line.cell(words, room, role, right=_is_number(name))
        line.to(line.width + gap)
    return line.to(width)


def _cell(cells: FactCells, name: str, place: int, chosen: bool) -> tuple[str, str]:
    """What stands in a column of its own, and in which role."""
    graded, model = grade_of(name), model_of_column(name)
    if graded is not None:
        return spell(format_g(cells.grade(*graded, place))), "ink-2"
    if model is not None:
        code = cells.code(place, model)
        return (
            (code, f"{code_role(code)} bold")
            if code and code != "RJ"
            else (code or spell("–"), "ink-3")
        )
    index = cells.snapshot.index
    match name:
        case "topic":
            return topic_words(index.categories[place]), "ink-3"
        case "type":
            return index.object_types[place].replace("_", " ").lower(), "ink-3"
        case "views":
            return views_words(int(index.views[place])), "ink-3"
        case "subject":
            return cells.snapshot.headings[place].subject[:LONG], "ink bold" if chosen else "ink"
    role = "ink-3" if name in ("number", "id") else "ink-2"
    return str(cells.value(name, place) or "")[:LONG], role


def entities_line(subject: str, object_: str, width: int, chosen: bool, look: Look) -> Line:
    """Subject and object in `width` cells; where both are long each is cut to half of them."""
    room = max(0, width - 3)
    subject, object_ = make_inert(subject[:LONG]), make_inert(object_[:LONG])
    first = min(width_of(subject), max(room // 2, room - width_of(object_)))
    line = Line().add(cut(subject, first), "ink bold" if chosen else "ink")
    line.add(f" {look.glyph('arrow')} ", "ink-3")
    line.add(cut(object_, width - line.width), "ink" if chosen else "ink-2")
    return line.clip(width).to(width)


def _in_word(char: str) -> bool:
    """Whether a character goes on with a word: a letter, a digit, a mark on one, a joiner."""
    return char.isalnum() or category(char)[0] == "M" or char in JOINERS


def hit_line(hit: FactHit | None, width: int) -> Line:
    """Where a search hit, and what stands around; blank until that is read."""
    if hit is None:
        return Line()
    line = (
        Line().to(FIRST).add(cut(make_inert(hit.where.replace("_", " ")), WHERE), "ink-3").add("  ")
    )
    text, start = hit.text, hit.start
    if start and text[start - 1] in JOINERS:  # the index parts words at joiners
        start = next((at + 1 for at in range(start - 1, -1, -1) if not _in_word(text[at])), 0)
    end = next((at for at in range(hit.end, len(text)) if not _in_word(text[at])), len(text))
    before = _end(_make_part_inert(text[max(0, start - LONG) : start]), BEFORE, start > LONG)
    line.add(before, "ink-2").add(
        _make_part_inert(text[start : min(end, start + LONG)]), "ink bold @hit"
    )
    line.add(_make_part_inert(text[end : end + LONG]), "ink-2")
    return line.clip(width - 1)


def _code(snapshot: Snapshot, place: int) -> Line:
    """The verdict; `…` after it while labels are missing, nothing where no model was asked."""
    line = Line()
    if snapshot.index.rejected[place]:
        return line.add("RJ", "ink-3 bold")
    if snapshot.row is None:
        return line
    code = snapshot.code(place)
    line.add(spell(code), f"{code_role(code)} bold")
    return line.add(spell("…"), "ink-3") if snapshot.provisional[place] else line


def _marks(cells: FactCells, place: int, look: Look) -> Line:
    """Graders differ, edited, flagged, noted, scores contradict: each in its own cell."""
    snapshot = cells.snapshot
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
    line.add(look.glyph("noted") if snapshot.noted[place] else " ", "ink-2")
    if not cells.has_scores:
        return line
    return line.add(look.glyph("contradicts") if cells.contradicts(place) else " ", "label-i bold")


def _make_part_inert(text: str) -> str:
    """Part of a text, inert, with the breaks at its ends kept."""
    return make_inert(f".{text}.")[1:-1]


def _end(text: str, room: int, more: bool) -> str:
    """The last `room` cells of an inert text, after `…` where something is missing."""
    if width_of(text) <= room and not more:
        return text
    kept = head(text[::-1], room - 1)[::-1]
    return spell("…") + kept


def topic_words(topic: str) -> str:
    """A topic in a word of five cells at most: `Tech`, `Life`."""
    first = topic.split()[0] if topic.split() else ""
    return TOPICS.get(topic, first if len(first) <= 5 else first[:4])
