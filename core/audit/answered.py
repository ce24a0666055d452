"""What has been answered of one fact under a lens: settings, questions and marks."""

from collections.abc import Sequence

import db.facts
import db.models
import db.runs
from core.audit.board import Board
from core.audit.marks import Asked, Mark, marks_of, ranking
from core.names import TASK_INDEX, TASKS, Task
from core.project import Project
from db.facts import StoredQuestion

Marks = dict[tuple[Task, bool], tuple[Mark, ...]]


def question_of(project: Project, fact: int, task: Task) -> StoredQuestion | None:
    """The current question of a fact (its id) for a task."""
    questions = db.facts.questions(project.connection, [fact])
    return next((one for one in questions if one.task is task), None)


def settings_of(project: Project, model: str | None) -> dict[bool, int]:
    """Ids of a model's settings by thinking, off first."""
    settings = db.models.settings(project.connection)
    return {thinking: key for key, (label, thinking) in settings.items() if label == model}


def marks_by_cell(
    project: Project,
    board: Board,
    place: int,
    tasks: Sequence[Task] = TASKS,
    model: str | None = None,
) -> Marks:
    """Marks of the fact at a place, by task and thinking; none where there is no question.

    Of the lens's model, unless another is named.
    """
    settings = settings_of(project, model or board.lens.model)
    ranks = ranking(project, board.lens)
    found: Marks = {}
    for thinking in (False, True):
        setting = settings.get(thinking)
        drawing = _drawing(project, setting, int(board.index.ids[place]))
        asked = [
            Asked(question, task, drawing.get(task, 0) if question else 0)
            for task in tasks
            for question in [int(board.index.questions[place, TASK_INDEX[task]])]
        ]
        marks = marks_of(project, ranks, setting, asked)
        found |= {(task, thinking): row for task, row in zip(tasks, marks, strict=True)}
    return found


def _drawing(project: Project, setting: int | None, fact: int) -> dict[str, int]:
    """How many samples of each task of a fact unfinished runs ask for in a setting."""
    wanted: dict[str, int] = {}
    for run in db.runs.unfinished(project.connection):
        if run.setting == setting and (run.facts is None or fact in run.facts):
            wanted |= {task: max(run.samples, wanted.get(task, 0)) for task in run.tasks}
    return wanted
