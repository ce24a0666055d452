"""The benchmark of request files runs, on little."""

from pathlib import Path

import pytest

from tests.bench import request_files

pytestmark = pytest.mark.slow


def test_request_files(tmp_path: Path) -> None:
    assert all(one.ratio > 0 for one in request_files.measure(4, tmp_path))
    assert len(request_files.measure_memory(tmp_path)) == 4
