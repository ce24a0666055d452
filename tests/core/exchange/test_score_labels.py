"""Any value of a score is a label, or there is a reason why not."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from core.exchange.score_labels import (
    NO_GRADE,
    OUTSIDE,
    UNSCORED,
    ScoreReader,
    name_grader,
    parse_words,
)
from core.vocabulary import LABELS

READER = ScoreReader()

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["1e400", "-0.0", "NaN", "Infinity", "9" * 5000, "0,5", "٣"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        *[(one, "CORRECT") for one in ("C", "c", "Correct", "yes", "TRUE", "pass", True, 1, 1.0)],
        *[(one, "CORRECT") for one in ("1", " 1.0 ", "1e0")],
        *[(one, "INCORRECT") for one in ("I", "no", "False", "FAIL", False, 0, -0.0, "0")],
        *[(one, "PARTIALLY") for one in ("P", "partial", "PARTIALLY", 0.5, "0.25", ".5", 1e-9)],
        *[(one, "OTHER") for one in ("N", "other", "NOT_ATTEMPTED", "noanswer")],
    ],
)
def test_labels(value: Any, label: str) -> None:
    assert READER.read_score(value).label == label


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        *[(one, UNSCORED) for one in (None, math.nan, "nan", "NaN")],
        *[(one, NO_GRADE) for one in ("", "0,5", "maybe", [1], {"a": 1}, "1_0", "٣", "C.")],
        *[(one, OUTSIDE) for one in (3, -1, 1.0001, math.inf, "Infinity", "1e400", 10**400)],
    ],
)
def test_no_labels(value: Any, reason: str) -> None:
    reading = READER.read_score(value)
    assert (reading.label, reading.reason) == (None, reason)


@given(VALUES, st.none() | st.floats(0, 1, exclude_min=True))
def test_any_value_is_a_label_or_has_a_reason(value: Any, cut: float | None) -> None:
    reading = ScoreReader(correct_at=cut).read_score(value, ("g", "s"))
    assert (reading.label in LABELS) != bool(reading.reason)


def test_a_number_is_correct_from_the_cut_on() -> None:
    reader = ScoreReader(correct_at=0.25)
    found = [reader.read_score(value).label for value in (0.25, 0.24, 1, 0, "0.3", "P")]
    assert found == ["CORRECT", "INCORRECT", "CORRECT", "INCORRECT", "CORRECT", "PARTIALLY"]


def test_words_of_a_scorer() -> None:
    words = parse_words("tone:Plain=correct, odd=OTHER,human:eva:ja=CORRECT,judge:5=CORRECT")
    assert words == {
        "tone": {"plain": "CORRECT", "odd": "OTHER"},
        "human:eva": {"ja": "CORRECT"},
        "judge": {"5": "CORRECT"},
    }
    reader = ScoreReader(words=words)
    assert (
        reader.read_score("PLAIN", ("lm-eval:tone/strict", "tone/strict", "tone")).label
        == "CORRECT"
    )
    assert reader.read_score("plain", ("lm-eval:other", "other")).reason == NO_GRADE
    assert reader.read_score(5.0, ("judge",)).label == "CORRECT"
    assert reader.read_score(4, ("judge",)).reason == OUTSIDE


@pytest.mark.parametrize("text", ["plain=CORRECT", "tone:plain", "tone:x=GOOD", "tone:=CORRECT"])
def test_words_that_say_nothing(text: str) -> None:
    with pytest.raises(UsageError, match="--words"):
        parse_words(text)


def test_a_grader_has_no_comma_and_one_line() -> None:
    assert name_grader("inspect", "a, b\n c") == "inspect:a; b c"
