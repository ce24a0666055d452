"""The benchmark of looking questions over runs, on little: that it works is tested, not speed."""

from pathlib import Path

import pytest

from tests.bench import reviewing
from tests.bench.generator import Scale, build

pytestmark = pytest.mark.slow


def test_reviewing(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=30, models=2, samples=2))
    times = reviewing.measure(path, keys=5)
    assert len(times) == 18
    assert all(one.taken and one.p95 > 0 for one in times)
