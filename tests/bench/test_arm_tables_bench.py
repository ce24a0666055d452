"""The benchmark of arms' tables runs, on little: that it works is tested, how fast never."""

from pathlib import Path

import pytest

from tests.bench.arm_tables import TABLES, ArmScale, build, measure, measure_keys

pytestmark = pytest.mark.slow


def test_every_table_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "arms.db"
    build(path, ArmScale(triples=40, models=2))
    assert [one.what for one in measure(path, 1)] == ["reading", *TABLES]
    assert len(measure_keys(path, 1)) == 3
