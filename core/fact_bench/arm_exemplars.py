"""The exemplars of an arm: as they were sent, else as they would be."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import db.arms
from core.errors import UsageError
from core.fact_bench.arm_prompts import QUESTION, AnsweredQuestion, write_prompt
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.exemplars import choose_exemplars
from core.fact_bench.model_knowledge import find_known_facts
from core.fact_bench.recitations import read_recitations
from core.modes import READING, Arm, parse_mode
from db.arms import StoredArm, StoredExemplar
from db.prepared_triples import SetTriple


@dataclass(frozen=True)
class ArmExemplars:
    """What an arm shows before its questions; `sent` says whether it has been sent so.

    `triples` has those of the set by the ids of their facts.
    """

    arm: StoredArm
    sent: bool
    triples: dict[int, SetTriple]

    def as_json(self) -> dict[str, object]:
        """The document that `fact-bench exemplars --json` gives."""
        return {
            "model": self.arm.base,
            "mode": self.arm.mode,
            "seed": self.arm.seed,
            "known_by": self.arm.known_by,
            "sent": self.sent,
            "prompt": self.arm.prompt,
            "exemplars": [self._row(one) for one in self.arm.exemplars],
        }

    def _row(self, one: StoredExemplar) -> dict[str, object]:
        triple = self.triples[one.fact]
        return {
            "place": one.place,
            "fact_id": triple.fact_id,
            "property": triple.relation,
            "answer_type": triple.answer_type,
            "question": one.question,
            "gold": one.gold,
            "answer": one.answer,
            "answer_of": self.triples[one.answer_of].fact_id,
            "known": one.known,
        }


def read_exemplars(evidence: BenchEvidence, model: str, mode: str) -> ArmExemplars:
    """The exemplars of a model in a mode: as they were sent, else as they would be.

    Raises `UsageError` for a mode that there is not, or that shows a passage instead, and
    `LostkeysError` as `choose_exemplars`.
    """
    arm = Arm(model, parse_mode(mode))
    if arm.mode == READING:
        raise UsageError("reading has no exemplars: each question has a passage of its own")
    triples = {one.fact: one for one in evidence.triples.rows}
    stored = db.arms.read_set_arms(evidence.project.connection, evidence.set_name).get(str(arm))
    if stored is not None:
        return ArmExemplars(stored, True, triples)
    return ArmExemplars(plan_arm(evidence, arm, find_known_facts(evidence, model)), False, triples)


def plan_arm(
    evidence: BenchEvidence, arm: Arm, known: Mapping[int, bool], folder: Path | None = None
) -> StoredArm:
    """An arm with its exemplars as it is to be kept once it is sent.

    `known` says of facts (ids) whether the model knows them; `folder` may hold templates of the
    user's own. Raises `LostkeysError` as `choose_exemplars`.
    """
    train = evidence.triples.train
    recited = read_recitations(evidence.project, train, arm.mode)
    chosen = choose_exemplars(train, arm.mode, evidence.seed, known, recited)
    shown = [
        AnsweredQuestion(one.triple.asked, one.answer, recited.get(one.triple.fact, ""))
        for one in chosen
    ]
    return StoredArm(
        str(arm),
        evidence.set_name,
        arm.base,
        str(arm.mode),
        evidence.seed,
        evidence.known_by,
        write_prompt(arm.mode, shown, QUESTION, folder),
        tuple(
            StoredExemplar(
                place,
                one.triple.fact,
                one.triple.asked,
                one.gold,
                one.answer,
                one.answer_of.fact,
                one.known,
            )
            for place, one in enumerate(chosen, 1)
        ),
    )
