"""Exemplars of an arm: which training triples are shown before a question, and with which answers.

FACT-BENCH, sections 3 and 4. All models are shown the same, but for those chosen by what a model
knows; those of few shots are the first of those of many.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from core.errors import LostkeysError
from core.fact_bench.counterfactuals import assign_counterfactuals
from core.fact_bench.set_shares import order_triples
from core.modes import RESTATED, ArmMode, ExemplarKnowledge
from core.pipeline.triple_text import show_answer
from db.prepared_triples import SetTriple


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A training triple as it is shown: with its own answer, or with that of another.

    `known` says whether the model knows its true answer, None where that was not found out.
    """

    triple: SetTriple
    answer_of: SetTriple
    known: bool | None = None

    @property
    def gold(self) -> str:
        """Its own answer."""
        return show_answer(self.triple)

    @property
    def answer(self) -> str:
        """The answer that it is shown with."""
        return show_answer(self.answer_of)


def choose_exemplars(
    train: Sequence[SetTriple],
    mode: ArmMode,
    seed: int,
    known: Mapping[int, bool],
    recited: Container[int] = (),
) -> list[Exemplar]:
    """The exemplars of a mode, in the order in which they are shown.

    `train` are all training triples of the set; `known` says of facts (ids) whether the model
    knows them, and is silent where that was not found out. `recited` are facts (ids) that have a
    recitation, which are those of a mode that recites. Raises `LostkeysError` where there are too
    few, or one would have to be shown with a counterfactual answer and has none.
    """
    there = [one for one in train if not one.rejected]
    others = assign_counterfactuals(there, seed)
    if mode.knowing is None:
        fit = [one for one in there if not mode.recites or one.fact in recited]
        line = line_up(fit, others, seed)
    else:
        by_knowing = {
            knows: line_up([one for one in there if known.get(one.fact) is knows], others, seed)
            for knows in (True, False)
        }
        line = _order_by_knowledge(by_knowing[True], by_knowing[False], mode)
        known = {one.fact: known[one.fact] for one in there if one.fact in known}
    chosen = line[: mode.shots]
    if len(chosen) < mode.shots:
        raise LostkeysError(f"{mode}: {_explain_lack(mode, len(chosen), len(there), known)}")
    without = [one.fact_id for one in chosen if one.fact not in others]
    if mode.shuffled and without:
        raise LostkeysError(
            f"{mode}: {without[0]} has no counterfactual answer: all of its property are right "
            "for it; ask for fewer shots"
        )
    return [
        Exemplar(one, others[one.fact] if mode.shuffled else one, known.get(one.fact))
        for one in chosen
    ]


def line_up(
    triples: Sequence[SetTriple], others: Mapping[int, SetTriple], seed: int
) -> list[SetTriple]:
    """Triples in the order in which they become exemplars.

    Those with a counterfactual answer in order "exemplar", then the rest; of these the first of
    each type of answer comes to the front.
    """
    line = order_triples(triples, seed, "exemplar")
    line.sort(key=lambda one: one.fact not in others)
    first: dict[str, SetTriple] = {}
    for one in line:
        first.setdefault(one.answer_type, one)
    front = list(first.values())
    moved = {one.fact for one in front}
    return [*front, *(one for one in line if one.fact not in moved)]


PREPARE = "`lostkeys fact-bench prepare` keeps a part of the set for exemplars"
"""What to do where a set has not been split."""


def _order_by_knowledge(
    known: list[SetTriple], unknown: list[SetTriple], mode: ArmMode
) -> list[SetTriple]:
    """The line of those known, of those unknown, or both by turns as far as both reach."""
    if mode.knowing is not ExemplarKnowledge.MIXED:
        return known if mode.knowing is ExemplarKnowledge.KNOWN else unknown
    pairs = list(chain.from_iterable(zip(known, unknown, strict=False)))
    return [*pairs, known[len(unknown)]] if len(known) > len(unknown) else pairs


def _explain_lack(mode: ArmMode, count: int, train: int, known: Mapping[int, bool]) -> str:
    """Why there are too few exemplars, and what to do."""
    if mode.recites and count < train:
        return (
            f"only {count:,} of {train:,} training triples have a recitation: import documents of "
            f"their subjects that hold the answers, or let {mode}{RESTATED} recite the triples"
        )
    if not train:
        return f"only 0 training triples; {PREPARE}"
    if mode.knowing is None:
        return (
            f"only {count:,} training triples; ask for fewer exemplars, or have "
            "`lostkeys fact-bench prepare --train` take more of the set"
        )
    knows = sum(known.values())
    return (
        f"only {count:,} of {train:,} training triples serve, {knows:,} are known, "
        f"{len(known) - knows:,} unknown; draw and grade the zero-shot answers, or ask for fewer"
    )


def find_needed(
    train: Sequence[SetTriple], mode: ArmMode, seed: int, known: Mapping[int, bool]
) -> list[SetTriple]:
    """Triples that the choice hangs on and of which nobody knows whether they are known.

    What would be chosen if all of them counted would be chosen still if others of them did not:
    a line only moves up. So each of these has to be asked; once none is left the choice stands.
    """
    there = [one for one in train if not one.rejected]
    others = assign_counterfactuals(there, seed)
    needed: dict[int, SetTriple] = {}
    for knows, count in _count_wanted(mode).items():
        line = line_up([one for one in there if known.get(one.fact, knows) is knows], others, seed)
        for one in line[:count]:
            if one.fact not in known:
                needed[one.fact] = one
    return list(needed.values())


def _count_wanted(mode: ArmMode) -> dict[bool, int]:
    """How many exemplars a mode takes of those that are known, and of those that are not."""
    if mode.knowing is ExemplarKnowledge.MIXED:
        return {True: -(-mode.shots // 2), False: mode.shots // 2}
    return {} if mode.knowing is None else {mode.knowing is ExemplarKnowledge.KNOWN: mode.shots}
