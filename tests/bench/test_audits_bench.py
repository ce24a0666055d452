"""The benchmark of audits, on little: that it works and holds is tested, how fast never."""

import pytest

from tests.bench.audits import CASES, cover, time_report

pytestmark = pytest.mark.slow


def test_coverage() -> None:
    row = cover(CASES[0], 20, most=100)
    assert row.always >= 0.9
    assert row.kind >= 0.8
    assert row.p50 <= row.p90 <= 100


def test_a_report_is_timed() -> None:
    read, made = time_report(24, 6)
    assert read > 0
    assert made > 0
