"""What a build would take: a range before, narrower once stages have been seen."""

from pathlib import Path

import pytest

from core.estimates.build_estimate import estimate, make_lines
from core.project import OpenProject
from core.specs.build_specs import BuildingSpec
from tests.core.pipeline.making import MODEL, Builder, built, documents, made

PRICED = "gemini:gemini-2.5-flash"


@pytest.mark.slow
def test_the_real_number_of_requests_lies_within(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(20))
    with OpenProject(path) as project:
        found = estimate(project, BuildingSpec(PRICED))
    builder = Builder()
    built(path, builder)
    assert found.answers.low <= len(builder.seen) <= found.answers.high
    assert found.cost is not None
    assert 0 < found.cost.low < found.cost.high
    assert found.first > 0
    assert found.unpriced == ()
    assert len(make_lines(found)) == 4


@pytest.mark.slow
def test_nothing_is_left_at_the_end(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(3))
    built(path)
    with OpenProject(path) as project:
        assert estimate(project, BuildingSpec(PRICED)).parts == ()
        assert estimate(project, BuildingSpec()).parts == ()


def test_fewer_are_wanted_or_stages_left_out(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(20))
    with OpenProject(path) as project:
        whole = estimate(project, BuildingSpec(MODEL))
        fewer = estimate(project, BuildingSpec(MODEL, target=2))
        start = estimate(project, BuildingSpec(MODEL, until="classify"))
    assert start.answers.high < fewer.answers.high < whole.answers.high
    assert [part.stage for part in start.parts] == ["build classify"]
    assert all(part.free for part in whole.parts)


def test_a_raised_target_takes_up_those_that_were_left_out(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(12))
    built(path, target=4)
    with OpenProject(path) as project:
        same = estimate(project, BuildingSpec(MODEL, target=4))
        more = estimate(project, BuildingSpec(MODEL, target=9))
    direct = next(part for part in more.parts if part.stage == "build direct")
    assert same.parts == ()
    assert direct.requests.low == 5
