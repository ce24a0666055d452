"""The page of a fact: all lines of the fact pane, and which of them are tasks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.views.fact_view import FactView, UnfoldedQuestion
from core.vocabulary import Task
from tui.screens.facts.page_shape import PageShape
from tui.screens.facts.render_answers import (
    answer_lines,
    distinct_lines,
    question_lines,
    rationale_lines,
)
from tui.screens.facts.render_tasks import (
    GROUPS,
    TaskLayout,
    group_line,
    heading,
    layout,
    question_words,
    settings_shown,
    task_line,
)
from tui.screens.facts.render_verdict import models_block, models_line, verdict_lines
from tui.text.line import Line
from tui.text.speech import SPOKEN_ROOM, speak_lines
from tui.theme.look import Look
from tui.widgets.sample_marks import legend
from tui.widgets.source_text import source_lines

if TYPE_CHECKING:
    from core.views.task_view import TaskView


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
