"""The benchmarks run, on little: that they work is tested, how fast never."""

import functools
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from core.graders.em.response_scores import score_response
from core.project import OpenProject
from db.stored_values import read_options
from tests.bench import (
    analysis_tables,
    bootstrap,
    building,
    choices,
    documents,
    engine,
    grader_lists,
    helping,
    importing,
    intervals,
    live_profiles,
    opening,
    profiles,
    publishing,
    replies,
    reporting,
    response_scores,
    saved_session,
    screens,
    startup,
    timing,
    triple_sets,
    view_switch,
    walks,
)
from tests.bench.generator import GRADERS, Scale, build

pytestmark = pytest.mark.slow

SMALL = Scale(facts=3, models=2, samples=4)


class Counting:
    """Runs what is to be timed, and counts the calls that it makes, round by round."""

    def __init__(self) -> None:
        self.seconds = timing.best
        self.rounds: list[int] = []

    def best(self, run: Callable[[], object]) -> float:
        self.rounds.append(0)

        def see(frame: FrameType, event: str, argument: object) -> None:
            self.rounds[-1] += event in ("call", "c_call")

        def watched() -> None:
            sys.setprofile(see)
            try:
                run()
            finally:
                sys.setprofile(None)

        return self.seconds(watched)


def on_file(measure: Callable[[Path, int], object]) -> Callable[[Path, int], object]:
    """A benchmark of a database, with one made for it."""

    def measured(folder: Path, runs: int) -> object:
        path = folder / "made.db"
        if not path.exists():
            build(path, SMALL)
        return measure(path, runs)

    return measured


SCORED = response_scores.Scale(responses=40, questions=10)

IN_TURN: dict[str, Callable[[Path, int], object]] = {
    "bootstrap": lambda _, runs: bootstrap.measure(SMALL, runs, part=500),
    "building": lambda folder, runs: building.measure(3, folder, runs),
    "documents": lambda folder, runs: documents.measure(60, folder, runs),
    "intervals": lambda _, runs: intervals.measure(SMALL, runs, part=100),
    "live_profiles": on_file(live_profiles.measure_arithmetic),
    "opening": on_file(opening.measure),
    "profiles": lambda _, runs: profiles.measure(SMALL, 4 * runs),
    "publishing": on_file(publishing.measure),
    "reporting": on_file(reporting.measure),
    "response_scores": lambda _, runs: response_scores.measure(SCORED, "number", runs),
}
"""Benchmarks that run subject and baseline in turn."""


def caches() -> "list[functools._lru_cache_wrapper[object]]":
    """The caches of all functions of the program, those that forking has frozen among them."""
    gc.unfreeze()
    return [
        one
        for one in gc.get_objects()
        if isinstance(one, functools._lru_cache_wrapper)
        and one.__module__.partition(".")[0] in timing.ROOMS
    ]


@pytest.mark.parametrize("name", IN_TURN)
def test_every_round_does_all_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No round lives off what one before it has worked out."""
    measure, counting = IN_TURN[name], Counting()
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    measure(tmp_path / "first", 1)  # whatever it takes is imported
    for cache in caches():
        cache.cache_clear()
    monkeypatch.setattr(timing, "best", counting.best)
    measure(tmp_path / "second", 2)
    rounds = counting.rounds
    for first in range(0, len(rounds), 4):
        subject, baseline = rounds[first : first + 4 : 2], rounds[first + 1 : first + 4 : 2]
        assert min(subject) > 0.9 * max(subject), (subject, baseline)
        assert min(baseline) > 0.9 * max(baseline), (subject, baseline)


def test_no_cache_stays_filled() -> None:
    read_options('["a", "b", "c", "d"]')
    assert any(cache.cache_info().currsize for cache in caches())
    timing.empty_caches()
    assert not [cache for cache in caches() if cache.cache_info().currsize]


def test_opening(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    assert build(path, SMALL) > 10 * SMALL.responses
    tally = opening.opened(path)
    assert int(tally.labels.sum()) == SMALL.responses == int(tally.drawn.sum())
    assert opening.measure(path, runs=1).ratio > 0


def test_a_list_of_graders(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, SMALL)
    assert grader_lists.measure(path, runs=1).ratio > 0
    with OpenProject(path) as project:
        one, three = (
            grader_lists.count(project, *graders)
            for graders in (GRADERS[:1], (grader_lists.THIRD, *GRADERS))
        )
    assert one.tally.labels.sum() == three.tally.labels.sum() == SMALL.responses
    assert (one.tally.labels != three.tally.labels).any()


def test_importing(tmp_path: Path) -> None:
    assert len(importing.measure(SMALL, tmp_path)) == 2
    tally = opening.opened(tmp_path / "ours.db")
    assert int(tally.labels.sum()) == SMALL.responses


def test_profiles() -> None:
    assert [line.ratio > 0 for line in profiles.measure(SMALL, runs=1)] == [True, True]


def test_startup() -> None:
    assert startup.measure(runs=1).ratio > 0
    assert startup.measure_library(runs=1).ratio > 0


def test_walks() -> None:
    found = walks.walk("response")
    assert {file.split("/")[1] for file in found} >= {"providers", "engine", "sampling", "graders"}
    assert any(function.startswith("insert_columns:") for function in found["db/grades.py"])


def test_bootstrap() -> None:
    assert bootstrap.measure(SMALL, runs=1, part=500).ratio > 0
    means, percentiles = bootstrap.apart(SMALL, resamples=200)
    assert 0 <= means < 0.1
    assert 0 <= percentiles <= 1


def test_analysis_tables(tmp_path: Path) -> None:
    lines = analysis_tables.measure(SMALL, tmp_path, columns=3, runs=1)
    assert [line.partition(":")[0] for line in lines] == [
        "direction, all tables",
        "errors, all tables",
        "thinking, all tables",
        "a sample of 288 answers",
        "a map of 3 x 3 as SVG",
    ]


def test_triple_sets(tmp_path: Path) -> None:
    assert triple_sets.measure_import(400, tmp_path, runs=1).ratio > 0
    for found in triple_sets.measure_sets(400, 60, tmp_path, runs=1):
        assert found.ratio > 0


def test_response_scores() -> None:
    for kind in ("entity", "date", "number"):
        assert response_scores.measure(SCORED, kind, runs=1).ratio > 0
    cases = [
        case
        for case in response_scores.make_cases(SCORED, "entity")
        if all(map(response_scores.as_squad, case[1]))  # articles alone are our own exception
    ]
    ours = [score_response(*case) for case in cases]
    theirs = [response_scores.score_as_squad(*case[:2]) for case in cases]
    for mine, squad in zip(ours, theirs, strict=True):
        found = (mine.em, mine.f1, mine.em_raw, mine.f1_raw)
        assert found == pytest.approx(tuple(map(float, squad)))
    assert any(mine.em for mine in ours)


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
    assert all(one.p95 > 0 for one in helping.measure(tmp_path, words, 1))
    assert all(one.p95 > 0 for one in view_switch.measure(tmp_path, words, 1))


def test_saved_session(tmp_path: Path) -> None:
    path = tmp_path / "made.db"
    build(path, SMALL)
    found = saved_session.measure(path, 1)
    assert found.pop("written though nothing changed") == 0
    assert min(found["look"], found["key"]) > 0
    kept, fresh = saved_session.measure_opening(path, 1)
    assert min(*kept.seconds, *fresh.seconds) > 0


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
    with OpenProject(tmp_path / "built.db") as project:
        assert len(project.index) > 0


@pytest.mark.parametrize("forms", choices.FORMS)
def test_choices(forms: str) -> None:
    assert choices.measure(400, choices.FORMS[forms], runs=1).ratio > 0


def test_replies() -> None:
    assert replies.measure(2, 3).subject > 0
