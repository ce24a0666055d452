"""What profiles are computed from: counts under the graders of two lenses, and the facts meant.

The db worker reads it once. Every threshold, strategy and weight is then arithmetic over it, so
that a key need not wait for anybody.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Kinds, Mask
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import CountCodes
from core.views.fact_query import FactQuery
from core.views.grader_labels import UnlistedLabels, find_unlisted
from core.views.lens import Lens
from core.views.profiles.profile_scores import ProfileScores, judge_tally
from core.views.profiles.task_grades import TaskCounts, count_few
from core.views.user_errors import tell_user_errors
from db.connection import read_transaction

if TYPE_CHECKING:
    from core.views.session import Session
    from core.views.snapshot_cache import SnapshotCache


@dataclass(frozen=True, slots=True)
class Basis:
    """Label counts of all models under one list of graders, and their codes."""

    graders: tuple[str, ...]
    tally: LabelCounts
    cells: CountCodes

    def judge(self, policy: Policy) -> ProfileScores:
        """All verdicts under a policy."""
        return judge_tally(self.tally, self.cells, policy)


@dataclass(frozen=True, slots=True)
class ProfileCounts:
    """Counts now and under the graders at the start, and the facts that are looked at.

    `facts` are those that pass `wanted`, rejected ones apart; `total` counts all that are not
    rejected. `complete` is false while answers are still being searched. `unsettled` (models,
    facts) says where labels or answers are still to come. `answers` counts all there are,
    `labelled` says whether any label counts. `names` are saved policies. `beside` are counts under
    the graders of one of those, where it is compared with. `unlisted` says by model whose labels,
    which do not count, answers without a label have. `tasks` are counts by task of each
    model, where there are few.
    """

    now: Basis
    start: Basis
    beside: Basis | None
    index: FactIndex
    wanted: FactQuery
    facts: Mask
    total: int
    complete: bool
    unsettled: Mask
    topics: Kinds
    types: Kinds
    tiers: Kinds
    names: Mapping[str, Policy]
    unlisted: Mapping[str, UnlistedLabels]
    answers: int
    labelled: bool
    tasks: tuple[TaskCounts, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Models with answers, in the order of their coming."""
        return tuple(self.now.tally.models)

    def ids(self, facts: Mask) -> frozenset[int]:
        """The ids of the facts of a mask."""
        return frozenset(self.index.ids[facts].tolist())


@tell_user_errors
def read_counts(
    session: "Session", lens: Lens, start: Lens, wanted: FactQuery, policy: str | None = None
) -> ProfileCounts:
    """Everything under the graders of two lenses, over the facts that are wanted.

    With the name of a saved policy under its graders, too. Runs on the db worker. Raises
    `LostkeysError` for a grader of the lens that has no labels.
    """
    from core.results import saved_policies

    project, snapshots = session.project, session.snapshots
    listing = session.search_all(wanted)
    with read_transaction(project.connection):
        names = saved_policies.read_policies(project)
        now = Basis(lens.ranked, *snapshots.counts(lens.ranked))
        before = now if start.ranked == lens.ranked else _basis(snapshots, start.ranked) or now
        other = names[policy].graders if policy in names else None
        known = {basis.graders: basis for basis in (before, now)}
        beside = known.get(other) or _basis(snapshots, other) if other else None
        index = project.index
        keys, unsettled = snapshots.keys, snapshots.find_unsettled(now.tally)
        facts = np.zeros(len(index), np.bool_)
        facts[listing.places[listing.places < len(index)]] = True
        facts &= ~index.rejected
        return ProfileCounts(
            now,
            before,
            beside,
            index,
            wanted,
            facts,
            int(np.count_nonzero(~index.rejected)),
            listing.complete,
            unsettled,
            keys.kinds.topics,
            keys.kinds.types,
            keys.kinds.tiers(index),
            names,
            _find_unlisted(project, lens, now, unsettled),
            int(now.tally.drawn.sum()),
            bool(now.tally.labels.any()),
            count_few(now.tally, now.cells, facts),
        )


def _find_unlisted(
    project: OpenProject, lens: Lens, now: Basis, unsettled: Mask
) -> Mapping[str, UnlistedLabels]:
    """By model whose labels the list leaves out, over the facts that lack labels."""
    found = {}
    for model, facts in zip(now.tally.models, unsettled, strict=True):
        questions = project.index.questions[facts]
        if questions.size:
            mine = replace(lens, model=model)
            found[model] = find_unlisted(project, mine, questions[questions > 0].tolist())
    return {model: one for model, one in found.items() if one is not None}


def _basis(snapshots: "SnapshotCache", graders: tuple[str, ...]) -> Basis | None:
    """The counts under graders as ranked; None where one of them has no label any more."""
    try:
        return Basis(graders, *snapshots.counts(graders))
    except UsageError:
        return None
