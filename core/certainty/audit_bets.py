"""The bets on every number of an audit, and on every gap, carried forward from fact to fact."""

from itertools import combinations

import numpy as np

from core.certainty.audit_estimates import (
    AuditedNumber,
    Parts,
    place_number,
    rank_ranges,
)
from core.certainty.audit_frame import AuditFrame
from core.certainty.audit_order import Floats
from core.certainty.confidence_sequence import ConfidenceSequence, NumberSpan
from core.certainty.state_numbers import (
    GAPS,
    NUMBERS,
    StateNumber,
    States,
    find_number,
    gap_parts,
)
from core.stats.intervals import LEVEL, Interval

Ranks = dict[str, dict[str, tuple[int, int]]]
"""Least and greatest rank by number and model."""


class NumberBets:
    """Several numbers of one span each over the same facts, bet on together.

    Parts are (a, b) of every number, each (facts,), in the order of the audit.
    """

    def __init__(
        self,
        graded: list[Parts],
        weights: Floats,
        spans: list[NumberSpan],
        levels: tuple[float, ...] = (1 - LEVEL,),
    ) -> None:
        """`graded` are the parts of all facts by the graders."""
        self._graded, self._weights, self._spans = graded, weights, spans
        self._a, self._b = (np.array([one[part] for one in graded]) for part in (0, 1))
        totals = (self._a.sum(axis=1), self._b.sum(axis=1))
        self.sequence = ConfidenceSequence(
            spans, totals, len(weights), float(weights.sum()), levels
        )

    def add(self, truth: list[Parts], first: int = 0) -> None:
        """Take in facts as the person labels them, from a place of the audit on."""
        a, b = (np.array([one[part] for one in truth]) for part in (0, 1))
        for place in range(a.shape[1]):
            at = first + place
            graded = self._a[:, at], self._b[:, at]
            self.sequence.add((a[:, place], b[:, place]), graded, self._weights[at])

    def numbers(self, truth: list[Parts]) -> list[AuditedNumber]:
        """The numbers after these facts, which are all that has been taken in."""
        return [
            place_number(by, own, self._weights, span, here)
            for by, own, span, here in zip(
                self._graded, truth, self._spans, self.intervals(0), strict=True
            )
        ]

    def intervals(self, level: int) -> list[Interval]:
        """The intervals of a level (its place)."""
        bets = self.sequence
        low, high = bets.low[level].tolist(), bets.high[level].tolist()
        return list(zip(low, high, strict=True))


class AuditBets:
    """All bets of an audit. Facts that stay as they are, are not bet on again."""

    def __init__(self, frame: AuditFrame) -> None:
        self._frame = frame
        self._numbers: list[NumberBets]
        self._pairs: dict[StateNumber, list[tuple[int, int]]]
        self._gaps: dict[StateNumber, NumberBets]
        self._begin()

    def _begin(self) -> None:
        frame, plan = self._frame, self._frame.plan
        self._states = np.empty((len(plan.models), 0), np.uint8)
        self._numbers = []
        for model, thinking in enumerate(plan.thinking):
            spans = [NumberSpan(outside=not one.within) for one in NUMBERS[thinking]]
            graded = self._parts(frame.graded, model)
            self._numbers.append(NumberBets(graded, frame.weights, spans))
        self._pairs, self._gaps = {}, {}
        for number in GAPS:
            able = [
                model
                for model, thinking in enumerate(plan.thinking)
                if find_number(number.name, thinking)
            ]
            pairs = list(combinations(able, 2))
            if not pairs:
                continue
            self._pairs[number] = pairs
            graded = self._gap_parts(frame.graded, number)
            levels = (1 - LEVEL, (1 - LEVEL) / len(pairs))
            spans = [NumberSpan(gap=True)] * len(pairs)
            self._gaps[number] = NumberBets(graded, frame.weights, spans, levels)

    def _parts(self, states: States, model: int) -> list[Parts]:
        kinds = NUMBERS[self._frame.plan.thinking[model]]
        return [kind.parts(states[model]) for kind in kinds]

    def _gap_parts(self, states: States, number: StateNumber) -> list[Parts]:
        thinks = self._frame.plan.thinking
        kinds = [find_number(number.name, one) or number for one in thinks]
        parts = [kind.parts(own) for kind, own in zip(kinds, states, strict=True)]
        return [gap_parts(parts[one], parts[other]) for one, other in self._pairs[number]]

    def follow(self, states: States) -> None:
        """Have bet on exactly these facts, the first ones of the audit, shape (models, audited)."""
        seen = self.audited
        if seen > states.shape[1] or (self._states != states[:, :seen]).any():
            self._begin()
            seen = 0
        fresh = states[:, seen:]
        for model, bets in enumerate(self._numbers):
            bets.add(self._parts(fresh, model), seen)
        for number, bets in self._gaps.items():
            bets.add(self._gap_parts(fresh, number), seen)
        self._states = states.copy()

    @property
    def audited(self) -> int:
        """How many facts have been taken in."""
        return int(self._states.shape[1])

    def numbers(self) -> dict[tuple[str, str], AuditedNumber]:
        """Every number by model and name."""
        plan, found = self._frame.plan, {}
        for model, bets in enumerate(self._numbers):
            numbers = bets.numbers(self._parts(self._states, model))
            kinds = NUMBERS[plan.thinking[model]]
            for kind, one in zip(kinds, numbers, strict=True):
                found[plan.models[model], kind.name] = one
        return found

    def gaps(self) -> dict[tuple[str, str, str], AuditedNumber]:
        """The gaps of every two models, by number, model, and model that is taken off."""
        models, found = self._frame.plan.models, {}
        for number, bets in self._gaps.items():
            gaps = bets.numbers(self._gap_parts(self._states, number))
            for (one, other), gap in zip(self._pairs[number], gaps, strict=True):
                found[number.name, models[one], models[other]] = gap
        return found

    def ranks(self) -> Ranks:
        """The ranks that are sure where all models that have a number are compared at once."""
        models, found = self._frame.plan.models, {}
        for number, bets in self._gaps.items():
            pairs = self._pairs[number]
            surely = {
                (models[one], models[other]): int(low > 0) - int(high < 0)
                for (one, other), (low, high) in zip(pairs, bets.intervals(1), strict=True)
            }
            compared = sorted({place for pair in pairs for place in pair})
            found[number.name] = rank_ranges([models[place] for place in compared], surely)
        return found

    def find_sequence(self, model: int, number: StateNumber) -> tuple[ConfidenceSequence, int]:
        """The sequence that a number of a model (its place) is bet on in, and its place there."""
        kinds = NUMBERS[self._frame.plan.thinking[model]]
        return self._numbers[model].sequence, kinds.index(number)
