"""The page of a fact: all lines of the fact pane, and which of them are tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.stats.number_format import format_amount
from core.views.fact_view import FactView, Grade, TaskRow, UnfoldedQuestion
from core.views.lens import Thinking
from core.views.verdict_reasons import format_g, task_words
from core.vocabulary import ENCODING, KNOWLEDGE, TASKS, VERIFICATION, Task
from tui.screens.facts.page_shape import PageShape
from tui.screens.facts.render_answers import (
    answer_lines,
    distinct_lines,
    question_lines,
    rationale_lines,
)
from tui.screens.facts.render_verdict import models_block, models_line, verdict_lines
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import ELLIPSIS, Line, cut
from tui.text.speech import SPOKEN_ROOM, speak_lines
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.widgets.sample_marks import FIELD, legend, marks_line
from tui.widgets.source_text import source_lines

if TYPE_CHECKING:
    from core.views.task_view import TaskView


# The ten tasks of a fact as rows: name, question, gold, g and marks in each setting.

GROUPS = (("encoding", ENCODING), ("knowledge", KNOWLEDGE), ("verification", VERIFICATION))
NUMBERS = {task: str((place + 1) % len(TASKS)) for place, task in enumerate(TASKS)}
"""The digit of each task: 1 to 9, then 0."""

NUMBER, NAME = 1, 3
LONGEST_NAME = max(len(task_words(task)) for task in TASKS)
G, GAP = 4, 2
SETTING = G + GAP + FIELD
LEAST_QUESTION, LEAST_GOLD, WIDE_GOLD, AMPLE = 10, 9, 12, 46
LONG = 400
"""Characters of a question or gold that are looked at for a row."""


class TaskLayout(NamedTuple):
    """Cells of the columns of a width; 0 for a column left out. `settings` are off, on or both.

    The gold stands after the question; where there is no room for that, at the right.
    """

    width: int
    settings: tuple[bool, ...]
    name: int
    question: int
    gold: int


def layout(width: int, settings: tuple[bool, ...]) -> TaskLayout:
    """How a width is shared out: with one setting questions fit, with both where it is wide."""
    graded = len(settings) * (SETTING + 1) - 1
    rest = width - NAME - LONGEST_NAME - 1 - graded
    gold = WIDE_GOLD if rest >= AMPLE else LEAST_GOLD
    question = rest - gold - 2
    if question >= LEAST_QUESTION:
        return TaskLayout(width, settings, LONGEST_NAME, question, gold)
    longest = LONGEST_NAME if len(settings) == 1 else LONGEST_NAME - 1
    name = max(0, min(longest, width - NAME - graded))
    gold = width - NAME - name - graded - 1
    return TaskLayout(width, settings, name, 0, gold if gold >= LEAST_GOLD - 3 else 0)


def settings_shown(view: FactView, narrow: bool) -> tuple[bool, ...]:
    """Thinking off and on as the lens has them; only one of them where it is narrow."""
    settings = view.lens.thinking.settings
    if narrow and view.lens.thinking is Thinking.BOTH:
        return (any(row.on.measured for row in view.tasks),)
    return settings


def heading(view: FactView, plan: TaskLayout) -> Line:
    """What the columns hold."""
    line = Line().to(NAME - 1).add("task", "ink-3")
    if plan.question:
        line.to(NAME + plan.name + 1).cell("question", plan.question + 1, "ink-3")
        line.cell("gold", plan.gold + 1, "ink-3")
    for thinking in plan.settings:
        alone = len(plan.settings) == 1
        line.to(_find_grades_column(plan, thinking))
        line.cell(_format_setting(thinking), G, "ink bold" if alone else "ink-3", right=True)
        if alone:
            line.to(line.width + GAP).add(
                format_amount(_answers(view, thinking), "answer"), "ink-3"
            )
    if plan.gold and not plan.question:
        line.to(plan.width - plan.gold).add("gold", "ink-3")
    return line


def group_line(name: str, width: int) -> Line:
    """A titled hairline."""
    return Line(name, "ink-3").add(" ").rule(width)


def task_line(row: TaskRow, asked: str, plan: TaskLayout, chosen: bool, look: Look) -> Line:
    """One task; `asked` is its question in short."""
    part = row.task.value
    line = Line().to(NUMBER).add(NUMBERS[row.task], "accent bold", part).add(" ")
    grades = [row.on if thinking else row.off for thinking in plan.settings]
    line.join(_name(row, plan, grades[0], chosen))
    if plan.question:
        line.to(NAME + plan.name + 1).cell(asked, plan.question, "ink-2", part).add(" ")
        line.cell(_gold(row), plan.gold, "object", part).add(" ")
    for grade in grades:
        line.to(_find_grades_column(plan, grade.thinking)).join(_grade(row, grade, plan, look))
    if plan.gold and not plan.question:
        line.to(plan.width - plan.gold).cell(_gold(row), plan.gold, "object", part)
    return line


def question_words(view: FactView, task: Task, room: int) -> str:
    """A question in one line: of a text to be completed the end, of a question the beginning."""
    texts = {row.task: row.text for row in view.tasks}
    text, direct = texts[task], texts[Task.DIRECT]
    if task is Task.CONTEXTUAL and direct and text.endswith(direct):
        return f"{spell(ELLIPSIS)} {direct[:LONG]}"
    if task not in ENCODING or len(text) <= room:
        return text[:LONG]
    words = make_inert(text[-LONG:].strip()).split(" ")
    while len(words) > 1 and width_of(" ".join(words)) > room - 2:
        del words[0]
    return f"{spell(ELLIPSIS)} {' '.join(words)}"


def _name(row: TaskRow, plan: TaskLayout, first: Grade, chosen: bool) -> Line:
    """The task's name; a grade of four cells may take the last one of it."""
    room = plan.name
    if not plan.question and len(spell(format_g(first.g))) == G:
        room -= 1
    role = "ink bold" if chosen else "ink" if row.question else "ink-3"
    return Line().add(cut(task_words(row.task), room), role, row.task.value)


def _gold(row: TaskRow) -> str:
    return row.gold[:LONG] if row.question else ""


def _find_grades_column(plan: TaskLayout, thinking: bool) -> int:
    """Where the grades of a setting begin."""
    place = plan.settings.index(thinking)
    before = NAME + plan.name
    if plan.question:
        before = plan.width - len(plan.settings) * (SETTING + 1) + 1
    return before + place * (SETTING + 1)


def _grade(row: TaskRow, grade: Grade, plan: TaskLayout, look: Look) -> Line:
    part = row.task.value
    if not row.question:
        return _draw_none("no question", part)
    if not grade.measured:
        return _draw_none("not asked", part)
    if not grade.used:
        return _draw_none("off only" if len(plan.settings) == 1 else "not used", part)
    role = {True: "label-c", False: "label-i bold", None: "ink-3"}[grade.passes]
    line = Line().cell(spell(format_g(grade.g)), G, role, part, right=True).to(G + GAP)
    return line.join(marks_line(grade.marks, look))


def _draw_none(words: str, part: str) -> Line:
    return (
        Line().cell(spell("–"), G, "ink-3", part, right=True).to(G + GAP).add(words, "ink-3", part)
    )


def _answers(view: FactView, thinking: bool) -> int:
    grades = (row.on if thinking else row.off for row in view.tasks)
    return max((len(grade.marks) for grade in grades), default=0)


def _format_setting(thinking: bool) -> str:
    return "on" if thinking else "off"


@dataclass(frozen=True, slots=True)
class PageRow:
    """One line of a page; `task` where it is a task's own."""

    line: Line
    task: Task | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a page shows: a fact, its chosen task, and what has been read of that."""

    view: FactView
    task: Task
    unfolded: UnfoldedQuestion | None = None
    detail: "TaskView | None" = None

    @property
    def answers(self) -> UnfoldedQuestion | None:
        """The unfolded task, if it is the chosen one of this fact."""
        found = self.unfolded
        fits = found is not None and (found.fact, found.task) == (self.view.fact, self.task)
        return found if fits else None


def page(content: Content, shape: PageShape, look: Look) -> list[PageRow]:
    """All rows of the page."""
    view = content.view
    lines = [
        *source_lines(view.text, view.subject_spans, view.object_spans, shape.width, shape.source),
        *_gap(shape),
        *_verdict(view, shape, look),
        *_models(view, shape),
        *_gap(shape),
    ]
    rows = [PageRow(line) for line in lines] + list(_tasks(content, shape, look))
    if not look.is_spoken:
        marks, ends = legend(look, shape.width - 1), shape.low or shape.folded
        rows.append(PageRow(marks if ends else marks.add(" ").rule(shape.width)))
    if not shape.folded and not shape.low:
        rows += [PageRow(line) for line in _draw_chosen_task(content, shape, look)]
    return rows


def _verdict(view: FactView, shape: PageShape, look: Look) -> list[Line]:
    if not look.is_spoken:
        return verdict_lines(view, shape.width, look)
    return speak_lines(verdict_lines(view, SPOKEN_ROOM, look), shape.width)


def _gap(shape: PageShape) -> list[Line]:
    return [] if shape.low else [Line()]


def _models(view: FactView, shape: PageShape) -> list[Line]:
    if shape.low or not view.models:
        return []
    if shape.ample:
        return [Line(), *models_block(view, shape.width)]
    return models_line(view, shape.width)


def _tasks(content: Content, shape: PageShape, look: Look) -> Iterator[PageRow]:
    view = content.view
    plan = layout(shape.width, settings_shown(view, shape.narrow))
    rows = {row.task: row for row in view.tasks}
    yield PageRow(heading(view, plan).clip(shape.width))
    for name, tasks in GROUPS:
        if not shape.low:
            yield PageRow(group_line(name, shape.width))
        for task in tasks:
            asked = question_words(view, task, plan.question) if plan.question else ""
            chosen = task is content.task
            yield PageRow(task_line(rows[task], asked, plan, chosen, look).clip(shape.width), task)
            if chosen and shape.low and not shape.folded:
                yield from _in_place(content, plan, look)


def _in_place(content: Content, plan: TaskLayout, look: Look) -> Iterator[PageRow]:
    """The chosen task unfolded under its row, a little to the right."""
    width = plan.width - 3
    row = next(row for row in content.view.tasks if row.task is content.task)
    lines = question_lines(row, width)
    lines += distinct_lines(content.answers, plan.settings, width, look)
    for line in lines:
        yield PageRow(Line().to(3).join(line))


def _draw_chosen_task(content: Content, shape: PageShape, look: Look) -> list[Line]:
    """The chosen task unfolded below all tasks."""
    view, width = content.view, shape.width
    settings = settings_shown(view, shape.narrow)
    row = next(row for row in view.tasks if row.task is content.task)
    lines = [*question_lines(row, width), Line()]
    if not shape.ample:
        return lines + distinct_lines(content.answers, settings, width, look)
    lines += answer_lines(content.answers, settings, width, look)
    if content.answers is not None:
        reasons = rationale_lines(view, content.answers, content.detail, width, look)
        lines += [Line(), *reasons]
    return lines
