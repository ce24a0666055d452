"""The exemplars of an arm: as they were sent, else as they would be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import db.arms
from core.errors import UsageError
from core.fact_bench.arm_prompts import QUESTION, AnsweredQuestion, write_prompt
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.exemplars import choose_exemplars
from core.fact_bench.model_knowledge import find_known_facts
from core.fact_bench.stored_sets import page_reader
from core.modes import READING, Arm, ArmMode, parse_mode
from core.pipeline.sentence_splitter import sentences
from core.pipeline.text_match import WordText, count
from core.pipeline.triple_checks import stands_on
from core.pipeline.triple_text import restate
from core.project import OpenProject
from db.arms import StoredArm, StoredExemplar
from db.prepared_triples import SetTriple

# What is recited before the answers of exemplars: as a file has it, or out of the subject's page.
#
# FACT-BENCH, section 3 and table 10.

MOST_SENTENCES, MOST_WORDS = 3, 60
"""Sentences of a page that are recited at the most, and words that they have together."""


def read_recitations(
    project: OpenProject, triples: Sequence[SetTriple], mode: ArmMode
) -> Mapping[int, str]:
    """What a mode recites for each triple, by the ids of their facts; only those that have any.

    A mode that is restated says the triple itself as a sentence.
    """
    if not mode.recites:
        return {}
    if mode.restated:
        return {one.fact: restate(one) for one in triples}
    page_of = page_reader(project)
    found = {one.fact: one.recitation or quote_page(one, page_of(one)) for one in triples}
    return {fact: said for fact, said in found.items() if said}


def quote_page(triple: SetTriple, page: WordText | None) -> str:
    """The first sentences of a page that hold the answer, empty without any.

    They are up to `MOST_SENTENCES`, and have `MOST_WORDS` words together: one that would be more
    is passed over.
    """
    if page is None or not stands_on(page, triple):
        return ""
    found: list[str] = []
    left = MOST_WORDS
    for sentence in chain.from_iterable(map(sentences, page.text.split("\n\n"))):
        said = " ".join(sentence.split())
        if count(said) <= left and stands_on(WordText(said), triple):
            found.append(said)
            left -= count(said)
            if len(found) == MOST_SENTENCES:
                break
    return " ".join(found)


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
