"""Arms with their figures, shuffled ones below plain ones, and the groups of one arm."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from core.fact_bench.arm_list import BenchArm
from core.fact_bench.arm_pairs import adjust_pairs, pair_arms
from core.fact_bench.arm_results import ArmFigures, count_by_group, count_figures
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.model_knowledge import METHODS, read_knowledge
from core.fact_bench.triple_groups import GROUPINGS
from core.stats.paired_tests import PairedTest

BREAKDOWNS = tuple(GROUPINGS)
"""What the triples of an arm are grouped by."""


class ArmOrder(StrEnum):
    """What arms are sorted by."""

    MODEL = "model"
    EM = "em"


class GroupOrder(StrEnum):
    """What the groups of an arm are sorted by; equal ones stand as listed."""

    LISTED = "listed"
    BEST = "best"
    MOST = "most"


@dataclass(frozen=True, slots=True)
class ArmRow:
    """An arm with its figures; a shuffled one also with what it drops by, as tested.

    `is_below` is true where the plain arm stands right above it.
    """

    label: str
    model: str
    mode: str
    is_shuffled: bool
    figures: ArmFigures
    drop: float | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    is_below: bool = False


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group of triples with the figures of an arm over it."""

    name: str
    figures: ArmFigures


@dataclass(frozen=True, slots=True)
class MethodCounts:
    """Of how many triples each method says that the model knows them.

    `known` is by method, None for one that says nothing, that of FACT-BENCH by the labels of
    `known_by`; `asked` counts triples of which a method
    says anything; `all_three` and
    `only_latent` are known to all methods, and to the scores of options alone.
    """

    known: Mapping[str, int | None]
    known_by: str
    asked: int
    all_three: int
    only_latent: int


def read_arms(evidence: BenchEvidence, order: ArmOrder) -> list[ArmRow]:
    """The arms of a set in an order; shuffled ones follow their plain ones by model."""
    arms = evidence.every_arm
    plain = {(one.model, one.mode): one for one in arms if not one.mode.shuffled}
    pairs = [
        (plain[key], one)
        for one in arms
        if one.mode.shuffled and (key := (one.model, one.mode.plain)) in plain
    ]
    found = [
        pair_arms(evidence.scores(first), evidence.scores(other), evidence.wanted, "em")
        for first, other in pairs
    ]
    drops = {
        other.label: (pair.difference, tested)
        for (_, other), pair, tested in zip(pairs, found, adjust_pairs(found), strict=True)
    }
    rows = [_arm_row(evidence, one, drops.get(one.label)) for one in arms]
    if order is ArmOrder.EM:
        return sorted(rows, key=lambda row: _fraction(row.figures), reverse=True)
    return [
        replace(row, is_below=at > 0 and row.drop is not None and rows[at - 1].model == row.model)
        for at, row in enumerate(rows)
    ]


def _arm_row(
    evidence: BenchEvidence, arm: BenchArm, drop: tuple[float | None, PairedTest | None] | None
) -> ArmRow:
    figures = count_figures(evidence.scores(arm), evidence.wanted)
    row = ArmRow(arm.label, arm.model, str(arm.mode), arm.mode.shuffled, figures)
    if drop is None or drop[0] is None or drop[1] is None:
        return row
    difference, tested = drop[0], drop[1]
    return replace(
        row, drop=-difference, p_adjusted=tested.p_adjusted, significant=tested.significant
    )


def _fraction(figures: ArmFigures) -> float:
    """Exact match, below all others where there is none."""
    return -1.0 if figures.em is None else figures.em


def read_groups(
    evidence: BenchEvidence, arm: BenchArm, by: str, order: GroupOrder
) -> list[GroupRow]:
    """The groups of an arm's triples in an order."""
    groups = evidence.triples.group_by(by)
    scores = evidence.scores(arm)
    found = count_by_group(scores, evidence.wanted, groups.of, len(groups.names))
    rows = [GroupRow(groups.names[at], found[at]) for at in groups.list_places(evidence.wanted)]
    if order is GroupOrder.BEST:
        rows.sort(key=lambda row: _fraction(row.figures), reverse=True)
    elif order is GroupOrder.MOST:
        rows.sort(key=lambda row: -row.figures.n)
    return rows


def count_methods(evidence: BenchEvidence, model: str) -> MethodCounts:
    """What three ways of asking say that a model knows, over the triples of the split."""
    known = read_knowledge(evidence, model)
    said = np.stack([known[name][evidence.wanted] for name in METHODS])
    yes = said == 1
    bench, profile, latent = yes
    return MethodCounts(
        {
            name: int(np.count_nonzero(row == 1)) if (row >= 0).any() else None
            for name, row in zip(METHODS, said, strict=True)
        },
        evidence.known_by,
        int(np.count_nonzero((said >= 0).any(axis=0))),
        int(np.count_nonzero(yes.all(axis=0))),
        int(np.count_nonzero(latent & ~bench & ~profile)),
    )
