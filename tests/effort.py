"""How much the slow tests do: a sample, or, with `LOSTKEYS_HEAVY` set, everything.

A sample has fewer kills, and at most `CASES` cases of each test, spread evenly over all of them.
Pictures are no sample: each of them is compared.
"""

import os
from collections.abc import Sequence
from itertools import groupby

import pytest

HEAVY = "LOSTKEYS_HEAVY" in os.environ

CASES = 5


def choose_cases(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to run, and those left out, of all that were collected, in their order."""
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for _, group in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        cases = list(group)
        slow = [one for one in cases if one.get_closest_marker("slow") and not has_picture(one)]
        apart = max(1, len(slow) / CASES)
        sample = {slow[int(place * apart)] for place in range(min(CASES, len(slow)))}
        for one in cases:
            (left_out if one in slow and one not in sample else kept).append(one)
    return kept, left_out


def has_picture(item: pytest.Item) -> bool:
    """Whether a test compares a picture."""
    return "snap" in "".join(getattr(item, "fixturenames", ()))
