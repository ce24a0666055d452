"""Two models on the same facts, worked out by hand."""

from collections.abc import Sequence
from itertools import product
from math import comb

import pytest

from core.errors import UsageError
from core.project import OpenProject
from core.results import saved_policies
from core.results.model_comparison import FLOWS, KNOWING, WITHOUT, Comparison, compare
from core.scoring.policy import Policy
from core.stats.intervals import difference_interval
from core.stats.paired_tests import mcnemar
from core.vocabulary import PROFILES, Outcome
from tests.core.analyses.cases import PAIRS
from tests.core.making import Row, a_fact, cell, put_facts, put_rows

LABELS = {"P": Outcome.CORRECT, "F": Outcome.INCORRECT, "N": Outcome.OTHER}
KINDS = {
    "PPP PP": "direct_recall",
    "PFP PP": "recall_with_thinking",
    "FFP PP": "inference_without_encoding",
    "PFF FF": "recall_failure",
    "FFF FF": "encoding_failure",
}


def rows_of(fact: str, model: str, pattern: str) -> list[Row]:
    """Answers of one fact: a letter a pair (E, direct, reverse; the same with thinking)."""
    found: list[Row] = []
    for letter, pair in zip(pattern.replace(" ", ""), PAIRS, strict=False):
        for task, on in pair:
            if letter in LABELS:
                found += cell(fact, task, model, on, [LABELS[letter]])  # type: ignore[arg-type]
    return found


def put(project: OpenProject, patterns: dict[str, Sequence[str]]) -> None:
    """Facts f0, f1 ... with these patterns for each model."""
    size = len(next(iter(patterns.values())))
    put_facts(project, [a_fact(f"f{number}") for number in range(size)])
    rows = [
        row
        for model, mine in patterns.items()
        for number, pattern in enumerate(mine)
        for row in rows_of(f"f{number}", model, pattern)
    ]
    put_rows(project, rows)


def compared(
    project: OpenProject, a: str = "a", b: str = "b", where: str | None = None
) -> Comparison:
    return compare(project, (a, Policy()), (b, Policy()), where)


def test_every_flow_is_where_it_belongs(project: OpenProject) -> None:
    """A fact for every pair of profiles: each cell of the table has exactly one."""
    pairs = list(product(KINDS, KINDS))
    put(project, {"a": [one for one, _ in pairs], "b": [two for _, two in pairs]})
    found = compared(project)
    assert found.flow() == {a: {b: int(WITHOUT not in (a, b)) for b in FLOWS} for a in FLOWS}
    for place, (one, two) in enumerate(pairs):
        assert found.members(KINDS[one], KINDS[two]) == [place]
    assert {(one.fact_id, one.a, one.b) for one in found.moved} == {
        (f"f{place}", KINDS[one], KINDS[two])
        for place, (one, two) in enumerate(pairs)
        if one != two
    }
    document = found.as_json()
    assert (document["total"], document["compared"], document["moved"]) == (25, 25, 20)
    assert found.count_outside() == {"only_a": 0, "only_b": 0, "neither": 0}
    for change in found.changes:
        assert (change.a, change.difference) == (change.b, 0.0)
        assert change.only_a == change.only_b
        assert change.tested is not None
        assert change.tested.p == 1


def test_the_numbers_by_hand(project: OpenProject) -> None:
    """Six facts that a recalls with thinking only, b at once; two alike; b forgets one."""
    put(
        project,
        {
            "a": ["PFP PP"] * 6 + ["PPP PP", "FFF FF", "PFF FF"],
            "b": ["PPP PP"] * 6 + ["PPP PP", "FFF FF", "FFF FF"],
        },
    )
    found = compared(project)
    by_number = {one.number: one for one in found.changes}
    assert set(by_number) == {*map(str, PROFILES), *KNOWING}
    knows = by_number["knows"]
    assert (knows.a, knows.b, knows.only_a, knows.only_b) == (1 / 9, 7 / 9, 0, 6)
    assert knows.difference == pytest.approx(6 / 9)
    low, high = knows.interval or (0, 0)
    assert (low, high) == (0.0, 1.0)  # one test alone would have said .3 to 1
    # Eight tests, none significant: the interval is at the level at which one would have been.
    assert found.level == pytest.approx(1 - 0.05 / (8 * sum(1 / rank for rank in range(1, 9))))
    assert knows.tested is not None
    assert knows.tested.p == 2 * 0.5**6
    # Eight tests: direct recall, recall with thinking and knows have 1/32, the others 1.
    harmonic = sum(1 / rank for rank in range(1, 9))
    assert knows.tested.p_adjusted == pytest.approx(harmonic * 8 / 3 / 32)
    assert not knows.tested.significant
    encodes = by_number["encodes"]
    assert (encodes.a, encodes.b, encodes.only_a, encodes.only_b) == (8 / 9, 7 / 9, 1, 0)
    thinking = by_number["knows_thinking"]
    assert (thinking.a, thinking.b, thinking.difference) == (7 / 9, 7 / 9, 0.0)
    assert thinking.interval == difference_interval(0, 0, 9, found.level)
    assert [one.changed for one in found.moved] == [("knows",)] * 6 + [("encodes",)]


def test_only_facts_fit_on_both_sides_are_compared(project: OpenProject) -> None:
    put(
        project,
        {
            "a": ["PPP PP", "NPP PP", "FPP PP", "PPP PP", "PPP P-", "PPP PP"],
            "b": ["PPP PP", "PPP PP", "PPP PP", "PPP NP", "FPP PP", "FFF FF"],
        },
    )
    found = compared(project)
    assert found.count_outside() == {"only_a": 1, "only_b": 2, "neither": 1}
    flow = found.flow()
    assert flow is not None
    assert flow["direct_recall"] == {
        **dict.fromkeys(FLOWS, 0), "direct_recall": 1, "encoding_failure": 1, "without": 1
    }  # fmt: skip
    assert flow["without"] == {**dict.fromkeys(FLOWS, 0), "direct_recall": 2, "without": 1}
    assert found.members(WITHOUT, WITHOUT) == [4]
    assert (int(found.compared.sum()), len(found.moved)) == (2, 1)
    assert found.changes[2].a == 1.0  # direct recall, of the two facts compared


def test_without_thinking_only_e_and_k0_are_compared(project: OpenProject) -> None:
    put(
        project,
        {
            "a": ["PPP", "PFP", "FPP", "N--", "NPP"],
            "b": ["FPP PP", "PFF PP", "FFP PP", "PPP PP", "PPP PP"],
        },
    )
    found = compared(project)
    assert found.flow() is None
    assert found.count_outside() == {"only_a": 0, "only_b": 2, "neither": 0}
    assert [(one.number, one.a, one.b) for one in found.changes] == [
        ("encodes", 2 / 3, 1 / 3),
        ("knows", 2 / 3, 1 / 3),
    ]
    assert [(one.fact_id, one.a, one.b, one.changed) for one in found.moved] == [
        ("f0", None, None, ("encodes",)),
        ("f2", None, None, ("knows",)),
    ]
    assert found.as_json()["flow"] is None


def test_nothing_to_compare_divides_by_nothing(project: OpenProject) -> None:
    put(project, {"a": ["PPP PP", "NNN NN"], "b": ["NNN NN", "PPP PP"]})
    found = compared(project)
    assert found.count_outside() == {"only_a": 1, "only_b": 1, "neither": 0}
    assert {(one.a, one.b, one.difference, one.interval, one.tested) for one in found.changes} == {
        (None,) * 5
    }
    assert found.moved == []
    for where in ("fact:none", "fact:f0"):
        assert not compared(project, where=where).compared.any()
    assert compared(project, where="fact:none").as_json()["total"] == 0


def test_one_fact_says_next_to_nothing(project: OpenProject) -> None:
    put(project, {"a": ["PPP PP"], "b": ["FFF FF"]})
    changes = {one.number: one for one in compared(project).changes}
    knows = changes["knows"]
    assert (knows.a, knows.b, knows.difference) == (1.0, 0.0, -1.0)
    assert knows.interval is not None
    low, high = knows.interval
    assert low == -1
    assert high > 0.9


def test_an_interval_says_what_its_test_says(project: OpenProject) -> None:
    """Forty facts that only b knows: significant after adjustment, and 0 lies outside."""
    put(project, {"a": ["PFF FF"] * 40 + ["FFF FF"] * 9, "b": ["PPP PP"] * 40 + ["PFF FF"] * 9})
    found = compared(project)
    assert found.level < 1 - 0.05 / 8
    for change in found.changes:
        assert change.interval is not None
        assert change.tested is not None
        low, high = change.interval
        assert low < high
        assert (low > 0 or high < 0) is change.tested.significant
    assert found.as_json()["level"] == found.level


def test_a_model_against_itself_under_another_policy(project: OpenProject) -> None:
    put(project, {"a": ["PPP PP", "FFF FF"]})
    rows = cell("f0", PAIRS[0][0][0], "a", False, [None, Outcome.INCORRECT])  # type: ignore[arg-type]
    rows += cell("f0", PAIRS[0][1][0], "a", False, [None, Outcome.INCORRECT])  # type: ignore[arg-type]
    put_rows(project, [row for row in rows if row.sample == 1])
    lax, default = Policy(0.25), Policy()
    saved_policies.save(project, "lax", lax)
    found = compare(project, ("a", default), ("a", lax))
    assert [(one.a, one.b) for one in found.moved] == []
    assert found.count_outside() == {"only_a": 0, "only_b": 1, "neither": 0}
    assert (found.a.name, found.b.name) == (None, "lax")
    assert found.members(WITHOUT, "direct_recall") == [0]


def test_two_equal_sides_are_refused(project: OpenProject) -> None:
    put(project, {"a": ["PPP PP"]})
    same = Policy(weight=0.9, graders=("human:*", "lexical"))
    with pytest.raises(UsageError, match="a is on both sides"):
        compare(project, ("a", Policy()), ("a", same))
    with pytest.raises(UsageError, match="no responses of a model named c: models are a"):
        compared(project, "a", "c")


@pytest.mark.parametrize(("one", "other"), [(0, 0), (1, 0), (3, 1), (9, 2), (5, 5), (0, 14)])
def test_mcnemar_is_exact(one: int, other: int) -> None:
    n, extreme = one + other, max(one, other)
    tail = sum(comb(n, k) for k in range(extreme, n + 1)) / 2**n
    (test,) = mcnemar([(one, other)])
    assert test.p == pytest.approx(min(1.0, 2 * tail))
    assert test.p_adjusted == test.p


def test_no_tests_at_all() -> None:
    assert mcnemar([]) == []
