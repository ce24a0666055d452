"""What a stage of a build has lost, and why, as any other program sees it."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.jobs.job_list import list_jobs
from core.jobs.stage_losses import list_losses, with_reasons
from core.project import OpenProject
from tests.core.pipeline.making import Builder, built, documents, made, with_shares
from tests.core.pipeline.test_missing_tasks import a_fact, database

COUNT = 24


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with losses; tests read it only."""
    file = made(tmp_path_factory.mktemp("build") / "p.db", documents(COUNT))
    built(file, Builder(with_shares(0.15, 0.25)))
    return file


def test_another_program_tells_the_same_reasons(path: Path, tmp_path: Path) -> None:
    here = made(tmp_path / "same.db", documents(COUNT))
    _, view = built(here, Builder(with_shares(0.15, 0.25)))
    with OpenProject(path) as project:
        (stored,) = list_jobs(project)
        told = with_reasons(project.connection, stored)
    assert all(one.reasons == {} for one in stored.stages)
    reasons = {one.name: dict(one.reasons) for one in told.stages}
    assert reasons == {one.name: dict(one.reasons) for one in view.stages}
    assert sum(len(one) for one in reasons.values()) > 5
    for one in told.stages:
        assert sum(one.reasons.values()) == one.dropped + one.failed


def test_what_was_told_stands_while_the_counts_do(path: Path) -> None:
    with OpenProject(path) as project:
        (stored,) = list_jobs(project)
        told = with_reasons(project.connection, stored, stored)
        assert any(one.reasons for one in told.stages)
        project.connection.close()
        assert with_reasons(project.connection, stored, told) == told
        nothing = replace(
            stored, stages=tuple(replace(one, dropped=0, failed=0) for one in stored.stages)
        )
        assert with_reasons(project.connection, nothing) == nothing


def test_an_earlier_job_tells_what_it_lost_and_no_more(tmp_path: Path) -> None:
    path = made(tmp_path / "p.db", documents(COUNT))
    say = with_shares(0.15, 0.25)
    _, first = built(path, Builder(say), until="verify-difficulty")
    _, second = built(path, Builder(say))
    with OpenProject(path) as project:
        connection = project.connection
        told = {one.id: with_reasons(connection, one) for one in list_jobs(project)}
        assert list_losses(connection, "reverse", first.id) == []
        assert len(list_losses(connection, "reverse", second.id)) > 0
    for view in (first, second):
        assert [dict(one.reasons) for one in told[view.id].stages] == [
            dict(one.reasons) for one in view.stages
        ]


def test_units_are_listed_with_reason_and_reply(path: Path) -> None:
    raws = Counter[str]()
    with OpenProject(path) as project:
        (stored,) = list_jobs(project)
        told = with_reasons(project.connection, stored)
        for stage in told.stages:
            found = list_losses(project.connection, stage.name, stored.id)
            assert Counter(one.reason for one in found) == stage.reasons
            for one in found:
                assert one.key.startswith("doc-")
                assert one.title
                assert bool(one.object) == (stage.name not in ("classify", "entities", "objects"))
                raws[one.verdict] += bool(one.raw)
    assert raws["failed"] > 0
    assert raws["dropped"] > 0


def test_imported_facts_are_called_by_their_ids(tmp_path: Path) -> None:
    path = database(tmp_path / "facts.db", [a_fact(number) for number in range(6)])
    built(path, Builder(with_shares(0.9, 0.0)))
    with OpenProject(path) as project:
        (stored,) = list_jobs(project)
        found = [
            one
            for stage in stored.stages
            for one in list_losses(project.connection, stage.name, stored.id)
        ]
    assert {one.key for one in found} <= {a_fact(number).fact_id for number in range(6)}
    assert found
