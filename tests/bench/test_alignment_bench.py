"""The benchmark of alignment, on little: that it works and holds is tested, how fast never."""

from pathlib import Path

import pytest

from tests.bench.alignment import CASES, make_scope, measure_coverage, time_draw, time_report

pytestmark = pytest.mark.slow


def test_the_interval_of_the_best_version_holds() -> None:
    held, naive = measure_coverage(CASES[0], 40)
    assert held >= 0.93
    assert naive < held


def test_what_is_timed_works(tmp_path: Path) -> None:
    make_scope(tmp_path / "scope.db", 40, 4)
    assert time_draw(tmp_path / "scope.db")[0] > 0
    assert time_report(tmp_path / "report.db", answers=40, versions=3) > 0
