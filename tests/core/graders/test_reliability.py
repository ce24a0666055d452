"""Reliability of chances, worked out by hand."""

import pytest

from core.graders.grader_evaluation import EvaluationCase, GraderReport, measure_reliability
from core.vocabulary import Label


def test_by_hand() -> None:
    chances, right = [0.95, 0.91, 0.65, 0.3, 0.0], [True, False, True, True, False]
    found = measure_reliability(chances, right)
    squares = [0.05**2, 0.91**2, 0.35**2, 0.7**2, 0.0]
    assert found.brier == pytest.approx(sum(squares) / 5)
    # Bins: {0.0}: 0 of 1; {0.3}: 1 of 1; {0.65}: 1 of 1; {0.91, 0.95}: 1 of 2.
    assert [(one.n, one.right) for one in found.bins] == [(1, 0), (1, 1), (1, 1), (2, 0.5)]
    assert found.ece == pytest.approx((0 + 0.7 + 0.35 + 2 * (0.93 - 0.5)) / 5)
    coverage = dict(found.coverage)
    # Surest first: 0.0 right, 0.95 right, 0.91 wrong, 0.3 wrong, 0.65 right.
    expected = {0.2: 1, 0.4: 1, 0.6: 2 / 3, 0.8: 1 / 2, 1.0: 3 / 5}
    assert {part: coverage[part] for part in expected} == pytest.approx(expected)


def test_one_is_in_the_last_bin() -> None:
    found = measure_reliability([1.0], [True])
    assert (found.brier, found.ece, len(found.bins)) == (0, 0, 1)


def test_a_report_has_it_where_the_grader_says_how_sure_it_is() -> None:
    case = EvaluationCase("a", "Which?", False, ("Tartu",), "Tartu", "correct", "")
    plain = GraderReport("any", ((case, Label.CORRECT),))
    assert plain.reliability is None
    assert "brier" not in plain.as_json()
    sure = GraderReport("any", ((case, Label.CORRECT),), (0.9,)).as_json()
    assert sure["brier"] == pytest.approx(0.01)
    assert sure["coverage"][0] == {"coverage": 1.0, "accuracy": 1.0}
    assert sure["reliability"] == [{"n": 1, "chance": 0.9, "right": 1.0}]
