"""The rows of the answers pane: all answers to one question, thinking off, then on."""

from dataclasses import dataclass

from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.scoring.precedence import CHOICE
from core.stats.number_format import format_amount
from core.views.fact_view import Grade
from core.views.lens import MOST_COMPARED
from core.views.task_view import AnswerView, TaskView
from core.views.verdict_reasons import format_g
from core.vocabulary import LABELS, TASK_INDEX, Outcome
from tui.text.grader_list import LETTERS, shown_grader
from tui.text.line import Line
from tui.text.speech import MOST_SPOKEN, speak_text
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import LABEL_ROLES, outcome_mark
from tui.widgets.verdict_marks import pass_word, passing_role

MARKS_CELLS, MORE_CELLS = 10, 2
"""A, B and you, at the right end of a row, and each further grader that is compared."""

SPACIOUS = 46
"""Cells from which on headings are spelled out."""

_NUMBER_AT, _COUNT_AT, _GRADE_AT = 2, 17, 26


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One row: the heading of a setting, an answer, or a slot that is not filled yet.

    `grade` is that of the setting; `counted` are answers that lie in a lake. A row with nothing
    but a setting is blank.
    """

    thinking: bool
    grade: Grade | None = None
    answer: AnswerView | None = None
    sample: int | None = None
    first: bool = False
    counted: int = 0

    @property
    def is_heading(self) -> bool:
        """Whether this is the heading of a setting."""
        return self.grade is not None


def grade_of(view: TaskView, thinking: bool) -> Grade:
    """The grade of the open question in a setting."""
    row = view.fact.tasks[TASK_INDEX[view.task]]
    return row.on if thinking else row.off


def rows_of(view: TaskView, settings: tuple[bool, ...]) -> list[AnswerRow]:
    """The rows of these settings; a blank one parts two settings."""
    rows: list[AnswerRow] = []
    for thinking in settings:
        if rows:
            rows.append(AnswerRow(thinking))
        grade = grade_of(view, thinking)
        rows.append(AnswerRow(thinking, grade, first=not rows))
        drawn = {one.sample: one for one in view.answers if one.thinking is thinking}
        here = {place for place, mark in enumerate(grade.marks) if not mark.counted}
        slots = set(drawn) | here
        rows += [AnswerRow(thinking, answer=drawn.get(one), sample=one) for one in sorted(slots)]
        if len(here) < len(grade.marks):
            rows.append(AnswerRow(thinking, counted=len(grade.marks) - len(here)))
    return rows


def columns(view: TaskView) -> tuple[str | None, ...]:
    """The graders of the columns: A, B and further ones, or `choice` alone where it labels.

    There are two at least; None stands for a column without a grader.
    """
    lens = view.fact.lens
    by_choice = view.task.is_choice and not any(one.mark.a or one.mark.b for one in view.answers)
    if by_choice:
        return CHOICE, None
    return lens.a, lens.b, *lens.compared[2:MOST_COMPARED]


def marks_cells(view: TaskView) -> int:
    """Cells of the marks of all columns."""
    return MARKS_CELLS + MORE_CELLS * (len(columns(view)) - 2)


def draw(row: AnswerRow, view: TaskView, look: Look, width: int, chosen: bool = False) -> Line:
    """A row of `width` cells; its first cell is left blank."""
    if row.is_heading:
        return _heading(row, view, width)
    if row.counted:
        line = Line().to(_NUMBER_AT).add(look.glyph("counted"), "ink-3")
        away = "1 answer is" if row.counted == 1 else f"{row.counted:,} answers are"
        return line.add(f" {COUNTS_OF_A_LAKE}: {away} there", "ink-3").clip(width)
    if row.sample is None:
        return Line()
    digits = len(str(1 + max((one.sample for one in view.answers), default=0)))
    line = Line().to(_NUMBER_AT).cell(str(row.sample + 1), digits, "ink-3", right=True).add("  ")
    room = width - line.width - marks_cells(view) - 1
    if row.answer is None:
        return line.cell(look.glyph("unlabelled"), room, "ink-3")
    text, role = choose_text(row.answer, 4 * width)
    line.cell(text, room, f"{role} bold" if chosen else role).add(" ")
    return line.join(_marks(row.answer, view, look))


def sentence(row: AnswerRow, view: TaskView) -> Line:
    """`3. Paris. A: incorrect. B: correct. You: correct`, for who hears it."""
    answer = row.answer
    assert answer is not None
    line = Line(f"{answer.sample + 1}. ").add(speak_text(choose_text(answer, MOST_SPOKEN + 1)[0]))
    for letter, grader in zip(LETTERS, columns(view), strict=False):
        outcome = outcome_by(answer, grader) if grader else None
        if outcome is not None:
            line.add(f" {letter}: {outcome.name.lower()}.")
    return line.add(f" You: {answer.own.value.lower()}.") if answer.own else line


def choose_text(answer: AnswerView, most: int) -> tuple[str, str]:
    """What an answer comes to, at most `most` characters of it, and its role."""
    if answer.answer is None:
        return answer.text[-most:].strip() or "no text", "ink-3"
    start, end = answer.answer
    return answer.text[start : min(end, start + most)], "ink"


def _heading(row: AnswerRow, view: TaskView, width: int) -> Line:
    grade = row.grade
    assert grade is not None
    close = width < SPACIOUS
    line = Line().to(_NUMBER_AT).add("" if close else "thinking ", "ink")
    line.add("on" if row.thinking else "off", "ink").to(6 if close else _COUNT_AT)
    if not grade.marks:
        line.add("not used" if not grade.used else _explain_no_grade(grade), "ink-3")
    else:
        line.add(f"{grade.correct} of {grade.gradable}", "ink-2")
        line.to(14 if close else _GRADE_AT - 1).add(" ")
        word, role = pass_word(grade.passes)
        line.add(spell(format_g(grade.g)), f"{passing_role(grade.passes)} bold").add(
            f" {word}", role
        )
    return line.right(_heads(view), width) if row.first else line.clip(width)


def _explain_no_grade(grade: Grade) -> str:
    return "no answers yet" if grade.measured else "not measured"


def _heads(view: TaskView) -> Line:
    graders = columns(view)
    if graders[0] == CHOICE and graders[1] is None:
        return Line("choice you ", "ink-3")
    line = Line()
    for place, (letter, grader) in enumerate(zip(LETTERS, graders, strict=False)):
        line.cell(letter if grader else "", MORE_CELLS if place else 4, "ink-3")
    return line.add("you ", "ink-3")


def _marks(answer: AnswerView, view: TaskView, look: Look) -> Line:
    a, b, *more = columns(view)
    first, role = outcome_mark(outcome_by(answer, a), look)
    line = Line()
    if answer.mark.differs and b is not None:
        second, other = outcome_mark(outcome_by(answer, b), look)
        line.add(first, f"{role} underline @tint").add("   ", "ink underline @tint")
        line.add(second, f"{other} underline @tint")
    else:
        second, other = outcome_mark(outcome_by(answer, b), look)
        line.cell(first if a else "", 4, role).cell(second if b else "", 1, other)
    for grader in more:
        mark, other = outcome_mark(outcome_by(answer, grader), look)
        line.add(" ").add(mark, other)
    own, role = _choose_own_mark(answer, look)
    return line.add(" ").cell(own, 4, role)


def _choose_own_mark(answer: AnswerView, look: Look) -> tuple[str, str]:
    """The mark of your label; in brackets that of another person, where theirs counts."""
    if answer.own is not None:
        return f" {look.glyph(answer.own)}", f"{LABEL_ROLES[answer.own]} bold"
    if answer.mark.own:
        mark, role = outcome_mark(answer.mark.outcome, look)
        return f"({mark})", role
    return "", "ink-3"


def outcome_by(answer: AnswerView, grader: str | None) -> Outcome | None:
    """What a grader's newest version that looked at an answer came to; labels come first."""
    named = [
        one for one in answer.judgements if grader in (one.grader, f"{one.grader}#{one.version}")
    ]
    labels = [one.outcome for one in named if one.outcome <= len(LABELS)]
    return next(iter([*labels, *(one.outcome for one in named)]), None)


def edge(view: TaskView) -> Line:
    """How many answers there are, and on how many the graders differ, or who has labelled them."""
    count = len(view.answers)
    if view.unlisted is not None:
        these = f"{'these ' if view.unlisted.answers == count else ''}{view.unlisted.answers:,}"
        line = Line(f"{shown_grader(view.unlisted.grader)} has labelled {these}, ", "label-p")
        return line.add("g", "accent bold").add(" adds it", "label-p")
    words = format_amount(count, "answer")
    if view.differing:
        words += f", {view.differing:,} differ{'s' if view.differing == 1 else ''}"
    return Line(words, "ink-3")
