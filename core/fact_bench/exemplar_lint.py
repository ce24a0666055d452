"""What examples teach a model: each compared with what the model knows, before it is sent.

FACT-BENCH, sections 4.2 and 5: examples that contradict what a model knows teach it to lie, true
ones that it does not know to make things up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.errors import UsageError
from core.fact_bench.arm_exemplars import read_exemplars
from core.fact_bench.bench_evidence import BenchEvidence
from core.fact_bench.model_knowledge import METHODS, as_json, read_knowledge
from core.graders.em.normal_form import AnswerKind, gold_forms
from core.modes import parse_mode
from core.pipeline.triple_text import show_answer
from db.prepared_triples import SetTriple


class LintVerdict(StrEnum):
    """What an example does to a model."""

    TRUE = "true"
    CONTRADICTS_KNOWN = "contradicts_known"
    CONTRADICTS_UNKNOWN = "contradicts_unknown"
    UNCHECKED = "unchecked"
    UNMATCHED = "unmatched"


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A triple with the answer that it is shown with; without one no triple has its question."""

    triple: SetTriple | None
    shown: str


def exemplars_of(evidence: BenchEvidence, model: str, mode: str) -> list[ShownExample]:
    """The exemplars of an arm as they were sent, else as they would be.

    Raises `UsageError` for a mode that there is not, `LostkeysError` for too few exemplars.
    """
    if not parse_mode(mode).shots:
        raise UsageError(f"{mode} has no exemplars: name a mode with some, as 10-shot")
    found = read_exemplars(evidence, model, mode)
    return [ShownExample(found.triples[one.fact], one.answer) for one in found.arm.exemplars]


def match_examples(evidence: BenchEvidence, pairs: Iterable[tuple[str, str]]) -> list[ShownExample]:
    """Questions with answers, each with the triple that is asked so."""
    asked = {one.asked.strip(): one for one in reversed(evidence.triples.rows) if one.asked.strip()}
    return [ShownExample(asked.get(question.strip()), answer) for question, answer in pairs]


def lint_examples(
    evidence: BenchEvidence, model: str, examples: Sequence[ShownExample]
) -> list[dict[str, object]]:
    """A row an example: what it shows, what the model knows of it, and what that means."""
    known = read_knowledge(evidence, model)
    places = evidence.triples.place_of_fact
    rows: list[dict[str, object]] = []
    for place, one in enumerate(examples, 1):
        triple = one.triple
        at = None if triple is None else places[triple.fact]
        said = {name: None if at is None else as_json(int(known[name][at])) for name in METHODS}
        right = None if triple is None else _is_right(triple, one.shown)
        rows.append(
            {
                "place": place,
                "fact_id": None if triple is None else triple.fact_id,
                "shown": one.shown,
                "gold": None if triple is None else show_answer(triple),
                "shown_correct": right,
                "known": said,
                "verdict": _verdict(right, said),
            }
        )
    return rows


def _is_right(triple: SetTriple, shown: str) -> bool:
    golds = (triple.object, *triple.aliases)
    return gold_forms(golds, AnswerKind(triple.answer_type, triple.unit)).score(shown)[0] == 1


def _verdict(right: bool | None, known: Mapping[str, bool | None]) -> LintVerdict:
    if right is None:
        return LintVerdict.UNMATCHED
    if right:
        return LintVerdict.TRUE
    if True in known.values():
        return LintVerdict.CONTRADICTS_KNOWN
    return LintVerdict.CONTRADICTS_UNKNOWN if False in known.values() else LintVerdict.UNCHECKED
