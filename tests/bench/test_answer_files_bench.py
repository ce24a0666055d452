"""The benchmark of `answer` runs, on little."""

import pytest

from tests.bench import answer_files

pytestmark = pytest.mark.slow


def test_answer_files() -> None:
    assert answer_files.measure(2, 2, 1, latency=0.0).ratio > 0
