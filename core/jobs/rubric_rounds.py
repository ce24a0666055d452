"""Tuning a rubric: a model proposes, the grader tries, what holds on facts held out stays.

Everything is done on `tune`; at the end the best version is tried on `check`, once. Each round
holds out one of five folds of the facts of `tune`: the proposal sees misses of the other four.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import db.grades
import db.reference_sets
from core.alignment.reference_set import CHECK, TUNE, ReferenceSet, find_set, read_set
from core.alignment.rubric_proposals import ProposalError, suggest_rubric
from core.alignment.rubric_versions import list_versions, name_version
from core.alignment.set_report import find_person, report_set
from core.alignment.set_report import list_versions as list_tried
from core.alignment.trials import make_trial_spec
from core.alignment.version_scores import weigh_answers
from core.certainty.audit_order import uniform
from core.errors import UsageError
from core.project import OpenProject
from core.providers.base import Provider
from core.providers.registry import open_provider
from core.specs.answer_specs import GradingSpec
from db.rubrics import StoredRubric

FOLDS = 5

RunJob = Callable[[GradingSpec, float | None], object]
"""Runs a job of grading to its end, with what it may cost; raises what it ended with."""


def fold_of(seed: int, fact_id: str) -> int:
    """The fold of a fact of `tune`, 0 to 4."""
    return int(uniform(f"{seed}\nfold\n{fact_id}") * FOLDS)


def _is_held_out(seed: int, fold: int, fact_id: str) -> bool:
    return fold_of(seed, fact_id) == fold


def tune_rubric(
    path: Path,
    name: str,
    grader: str,
    rubric: str,
    model: str,
    rounds: int,
    run: RunJob,
    *,
    max_cost: float | None = None,
    person: str | None = None,
    folder: Path | None = None,
    open_: Callable[[str], Provider] = open_provider,
    tell: Callable[[str], object] = lambda line: None,
) -> dict[str, Any]:
    """The document of `align tune`: each round, and the report on `check` of first and best.

    Begins with the newest version of the rubric, or without one where there is none. Raises
    `UsageError` for a set without labels, and what jobs and proposals raise; what was tried until
    then stays.
    """
    spent = 0.0

    def try_version(version: StoredRubric | None, part: str) -> str:
        nonlocal spent
        named = None if version is None else name_version(version)
        with OpenProject(path, "write") as project:
            spec = make_trial_spec(
                project, name, grader, named, (part,), None if folder is None else str(folder)
            )
            before = _sum_costs(project, name)
        run(spec, None if max_cost is None else max(0.0, max_cost - spent))
        with OpenProject(path, "write") as project:
            spent += _sum_costs(project, name) - before
            return _find_tried(project, name, version)

    with OpenProject(path, "write") as project:
        found = read_set(project, find_set(project, name))
        who, _ = find_person(project, found, person)
        try:
            best: StoredRubric | None = list_versions(project, rubric)[-1]
        except UsageError:
            best = None
    begun = best
    first = best_grader = try_version(begun, TUNE)
    report: list[dict[str, Any]] = []
    for number in range(rounds):
        fold = number % FOLDS
        with OpenProject(path, "write") as project:
            try:
                _, draft, used = suggest_rubric(
                    project,
                    found,
                    rubric,
                    model,
                    best_grader,
                    who,
                    start=best,
                    skip=partial(_is_held_out, found.plan.seed, fold),
                    max_cost=None if max_cost is None else max(0.0, max_cost - spent),
                    folder=folder,
                    open_=open_,
                )
            except (UsageError, ProposalError) as error:
                tell(f"round {number + 1}: {error}")
                continue
        spent += used.cost or 0.0
        tried = try_version(draft, TUNE)
        with OpenProject(path, "write") as project:
            before, after, n = _compare_on(project, found, who, (best_grader, tried), fold)
        kept = after is not None and before is not None and after > before
        report.append(
            {
                "round": number + 1,
                "rubric": name_version(draft),
                "grader": tried,
                "fold": fold,
                "n": n,
                "before": before,
                "after": after,
                "kept": kept,
            }
        )
        tell(
            f"round {number + 1}: {name_version(draft)} is right on {_percent(after)} of {n} "
            f"answers held out, {_percent(before)} before: {'kept' if kept else 'not kept'}"
        )
        if kept:
            best, best_grader = draft, tried
    chosen = {first: begun, best_grader: best}
    for version in chosen.values():
        try_version(version, CHECK)
    with OpenProject(path, "write") as project:
        checked = report_set(project, read_set(project, find_set(project, name)), who, [*chosen])
    return {
        "set": name,
        "rubric": None if best is None else name_version(best),
        "grader": best_grader,
        "cost": spent,
        "rounds": report,
        "report": checked,
    }


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _sum_costs(project: OpenProject, name: str) -> float:
    key = find_set(project, name).id
    return sum(one.cost or 0.0 for one in db.reference_sets.trials_of(project.connection, key))


def _find_tried(project: OpenProject, name: str, version: StoredRubric | None) -> str:
    """The grader version of the newest trial with a rubric, as `G#v`."""
    key = None if version is None else version.id
    trials = db.reference_sets.trials_of(project.connection, find_set(project, name).id)
    names = {one[0]: f"{one[1]}#{one[2]}" for one in db.grades.graders(project.connection)}
    found = [names[one.grader] for one in trials if one.rubric == key]
    if not found:
        raise UsageError(f"nothing was labelled in {name}: look at the job")
    return found[-1]


def _compare_on(
    project: OpenProject, found: ReferenceSet, person: str, graders: tuple[str, str], fold: int
) -> tuple[float | None, float | None, int]:
    """Weighted agreement of two versions with a person on a fold, over what both labelled."""
    _, said = find_person(project, found, person)
    one, other = list_tried(project, found, graders)
    seed, ids = found.plan.seed, project.index.fact_ids
    places = [
        place
        for place in found.places((TUNE,))
        if fold_of(seed, ids[found.facts[place]]) == fold
        and said[place]
        and one.labels[place]
        and other.labels[place]
    ]
    if not places:
        return None, None, 0
    sizes = {stratum: there for stratum, (there, _) in found.plan.strata.items()}
    weights = weigh_answers([found.strata[place] for place in places], sizes)
    shares = [
        float(np.average(version.labels[places] == said[places], weights=weights))
        for version in (one, other)
    ]
    return shares[0], shares[1], len(places)
