"""The benchmark of deciding runs, on little: that it works is tested, how fast never."""

from contextlib import closing
from pathlib import Path

import pytest

from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.session import Session
from tests.bench import queue
from tests.bench.generator import Scale, build

pytestmark = pytest.mark.slow


def test_queue(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, Scale(facts=4, models=2, samples=4))
    queue.differ_more(path, 150)
    with closing(Session(path)) as session:
        session.open()
        assert session.confusions.cross_graders(DisagreementFilter()).whole.differ == 150
    times = queue.measure(path, keys=4)
    assert len(times) == 12
    assert all(one.p95 > 0 for one in times)
