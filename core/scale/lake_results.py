"""Profiles and confusions of a lake; of profiles one model's counts are held at a time."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from core.dataset.subsets import Mask
from core.results.agreement import ConfusionReport, ranks_of_two, weigh_crossed
from core.results.crossed_labels import CrossedLabels, join_settings
from core.results.disagreements import UnlikeLabels, join_unlike
from core.results.profile_summary import FactProfile, derive, list_fact_profiles
from core.scale.lake import LakeCell
from core.scale.lake_counts import LakeCounts
from core.scoring.policy import Policy
from core.scoring.precedence import Rank
from core.vocabulary import TASK_INDEX, TASKS, Task


def read_profiles(
    counts: LakeCounts,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    by: str | None = None,
    intervals: bool = False,
    with_facts: bool = False,
) -> tuple[dict[str, object], list[FactProfile]]:
    """The document of `profiles --json` without facts; and these, if asked for.

    Raises `UsageError` as `core.results.profile_summary.profiles` does.
    """
    chosen = counts.choose_models(models)
    ranks = counts.ranks(policy)
    mask = counts.facts(where, chosen, policy)
    document = derive(counts, policy, counts.tally(ranks, []), mask, by, intervals).as_json()
    several: list[object] = []
    facts: list[FactProfile] = []
    provisional = False
    for model in chosen:
        found = derive(counts, policy, counts.tally(ranks, [model]), mask, by, intervals)
        provisional |= found.provisional
        document = found.as_json()
        several += cast("list[object]", document["models"])
        if with_facts:
            facts += list_fact_profiles(counts, found, intervals)
    return {**document, "models": several, "provisional": provisional}, facts


def compare_graders(
    counts: LakeCounts,
    a: str,
    b: str,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    tasks: Sequence[Task] = TASKS,
) -> ConfusionReport:
    """Cross the labels of two graders, as `core.results.agreement.compare` does of a database."""
    chosen = counts.choose_models(models)
    facts = counts.facts(where, chosen, policy)
    rank_a, rank_b = ranks_of_two(counts, a, b)
    tally = counts.tally((rank_a,), chosen)
    crossed: list[CrossedLabels] = []
    found: list[UnlikeLabels] = []
    for place, model in enumerate(chosen):
        for on in counts.lake.settings(model):
            for task in tasks:
                cell = LakeCell(model, on, task)
                pair = _cross(counts, cell, rank_a, rank_b)
                if pair is None:
                    continue
                keep = facts & tally.exists[TASK_INDEX[task]]
                row = int(tally.rows[place, int(on)])
                crossed.append(_make_crossed(pair[0], cell, place, keep))
                found.append(_make_unlike(pair[1], cell, place, row, keep))
    return weigh_crossed((a, b), policy, tally, join_settings(crossed), join_unlike(found))


Columns = list[np.ndarray]


def _cross(counts: LakeCounts, cell: LakeCell, a: Rank, b: Rank) -> tuple[Columns, Columns] | None:
    sources = [counts.sources(cell, (rank,)) for rank in (a, b)]
    if not all(sources):
        return None
    return counts.queries.cross(sources[0][0], sources[1][0])


def _make_crossed(columns: Columns, cell: LakeCell, model: int, keep: Mask) -> CrossedLabels:
    fact, a, b, count = (column.astype(np.intp) for column in columns)
    size = fact.size
    return CrossedLabels(
        np.full(size, model),
        np.full(size, cell.thinking),
        np.full(size, TASK_INDEX[cell.task]),
        fact,
        a,
        b,
        count,
    ).filter(keep[fact])


def _make_unlike(
    columns: Columns, cell: LakeCell, model: int, row: int, keep: Mask
) -> UnlikeLabels:
    fact, sample, a, b = (
        column.astype(np.intp)[keep[columns[0].astype(np.intp)]] for column in columns
    )
    size = fact.size
    return UnlikeLabels(
        np.full(size, row),
        np.full(size, model),
        np.full(size, cell.thinking),
        np.full(size, TASK_INDEX[cell.task]),
        fact,
        sample,
        a,
        b,
    )
