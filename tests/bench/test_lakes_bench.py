"""The benchmark of lakes runs, on little: that it works is tested, how fast never."""

from pathlib import Path

import pytest

from tests.bench.lakes import LakeScale, build, measure

pytestmark = pytest.mark.slow


def test_a_lake_is_measured_beside_the_bare_statements(tmp_path: Path) -> None:
    build(tmp_path / "lake", LakeScale(facts=4_000, samples=8))
    found = measure(tmp_path / "lake", 1)
    assert found.subject > 0 < found.baseline
    assert 0 < found.label_bytes < 1
    assert found.subject_mb < 2_000
