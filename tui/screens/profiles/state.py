"""What the Profiles screen shows as plain data, and how keys and what is read change it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from core.certainty.audit_report import AuditReport
from core.results.model_comparison import Comparison
from core.results.one_answer_facts import OneAnswerCount, OneAnswerFacts
from core.scoring.curtailed_runs import ELSEWHERE, is_elsewhere
from core.scoring.label_counts import numbers
from core.scoring.missing_pairs import MissingPairs, find_missing_pairs
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.grader_labels import UnlistedLabels
from core.views.lens import Lens
from core.views.profiles.profile_comparison import ComparisonTarget, CrossedProfiles, cross_profiles
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import (
    ProfileRow,
    ProfileScorePair,
    RowKind,
    RowOrder,
    Sure,
    arrange_rows,
    count_groups,
    facts_of,
    group_rows,
    judge_both,
    model_rows,
    order_rows,
)
from core.views.profiles.profile_scores import ModelCounts, count_by_model
from core.views.profiles.task_grades import (
    FailedQuestions,
    TaskGrade,
    count_failed,
    mean_grades,
)
from core.views.snapshot import AGREE, Snapshot
from core.vocabulary import CODE_ORDER

ORDERS, ROWS = tuple(RowOrder), tuple(RowKind)
IN_BARS = CODE_ORDER.index("NA")
"""Codes before this place stand in bars, whether thinking was measured or not."""


@dataclass(slots=True)
class ShownProfiles:
    """What stands on the screen: verdicts now and at the start, and rows in their order.

    `grades` and `failed` are those of the lens's model; None where there are many. `others` break
    it down in the ways in which `groups` do not.
    """

    both: ProfileScorePair
    models: list[ProfileRow]
    groups: list[ProfileRow]
    grades: list[TaskGrade] | None = None
    failed: FailedQuestions | None = None
    others: dict[RowKind, list[ProfileRow]] = field(default_factory=dict)

    @property
    def has_bars(self) -> bool:
        """Whether any model has a fact in its bar."""
        return any(any(row.now.by_code[:IN_BARS]) for row in self.models)

    def list_rows(self, by: RowKind) -> list[ProfileRow]:
        """The models, or the lens's model broken down."""
        return self.models if by is RowKind.MODELS else self.groups


class StartCounts:
    """What the rows of some material count under the policy at the start."""

    def __init__(self, material: ProfileCounts, policy: Policy) -> None:
        self.material, self.policy = material, policy
        self.scores = material.start.judge(policy)
        self.models = count_by_model(self.scores, material.facts)
        self._groups: dict[tuple[int, RowKind], list[ModelCounts]] = {}

    def groups(self, model: int, by: RowKind) -> list[ModelCounts]:
        """The counts of the groups of a model (its place), worked out when first asked for."""
        if (model, by) not in self._groups:
            self._groups[model, by] = count_groups(self.material, self.scores, model, by)
        return self._groups[model, by]


@dataclass(frozen=True, slots=True)
class ProfilesPosition:
    """Where a person is on the Profiles screen.

    `pane` is the id of the view with the focus. `rows` are the names of the rows under the cursors
    of the upper and the lower bars, `code` the chosen segment, `cell` and `number` the places of
    bracket and cursor in a comparison.
    """

    wanted: FactQuery = field(default_factory=FactQuery)
    by: RowKind = RowKind.MODELS
    order: RowOrder = RowOrder.KNOWS_THINKING
    standing: Mapping[RowKind, tuple[str, ...]] = field(default_factory=dict)
    intervals: bool = False
    against: ComparisonTarget | None = None
    pane: str = "bars"
    rows: tuple[str | None, str | None] = (None, None)
    code: str | None = None
    cell: tuple[int, int] | None = None
    number: int | None = None


@dataclass(slots=True)
class ProfilesState:
    """All that a person chose here, and what has been read for it.

    `order` holds while numbers change, so that rows stay where they are until another order is
    asked for: `standing` are their names as they stand, by what the rows are.
    """

    wanted: FactQuery = field(default_factory=FactQuery)
    by: RowKind = RowKind.MODELS
    order: RowOrder = RowOrder.KNOWS_THINKING
    standing: dict[RowKind, list[str]] = field(default_factory=dict)
    material: ProfileCounts | None = None
    shown: ShownProfiles | None = None
    awaited: bool = False
    """Whether other counts are on their way."""
    doubts: Mapping[str, str] = field(default_factory=dict)
    doubts_of: int = -1
    """Of how many answers the doubts are, or are being read."""
    intervals: bool = False
    sure: dict[RowKind, Sure] = field(default_factory=dict)
    sure_of: object = None
    """For which numbers the intervals are, or are to be worked out."""
    one_answer: OneAnswerFacts | None = None
    """Which facts of an only model stand on one answer: those of `one_answer_of`."""
    one_answer_of: object = None
    against: ComparisonTarget | None = None
    comparing: bool = False
    """Whether the comparison is in sight instead of the bars."""
    crossed: CrossedProfiles | None = None
    tested: Comparison | None = None
    """The comparison with intervals and tests, which are those of `tested_of`."""
    tested_of: object = None
    audited: tuple[object, Mapping[str, AuditReport]] | None = None
    """Audits by model, and the policy and graders that they are of."""
    audits_for: object = None
    """For what audits are, or are to be read."""
    sought: ProfilesPosition | None = None
    """Where to go once counts are read."""
    _start: StartCounts | None = None

    # What follows from it

    def upper_kind(self, high: bool) -> RowKind:
        """What the upper bars are; on `high` screens the others have bars of their own below."""
        return RowKind.MODELS if high else self.by

    def lower_kind(self, high: bool) -> RowKind | None:
        """By what the lens's model is broken down; None where that is nowhere seen."""
        if self.by is not RowKind.MODELS:
            return self.by
        return RowKind.TOPICS if high else None

    @property
    def policy(self) -> str | None:
        """The name of the policy that is compared with."""
        return self.against.policy if self.against else None

    def fits(self, snapshot: Snapshot, start: Lens) -> bool:
        """Whether what was read is still what the file holds, for the graders of a snapshot."""
        material = self.material
        return (
            material is not None
            and material.wanted == self.wanted
            and material.index is snapshot.index
            and material.now.tally is snapshot.profiled
            and material.start.graders == start.ranked
        )

    def audits_of(self, lens: Lens) -> Mapping[str, AuditReport]:
        """The newest audit of each model that is of a lens's policy and graders."""
        known = self.audited
        return known[1] if known is not None and known[0] == lens.policy else {}

    def lack_audits(self, lens: Lens) -> bool:
        """Whether audits are to be read: for another policy, or since labels have come."""
        wanted = lens.policy, id(self.material)
        lacks, self.audits_for = wanted != self.audits_for, wanted
        return lacks

    def name_of(self, lens: Lens) -> str | None:
        """Under which name the policy of a lens is saved."""
        names = self.material.names if self.material else {}
        for name, policy in reversed(list(names.items())):
            if numbers(policy) == numbers(lens.policy) and policy.graders == lens.ranked:
                return name
        return None

    def incompleteness(self, row: ProfileRow, by: RowKind, lens: Lens) -> str:
        """Why a row lacks facts that other rows have, or has none; empty where that is no doubt."""
        found = self.material
        if found is None or not row.now.summary.incomplete:
            return ""
        if is_elsewhere(found.now.tally, row.place, lens.policy):
            return ELSEWHERE
        missing = self._find_missing(row, by)
        return missing.describe() if missing and not row.complete else ""

    def count_unasked(self, row: ProfileRow, by: RowKind) -> int:
        """How many facts of a row lack questions that a profile needs."""
        missing = self._find_missing(row, by)
        return missing.facts if missing else 0

    def count_differing(self, snapshot: Snapshot) -> int | None:
        """On how many of the facts shown the compared graders differ; None where none are."""
        found = self.material
        if found is None or len(snapshot.lens.compared) < 2:
            return None
        differs = snapshot.differs != AGREE
        return int(
            np.count_nonzero(
                differs & found.facts if differs.shape == found.facts.shape else differs
            )
        )

    def _find_missing(self, row: ProfileRow, by: RowKind) -> MissingPairs | None:
        found = self.material
        if found is None or not row.now.summary.incomplete:
            return None
        return find_missing_pairs(found.now.tally.exists, facts_of(found, row, by))

    def count_one_answer(self, row: ProfileRow, code: str, by: RowKind) -> OneAnswerCount | None:
        """How many facts of a segment stand on one answer; None where that is not known yet."""
        if self.material is None or self.one_answer is None:
            return None
        return self.one_answer.count(facts_of(self.material, row, by), code)

    def find_unlisted(self, row: ProfileRow, lens: Lens) -> UnlistedLabels | None:
        """Whose labels, which do not count, the model of a row has where facts are incomplete."""
        found = self.material
        if found is None or not row.now.summary.incomplete:
            return None
        return found.unlisted.get(found.models[row.place])

    # What a person chooses

    def show_by(self, by: RowKind) -> None:
        """Other rows, out of a comparison."""
        self.by = by
        self.compare(None)

    def step_rows(self, high: bool) -> None:
        """Models, or the lens's model by topics, types, tiers."""
        order = ROWS[1:] if high else ROWS
        now = self.lower_kind(high) if high else self.by
        self.show_by(order[(order.index(now or RowKind.TOPICS) + 1) % len(order)])

    def step_order(self) -> None:
        """The next order."""
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        self.standing.clear()

    def turn_intervals(self) -> None:
        """Intervals instead of differences, or differences again."""
        self.intervals, self.sure, self.sure_of = not self.intervals, {}, None

    def compare(self, against: ComparisonTarget | None) -> None:
        """Compare with something else, or with nothing."""
        self.against, self.crossed, self.tested, self.tested_of = against, None, None, None

    def go_to(self, position: ProfilesPosition) -> None:
        """Go to a position once its counts are read."""
        self.sought, self.wanted = position, position.wanted
        self.by, self.order = position.by, position.order
        self.standing = {by: list(names) for by, names in position.standing.items()}
        if position.intervals != self.intervals:
            self.turn_intervals()
        self.compare(position.against)

    # What has been read

    def clear(self) -> None:
        """Nothing is read: another database is opened."""
        fresh = ProfilesState()
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def clear_counts(self) -> None:
        """There is nothing to count."""
        self.material = self.shown = None

    def take_counts(self, found: ProfileCounts) -> None:
        """Take in counts; rows of other facts stand in an order of their own."""
        self.awaited = False
        other = self.material is None or self.material.wanted != found.wanted
        if other and self.sought is None:
            self.standing.clear()
        self.material = found

    def lack_doubts(self) -> bool:
        """Whether there are other answers than doubts are of."""
        return self.material is not None and self.doubts_of != self.material.answers

    # Through a lens

    def follow(self, lens: Lens, start: Lens, high: bool, countable: bool) -> None:
        """Work out what is to be seen through a lens; nothing where nothing is `countable`.

        Intervals and tests of other numbers go: they are worked out anew when keys have come to
        rest.
        """
        found = self.material
        self.comparing = countable and found is not None and self.against is not None
        if not countable or found is None:
            return
        if self.against is not None:
            self.crossed = cross_profiles(found, lens, self.against)
            self._follow_tests(lens, found)
        else:
            self.shown = self._work_out(found, lens, start, self.lower_kind(high))
            self._follow_intervals(lens, found, high)
            self._follow_one_answer(lens, found)

    def _follow_intervals(self, lens: Lens, found: ProfileCounts, high: bool) -> None:
        key = (numbers(lens.policy), lens.model, self.by, high, id(found))
        if self.intervals and key != self.sure_of:
            self.sure_of, self.sure = key, {}

    def _follow_one_answer(self, lens: Lens, found: ProfileCounts) -> None:
        key = (numbers(lens.policy), id(found)) if len(found.models) == 1 else None
        if key != self.one_answer_of:
            self.one_answer_of, self.one_answer = key, None

    def _follow_tests(self, lens: Lens, found: ProfileCounts) -> None:
        key = (numbers(lens.policy), lens.model, self.against, id(found))
        if key != self.tested_of:
            if self.crossed is not None:
                self.tested_of, self.tested = key, None
        elif self.crossed is not None and self.tested is not None:
            self.crossed = self.crossed.with_tests(self.tested)

    def take_intervals(self, key: object, found: dict[RowKind, Sure]) -> bool:
        """Take in intervals, unless other numbers are shown meanwhile."""
        if key != self.sure_of:
            return False
        self.sure = found
        return True

    def take_one_answer(self, key: object, found: OneAnswerFacts) -> bool:
        """Take in which facts stand on one answer, unless other numbers are shown meanwhile."""
        if key != self.one_answer_of:
            return False
        self.one_answer = found
        return True

    def take_tests(self, key: object, found: Comparison) -> bool:
        """Take in tests, unless another comparison is shown meanwhile."""
        if key != self.tested_of:
            return False
        self.tested = found
        return True

    def _work_out(
        self, material: ProfileCounts, lens: Lens, start: Lens, below: RowKind | None
    ) -> ShownProfiles:
        known = self._start_of(material, start.policy)
        both = judge_both(material, lens.policy, start.policy, known.scores)
        models = model_rows(material, both, known.models)
        placed = self._place_rows(models, RowKind.MODELS)
        if lens.model not in material.models or below is None:
            return ShownProfiles(both, placed, [])
        model = material.models.index(lens.model)
        groups = {
            by: self._place_rows(group_rows(material, both, model, by, known.groups(model, by)), by)
            for by in dict.fromkeys((below, *ROWS[1:]))
        }
        first = groups.pop(below)
        if not material.tasks:
            return ShownProfiles(both, placed, first, others=groups)
        tasks = material.tasks[model]
        failed = count_failed(tasks, both.now, material.facts, lens.policy, model)
        return ShownProfiles(both, placed, first, mean_grades(tasks, lens.policy), failed, groups)

    def _start_of(self, material: ProfileCounts, policy: Policy) -> StartCounts:
        """Counts at the start, counted once."""
        known = self._start
        if known is None or known.material is not material or known.policy != policy:
            known = self._start = StartCounts(material, policy)
        return known

    def _place_rows(self, rows: list[ProfileRow], by: RowKind) -> list[ProfileRow]:
        """Rows where they stand; in order where they are others than before."""
        standing = self.standing.get(by)
        if standing is None or set(standing) != {row.name for row in rows}:
            standing = self.standing[by] = order_rows(rows, self.order)
        return arrange_rows(rows, standing)
