"""Halves go up, wherever a number is shown."""

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.report import report_numbers
from core.stats.number_format import (
    format_amount,
    format_decimal,
    format_difference,
    format_grade,
    format_percent,
)
from tui.cli import tables
from tui.screens.profiles import render_numbers
from tui.text import number_text


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        (0.125, 2, "0.13"),
        (-0.125, 2, "-0.13"),
        (2.5, 0, "3"),
        (-0.0001, 2, "0.00"),
        (1 - 0.9875, 3, "0.013"),
        (12.345, 2, "12.35"),
        (float("nan"), 1, "nan"),
        (float("-inf"), 1, "-inf"),
    ],
)
def test_a_half_goes_away_from_zero(value: float, places: int, shown: str) -> None:
    assert format_decimal(value, places) == shown


@given(st.integers(0, 2000), st.integers(1, 2000), st.sampled_from([0, 1, 2]))
def test_shares_of_counts_are_rounded_exactly(part: int, whole: int, places: int) -> None:
    exact = Decimal(100 * part) / Decimal(whole)
    expected = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert format_percent(part / whole, places) == str(expected)


def test_one_share_is_the_same_number_everywhere() -> None:
    share = 0.0125
    assert format_percent(share) == "1.3"
    assert tables.percent(share) == report_numbers.points(share) == "1.3"
    assert number_text.percent(share, 1) == render_numbers.percent(share) == "1.3"
    assert tables.format_gap(-share) == "-1.3"
    assert report_numbers.difference(-share) == render_numbers.points(0.0, share) == "−1.3"


def test_differences_have_a_sign_unless_they_are_nothing() -> None:
    assert [format_difference(gap) for gap in (0.005, -0.014, 0.0, -0.0004)] == [
        "+0.5",
        "-1.4",
        "0.0",
        "0.0",
    ]


def test_grades_have_no_leading_zero() -> None:
    assert [format_grade(g) for g in (0.875, 1.0, 0.0, -0.02, 0.999)] == [
        ".88",
        "1.00",
        ".00",
        "-.02",
        "1.00",
    ]


def test_amounts() -> None:
    assert format_amount(1, "answer") == "1 answer"
    assert format_amount(0, "answer") == "0 answers"
    assert format_amount(2_150, "fact") == "2,150 facts"
    assert format_amount(2, "entry", "entries") == "2 entries"
