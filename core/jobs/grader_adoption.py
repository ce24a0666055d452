"""Adopting a grader version: the project's grader from then on, and what that would change."""

from collections.abc import Sequence
from typing import Any

from core.alignment.reference_set import ReferenceSet
from core.alignment.rubric_versions import name_version
from core.alignment.set_report import find_rubric, list_versions
from core.errors import UsageError
from core.estimates.estimator import Estimator
from core.graders.grader_record import is_model
from core.project import OpenProject
from core.results.profile_summary import profiles
from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.specs.answer_specs import GradingSpec


def preview_adoption(
    project: OpenProject, found: ReferenceSet, grader: str, folder: str | None = None
) -> dict[str, Any]:
    """What adopting a version would change, the document of `align adopt`.

    `labels`: of the answers that it and the graders of now labelled, how many it labels otherwise.
    `profiles`: facts by profile now, and with its labels where there are any. `left`: what
    labelling all other answers takes; a cost of None is one that nobody knows.
    """
    (version,) = list_versions(project, found, (grader,))
    newest = max(version.versions, key=lambda one: one.plane)
    name = f"{newest.name}#{newest.version}"
    rubric = find_rubric(project, version)
    spec = GradingSpec(
        (newest.name,), folder, rubric=None if rubric is None else name_version(rubric)
    )
    left: dict[str, Any] = {"answers": None, "cost": None}
    if is_model(newest.name):
        estimate = Estimator().estimate(project, spec)
        costs = [part.cost for part in estimate.parts]
        left["answers"] = estimate.graded
        if all(cost is not None for cost in costs):
            left["cost"] = [
                sum(cost.low for cost in costs if cost is not None),
                sum(cost.high for cost in costs if cost is not None),
            ]
    return {
        "set": found.stored.name,
        "grader": name,
        "rubric": spec.rubric,
        **_compare_labels(project, name),
        "left": left,
    }


def adopt_version(project: OpenProject, grader: str) -> None:
    """Make a version (`G#v`) the project's grader. Raises `UsageError` where it has no labels."""
    project.set_primary(grader)


def _compare_labels(project: OpenProject, name: str) -> dict[str, Any]:
    try:
        old = [rank.name for rank in project.ranks(Policy())]
    except UsageError:  # several graders, and none of them the project's
        return {"labels": None, "profiles": None}
    others = [one for one in old if one != PEOPLE and one != name]
    compared = changed = 0
    choice = project.choice_questions()
    for setting in project.setting_ids().values():
        before = _labels(project, others, setting, choice)
        after = _labels(project, [name], setting, choice)
        if before is None or after is None:
            continue
        rows = min(len(before), len(after))
        both = (before[:rows] > 0) & (after[:rows] > 0)
        compared += int(both.sum())
        changed += int((both & (before[:rows] != after[:rows])).sum())
    first = (PEOPLE, name) if PEOPLE in old else (name,)
    now: dict[str, Any] = profiles(project, Policy(graders=tuple(old))).as_json()
    then: dict[str, Any] = profiles(project, Policy(graders=(*first, *others))).as_json()
    return {
        "labels": {"compared": compared, "changed": changed},
        "profiles": [
            {"model": one["model"], "before": _count(one), "after": _count(other)}
            for one, other in zip(now["models"], then["models"], strict=True)
        ],
    }


def _labels(project: OpenProject, graders: Sequence[str], setting: int, choice: Any) -> Any:
    if not graders:
        return None
    return project.labels(project.ranks(Policy(graders=tuple(graders))), setting, choice)


def _count(model: dict[str, Any]) -> dict[str, int | None]:
    states = ("incomplete", "excluded_nan", "direct_inference")
    return {**(model["counts"] or {}), **{state: model[state] for state in states}}
