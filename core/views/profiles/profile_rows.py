"""All rows of the Profiles screen under one policy: counts now, at the start, and what moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.dataset.subsets import Kinds, Mask
from core.results.share_intervals import Sureness, sureness
from core.scoring.policy import Policy
from core.scoring.verdicts import Verdicts, judge
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_scores import (
    ModelCounts,
    ProfileScores,
    count_by_group,
    count_by_model,
    find_moved,
    move_counts,
)


class RowKind(StrEnum):
    """What the rows are: all models, or the facts of one model in groups."""

    MODELS = "models"
    TOPICS = "topics"
    TYPES = "types"
    TIERS = "tiers"


class RowOrder(StrEnum):
    """What rows are sorted by; all but names and coming with the highest first."""

    KNOWS_THINKING = "knows +T"
    KNOWS = "knows"
    ENCODES = "encodes"
    FACTS = "facts"
    NAME = "name"
    COMING = "coming"

    @property
    def descending(self) -> bool:
        """Whether the highest stands first."""
        return self not in (RowOrder.NAME, RowOrder.COMING)


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One bar: a model, or one group of a model's facts.

    `place` is the model's in the material, `name` the model's or the group's; `moved` counts
    facts whose code is another than at the start.
    """

    name: str
    place: int
    now: ModelCounts
    start: ModelCounts
    moved: int
    provisional: bool

    @property
    def complete(self) -> int:
        """Facts of which nothing is missing."""
        return self.now.summary.total - self.now.summary.incomplete


@dataclass(frozen=True, slots=True)
class ProfileScorePair:
    """The verdicts under a policy and at the start, over the same facts."""

    now: ProfileScores
    start: ProfileScores


def judge_both(
    material: ProfileCounts, policy: Policy, start: Policy, before: ProfileScores | None = None
) -> ProfileScorePair:
    """The verdicts now and at the start; `before` are the latter where they are known."""
    if before is None:
        before = material.start.judge(start)
    return ProfileScorePair(material.now.judge(policy), before)


def model_rows(
    material: ProfileCounts, both: ProfileScorePair, start: Sequence[ModelCounts] | None = None
) -> list[ProfileRow]:
    """A row for every model, in the order of their coming; `start` are those counts if known."""
    facts = material.facts
    unsettled = np.any(material.unsettled & facts, axis=1)
    moves = move_counts(both.now, both.start, facts)
    now = count_by_model(both.now, facts)
    before = count_by_model(both.start, facts) if start is None else start
    return [
        ProfileRow(name, place, now[place], before[place], moves[place], bool(unsettled[place]))
        for place, name in enumerate(material.models)
    ]


def kinds_of(material: ProfileCounts, by: RowKind) -> Kinds:
    """The groups of a breakdown."""
    return {RowKind.TYPES: material.types, RowKind.TIERS: material.tiers}.get(by, material.topics)


def count_groups(
    material: ProfileCounts, scores: ProfileScores, model: int, by: RowKind
) -> list[ModelCounts]:
    """One model (its place) counted over every group of a breakdown, groups in their order."""
    kinds = kinds_of(material, by)
    return count_by_group(scores, model, material.facts, kinds.codes, len(kinds.names))


def group_rows(
    material: ProfileCounts,
    both: ProfileScorePair,
    model: int,
    by: RowKind,
    start: Sequence[ModelCounts] | None = None,
) -> list[ProfileRow]:
    """A row for every group in which one model (its place) has facts, groups in their order.

    `start` are the counts at the start if they are known.
    """
    facts, kinds = material.facts, kinds_of(material, by)
    size = len(kinds.names)
    now = count_groups(material, both.now, model, by)
    if start is None:
        start = count_groups(material, both.start, model, by)
    changed = find_moved(both.now, both.start, model, facts)
    moves = np.bincount(kinds.codes[changed], minlength=size).tolist()
    unsettled: Mask = np.logical_and(material.unsettled[model], facts)
    open_ = set(kinds.codes[unsettled].tolist())
    return [
        ProfileRow(name, model, now[place], start[place], moves[place], place in open_)
        for place, name in enumerate(kinds.names)
        if now[place].summary.total
    ]


def facts_of(material: ProfileCounts, row: ProfileRow, by: RowKind) -> Mask:
    """The facts that a row counts."""
    if by is RowKind.MODELS:
        return material.facts
    kinds = kinds_of(material, by)
    same: Mask = kinds.codes == kinds.names.index(row.name)
    return material.facts & same


def find_moved_in(
    material: ProfileCounts, both: ProfileScorePair, row: ProfileRow, by: RowKind
) -> Mask:
    """The facts of a row whose code is another than at the start."""
    return find_moved(both.now, both.start, row.place, facts_of(material, row, by))


def order_rows(rows: Sequence[ProfileRow], order: RowOrder) -> list[str]:
    """The names of rows as they stand in an order; rows without a number stand last."""
    if order is RowOrder.COMING:
        return [row.name for row in rows]
    if order is RowOrder.NAME:
        return sorted((row.name for row in rows), key=lambda name: (name.casefold(), name))

    def key(row: ProfileRow) -> tuple[bool, float]:
        summary = row.now.summary
        numbers = {
            RowOrder.KNOWS_THINKING: summary.knows_thinking,
            RowOrder.KNOWS: summary.knows,
            RowOrder.ENCODES: summary.encodes,
        }
        number = numbers.get(order, summary.included)
        return number is None, -(number or 0)

    return [row.name for row in sorted(rows, key=key)]


def arrange_rows(rows: Sequence[ProfileRow], names: Sequence[str]) -> list[ProfileRow]:
    """Rows by the order of their names; those not named stand last, as they came."""
    places = {name: place for place, name in enumerate(names)}
    return sorted(rows, key=lambda row: places.get(row.name, len(places)))


Sure = Mapping[str, Sureness]
"""The intervals of each row, by its name."""


def estimate_rows(
    material: ProfileCounts, policy: Policy, rows: Sequence[ProfileRow], by: RowKind
) -> Sure:
    """Intervals of all rows."""
    if not rows:
        return {}
    tally = material.now.tally
    found = judge(material.now.cells, tally.thinks(), policy, tally.find_skipping(policy))
    if by is RowKind.MODELS:
        by_model = sureness(found, [material.facts])
        return {row.name: by_model[row.place][0] for row in rows}
    one = slice(rows[0].place, rows[0].place + 1)
    alone = Verdicts(
        found.verdict[one],
        found.encodes[one],
        found.knows[one],
        found.knows_thinking[one],
        found.thinking[one],
    )
    subsets = [facts_of(material, row, by) for row in rows]
    parts = sureness(alone, subsets)[0]
    return {row.name: part for row, part in zip(rows, parts, strict=True)}
