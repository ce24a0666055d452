"""What models scored on facts under one setup, as arrays: all that tables and figures read."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.scoring.latent_verdicts import EXAMPLES, OPTIONS, ZERO_PROMPT
from core.zero_prompt.scores import MOST_MASS
from db.option_scores import RESPONSE_TOKENS

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True)
class Setup:
    """How facts are asked about. `inject` is written as `unknown:40:block`; None for nothing.

    `tokens` is how far a model goes on in the response test, which alone depends on it.
    """

    form: str = ZERO_PROMPT
    n: int = EXAMPLES
    seed: int = 0
    order: int = 0
    inject: str | None = None
    options: int = OPTIONS
    tokens: int = RESPONSE_TOKENS

    def as_json(self) -> dict[str, object]:
        """The setup as tables name it."""
        return {
            "form": self.form,
            "n": self.n,
            "seed": self.seed,
            "order": self.order,
            "inject": self.inject,
            "options": self.options,
            "tokens": self.tokens,
        }


@dataclass(frozen=True, slots=True)
class LatentModel:
    """What is known of a model: its family, its parameters, the model it was tuned from."""

    family: str | None = None
    parameters: int | None = None
    base: str | None = None


@dataclass(frozen=True, slots=True)
class RelationSpans:
    """Where `count` relations lie among facts: `order` brings the facts of each together.

    None is the order in which they are. `starts` says where each relation begins then, `present`
    which relations these are: others have no facts.
    """

    count: int
    order: Places | None
    starts: Places
    present: Places

    @classmethod
    def from_places(cls, relation_of: npt.NDArray[np.integer], count: int) -> "RelationSpans":
        """The spans of facts whose relations, of so many, have these places; shape (facts,)."""
        places = relation_of
        order = None if (places[1:] >= places[:-1]).all() else np.argsort(places, kind="stable")
        ranged = places if order is None else places[order]
        starts = np.flatnonzero(np.r_[True, ranged[1:] != ranged[:-1]][: ranged.size])
        return cls(count, order, starts, ranged[starts].astype(np.intp))

    def add(self, values: npt.NDArray[np.generic], kind: type[Number]) -> npt.NDArray[Number]:
        """Sums over the facts of each relation; (..., facts) to (..., relations)."""
        found = np.zeros((*values.shape[:-1], self.count), kind)
        if self.present.size:
            ranged = values if self.order is None else values[..., self.order]
            found[..., self.present] = np.add.reduceat(ranged, self.starts, axis=-1, dtype=kind)
        return found


@dataclass(frozen=True)
class ScoreMatrix:
    """Scores of shape (models, facts); models and relations are sorted by name.

    `relation_of` (facts,) is the place of each fact's relation. `asked` says where there are log
    probabilities, `usable` where there is one of every option; what follows from them counts
    there alone. `answered` and `answers_right` are of the response test. `option_sets` tells
    apart which options a fact had.
    """

    setup: Setup
    models: tuple[str, ...]
    relations: tuple[str, ...]
    relation_of: npt.NDArray[np.integer]
    asked: Bools
    usable: Bools
    correct: Bools
    p_top: Floats
    p_gold: Floats
    mass: Floats
    answered: Bools
    answers_right: Bools
    option_sets: npt.NDArray[np.integer]

    def count(self, facts: Bools) -> npt.NDArray[np.int64]:
        """How many facts of each relation; (..., facts) to (..., relations)."""
        return self._sum(facts, np.int64)

    def add(self, values: npt.NDArray[np.generic]) -> Floats:
        """Sums over the facts of each relation; (..., facts) to (..., relations)."""
        return self._sum(values, np.float64)

    def _sum(self, values: npt.NDArray[np.generic], kind: type[Number]) -> npt.NDArray[Number]:
        return self._spans.add(values, kind)

    @cached_property
    def _spans(self) -> "RelationSpans":
        return RelationSpans.from_places(self.relation_of, len(self.relations))

    @cached_property
    def known(self) -> Bools:
        """Facts that are right, of those with a score."""
        return self.correct & self.usable

    @cached_property
    def overlapping(self) -> Bools:
        """Facts whose options hold each other: their probabilities sum above 1."""
        return self.usable & (self.mass > MOST_MASS)

    @cached_property
    def counted(self) -> npt.NDArray[np.int64]:
        """Facts with a score, of each model and relation."""
        return self.count(self.usable)

    @cached_property
    def accuracies(self) -> Floats:
        """The accuracy of each model on each relation; NaN where it has no score."""
        return quotient(self.count(self.known), self.counted)

    @cached_property
    def pair_counts(self) -> "PairCounts":
        """Facts that two models have scores of, among the same options, relation by relation."""
        shape = (len(self.relations), len(self.models), len(self.models))
        found = PairCounts(*(np.zeros(shape, np.int64) for _ in range(3)))
        sets = np.where(self.usable, self.option_sets, self.option_sets.max(axis=0, initial=0))
        alike = (sets == sets[:1]).all(axis=0)
        for place in range(len(self.relations)):
            here = self.relation_of == place
            facts = np.flatnonzero(here & alike)
            usable = self.usable[:, facts].astype(np.float32)
            known = self.known[:, facts].astype(np.float32)
            found.common[place] = np.rint(usable @ usable.T)
            found.known[place] = np.rint(known @ usable.T)
            found.both[place] = np.rint(known @ known.T)
            self._count_apart(found, place, np.flatnonzero(here & ~alike))
        return found

    def _count_apart(self, found: "PairCounts", place: int, facts: Places) -> None:
        """Count facts that not all models have the same options of."""
        if not facts.size:
            return
        usable, known, sets = (
            cells[:, facts] for cells in (self.usable, self.known, self.option_sets)
        )
        for a in range(len(self.models)):
            common = usable & usable[a] & (sets == sets[a])
            found.common[place, a] += common.sum(axis=1)
            found.known[place, a] += (common & known[a]).sum(axis=1)
            found.both[place, a] += (common & known & known[a]).sum(axis=1)

    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of different models, each once."""
        count = len(self.models)
        return [(a, b) for a in range(count) for b in range(a + 1, count)]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of shape (relations, models, models) over the facts that two models have in common.

    `common` has all of them, `known` those that the first is right on, `both` those of both.
    """

    common: npt.NDArray[np.int64]
    known: npt.NDArray[np.int64]
    both: npt.NDArray[np.int64]


def quotient(
    above: npt.NDArray[np.integer] | Floats, below: npt.NDArray[np.integer] | Floats
) -> Floats:
    """Quotients, NaN for 0 / 0."""
    found = np.full(np.shape(above), np.nan)
    np.divide(above, below, out=found, where=np.asarray(below) > 0)
    return found
