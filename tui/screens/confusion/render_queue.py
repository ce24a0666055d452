"""The queue as lines: groups under their titles, one row a disagreement."""

from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementQueue,
    DisagreementRow,
    RowFate,
)
from core.views.verdict_reasons import format_g
from core.vocabulary import Side
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line
from tui.text.speech import speak_text
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role, label_mark

UNSURE = "a grader is not sure of these"
TITLES = {
    ConsequenceGroup.PROFILE: "would change a profile",
    ConsequenceGroup.QUESTION: "would change a question, not the profile",
    ConsequenceGroup.REST: "would change neither",
}
EFFECT = 9
"""Cells of the effect at the right: `RF → RT`, `.60→.50`."""
NAME = 8
"""Cells of another person's name."""
FROM, MODEL = 84, 24
"""Cells from which on the model stands in the row too, and its cells."""
LEAST_TEXT = 30
"""Cells of a row's text from which on the fact with its gold stands beside the answer."""
LABELS_AT, TEXT_AT = 3, 8
"""Columns of A's and B's labels, and of the answer."""


class QueueLayout:
    """Where rows and titles stand: titles above the groups that have rows."""

    def __init__(self, queue: DisagreementQueue) -> None:
        self._titles: list[tuple[int, int, ConsequenceGroup, int]] = []
        start = row = 0
        for group, size in zip(ConsequenceGroup, queue.sizes, strict=True):
            if size:
                self._titles.append((row, start, group, size))
                row += size + 1
                start += size
        self.rows = row

    def place(self, row: int) -> int | None:
        """The place in the queue of a row; None for a title."""
        for first, start, _, size in self._titles:
            if first < row <= first + size:
                return start + row - first - 1
        return None

    def row(self, place: int) -> int:
        """The row of a place."""
        for first, start, _, size in self._titles:
            if start <= place < start + size:
                return first + 1 + place - start
        return 0

    def title(self, row: int) -> tuple[ConsequenceGroup, int] | None:
        """The group whose title stands on a row, and its size."""
        return next(((group, size) for at, _, group, size in self._titles if at == row), None)


def draw_title(group: ConsequenceGroup, size: int, width: int, unsure: bool = False) -> Line:
    """A group's title with its count; that of a queue of unsure answers."""
    count = f"  {size:,} "
    line = Line(f" {UNSURE if unsure else TITLES[group]} ", "ink-3").clip(
        max(0, width - len(count))
    )
    return line.rule(width - len(count)).add(count, "ink-3")


def heading(width: int) -> Line:
    """What the columns are: decision, A's label, B's, the answer, its fact, and what B changes."""
    line = Line().to(LABELS_AT).add("A B", "ink-3").to(TEXT_AT).add("answer", "ink-3")
    fact, model = _fact_cells(width), MODEL if width >= FROM else 0
    if fact:
        line.to(width - EFFECT - 1 - model - fact + 2).add(spell("fact → gold"), "ink-3")
    if model:
        line.to(width - EFFECT - 1 - model + 2).add("model", "ink-3")
    return line.right(Line("by B", "ink-3"), width - 1)


def _fact_cells(width: int) -> int:
    """Cells of a row's fact, its gap among them; 0 where there is no room for it."""
    room = width - TEXT_AT - EFFECT - 1 - (MODEL if width >= FROM else 0)
    return room // 2 if room >= LEAST_TEXT else 0


def _fact(row: DisagreementRow, room: int) -> Line:
    """Subject and object of a fact; the one that was asked for is the gold."""
    beside, gold = room - 3, row.task.side
    first = max(beside // 2, beside - width_of(make_inert(row.heading.object[:room])))
    roles = ["object" if side is gold else "ink-3" for side in (Side.SUBJECT, Side.OBJECT)]
    line = Line(row.heading.subject[: 4 * room], roles[0]).clip(first).add(spell(" → "), "ink-3")
    line.add(row.heading.object[: 4 * room], roles[1])
    return line.clip(room).to(room)


def draw(
    row: DisagreementRow, text: str | None, width: int, look: Look, under: bool, blind: bool
) -> Line:
    """Decision, A's label, B's, the answer (the subject until that is read), the effect.

    Blind, the graders' labels and what they would do show once one has decided.
    """
    done = row.decision is not None or row.fate is not RowFate.OPEN
    hidden = blind and not done
    line = Line(" ").join(decision(row, look)).add(" ")
    for label in (row.a, row.b):
        mark, role = label_mark(label, look) if label else (look.glyph("ungraded"), "ink-3")
        line.add(spell("· ") if hidden else f"{mark} ", "ink-3" if hidden else role)
    line.to(TEXT_AT)
    effect = Line() if hidden else effect_of(row)
    room = max(0, width - line.width - EFFECT - 1)
    beside = draw_others(row)
    room = max(0, room - beside.width)
    role = "ink bold" if under else "ink-2" if done else "ink"
    shown = row.heading.subject if text is None else text or "empty"
    model, fact = MODEL if width >= FROM else 0, _fact_cells(width)
    role = "ink-3" if text is None and not under else role
    line.cell(shown, room - model - fact, role).join(beside)
    if fact:
        line.add("  ").join(_fact(row, fact - 2))
    line.cell(f"  {row.model}", model, "ink-3") if model else None
    return line.right(effect, width - 1)


def sentence(row: DisagreementRow, text: str | None, blind: bool) -> Line:
    """`Paris. A: incorrect. B: correct. RF to RT`, for who hears it."""
    shown = row.heading.subject if text is None else text or "empty"
    line = Line(speak_text(shown))
    done = row.decision is not None or row.fate is not RowFate.OPEN
    if blind and not done:
        return line
    a, b = (label.value.lower() if label else "not sure" for label in (row.a, row.b))
    line.add(f" A: {a}. B: {b}")
    if row.group is ConsequenceGroup.PROFILE:
        line.add(". ").join(effect_of(row))
    elif row.group is ConsequenceGroup.QUESTION:
        line.add(f". Grade {format_g(row.g)} to {format_g(row.g_after)}")
    if row.fate is not RowFate.OPEN:
        return line.add(f". The question is {row.fate.name.lower()}")
    if row.decision is not None:
        line.add(f". Decided: {row.decision.value.lower()}")
    return line.add(f". Also decided by {row.others[0][0]}") if row.others else line


def draw_others(row: DisagreementRow) -> Line:
    """Who else has decided it: `mira`, `mira ≠` where that is not one's own label, `mira +1`."""
    if not row.others:
        return Line()
    role = "label-i bold" if row.contradicted else "ink-2"
    line = Line(" ").join(Line(row.others[0][0], role).clip(NAME))
    if len(row.others) > 1:
        line.add(f" +{len(row.others) - 1}", role)
    return line.add(spell(" ≠") if row.contradicted else "  ", role)


def decision(row: DisagreementRow, look: Look) -> Line:
    """`A` or `B` where one was right, the letter of one's own label, or a blank.

    `d` where the fact is rejected, `e` where the question was edited.
    """
    if row.fate is not RowFate.OPEN:
        return Line("d" if row.fate is RowFate.REJECTED else "e", "object bold")
    if row.decision is None:
        return Line(" ")
    return Line(row.right if row.right in ("A", "B") else row.decision.value[0], "object bold")


def effect_of(row: DisagreementRow) -> Line:
    """What B's label would do: `RF → RT`, `.60→.50`, or nothing."""
    if row.group is ConsequenceGroup.PROFILE:
        line = Line(spell(row.before), f"{code_role(row.before)} bold").add(spell(" → "), "ink-3")
        return line.add(spell(row.after), f"{code_role(row.after)} bold")
    if row.group is ConsequenceGroup.QUESTION:
        return Line(
            f"{spell(format_g(row.g)):>4}{spell('→')}{spell(format_g(row.g_after))}", "label-p"
        )
    return Line()
