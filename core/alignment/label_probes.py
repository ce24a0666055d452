"""Probes: how many of a version's labels change where nothing that matters does."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from core.alignment.reference_set import CHECK, TUNE, ReferenceSet, answer_rows
from core.alignment.rubric_versions import read_rubric
from core.alignment.set_report import find_rubric, list_versions
from core.errors import UsageError
from core.graders.grader_evaluation import EvaluationCase
from core.graders.grader_record import is_model
from core.grading.grader_measurement import measure
from core.grading.grader_probe import version_now
from core.project import OpenProject
from core.providers.base import Provider
from core.providers.registry import open_provider
from core.stats.cluster_intervals import share_interval
from core.vocabulary import LABELS, Label, Task

THINKING_ALOUD = "I think "

PROBES = ("again", "reversed", "alone", "hedged")
"""Asked once more alike; in reversed order; each alone; with "I think" before it."""


def probe_version(
    project: OpenProject,
    found: ReferenceSet,
    grader: str,
    max_cost: float | None = None,
    folder: Path | None = None,
    open_: Callable[[str], Provider] = open_provider,
) -> dict[str, Any]:
    """The document of `align probe`: share of labels that change in each probe, by label too.

    The labels that the version gave answers of `tune` and `check` are compared; nothing is stored.
    Raises `UsageError` for a grader that is no model, or was asked otherwise than it would be now.
    """
    (version,) = list_versions(project, found, (grader,))
    newest = max(version.versions, key=lambda one: one.plane)
    if not is_model(newest.name):
        raise UsageError(f"{newest.name} is no model: it says the same however it is asked")
    places = [place for place in found.places((TUNE, CHECK)) if version.labels[place]]
    if not places:
        raise UsageError(f"{grader} has labelled nothing of {found.stored.name}: try it first")
    stored = find_rubric(project, version)
    rubric = None if stored is None else read_rubric(stored)
    if version_now(project.connection, newest.name, folder, rubric=rubric) != newest.version:
        raise UsageError(
            f"{grader} was asked with another prompt or settings than now: try it again first"
        )
    rows = list(answer_rows(project, found, places))
    cases = [_make_case(place, row) for place, row in zip(places, rows, strict=True)]
    before = {str(place): LABELS[version.labels[place] - 1] for place in places}
    fact_of = {str(place): int(found.facts[place]) for place in places}
    document: dict[str, Any] = {}
    spent = 0.0
    for probe in PROBES:
        asked = list(reversed(cases)) if probe == "reversed" else cases
        if probe == "hedged":
            asked = [replace(one, answer=THINKING_ALOUD + one.answer) for one in cases]
        came = measure(
            newest.name,
            asked,
            folder,
            None if max_cost is None else max(0.0, max_cost - spent),
            open_,
            rubric=rubric,
            alone=probe == "alone",
        )
        spent += came.spend.cost or 0.0
        after = {one.id: label for one, label in zip(came.cases, came.labels, strict=True)}
        document[probe] = _count_changes(before, after, fact_of)
        if came.stopped is not None:
            document[probe]["stopped"] = came.stopped
            break
    return {
        "set": found.stored.name,
        "grader": f"{newest.name}#{newest.version}",
        "answers": len(cases),
        "cost": spent,
        "probes": document,
    }


def _make_case(place: int, row: dict[str, Any]) -> EvaluationCase:
    return EvaluationCase(
        str(place),
        row["question"],
        row["task"] == Task.COMPLETION,
        (row["gold"], *row["aliases"]),
        row["response"],
        "",
        "",
    )


def _count_changes(
    before: dict[str, Label], after: dict[str, Label | None], fact_of: dict[str, int]
) -> dict[str, Any]:
    """How many labels are others, all and by what they were; those that did not come are apart."""
    there = [key for key, label in after.items() if label is not None]
    document = _share([(fact_of[key], before[key] != after[key]) for key in there])
    document["unlabelled"] = len(after) - len(there)
    document["by_label"] = {
        label: _share(
            [(fact_of[key], before[key] != after[key]) for key in there if before[key] == label]
        )
        for label in LABELS
    }
    return document


def _share(answers: Sequence[tuple[int, bool]]) -> dict[str, Any]:
    """Of answers by fact how many changed, with the interval that takes facts together."""
    facts = np.array([fact for fact, _ in answers], np.intp)
    changed = np.array([int(one) for _, one in answers], np.intp)
    _, places = np.unique(facts, return_inverse=True)
    hits = np.bincount(places, changed).astype(np.int64) if len(answers) else facts
    sizes = np.bincount(places) if len(answers) else facts
    interval = share_interval(hits, sizes)
    return {
        "n": len(answers),
        "changed": int(changed.sum()),
        "share": float(changed.mean()) if len(answers) else None,
        "interval": None if interval is None else list(interval),
    }
