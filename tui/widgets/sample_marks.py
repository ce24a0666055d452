"""Answers as marks in their roles."""

from collections.abc import Sequence

from core.views.answer_marks import AnswerMark
from core.vocabulary import Label
from tui.text.line import Line
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES, label_mark, outcome_mark

FIELD = 11
"""Cells of a field of marks: eight answers, and room for a few more."""

DIFFERS = " underline @tint"
"""How a mark is drawn on which graders differ, beside its own role."""


def is_pair(mark: AnswerMark) -> bool:
    """Whether the graders differ on an answer, and no person has decided."""
    return mark.differs and not mark.own


def pair_line(mark: AnswerMark, look: Look) -> Line:
    """A's mark and B's, tinted, where they differ; else the one mark, bold."""
    if not is_pair(mark) or mark.a is None or mark.b is None:
        text, role = outcome_mark(mark.outcome, look)
        return Line(text, _make_bold(role))
    line = Line()
    for label in (mark.a, mark.b):
        text, role = label_mark(label, look)
        line.add(text, f"{_make_bold(role)}{DIFFERS}")
    return line


def marks_line(marks: Sequence[AnswerMark], look: Look) -> Line:
    """One mark an answer, in their order; underlined and tinted where the graders differ.

    Who hears the screen is told how many differ.
    """
    line = Line()
    for mark in marks:
        if mark.dropped:
            line.add(look.glyph("undrawn"), "ink-3")
        elif mark.counted:
            line.add(look.glyph("counted"), "ink-3")
        else:
            text, role = outcome_mark(mark.outcome, look)
            line.add(text, f"{_make_bold(role)}{DIFFERS}" if is_pair(mark) else role)
    line.clip(FIELD)
    differing = sum(map(is_pair, marks))
    return line.add(f" {differing} differ") if differing and look.is_spoken else line


def legend(look: Look, width: int) -> Line:
    """What the marks stand for, in so many cells: labels by their keys where words do not fit."""
    for letters in (None, 1):
        line = Line()
        for label in Label:
            line.add(look.glyph(label), LABEL_ROLES[label])
            line.add(f" {label.lower()[:letters]}  ", "ink-3")
        line.add(look.glyph(Label.INCORRECT), f"ink-2 bold{DIFFERS}").add(" differ", "ink-3")
        if line.width <= width:
            break
    return line.clip(width)


def _make_bold(role: str) -> str:
    return role if "bold" in role.split() else f"{role} bold"
