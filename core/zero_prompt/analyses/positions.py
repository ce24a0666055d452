"""The probability of the object at each place of one long input, and means by kind of place.

ZP-LKE, figures 4 and 11 to 13.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.zero_prompt.examples import ExampleKind

AFTER = "after"
"""A clean example right behind an altered one."""


@dataclass(frozen=True, slots=True)
class PlaceScore:
    """An example of a long input, and the log probability of its object."""

    subject: str
    object: str
    kind: ExampleKind
    logprob: float | None


@dataclass(frozen=True, slots=True)
class LongInput:
    """What a model made of one long input of a relation."""

    model: str
    relation: str
    inject: str | None
    places: Sequence[PlaceScore]

    def kinds(self) -> list[str]:
        """What stands at each place."""
        before = [ExampleKind.CLEAN, *(one.kind for one in self.places)]
        return [
            AFTER if one.kind is ExampleKind.CLEAN and last is not ExampleKind.CLEAN else one.kind
            for last, one in zip(before, self.places, strict=False)
        ]


def positions(inputs: Iterable[LongInput]) -> list[dict[str, object]]:
    """A row a place, from 1."""
    return [
        {
            "model": one.model,
            "relation": one.relation,
            "inject": one.inject,
            "position": place,
            "kind": kind,
            "logprob": score.logprob,
            "p": None if score.logprob is None else math.exp(score.logprob),
        }
        for one in inputs
        for place, (score, kind) in enumerate(zip(one.places, one.kinds(), strict=True), 1)
    ]


def summary(inputs: Iterable[LongInput]) -> list[dict[str, object]]:
    """The mean probability of each kind of place in each input."""
    found: list[dict[str, object]] = []
    for one in inputs:
        values: defaultdict[str, list[float]] = defaultdict(list)
        for score, kind in zip(one.places, one.kinds(), strict=True):
            if score.logprob is not None:
                values[kind].append(math.exp(score.logprob))
        found += [
            {
                "model": one.model,
                "relation": one.relation,
                "inject": one.inject,
                "kind": str(kind),
                "n": len(values[kind]),
                "p": math.fsum(values[kind]) / len(values[kind]),
            }
            for kind in sorted(values)
        ]
    return found
