"""The seeded order in which an audit's facts are decided, and what their weights do to it.

Facts come by -ln(u) / w, so that the next one is each fact left with chance w / (sum of w left):
successive sampling, which grows unchanged. Source: Efraimidis and Spirakis (2006).
"""

import math
from collections.abc import Hashable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

PLAIN, PARTED = 1, 3
"""Weights: of facts in general, and of those whose state two graders' labels make another."""


def uniform(text: str) -> float:
    """A number in (0, 1) that follows from a text: (h + 0.5) / 2^64."""
    return (hash_text(text) + 0.5) / 2**64


def order_facts(fact_ids: Sequence[str], weights: Sequence[int], seed: int) -> list[int]:
    """The places of the facts in the order in which they are decided."""

    def rank(place: int) -> tuple[float, str]:
        fact = fact_ids[place]
        return -math.log(uniform(f"{seed}\n{fact}")) / weights[place], fact

    return sorted(range(len(fact_ids)), key=rank)


def draw_chances(weights: Floats) -> Floats:
    """With what chance each fact was drawn when it was, given weights in the order of drawing."""
    left = np.cumsum(weights[::-1])[::-1]
    found: Floats = weights / left
    return found


def lure_weights(weights: Floats, audited: int) -> Floats:
    """What each of the first `audited` facts stands for, on average 1; shape (audited,).

    Source: Farquhar, Gal and Rainforth (2021), the weights of LURE.
    """
    total = len(weights)
    if audited == total:
        return np.ones(total)
    place = np.arange(1, audited + 1)
    chance = draw_chances(weights)[:audited]
    share = (total - audited) / (total - place)
    found: Floats = 1 + share * (1 / ((total - place + 1) * chance) - 1)
    return found


def first_answer(
    seed: int, fact_id: str, answers: Sequence[tuple[str, str, bool, int]]
) -> tuple[str, str, bool, int]:
    """Of a fact's graded open answers (task, model, thinking, sample) the one decided first."""

    def rank(answer: tuple[str, str, bool, int]) -> tuple[int, Hashable]:
        task, model, thinking, sample = answer
        text = "\n".join((str(seed), fact_id, task, model, str(int(thinking)), str(sample)))
        return hash_text(text), answer

    return min(answers, key=rank)


def hash_text(text: str) -> int:
    """What a text is sorted by: 64 bits that follow from it and show nothing of it."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
