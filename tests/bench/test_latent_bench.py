"""The benchmark of option scores runs, on little: that it works is tested, how fast never."""

from pathlib import Path

import pytest

from core.project import OpenProject
from core.zero_prompt import score_writer
from tests.bench.latent import LatentScale, build, measure

pytestmark = pytest.mark.slow

SMALL = LatentScale(facts=60, models=3, options=10)


def test_every_line_is_measured(tmp_path: Path) -> None:
    lines = measure(SMALL, tmp_path, rows=20, parts=2)
    assert len(lines) == 11
    assert lines[0] == "60 facts x 3 models x 10 options"


def test_what_is_made_is_what_would_be_written(tmp_path: Path) -> None:
    path = tmp_path / "latent.db"
    build(path, SMALL)
    with OpenProject(path, "read") as project:
        assert not score_writer.arrays_are_stale(project)
