"""What the tables of FACT-BENCH are made from: a set, a split, arms, their scores, a judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import db.prepared_triples
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.arm_list import BenchArm, choose_arm, choose_arms, list_arms
from core.fact_bench.arm_results import EM, JUDGE, METRICS, ArmScores
from core.fact_bench.arm_scores import first_labels, keep_scores, read_scores
from core.fact_bench.bench_triples import BenchTriples
from core.fact_bench.set_preparation import SPLITS
from core.fact_bench.stored_sets import choose_set
from core.graders import grader_record
from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.precedence import resolve
from core.stats.fact_shares import RECORDED
from core.vocabulary import Outcome
from db.label_grids import Cells

LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class BenchChoice:
    """Which figures are meant; None stands for what is taken where nothing is said."""

    set_name: str | None = None
    split: str | None = None
    models: Sequence[str] | None = None
    modes: Sequence[str] | None = None
    judge: str | None = None
    known_by: str | None = None
    where: str | None = None
    seed: int | None = None
    metric: str = EM
    pairs: Sequence[tuple[str, str]] = ()
    """Models and those that were tuned from them; none named: all that are known."""


class BenchEvidence:
    """The arms of a set under one choice; tables read of it what they need."""

    def __init__(self, project: OpenProject, choice: BenchChoice) -> None:
        self.project = project
        self.choice = choice
        self._scores: dict[str, ArmScores] = {}

    @cached_property
    def set_name(self) -> str:
        """The set that is named, else the only one."""
        return choose_set(self.project, self.choice.set_name)

    @cached_property
    def triples(self) -> BenchTriples:
        """All triples of the set."""
        return BenchTriples(db.prepared_triples.read_set(self.project.connection, self.set_name))

    @cached_property
    def split(self) -> str:
        """The split that tables are over."""
        split = self.choice.split or self.triples.default_split
        if split not in SPLITS:
            raise UsageError(f"no split {split}: choose one of {', '.join(SPLITS)}")
        return split

    @cached_property
    def wanted(self) -> Mask:
        """The triples that tables are over: used, not rejected, of the split and the filter."""
        return self.triples.is_used & self.triples.mask_split(self.split) & self.chosen

    @cached_property
    def chosen(self) -> Mask:
        """The triples that the filter selects."""
        if not self.choice.where:
            return np.ones(len(self.triples), np.bool_)
        project = self.project
        facts = project.facts(self.choice.where, project.models(), Policy())
        return np.isin(self.triples.facts, project.index.ids[facts])

    @cached_property
    def every_arm(self) -> list[BenchArm]:
        """All arms of the set."""
        return list_arms(self.project, self.set_name, self.triples)

    def arms(self, modes: Sequence[str] | None = None) -> list[BenchArm]:
        """The arms chosen; `modes` are taken where none are."""
        return choose_arms(self.every_arm, self.choice.models, self.choice.modes or modes)

    def arm(self, label: str) -> BenchArm:
        """The arm of a label."""
        return choose_arm(self.every_arm, label)

    @cached_property
    def judge(self) -> str | None:
        """The judge that is named, else the only one there is; None where there is none."""
        if self.choice.judge is not None:
            resolve([self.choice.judge], self.project.graders(), None)
            return self.choice.judge
        every = sorted(
            {one.name for one in self.project.graders() if one.name.startswith(grader_record.JUDGE)}
        )
        if len(every) > 1:
            raise UsageError(f"several judges: choose with --judge, one of {', '.join(every)}")
        return every[0] if every else None

    @cached_property
    def metric(self) -> str:
        """What pairs of arms are compared by. Raises `UsageError` where nothing is judged."""
        metric = self.choice.metric
        if metric not in METRICS:
            raise UsageError(f"no metric {metric}: choose of {', '.join(METRICS)}")
        if metric == JUDGE and self.judge is None:
            raise UsageError(
                "no judge has labelled these answers: `lostkeys grade --grader judge:M` does"
            )
        return metric

    @property
    def known_by(self) -> str:
        """The grader that says what a model knows."""
        return self.choice.known_by or self.judge or LEXICAL

    @cached_property
    def seed(self) -> int:
        """The seed that is named, else the one that the set was prepared with."""
        if self.choice.seed is not None:
            return self.choice.seed
        made = db.prepared_triples.preparations(self.project.connection)
        return made[self.set_name].seed if self.set_name in made else 0

    def head(self) -> dict[str, object]:
        """What a table was made from, as its JSON gives it."""
        return {
            "set": self.set_name,
            "split": self.split,
            "judge": self.judge,
            "known_by": self.known_by,
            **RECORDED,
            "seed": self.seed,
        }

    def scores(self, arm: BenchArm) -> ArmScores:
        """The scores of an arm's answers to all triples of the set."""
        if arm.label not in self._scores:
            rows = read_scores(self.project, self.triples, arm.setting, str(arm.mode))
            judged = self.labels(arm, self.judge)
            self._scores[arm.label] = ArmScores(
                rows["question"] > 0,
                rows["em"] > 0,
                rows["em_raw"] > 0,
                np.ascontiguousarray(rows["f1"]),
                np.ascontiguousarray(rows["f1_raw"]),
                judged > 0,
                judged == Outcome.CORRECT,
                arm.exemplar_mask(self.triples),
            )
        return self._scores[arm.label]

    def labels(self, arm: BenchArm, grader: str | None) -> Cells:
        """The label of each answer of an arm by a grader, 0 where there is none."""
        if grader is None:
            return np.zeros(len(self.triples), np.uint8)
        ranks = resolve([grader], self.project.graders(), None)
        cells = self.project.labels(ranks, arm.setting, self._choice_questions)
        return first_labels(cells, self.triples)

    @cached_property
    def _choice_questions(self) -> Cells:
        return self.project.choice_questions()


def keep_all_scores(project: OpenProject) -> None:
    """Keep the scores of all arms that are not kept yet, so that tables need not work them out."""
    for name in db.prepared_triples.sets(project.connection):
        evidence = BenchEvidence(project, BenchChoice(name))
        for arm in evidence.every_arm:
            keep_scores(project, evidence.triples, arm.setting, str(arm.mode))
