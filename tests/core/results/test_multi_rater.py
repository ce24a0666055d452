"""Several graders: printed alphas, slow loops, and every two of them as `compare` has them."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest

from core.errors import UsageError
from core.project import OpenProject
from core.results.agreement import compare
from core.results.agreement_table import Agreement
from core.results.multi_rater import alpha_of, convene, list_graders
from core.scoring.policy import Policy
from core.vocabulary import TASKS, Outcome, Task
from tests.core.making import Row, a_fact, put_facts, put_rows

LETTERS = "abc"


def votes_on(units: Sequence[Sequence[int]], kinds: int) -> np.ndarray:
    """Units, each with the values given to it, as `alpha_of` takes them."""
    most = max(len(unit) for unit in units)
    votes = np.zeros((most + 1, kinds + 2), np.int64)
    for unit in units:
        counts = [unit.count(kind) for kind in range(kinds)]
        votes[len(unit)] += [1, *counts, sum(count**2 for count in counts)]
    return votes


def test_four_observers_with_gaps() -> None:
    # Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 0.743.
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    units = [[int(v) - 1 for v in unit if v != "."] for unit in zip(*observers, strict=True)]
    assert alpha_of(votes_on(units, 5)) == pytest.approx(0.743, abs=5e-4)


def test_two_observers() -> None:
    # The same, section A: ten units, two values, 0.095; section B: twelve units, 0.692.
    units = list(zip((0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0), strict=True))
    assert alpha_of(votes_on(units, 2)) == pytest.approx(0.095, abs=5e-4)
    matrix = np.zeros((4, 4), np.int64)
    np.add.at(matrix, tuple(np.array(units).T), 1)
    assert Agreement(matrix).alpha == pytest.approx(0.095, abs=5e-4)
    named = [
        (ord(a) - 97, ord(b) - 97) for a, b in zip("aabbdcccedda", "babbbccceddd", strict=True)
    ]
    assert alpha_of(votes_on(named, 5)) == pytest.approx(0.692, abs=5e-4)


def slow_alpha(units: Sequence[Sequence[int]]) -> float | None:
    """Disagreement within units against that between any two values, pair by pair."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    expected = sum(a != b for a, b in permutations(values, 2))
    if not expected:
        return None
    observed = sum(
        sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    return 1 - (observed / len(values)) / (expected / (len(values) * (len(values) - 1)))


@pytest.mark.parametrize("seed", range(4))
def test_against_slow_loops_and_two_at_a_time(project: OpenProject, seed: int) -> None:
    random = Random(seed)
    put_facts(project, [a_fact(f"f{number}") for number in range(3)])
    rows = [
        Row(fact, task, model, thinking, sample, some(random))
        for fact in ("f0", "f1", "f2")
        for task in TASKS
        for model, thinking in (("m", False), ("m", True), ("n", False))
        for sample in range(random.randint(1, 4))
    ]
    put_rows(project, rows)
    facts = np.array([True, True, False])
    found = convene(project, list_graders(project), ["m"], facts, [Task.DIRECT, Task.MC_REVERSE])
    mine = [
        [int(outcome) for outcome in row.grades.values() if outcome <= 4]
        for row in rows
        if row.fact_id != "f2" and row.model == "m" and row.task in ("direct", "mc_reverse")
    ]
    expected = slow_alpha(mine)
    assert found.alpha is not None
    assert found.alpha == pytest.approx(expected)
    assert found.n == sum(len(one) > 1 for one in mine)
    assert list(found.pairs) == list(combinations(found.graders, 2))
    for (a, b), table in found.pairs.items():
        asked = (project, a, b, Policy(), ["m"], facts, [Task.DIRECT, Task.MC_REVERSE])
        assert table.matrix.tolist() == compare(*asked).overall.matrix.tolist()


def some(random: Random) -> dict[str, Outcome]:
    leaning = random.choice([*Outcome])
    return {
        grader: leaning if random.random() < 0.6 else random.choice([*Outcome])
        for grader in LETTERS
        if random.random() < 0.8
    }


def test_document(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", [Task.DIRECT])])
    labels = [(1, 1, 2), (1, 2, 2), (4, 4, 4)]
    put_rows(
        project,
        [
            Row("f", Task.DIRECT, "m", False, n, dict(zip(LETTERS, map(Outcome, one), strict=True)))
            for n, one in enumerate(labels)
        ],
    )
    document = convene(project, list(LETTERS), ["m"], np.array([True])).as_json()
    assert list(document) == ["graders", "n", "alpha", "pairs"]
    pairs = document["pairs"]
    assert isinstance(pairs, list)
    agreed = {pair["a"] + pair["b"]: pair["agreement"] for pair in pairs}
    assert agreed == pytest.approx({"ab": 2 / 3, "ac": 1 / 3, "bc": 2 / 3})
    assert Counter(pair["n"] for pair in pairs) == {3: 3}
    # Nine values, 3, 3 and 3: expected 54; two units of three with 4 differing pairs, over 2.
    assert document["alpha"] == pytest.approx(1 - (4 / 2 + 4 / 2) * 8 / 54)


def test_what_cannot_be_compared(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", [Task.DIRECT])])
    put_rows(project, [Row("f", Task.DIRECT, "m", False, 0, {"a": Outcome.CORRECT})])
    everything = np.array([True])
    assert list_graders(project) == ["a"]
    for graders, message in (
        (["a"], "a alone is nothing to compare"),
        ([], "no grader alone"),
        (["a", "b", "a"], "a is named twice"),
        (["a", "b"], "no labels by a grader named b"),
    ):
        with pytest.raises(UsageError, match=message):
            convene(project, graders, ["m"], everything)
    with pytest.raises(UsageError, match="a agrees with itself"):
        compare(project, "a", "a", Policy(), ["m"], everything)


def test_a_panel_without_common_responses(project: OpenProject) -> None:
    put_facts(project, [a_fact("f", [Task.DIRECT])])
    rows = [
        Row("f", Task.DIRECT, "m", False, n, {name: Outcome.CORRECT})
        for n, name in enumerate(LETTERS)
    ]
    put_rows(project, rows)
    found = convene(project, list(LETTERS), ["m"], np.array([True]))
    assert (found.n, found.alpha) == (0, None)
    assert [table.n for table in found.pairs.values()] == [0, 0, 0]
