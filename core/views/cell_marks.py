"""What has been answered of one fact under a lens: settings, questions and marks."""

from collections.abc import Sequence

import db.model_rows
import db.question_rows
import db.sampling_runs
from core.project import OpenProject
from core.scoring.verdicts import CELLS, INCOMPLETE
from core.views.answer_marks import AnswerMark, MarkedQuestion, marks_of, rank_graders
from core.views.fact_case import FactCase, case_of
from core.views.snapshot import Snapshot
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.question_rows import StoredQuestion

Marks = dict[tuple[Task, bool], tuple[AnswerMark, ...]]

DROPPED = AnswerMark(False, dropped=True)
COUNTED = AnswerMark(False, counted=True)


def question_of(project: OpenProject, fact: int, task: Task) -> StoredQuestion | None:
    """The current question of a fact (its id) for a task."""
    questions = db.question_rows.questions(project.connection, [fact])
    return next((one for one in questions if one.task is task), None)


def settings_of(project: OpenProject, model: str | None) -> dict[bool, int]:
    """Ids of a model's settings by thinking, off first."""
    settings = db.model_rows.settings(project.connection)
    return {thinking: key for key, (label, thinking) in settings.items() if label == model}


def marks_by_cell(
    project: OpenProject,
    snapshot: Snapshot,
    place: int,
    tasks: Sequence[Task] = TASKS,
    model: str | None = None,
) -> Marks:
    """Marks of the fact at a place, by task and thinking; none where there is no question.

    Of the lens's model, unless another is named.
    """
    model = model or snapshot.lens.model
    settings = settings_of(project, model)
    answerers = snapshot.answerers
    case = case_of(snapshot, place, answerers.index(model) if model in answerers else None)
    ranks = rank_graders(project, snapshot.lens)
    found: Marks = {}
    for thinking in (False, True):
        setting = settings.get(thinking)
        drawing = _count_pending(project, setting, int(snapshot.index.ids[place]))
        asked = [
            MarkedQuestion(
                question, task, max(drawing.get(task, 0), _count_planned(case, task, thinking))
            )
            if question
            else MarkedQuestion(question, task)
            for task in tasks
            for question in [int(snapshot.index.questions[place, TASK_INDEX[task]])]
        ]
        marks = marks_of(project, ranks, setting, asked)
        for task, row in zip(tasks, marks, strict=True):
            settled = _count_planned(case, task, thinking) and _is_settled(case, task, thinking)
            answers = int(case.drawn[int(thinking), TASK_INDEX[task]])
            here = row if project.counted is None else _with_counted(row, answers)
            found[task, thinking] = _with_dropped(here) if settled else here
    return found


def _count_planned(case: FactCase, task: Task, thinking: bool) -> int:
    """How many draws of a question curtailed runs would make at most."""
    return 0 if case.planned is None else int(case.planned[int(thinking), TASK_INDEX[task]])


def _is_settled(case: FactCase, task: Task, thinking: bool) -> bool:
    """Whether no more draws are needed: the question is decided, or the fact is without it."""
    if not case.is_undecided(task, thinking):
        return True
    return (task, thinking) in CELLS and case.verdict().number != INCOMPLETE


def _with_dropped(marks: Sequence[AnswerMark]) -> tuple[AnswerMark, ...]:
    return tuple(mark if mark.drawn else DROPPED for mark in marks)


def _with_counted(marks: Sequence[AnswerMark], answers: int) -> tuple[AnswerMark, ...]:
    """The marks of so many answers: those that are not here take the empty slots, then more."""
    away = answers - sum(mark.drawn for mark in marks)
    found = []
    for mark in marks:
        found.append(mark if mark.drawn or away <= 0 else COUNTED)
        away -= not mark.drawn
    return (*found, *[COUNTED] * away)


def _count_pending(project: OpenProject, setting: int | None, fact: int) -> dict[str, int]:
    """How many samples of each task of a fact unfinished runs ask for in a setting."""
    wanted: dict[str, int] = {}
    for run in db.sampling_runs.find_unfinished(project.connection):
        if run.setting == setting:
            tasks = run.tasks_of(fact)
            wanted |= {task: max(run.samples, wanted.get(task, 0)) for task in tasks}
    return wanted
