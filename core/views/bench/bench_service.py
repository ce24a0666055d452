"""Arms, boards and questions of an open session, with what is kept between reads."""

import gc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import db.arms
import db.prepared_triples
from core.fact_bench.arm_list import BenchArm
from core.fact_bench.arm_pairs import ArmComparison, pair_with
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.bench_triples import SUBSET
from core.fact_bench.set_shares import EVAL, TRAIN
from core.graders.grader_record import JUDGE
from core.project import OpenProject
from core.views.bench.bench_board import (
    ArmOrder,
    ArmRow,
    GroupOrder,
    GroupRow,
    MethodCounts,
    count_methods,
    read_arms,
    read_groups,
)
from core.views.bench.bench_questions import (
    BenchQuestion,
    ExemplarRow,
    QuestionOrder,
    read_exemplars,
    read_questions,
)
from core.views.session_protocols import SnapshotSource
from core.views.user_errors import tell_user_errors


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """What the screen shows: a set, a split, an arm, its groups, a group's questions, orders.

    What is not there, or None, stands for the first there is.
    """

    set_name: str | None = None
    split: str | None = None
    arm: str | None = None
    by: str = "popularity"
    group: str | None = None
    arm_order: ArmOrder = ArmOrder.MODEL
    group_order: GroupOrder = GroupOrder.LISTED
    question_order: QuestionOrder = QuestionOrder.WRONG
    against: str | None = None
    """The arm that the arm is compared with."""


@dataclass(frozen=True, slots=True)
class BenchLists:
    """What has been read: arms, the groups of one, the questions of one of these."""

    set_name: str
    sets: tuple[str, ...]
    splits: tuple[str, ...]
    split: str
    judge: str | None
    triples: int
    """Triples of the split."""
    arms: Sequence[ArmRow]
    arm: str | None = None
    groups: Sequence[GroupRow] = ()
    group: str | None = None
    questions: Sequence[BenchQuestion] = ()
    exemplars: Sequence[ExemplarRow] = ()
    methods: MethodCounts | None = None
    against: str | None = None
    comparison: Sequence[ArmComparison] = ()
    """The arm beside the one that it is compared with, by metric."""


class BenchService:
    """Reads what the Bench screen shows; scores are read again only if something has come."""

    def __init__(self, session: SnapshotSource) -> None:
        self._session = session
        self._stamp: tuple[object, ...] = ()
        self._is_fresh = False
        self._kept: dict[BenchChoice, BenchEvidence] = {}
        self._methods: dict[tuple[BenchChoice, str], MethodCounts] = {}
        self._arms: dict[tuple[BenchChoice, ArmOrder], Sequence[ArmRow]] = {}

    @property
    def path(self) -> Path:
        """The database."""
        return self._session.path

    @tell_user_errors
    def lists(self, wanted: BenchRequest) -> BenchLists | None:
        """What a request asks for; None where there is no set. Raises `LostkeysError`."""
        if not self._session.is_open:
            return None
        project = self._session.project
        sets = tuple(db.prepared_triples.sets(project.connection))
        if not sets:
            return None
        set_name = wanted.set_name if wanted.set_name in sets else self._first_set(project, sets)
        evidence = self._evidence(set_name, wanted.split)
        arms = self._read_arms(evidence, wanted.arm_order)
        arm = self._choose_arm(evidence, wanted.arm, arms)
        has_subset = evidence.triples.default_split == SUBSET
        found = BenchLists(
            set_name,
            sets,
            (EVAL, SUBSET, TRAIN) if has_subset else (EVAL, TRAIN),
            evidence.split,
            evidence.judge,
            int(evidence.wanted.sum()),
            arms,
        )
        if arm is not None:
            found = self._with_arm(found, evidence, arm, wanted)
        self._leave_to_stay()
        return found

    def _with_arm(
        self, found: BenchLists, evidence: BenchEvidence, arm: BenchArm, wanted: BenchRequest
    ) -> BenchLists:
        groups = read_groups(evidence, arm, wanted.by, wanted.group_order)
        names = [one.name for one in groups]
        filled = (one.name for one in groups if one.figures.n or one.figures.missing)
        group = wanted.group if wanted.group in names else next(filled, None)
        questions: Sequence[BenchQuestion] = ()
        if group is not None:
            questions = read_questions(evidence, arm, wanted.by, group, wanted.question_order)
        labels = [one.label for one in evidence.every_arm if one.label != arm.label]
        against = wanted.against if wanted.against in labels else None
        return replace(
            found,
            arm=arm.label,
            groups=groups,
            group=group,
            questions=questions,
            exemplars=read_exemplars(evidence, arm),
            methods=self._count_methods(evidence, arm.model),
            against=against,
            comparison=() if against is None else pair_with(evidence, against, [arm.label]),
        )

    def _read_arms(self, evidence: BenchEvidence, order: ArmOrder) -> Sequence[ArmRow]:
        """The arms with their figures, which a key on the board of one leaves as they are."""
        key = (evidence.choice, order)
        if key not in self._arms:
            self._arms[key] = read_arms(evidence, order)
        return self._arms[key]

    def _count_methods(self, evidence: BenchEvidence, model: str) -> MethodCounts:
        key = (evidence.choice, model)
        if key not in self._methods:
            self._methods[key] = count_methods(evidence, model)
        return self._methods[key]

    def _choose_arm(
        self, evidence: BenchEvidence, wanted: str | None, rows: Sequence[ArmRow]
    ) -> BenchArm | None:
        """The arm wanted, else that of the lens, else the first."""
        there = {one.label: one for one in evidence.every_arm}
        lens = self._session.snapshot.lens.model
        names = [wanted, lens, *(row.label for row in rows)]
        return next((there[name] for name in names if name in there), None)

    def _first_set(self, project: OpenProject, sets: Sequence[str]) -> str:
        """The first set that has arms, else the first."""
        return next((one for one in sets if self._evidence(one, None).every_arm), sets[0])

    def _evidence(self, set_name: str, split: str | None) -> BenchEvidence:
        """The evidence of a set and split, as kept while nothing has come."""
        project = self._session.project
        index, connection = project.index, project.connection
        made = db.prepared_triples.preparations(connection)
        stamp = (index, project.grids.seq, str(made), len(db.arms.sets_with_arms(connection)))
        if not self._stamp or stamp[0] is not self._stamp[0] or stamp[1:] != self._stamp[1:]:
            self._stamp, self._kept, self._methods, self._arms = stamp, {}, {}, {}
        judges = sorted(one.name for one in project.graders() if one.name.startswith(JUDGE))
        choice = BenchChoice(set_name, split, judge=judges[0] if judges else None)
        if choice not in self._kept:
            self._kept[choice], self._is_fresh = BenchEvidence(project, choice), True
        return self._kept[choice]

    def _leave_to_stay(self) -> None:
        """Have garbage collection pass over what has been read: it stays until something comes.

        There are no circles in it, so that all of it goes as soon as nobody holds it. To look
        through a hundred thousand objects at a key takes longer than the key.
        """
        if self._is_fresh:
            gc.freeze()
            self._is_fresh = False
