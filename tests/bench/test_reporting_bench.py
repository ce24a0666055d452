"""The benchmark of reports runs, on little."""

from pathlib import Path

import pytest

from tests.bench import reporting
from tests.bench.generator import Scale, build

pytestmark = pytest.mark.slow


def test_reporting(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=3, models=2, samples=4))
    assert reporting.page(path).count(b"<svg") > 3
    assert reporting.measure(path, runs=1).ratio > 0
