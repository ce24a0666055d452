"""Facts without a question of a pair, which no run can give a profile."""

import numpy as np

from core.scoring.missing_pairs import MissingPairs, find_missing_pairs
from core.vocabulary import TASK_INDEX, TASKS, Task


def exists(*facts: tuple[Task, ...]) -> np.ndarray:
    found = np.zeros((len(TASKS), len(facts)), np.bool_)
    for place, tasks in enumerate(facts):
        found[[TASK_INDEX[task] for task in tasks], place] = True
    return found


WHOLE = (Task.CONTEXTUAL, Task.DIRECT_NATURAL, Task.REVERSE)
DIRECT = (Task.DIRECT, Task.MC_REVERSE)
FORWARD = (Task.COMPLETION, Task.DIRECT)


def test_a_question_of_each_pair_is_enough() -> None:
    assert find_missing_pairs(exists(WHOLE), np.ones(1, np.bool_)) is None


def test_facts_are_counted_once_and_the_pairs_that_some_lack_are_named() -> None:
    asked = exists(WHOLE, DIRECT, FORWARD)
    found = find_missing_pairs(asked, np.ones(3, np.bool_))
    assert found == MissingPairs(2, ("encoding", "reverse"))
    assert find_missing_pairs(asked, np.array([True, False, True])) == MissingPairs(1, ("reverse",))
    every = find_missing_pairs(exists(()), np.ones(1, np.bool_))
    assert every is not None
    assert "lacks encoding, direct or reverse questions" in every.describe()


def test_one_line_says_what_no_run_helps_against() -> None:
    two = MissingPairs(2, ("encoding", "reverse"))
    assert two.describe() == (
        "2 facts lack encoding or reverse questions: no run gives them a profile"
    )
    assert MissingPairs(1, ("reverse",)).describe(columns=True) == (
        "1 fact lacks reverse (reverse, reverse_natural) questions: no run gives it a profile"
    )
