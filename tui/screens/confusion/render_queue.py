"""The queue as lines: groups under their titles, one row a disagreement."""

from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementQueue,
    DisagreementRow,
    RowFate,
)
from core.views.verdict_reasons import format_g
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
    line.add(" ")
    effect = Line() if hidden else effect_of(row)
    room = max(0, width - line.width - EFFECT - 1)
    beside = draw_others(row)
    room = max(0, room - beside.width)
    role = "ink bold" if under else "ink-2" if done else "ink"
    shown = row.heading.subject if text is None else text or "empty"
    if width >= FROM:
        line.cell(shown, room - MODEL, role).cell(f"  {row.model}", MODEL, "ink-3")
    else:
        line.cell(shown, room, "ink-3" if text is None and not under else role)
    return line.join(beside).right(effect, width - 1)


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
