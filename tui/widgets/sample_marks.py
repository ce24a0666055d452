"""Answers as marks in their roles."""

from collections.abc import Sequence

from core.views.answer_marks import AnswerMark
from tui.text.line import Line
from tui.theme.look import Look
from tui.theme.roles import label_mark, outcome_mark

FIELD = 11
"""Cells of a field of marks: eight answers, three of them with two marks."""


def is_pair(mark: AnswerMark) -> bool:
    """Whether an answer is drawn as a pair: the graders differ, and no person has decided."""
    return mark.differs and not mark.own


def pair_line(mark: AnswerMark, look: Look) -> Line:
    """A's mark and B's, tinted, where they differ; else the one mark, bold."""
    if not is_pair(mark) or mark.a is None or mark.b is None:
        text, role = outcome_mark(mark.outcome, look)
        return Line(text, _make_bold(role))
    line = Line()
    for label in (mark.a, mark.b):
        text, role = label_mark(label, look)
        line.add(text, f"{_make_bold(role)} underline @tint")
    return line


def marks_line(marks: Sequence[AnswerMark], look: Look) -> Line:
    """One mark an answer, in their order, within `FIELD` cells where eight are drawn.

    Pairs are drawn as such while they fit; else A's marks alone are, underlined.
    """
    pairs = len(marks) + sum(map(is_pair, marks)) <= FIELD
    line = Line()
    for mark in marks:
        if mark.dropped:
            line.add(look.glyph("undrawn"), "ink-3")
        elif mark.counted:
            line.add(look.glyph("counted"), "ink-3")
        elif not is_pair(mark):
            line.add(*outcome_mark(mark.outcome, look))
        elif pairs:
            line.join(pair_line(mark, look))
        elif mark.a is not None:
            text, role = label_mark(mark.a, look)
            line.add(text, f"{role} underline")
    return line.clip(FIELD)


def _make_bold(role: str) -> str:
    return role if "bold" in role.split() else f"{role} bold"
