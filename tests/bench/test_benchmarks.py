"""The benchmarks run, on little: that they work is tested, how fast never."""

from pathlib import Path

from core.project import Project
from tests.bench import (
    bootstrap,
    building,
    engine,
    importing,
    intervals,
    live_profiles,
    opening,
    profiles,
    screens,
    startup,
)
from tests.bench.generator import Scale, build

SMALL = Scale(facts=3, models=2, samples=4)


def test_opening(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    assert build(path, SMALL) > 10 * SMALL.responses
    tally = opening.opened(path)
    assert int(tally.labels.sum()) == SMALL.responses == int(tally.drawn.sum())
    assert opening.measure(path, runs=1).ratio > 0


def test_importing(tmp_path: Path) -> None:
    assert len(importing.measure(SMALL, tmp_path)) == 2
    tally = opening.opened(tmp_path / "ours.db")
    assert int(tally.labels.sum()) == SMALL.responses


def test_profiles() -> None:
    assert [line.ratio > 0 for line in profiles.measure(SMALL, runs=1)] == [True, True]


def test_startup() -> None:
    assert startup.measure(runs=1).ratio > 0


def test_bootstrap() -> None:
    assert bootstrap.measure(SMALL, runs=1, part=500).ratio > 0
    means, percentiles = bootstrap.apart(SMALL, resamples=200)
    assert 0 <= means < 0.1
    assert 0 <= percentiles <= 1


def test_intervals() -> None:
    some = Scale(facts=100, models=2, samples=4)
    assert intervals.measure(some, runs=1, part=100).ratio > 0
    assert 0 < intervals.apart(some) < 0.05


def test_screens(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, SMALL)
    screens.index(path)
    words = screens.opened(tmp_path, path)
    ours, hello = screens.measure_opening(tmp_path, words, runs=1)
    assert min(ours.p95, hello.p95) > 0
    *times, held = screens.measure_list(tmp_path, words, keys=2)
    assert all(one.p95 > 0 for one in times)
    assert held > 10
    assert screens.measure_search(tmp_path, words, ["subject 1"]).seconds
    assert screens.measure_labels(tmp_path, words, 2).p95 > 0


def test_live_profiles(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, SMALL)
    assert [line.ratio > 0 for line in live_profiles.measure_arithmetic(path, runs=1)] == [True] * 2
    first, last = live_profiles.measure_keys(tmp_path, screens.opened(tmp_path, path), keys=2)
    assert 0 < min(first.seconds) <= max(last.seconds)


def test_engine() -> None:
    figures = engine.measure(latency=0.0, draws=8, facts=3, runs=1)
    assert figures.ratio > 0
    assert engine.held(100) > 10


def test_building(tmp_path: Path) -> None:
    taking, finding = building.measure(3, tmp_path, runs=1)
    assert min(taking.ratio, finding.ratio) > 0
    assert "replies" in taking.what
    with Project(tmp_path / "built.db") as project:
        assert len(project.index) > 0
