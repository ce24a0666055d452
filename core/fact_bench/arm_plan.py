"""What is asked in an arm: which facts, after which exemplars, and what of it was sent before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import db.arms
import db.responses
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.arm_exemplars import plan_arm
from core.fact_bench.arm_prompts import find_passage, find_shown, make_form
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.exemplars import find_needed
from core.fact_bench.model_knowledge import find_known_facts
from core.fact_bench.stored_sets import page_reader
from core.graders import grader_table
from core.graders.grader_record import is_model
from core.modes import READING, ZERO_SHOT, Arm, ArmMode, AskingWay, parse_mode
from core.project import OpenProject
from core.providers.endpoints import Endpoints
from core.sampling.sample_plan import Plan
from core.specs.answer_specs import ArmsSpec
from core.vocabulary import Task
from db.arms import StoredArm
from db.connection import write_transaction
from db.prepared_triples import SetTriple


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """An arm as it is to be asked. `left_out` counts triples that cannot be, for want of a page."""

    stored: StoredArm
    plan: Plan
    left_out: int = 0


class ArmPlanner:
    """Plans the arms of a spec over one set, of the project as it is now."""

    def __init__(self, project: OpenProject, spec: ArmsSpec) -> None:
        """Raises `UsageError` for a set, a split, a judge or a filter that there is not."""
        project.refresh()
        self.project, self.spec = project, spec
        self.folder = Path(spec.prompts) if spec.prompts else None
        choice = BenchChoice(spec.set_name, spec.split, known_by=spec.known_by, where=spec.where)
        self.evidence = BenchEvidence(project, choice)
        self.train = self.evidence.triples.train

    @property
    def known_by(self) -> str:
        """The grader that says what the model knows."""
        return self.evidence.known_by

    @property
    def seed(self) -> int:
        """The seed of the set."""
        return self.evidence.seed

    def check_learner(self) -> None:
        """Raise `UsageError` where nobody can be asked what the model knows."""
        try:
            grader_table.check(self.known_by)
        except UsageError:
            raise UsageError(
                f"{self.known_by} was imported and cannot be asked what {self.spec.label} knows: "
                "choose em, lexical, or a model that can be asked (judge:openai:M) with --known-by"
            ) from None

    def find_known(self) -> Mapping[int, bool]:
        """Which facts (ids) the model is found to know or not to know, so far."""
        graders = {one.name for one in self.project.graders()}
        if is_model(self.known_by) and self.known_by not in graders:
            return {}
        return find_known_facts(self.evidence, self.spec.label)

    def find_sent(self, mode: ArmMode) -> StoredArm | None:
        """The arm as its answers were asked for; None where nobody was asked so."""
        label = str(Arm(self.spec.label, mode))
        if not db.responses.has_responses(self.project.connection, label):
            return None
        return db.arms.read_set_arms(self.project.connection, self.evidence.set_name).get(label)

    def choose(self, mode: ArmMode, known: Mapping[int, bool]) -> StoredArm:
        """The arm with its exemplars. Raises `LostkeysError` where there are too few."""
        return plan_arm(self.evidence, Arm(self.spec.label, mode), known, self.folder)

    def foresee(self, mode: ArmMode) -> ArmPlan:
        """The arm as it was or would be asked.

        After any exemplars where nobody can say yet which they will be.
        """
        sent = self.find_sent(mode)
        if sent is not None:
            return self.plan(sent)
        known = self.find_known()
        if mode.knowing is None or not find_needed(self.train, mode, self.seed, known):
            return self.plan(self.choose(mode, known))
        shown = self.plan(self.choose(ArmMode(AskingWay.FEW_SHOT, mode.shots), known))
        label = str(Arm(self.spec.label, mode))
        form = None if shown.plan.form is None else replace(shown.plan.form, mode=mode)
        plan = replace(shown.plan, label=label, form=form)
        return ArmPlan(replace(shown.stored, label=label), plan)

    def plan(self, arm: StoredArm) -> ArmPlan:
        """What is asked in an arm; never its exemplars."""
        shown = {one.fact for one in arm.exemplars}
        asked = [one for one in self._list_asked() if one.fact not in shown]
        mode = parse_mode(arm.mode)
        passages = self._read_passages(asked) if mode == READING else None
        there = asked if passages is None else [one for one in asked if one.fact in passages]
        return ArmPlan(
            arm,
            self._plan(arm, mode, [one.fact for one in there], passages),
            len(asked) - len(there),
        )

    def plan_zero_shot(self, triples: Sequence[SetTriple]) -> ArmPlan:
        """The zero-shot questions about some training triples, which say what the model knows."""
        arm = self.find_sent(ZERO_SHOT) or self.choose(ZERO_SHOT, {})
        return ArmPlan(arm, self._plan(arm, ZERO_SHOT, [one.fact for one in triples], None))

    def _list_asked(self) -> list[SetTriple]:
        """The triples that are asked about: of the split, with a question, the first of them."""
        rows = zip(self.evidence.triples.rows, self.evidence.wanted.tolist(), strict=True)
        found = [one for one, is_wanted in rows if is_wanted and one.question]
        return found[: self.spec.first]

    def _plan(
        self,
        arm: StoredArm,
        mode: ArmMode,
        facts: Sequence[int],
        passages: Mapping[int, str] | None,
    ) -> Plan:
        return Plan(
            self.spec.model,
            arm.label,
            1,
            self._mask(facts),
            thinking=(False,),
            tasks=(Task.DIRECT,),
            prompts=self.folder,
            only_failed=self.spec.only_failed,
            endpoints=Endpoints("auto", self.spec.endpoint),
            form=make_form(mode, find_shown(mode, arm.prompt, self.folder), passages),
        )

    def _mask(self, facts: Sequence[int]) -> Mask:
        return np.isin(self.project.index.ids, list(facts))

    def _read_passages(self, triples: Sequence[SetTriple]) -> dict[int, str]:
        """The passage of each triple that has a document."""
        find = page_reader(self.project)
        found = {}
        for one in triples:
            page = find(one)
            if page is not None:
                found[one.fact] = find_passage(page.text, (one.object, *one.aliases))
        return found


def keep_arm(project: OpenProject, arm: ArmPlan, sent: StoredArm | None) -> None:
    """Write down what is sent in an arm before it is sent; `sent` is what was sent before."""
    if sent is None:
        with write_transaction(project.connection):
            db.arms.remove(project.connection, arm.stored.label, arm.stored.set_name)
            db.arms.insert(project.connection, arm.stored)
