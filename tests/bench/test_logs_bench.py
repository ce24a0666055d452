"""The benchmark of logs runs, on little."""

from pathlib import Path

import pytest

from tests.bench.logs import measure, memory

pytestmark = pytest.mark.slow


def test_logs(tmp_path: Path) -> None:
    assert all(line.ratio > 0 for line in measure(20, 100, tmp_path, runs=1))


def test_a_long_log_takes_the_memory_of_few_samples(tmp_path: Path) -> None:
    """What waits are plain rows on disk; events are gone with their sample."""
    assert memory(200, tmp_path) < 3
