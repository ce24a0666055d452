"""Intervals of analyses: around the rows, from the same masks, gaps paired."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from core.analyses import ANALYSES
from core.analyses.analysis_intervals import measure
from core.stats.intervals import wilson
from tests.core.analyses.cases import Case, case, cases

MEASURED = [name for name, analysis in ANALYSES.items() if analysis.measured]


def test_every_analysis_has_intervals_or_says_why_not() -> None:
    for analysis in ANALYSES.values():
        assert (analysis.measured is None) == bool(analysis.unmeasured)
        assert analysis.measured or not analysis.contrast


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(cases())
def test_masks_give_the_numbers_of_the_rows(made: Case) -> None:
    evidence = made.evidence()
    for name in MEASURED:
        found = ANALYSES[name].items(evidence)
        assert [row for row, _ in found] == list(ANALYSES[name].compute(evidence))
        for row, rates in found:
            shares = {key: rate.share for key, rate in rates.items()}
            keys = {key: getattr(row, key) for key in rates}
            assert shares == pytest.approx(keys, nan_ok=False), name
            numbers = {key for key, value in row.as_json().items() if isinstance(value, float)}
            assert numbers - {"tau"} <= set(rates)
            for rate in rates.values():
                assert not (rate.base & ~evidence.facts).any()
                assert not (rate.hits & ~rate.base).any()


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(cases())
def test_intervals_are_where_the_numbers_are(made: Case) -> None:
    evidence = made.evidence()
    for name in MEASURED:
        analysis = ANALYSES[name]
        rows, found = analysis.compute(evidence), measure(analysis, evidence)
        assert len(found.rows) == len(rows)
        for row, limits in zip(rows, found.rows, strict=True):
            for key, interval in limits.items():
                value = getattr(row, key)
                if interval is not None:
                    assert 0 <= interval[0] <= interval[1] <= 1
                    assert value is not None
                    # Sure things have width, too: there are not so many facts.
                    assert interval[0] < interval[1]


def test_the_gap_between_tiers() -> None:
    """Twenty facts, the bottom four not encoded, the top four encoded: few, so 1 is not sure."""
    pattern = ["FFF FF"] * 4 + ["PFF FF", "FFF FF"] * 6 + ["PPP PP"] * 4
    evidence = case({"m": pattern}, list(range(20))).evidence()
    gaps = {gap.number: gap for gap in measure(ANALYSES["popularity"], evidence).gaps}
    encoded = gaps["encode_rate"]
    assert encoded.as_json() == {
        "model": "m",
        "number": "encode_rate",
        "of": "top",
        "less": "bottom",
        "gap": 1.0,
        "interval": (pytest.approx(1 - 2**0.5 * (wilson(0, 4) or (0, 0))[1]), 1.0),
    }
    # Nothing is encoded at the bottom, so there is no share of it to be recalled.
    assert (gaps["recall_rate"].gap.value, gaps["recall_rate"].gap.interval) == (None, None)


def test_the_gap_between_directions_is_paired() -> None:
    """Direct passes where reverse does, and for three more facts of thirty."""
    pattern = ["PPP"] * 12 + ["PPF"] * 3 + ["PFF"] * 15
    evidence = case({"m": pattern}).evidence()
    found = measure(ANALYSES["direction"], evidence)
    gap = next(
        one.gap
        for one in found.gaps
        if one.keys == {"model": "m", "thinking": False, "kind": "generation", "given": "all"}
    )
    assert gap.value == pytest.approx(0.1)
    low, high = gap.interval or (0, 0)
    moved = np.array([one == "PPF" for one in pattern])
    random = np.random.default_rng(0)
    drawn = moved[random.integers(0, 30, (20_000, 30))].mean(axis=1)
    percentiles = tuple(np.percentile(drawn, [2.5, 97.5]))
    assert (low, high) == pytest.approx(percentiles, abs=1 / 30 + 1e-9)
    # Taken as independent, the gap would be much less sure.
    rates = [
        rate
        for row, rates in ANALYSES["direction"].items(evidence)
        if row.as_json()["kind"] == "generation" and row.as_json()["given"] == "all"
        for rate in rates.values()
    ]
    wide = sum(((rate.interval or (0, 0))[1] - (rate.share or 0)) ** 2 for rate in rates) ** 0.5
    assert (high - low) / 2 < wide / 2


def test_recovery_compares_encoded_with_not_encoded() -> None:
    made = case({"m": ["PFF PP", "PFF FF", "FFF FF", "FFF FF"]}).evidence()
    (gap,) = measure(ANALYSES["recovery"], made).gaps
    assert (dict(gap.keys), gap.of, gap.less, gap.gap.value) == ({"model": "m"}, True, False, 0.5)
    one = measure(ANALYSES["recovery"], replace(made, facts=np.array([True, False, True, False])))
    low, high = one.gaps[0].gap.interval or (0, 0)
    assert (one.gaps[0].gap.value, high) == (1.0, 1.0)
    assert low < 0
    assert one.rows == [{"recovered": wilson(1, 1)}, {"recovered": wilson(0, 1)}]


def test_gaps_of_thinking_are_by_popularity_and_by_direction() -> None:
    """Ten encoded facts: the bottom two are never known, the top two with thinking only."""
    made = case({"m": ["PFF FF"] * 2 + ["PPF PP"] * 3 + ["PPP PP"] * 3 + ["PFF PP"] * 2})
    made = replace(made, views=list(range(10)))
    found = measure(ANALYSES["thinking"], made.evidence())
    gaps = {(gap.keys["by"], gap.number): gap for gap in found.gaps}
    assert {key: gap.gap.value for key, gap in gaps.items()} == {
        ("popularity", "base"): 0.0,
        ("popularity", "gain"): 1.0,
        ("popularity", "total"): 1.0,
        ("direction", "base"): pytest.approx(0.3),  # 6 of 10 direct, 3 of 10 reverse
        ("direction", "gain"): pytest.approx(-0.3),  # 2 of 10 direct, 5 of 10 reverse
        ("direction", "total"): 0.0,
    }
    assert {gap.header for gap in found.gaps} == {"top less bottom", "direct less reverse"}
    groups = found.parts["groups"]
    assert len(groups) == 5
    assert groups[0] == {"base": wilson(0, 2), "gain": wilson(0, 2), "total": wilson(0, 2)}
    assert groups[3]["base"] == wilson(6, 10)


def test_a_type_on_one_side_alone_has_no_gap() -> None:
    """No subject is a date: there is nothing to set its direct questions against."""
    made = replace(
        case({"m": ["PPP", "PPF"]}),
        object_types=["DATE", "PERSON"],
        subject_types=["PERSON", "PERSON"],
    )
    evidence = replace(made.evidence(), options={"by": "answer_type"})
    gaps = measure(ANALYSES["direction"], evidence).gaps
    assert {gap.keys["answer_type"] for gap in gaps} == {"PERSON"}


def test_the_share_of_recall_failures_has_an_interval() -> None:
    made = case({"m": ["PFF FF", "FFF FF", "PPP PP"]}).evidence()
    found = measure(ANALYSES["errors"], made)
    assert found.parts["composition"] == [{"share": wilson(1, 2)}] * 2
