"""Shares of profiles as masks: the same numbers as summaries, with intervals around them."""

import numpy as np
import pytest
from hypothesis import given, settings

from core.results.share_intervals import RATES, rates_of, sureness
from core.scoring.verdicts import summarise
from core.stats.intervals import wilson
from tests.core.analyses.cases import Case, case, cases


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(cases())
def test_rates_are_the_numbers_of_summaries(made: Case) -> None:
    evidence = made.evidence()
    verdicts = evidence.verdicts
    for model, summary in enumerate(summarise(verdicts, evidence.facts)):
        found = {}
        for name, rate in rates_of(verdicts, model).items():
            hits, n = (
                int((rate.hits & evidence.facts).sum()),
                int((rate.base & evidence.facts).sum()),
            )
            found[name] = hits / n if n else None
        expected = {**(summary.shares or {}), **{key: getattr(summary, key) for key in RATES}}
        assert found == {name: value for name, value in expected.items() if name in found}
        missing = set(expected) - set(found)
        assert missing == (set() if summary.thinking else {"excluded_share", "knows_thinking"})


def test_intervals_of_models_and_groups() -> None:
    """Twelve facts: the first half is recalled, the other not stored; a plain model has no KT."""
    made = case(
        {"m": ["PPP PP"] * 6 + ["FFF FF"] * 6, "plain": ["PPP"] * 12, "none": ["---"] * 12}
    ).evidence()
    first = np.arange(12) < 6
    everyone = np.ones(12, np.bool_)
    m, plain, none = sureness(made.verdicts, [everyone, first, ~first & first])
    whole, half, nothing = m
    assert whole.shares is not None
    low, high = whole.shares["direct_recall"] or (0, 0)
    assert 0.15 < low < 0.5 < high < 0.85
    assert whole.rates["encodes"] == whole.shares["direct_recall"]
    assert whole.shares["recall_failure"] == wilson(0, 12)
    assert half.shares is not None
    assert half.shares["direct_recall"] == wilson(6, 6)
    assert nothing.shares is not None
    assert {*nothing.shares.values(), *nothing.rates.values()} == {None}
    assert plain[0].shares is None
    assert plain[0].rates == {
        "excluded_share": None, "encodes": wilson(12, 12), "knows": wilson(12, 12),
        "knows_thinking": None
    }  # fmt: skip
    assert set(none[0].rates.values()) == {None}
    assert set(whole.as_json()) == {"shares", *RATES}
