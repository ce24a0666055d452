"""Verdicts of facts made by hand, whole and curtailed.

A fact is written as two letters for each pair: encoding, direct, reverse, direct on, reverse on.
"""

from itertools import product

import numpy as np
import pytest

from core.scoring.label_counts import CurtailedDraws, LabelCounts
from core.scoring.question_states import (
    ABSENT,
    BARE,
    FAIL,
    NOT_GRADABLE,
    OPEN,
    PASS,
    UNLABELLED,
    States,
)
from core.scoring.verdicts import CELLS, VERDICTS, code_cells, judge_states, summarise
from core.vocabulary import TASK_INDEX, TASKS, Strategy, Task

LETTERS = {
    "P": PASS,
    "F": FAIL,
    "N": NOT_GRADABLE,
    "U": UNLABELLED,
    "O": OPEN,
    "B": BARE,
    "-": ABSENT,
}


def as_states(*models: str) -> States:
    """The states of one fact's cells for each of these models, shape (cells, models, facts)."""
    cells = [[LETTERS[letter] for letter in one if letter != " "] for one in models]
    return np.array(cells, np.uint8).T[:, :, None]


def told(
    cells: str, strategy: Strategy = Strategy.PAIR, thinking: bool = True, skipping: bool = True
) -> str | None:
    """What a fact is called."""
    masks = np.array([thinking]), np.array([[skipping]])
    found = judge_states(as_states(cells), masks[0], strategy, masks[1]).verdict[0, 0]
    if not skipping:
        without = judge_states(as_states(cells), masks[0], strategy).verdict[0, 0]
        assert without == found
    return VERDICTS[int(found)]


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ("FF FP PP PP FP", "encoding_failure"),
        ("FP FP PP PP FP", "recall_failure"),
        ("PF PP PP PP PP", "direct_recall"),
        ("PP PP PP PF PP", "direct_recall"),
        ("PP PP PF PP PP", "recall_with_thinking"),
        ("FF PF PP PP PP", "inference_without_encoding"),
        ("FF PP PP PP PP", "direct_inference"),
        ("FF PP PP PP FP", "direct_inference"),
        ("FN NP -P P- PN", "direct_inference"),
        ("NN PP PP PP PP", "excluded_nan"),
        ("PP PP PP PP -N", "excluded_nan"),
        ("PP -- PP PP PP", "incomplete"),
        ("PP PP PP UP PP", "incomplete"),
        ("NN PP PP PU PP", "incomplete"),
        ("NN PP PP PO PP", "incomplete"),
    ],
)
def test_a_fact_has_the_verdict_of_its_cells(cells: str, name: str) -> None:
    for strategy in (Strategy.PAIR, Strategy.PARTIAL):
        for skipping in (False, True):
            assert told(cells, strategy, skipping=skipping) == name


def test_the_strategy_fact_minds_every_cell() -> None:
    assert told("PN PP PP PP PP") == "direct_recall"
    assert told("PN PP PP PP PP", Strategy.FACT) == "excluded_nan"
    assert told("PP PP PP PP PN", Strategy.FACT) == "excluded_nan"
    assert told("PP PP PP PP P-", Strategy.FACT) == "direct_recall"


def test_without_thinking_its_cells_say_nothing() -> None:
    for on in ("-- --", "UU NN", "OO BB"):
        assert told(f"PP PF PP {on}", thinking=False) is None
        assert told(f"PP NN PP {on}", thinking=False) == "excluded_nan"
        assert told(f"PP PP UP {on}", thinking=False) == "incomplete"


@pytest.mark.parametrize(
    ("cells", "name"),
    [
        ("PO FO OB FO OB", "recall_failure"),
        ("OP BO OF OB FO", "recall_failure"),
        ("FF FO PB PP P-", "inference_without_encoding"),
        ("PP FB PP PP PP", "recall_with_thinking"),
        ("PP PP PP PP FO", "direct_recall"),
        ("NP FO -P PF PB", "recall_failure"),
    ],
)
def test_a_curtailed_fact_is_decided_with_its_parts(cells: str, name: str) -> None:
    assert told(cells) == name
    assert told(cells, skipping=False) == "incomplete"


@pytest.mark.parametrize(
    "cells",
    [
        # E, K0 or KT is open.
        *("FO FP PP FP PP", "PP PO PP FP PP", "PP PP PO FP PP", "PP PP PP PO PP", "PP PP PP PP PO"),
        # No pair may be without a gradable answer.
        *("PP BB FP FP PP", "PP FP BB FP PP", "PP FP PP BB FP", "PP FP PP FP BN", "PP FP B- FP PP"),
        # Nor may a question be without labels, or a pair not be there.
        *("PU FO PP FO PP", "PP FO PP FO UP", "-- FO PP FO PP", "PP FO PP FO --"),
    ],
)
def test_a_curtailed_fact_is_incomplete_while_a_part_is_open(cells: str) -> None:
    assert told(cells) == "incomplete"


def test_a_curtailed_fact_under_the_strategy_fact() -> None:
    assert told("PO FO OO FO OO", Strategy.FACT) == "recall_failure"
    assert told("PB FO OO FO OO", Strategy.FACT) == "incomplete"
    assert told("PO FO OO FO OB", Strategy.FACT) == "incomplete"
    assert told("PN FO OO FO OO", Strategy.FACT) == "incomplete"
    assert told("-- FO OO FO OO", Strategy.FACT) == "incomplete"


def test_a_curtailed_fact_without_thinking() -> None:
    assert told("PO FO OB -- --", thinking=False) is None
    assert told("PO FO BB -- --", thinking=False) == "incomplete"
    assert told("PO PO PP -- --", thinking=False) == "incomplete"
    assert told("FO FO PP -- --", thinking=False) == "incomplete"


def test_each_model_is_judged_by_its_own_cells() -> None:
    open_cells, whole = "PO FO OB FO OB", "PP PP PP FF FF"
    cells = as_states(open_cells, whole, open_cells, open_cells, whole)
    thinking = np.array([True, True, False, True, False])
    skipping = np.array([[False], [True], [True], [True], [False]])
    found = judge_states(cells, thinking, Strategy.PAIR, skipping)
    names = [VERDICTS[one] for one in found.verdict[:, 0]]
    assert names == ["incomplete", "direct_recall", None, "recall_failure", None]
    assert found.encodes[:, 0].tolist() == [True] * 5
    assert found.knows[:, 0].tolist() == [False, True, False, False, True]
    assert not found.knows_thinking.any()
    assert found.thinking.tolist() == thinking.tolist()


@pytest.mark.parametrize(
    ("strategy", "facts"),
    [
        (Strategy.PAIR, ("PO FO OB FO OB", "PU FO PP FO PP")),
        (Strategy.PAIR, ("PO FO OB FO OB", "PP BB FP FP PP")),
        (Strategy.FACT, ("PO FO OO FO OO", "PB FO OO FO OO")),
    ],
)
def test_each_fact_is_judged_by_its_own_cells(strategy: Strategy, facts: tuple[str, ...]) -> None:
    cells = np.concatenate([as_states(one) for one in facts], axis=2)
    yes = np.array([True])
    found = judge_states(cells, yes, strategy, np.array([[True, True]])).verdict[0]
    assert [VERDICTS[one] for one in found] == ["recall_failure", "incomplete"]


def test_shares_without_thinking_are_those_of_the_gradable_facts() -> None:
    facts = ("PP PP PP", "PP PF PP", "FF FF FF", "NN PP PP", "PU PP PP")
    cells = np.concatenate([as_states(f"{one} -- --") for one in facts], axis=2)
    (found,) = summarise(
        judge_states(cells, np.array([False]), Strategy.PAIR), np.ones(len(facts), np.bool_)
    )
    assert (found.total, found.incomplete, found.excluded_nan) == (5, 1, 1)
    assert (found.encodes, found.knows, found.knows_thinking) == (2 / 3, 1 / 3, None)


@pytest.mark.parametrize("curtailed", [False, True])
def test_cells_have_the_counts_of_their_settings(curtailed: bool) -> None:
    """Model a has both settings, b none with thinking; the second fact lacks a question."""
    rows = np.array([[1, 2], [0, -1]], np.intp)
    row, label, task, fact = np.indices((3, 4, len(TASKS), 2))
    labels = np.where(label < 3, (3 * row + label + task + 5 * fact) % 4, 0).astype(np.uint16)
    drawn = labels.sum(axis=1, dtype=np.uint16)
    exists = np.ones((len(TASKS), 2), np.bool_)
    exists[TASK_INDEX[Task.DIRECT], 1] = False
    rest = ((row + task + fact) % 3)[:, 0].astype(np.uint16)
    plan = CurtailedDraws(drawn + rest, ({}, {})) if curtailed else None
    found = code_cells(LabelCounts(["a", "b"], rows, labels, drawn, exists, plan))
    assert (found.left is not None) == curtailed
    for (cell, (name, on)), model, one in product(enumerate(CELLS), range(2), range(2)):
        code = found.codes[cell, model, one]
        here, place = rows[model, int(on)], TASK_INDEX[name]
        assert (code > 0) == exists[place, one]
        there = code > 0 and here >= 0
        assert found.kinds[:, code].tolist() == (
            labels[here, :, place, one].tolist() if there else [0] * 4
        )
        if found.left is not None:
            assert found.left[code] == (rest[here, place, one] if there else 0)
