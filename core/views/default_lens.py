"""The lens that a project suggests: which model and graders there are to look through."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import db.project_values
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.precedence import CHOICE, PEOPLE, Rank
from core.views.lens import Lens

if TYPE_CHECKING:
    from core.scoring.lake_labels import CountedLabels


def graders(project: OpenProject) -> tuple[str, ...]:
    """Graders that may be compared: programs in the order of their coming, then people."""
    known = [version for version in project.graders() if version.name != CHOICE]
    return tuple(
        dict.fromkeys(
            [version.name for version in known if not version.is_person]
            + [version.name for version in known if version.is_person]
        )
    )


def fit_lens(project: OpenProject, lens: Lens) -> Lens:
    """The lens with a model and graders that are there, suggested where it names none.

    Suggested are the first model (an arm where there is none), as grader the project's primary
    one, else the one with most labels of the model, and to compare it with the one with most labels
    in common. Graders that have no labels any more fall out of the list; if only people are left,
    a grader is suggested, unless a person has chosen people alone.
    """
    models = project.models(arms=True)
    model = lens.model if lens.model in models else next(iter(models), None)
    if project.counted is not None:
        lens = _take_counted_list(project, project.counted, lens)
    ranked = [name for name in lens.ranked if project.counted or _rank(project, name) is not None]
    people_alone = lens.chosen and ranked == [PEOPLE] == list(lens.ranked)
    if not people_alone and all(name == PEOPLE for name in ranked):
        ranked += _as_list(_suggest_a(project, model))
    compared = [name for name in lens.compared if _rank(project, name) is not None]
    if not compared:
        programs = (name for name in ranked if name != PEOPLE)
        compared = _as_list(next(programs, None) or _suggest_a(project, model))
    if len(compared) == 1:
        compared += _as_list(_suggest_b(project, model, compared[0]))
    return replace(lens, model=model).with_graders(ranked, compared, lens.chosen)


def _take_counted_list(project: OpenProject, counted: "CountedLabels", lens: Lens) -> Lens:
    """The lens with the list of the counts. Raises `UsageError` for another that was chosen."""
    if counted.accepts(lens.ranked):
        return lens
    if lens.chosen:
        project.ranks(lens.policy)
    return lens.with_graders(counted.graders, lens.compared, lens.chosen)


def _as_list(name: str | None) -> list[str]:
    return [] if name is None else [name]


def _rank(project: OpenProject, grader: str) -> Rank | None:
    try:
        (rank,) = project.ranks_of((grader,))
    except UsageError:
        return None
    return rank if rank.planes or grader == PEOPLE else None


def _programs(project: OpenProject) -> list[str]:
    versions = project.graders()
    names = [one.name for one in versions if not one.is_person and one.name != CHOICE]
    return list(dict.fromkeys(names))


def _suggest_a(project: OpenProject, model: str | None) -> str | None:
    primary = db.project_values.value(project.connection, "primary_grader")
    if primary is not None and _rank(project, primary) is not None:
        return primary
    labels = {
        name: sum(int(np.count_nonzero(mask)) for mask in _find_labelled(project, name, model))
        for name in _programs(project)
    }
    return max(labels, key=lambda name: labels[name], default=None)


def _suggest_b(project: OpenProject, model: str | None, a: str | None) -> str | None:
    if a is None:
        return None
    common: dict[str, int] = {}
    for name in _programs(project):
        if name != a.partition("#")[0]:
            both = zip(
                _find_labelled(project, a, model), _find_labelled(project, name, model), strict=True
            )
            common[name] = sum(_overlap(*masks) for masks in both)
    best = max(common, key=lambda name: common[name], default=None)
    return best if best is not None and common[best] > 0 else None


def _find_labelled(project: OpenProject, grader: str, model: str | None) -> Iterator[Mask]:
    """Which responses a grader has labelled, off then on, each of shape (samples, questions)."""
    rank = _rank(project, grader)
    choice = project.choice_questions()
    settings = project.setting_ids()
    for thinking in (False, True):
        setting = settings.get((model or "", thinking))
        cells = project.labels((rank,), setting, choice) if rank and setting is not None else None
        yield np.zeros((0, 0), np.bool_) if cells is None else cells > 0


def _overlap(one: Mask, other: Mask) -> int:
    rows, columns = (min(pair) for pair in zip(one.shape, other.shape, strict=True))
    return int(np.count_nonzero(one[:rows, :columns] & other[:rows, :columns]))
