"""Counterfactual answers: those of other training triples of the same property, all of them wrong.

FACT-BENCH, section 4: exemplars that contradict what is so have the answer of another exemplar of
their property, so that its form is right and its content is not.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from core.dataset.answer_types import DATE
from core.dataset.date_words import MONTHS, date_words
from core.fact_bench.set_shares import order_triples
from core.fact_bench.triple_filters import property_of
from core.graders.em.normal_form import AnswerKind, gold_forms, normal_form
from core.pipeline.triple_text import show_answer
from db.prepared_triples import SetTriple

DAY, MONTH, YEAR = "day", "month", "year"
"""How exactly a date is said."""


def assign_counterfactuals(train: Iterable[SetTriple], seed: int) -> dict[int, SetTriple]:
    """The triple whose answer each training triple is given, by the ids of their facts.

    A triple that cannot be given one, since all that are left are right for it, has none.
    """
    groups: dict[tuple[str, str], list[SetTriple]] = defaultdict(list)
    for one in train:
        groups[property_of(one), date_precision(one)].append(one)
    found: dict[int, SetTriple] = {}
    for members in groups.values():
        found |= _assign_in_group(order_triples(members, seed, "shuffle"))
    return found


def date_precision(triple: SetTriple) -> str:
    """How exactly the answer of a triple says a date: `day`, `month`, `year`; else nothing."""
    words = date_words(triple.object) if triple.answer_type == DATE else None
    if words is None:
        return ""
    if words.partition(" ")[0] not in MONTHS:
        return YEAR
    return DAY if "," in words else MONTH


def _assign_in_group(triples: Sequence[SetTriple]) -> dict[int, SetTriple]:
    """Each is given the answer of the next; those that are right for it are exchanged on."""
    clashes = _Clashes(triples)
    count = len(triples)
    given = [(place + 1) % count for place in range(count)]
    vain: set[Hashable] = set()
    """Cases for which no exchange was found, as things stand: the next of a kind finds none."""
    for place in range(count):
        case = clashes.case_of(place, given[place])
        if case in vain or not clashes.has(place, given[place]):
            continue
        for step in range(1, count):
            other = (place + step) % count
            if not clashes.has(place, given[other]) and not clashes.has(other, given[place]):
                given[place], given[other] = given[other], given[place]
                vain.clear()
                break
        else:
            vain.add(case)
    return {
        one.fact: triples[given[place]]
        for place, one in enumerate(triples)
        if not clashes.has(place, given[place])
    }


class _Clashes:
    """Which answers of a group are right for which of its triples (places)."""

    def __init__(self, triples: Sequence[SetTriple]) -> None:
        kinds = [AnswerKind(one.answer_type, one.unit) for one in triples]
        self._kinds = kinds
        self._golds = [
            gold_forms((one.object, *one.aliases), kind).forms
            for one, kind in zip(triples, kinds, strict=True)
        ]
        self._shown = [show_answer(one) for one in triples]
        self._answers: Mapping[AnswerKind, list[str]] = {
            kind: [normal_form(answer, kind) for answer in self._shown] for kind in set(kinds)
        }

    def case_of(self, place: int, answer: int) -> Hashable:
        """What decides with which others a triple could exchange an answer."""
        return self._kinds[place], self._golds[place], self._shown[answer]

    def has(self, place: int, answer: int) -> bool:
        """Whether a triple would be given its own answer, or one that is right for it."""
        return place == answer or self._answers[self._kinds[place]][answer] in self._golds[place]
