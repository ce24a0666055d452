"""What each grader has labelled: to choose graders by, and to say what a list leaves out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

import db.grades
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.precedence import (
    CHOICE,
    HUMAN_PREFIX,
    PEOPLE,
    append_choice,
    drop_labelled,
    labels_of,
)
from core.scoring.verdicts import INCOMPLETE
from core.views.lens import Lens
from core.views.session_protocols import OpenSession
from core.views.user_errors import tell_user_errors
from core.vocabulary import TASKS
from db.connection import read_transaction
from db.label_grids import DRAWN


@dataclass(frozen=True, slots=True)
class GraderLabels:
    """How many answers a grader has labelled: in the whole file, and of the lens's model."""

    name: str
    labels: int
    of_model: int


@dataclass(frozen=True, slots=True)
class GraderOverview:
    """All graders of a file: people together, programs as they came, then people one by one.

    `answers` are those of the lens's model, `facts` all that are not rejected.
    """

    model: str | None
    answers: int
    facts: int
    graders: tuple[GraderLabels, ...]


@dataclass(frozen=True, slots=True)
class UnlistedLabels:
    """A grader that no list names, and how many answers have its label and none that counts."""

    grader: str
    answers: int


@tell_user_errors
def read_graders(session: OpenSession) -> GraderOverview:
    """The graders of a session's file. Graders that have labelled nothing stand there with 0."""
    project, lens = session.project, session.snapshot.lens
    with read_transaction(project.connection):
        settings = project.setting_ids()
        of_model = {setting for (model, _), setting in settings.items() if model == lens.model}
        there = {one.name for one in project.graders()}
        found = []
        for name in _list_names(project):
            counts = _labels(project, name, settings.values()) if name in (PEOPLE, *there) else {}
            mine = sum(count for setting, count in counts.items() if setting in of_model)
            found.append(GraderLabels(name, sum(counts.values()), mine))
        drawn = sum(_count_drawn(project, setting) for setting in of_model)
    facts = int(np.count_nonzero(~project.index.rejected))
    return GraderOverview(lens.model, drawn, facts, tuple(found))


@tell_user_errors
def count_complete(session: OpenSession, lists: Sequence[tuple[str, ...]]) -> list[int]:
    """How many facts are complete for the lens's model under each of these lists of graders."""
    project, lens = session.project, session.snapshot.lens
    if lens.model is None:
        return [0] * len(lists)
    found = []
    with read_transaction(project.connection):
        for graders in lists:
            policy = Policy(lens.policy.tau, lens.policy.strategy, lens.policy.weight, graders)
            tally = project.tally(project.ranks(policy), [lens.model])
            complete = project.verdicts(tally, policy).verdict[0] != INCOMPLETE
            found.append(int(np.count_nonzero(complete & ~project.index.rejected)))
    return found


def find_unlisted(
    project: OpenProject, lens: Lens, questions: Sequence[int]
) -> UnlistedLabels | None:
    """Who outside of the list has labelled most answers to these questions that have no label.

    Of the answers of the lens's model, to the questions of these ids. None where nobody has.
    """
    known = project.graders()
    names = [name for name in _list_names(project) if _is_left_out(name, lens.ranked)]
    ranks = project.ranks_of(_with_labels(names, project))
    if not ranks or not len(questions):
        return None
    listed = append_choice(project.ranks_of(lens.ranked), known)
    choice_questions = project.index.questions[:, [task.is_choice for task in TASKS]]
    choice = np.isin(questions, choice_questions).astype(np.uint8)
    counts = dict.fromkeys((rank.name for rank in ranks), 0)
    for (model, _), setting in project.setting_ids().items():
        if model != lens.model:
            continue
        grids = project.grids.select(setting, questions)
        counting = project.find_counting(grids, listed, setting, choice, questions).labels
        for rank in ranks:
            cells = labels_of(grids, rank, setting, choice)
            if cells is not None:
                rest = cells if counting is None else drop_labelled(cells, counting)
                counts[rank.name] += int(np.count_nonzero(rest))
    name = max(counts, key=lambda name: counts[name])
    return UnlistedLabels(name, counts[name]) if counts[name] else None


def _list_names(project: OpenProject) -> list[str]:
    """People together, programs as they came, people one by one."""
    every = dict.fromkeys(name for _, name, _ in db.grades.graders(project.connection))
    persons = [name for name in every if name.startswith(HUMAN_PREFIX)]
    return [PEOPLE, *(name for name in every if name not in persons), *persons]


def _with_labels(names: Sequence[str], project: OpenProject) -> list[str]:
    there = {one.name for one in project.graders()}
    return [name for name in names if name in there or name == PEOPLE]


def _is_left_out(name: str, ranked: Sequence[str]) -> bool:
    """Whether no label of a grader counts; of people it is said of all together."""
    if name.startswith(HUMAN_PREFIX):
        return name == PEOPLE and PEOPLE not in ranked
    return name != CHOICE and name not in {one.partition("#")[0] for one in ranked}


def _labels(project: OpenProject, name: str, settings: Iterable[int]) -> dict[int, int]:
    """How many answers a grader has labelled, by setting."""
    (rank,) = project.ranks_of((name,))
    choice = project.choice_questions()
    found = ((one, labels_of(project.grids, rank, one, choice)) for one in settings)
    return {one: int(np.count_nonzero(cells)) for one, cells in found if cells is not None}


def _count_drawn(project: OpenProject, setting: int) -> int:
    cells = project.grids.cells(DRAWN, setting)
    return 0 if cells is None else int(np.count_nonzero(cells))
