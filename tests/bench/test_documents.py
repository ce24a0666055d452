"""The benchmark runs, on little."""

from pathlib import Path

from tests.bench.documents import measure


def test_documents(tmp_path: Path) -> None:
    assert all(line.ratio > 0 for line in measure(60, tmp_path, runs=1))
