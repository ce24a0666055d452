"""The benchmark runs, on little."""

from pathlib import Path

import pytest

from tests.bench.documents import measure

pytestmark = pytest.mark.slow


def test_documents(tmp_path: Path) -> None:
    assert all(line.ratio > 0 for line in measure(60, tmp_path, runs=1))
