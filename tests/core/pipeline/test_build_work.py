"""From documents to facts: nothing lost, nothing asked twice, whatever happens on the way."""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

import db.build_steps
from core.jobs.job_progress import State
from core.jobs.job_run import JobContext
from core.jobs.job_service import Jobs
from core.pipeline.build_scope import before
from core.pipeline.build_work import LEAST
from core.pipeline.funnel import funnel
from core.pipeline.stage import UnitKind
from core.pipeline.stage_table import BY_NAME, STAGES
from core.pipeline.unit_progress import read_progress
from core.project import OpenProject
from core.providers.base import Reply, Request, TransientError, UnanswerableError
from core.specs.build_specs import BuildingSpec
from core.specs.job_kinds import asked_models
from core.vocabulary import TASKS
from db.build_steps import OF_TRIPLES
from tests.core.pipeline.making import (
    MODEL,
    Builder,
    built,
    digest,
    documents,
    facts_of,
    made,
    said,
    start,
    steps_of,
    template,
    with_shares,
)
from tests.db.making import line_of, program, stop
from tests.patience import PATIENCE

COUNT = 12
MIXED = with_shares(0.03, 0.12)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return made(tmp_path / "built.db", documents(COUNT))


def free(path: Path) -> None:
    """What others do a while after a program was killed: its lease is taken away."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM lease")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with good, wrong and hostile answers that nothing came between."""
    path = made(tmp_path_factory.mktemp("undisturbed") / "built.db", documents(COUNT))
    built(path, Builder(MIXED))
    return path


def test_documents_become_facts_with_ten_questions(path: Path) -> None:
    builder = Builder()
    result, view = built(path, builder)
    facts = facts_of(path)
    assert len(facts) > COUNT
    assert {name.rpartition("__")[0] for name in facts} == {f"doc-{n}" for n in range(COUNT)}
    for title, _, category, subject, object_, *_, golds, questions in facts.values():
        assert title
        assert category
        assert list(questions) == list(TASKS)
        assert golds == {"object": (object_,), "subject": (subject,)}
        assert object_ in questions["reverse"][0]
        assert questions["mc_direct_natural"][1][0] == object_
        assert questions["mc_direct_natural"][0] == questions["direct_natural"][0]
        assert questions["mc_reverse"][1][0] == subject
    assert result.said.startswith(f"{len(facts)} facts built")
    stages = {one.name: one for one in view.stages}
    assert list(stages) == [stage.name for stage in STAGES if stage.name not in OF_TRIPLES]
    assert all(one.left == 0 for one in view.stages)
    assert stages["facts"].done == len(facts)
    assert sum(one.dropped for one in view.stages) == sum(
        sum(one.reasons.values()) for one in view.stages
    )
    again = Builder()
    built(path, again)
    assert again.seen == []
    assert facts_of(path) == facts


def test_a_build_says_what_comes_of_each_unit(path: Path) -> None:
    jobs = start(path, Builder(), until="entities")
    (view,) = jobs.views()
    assert jobs.wait(view.id, PATIENCE)
    now = jobs.progress()
    assert now is not None
    assert re.fullmatch(rf"(classify|entities) {COUNT} of {COUNT}: \S.*", now.latest)


def test_a_stage_that_loses_nearly_all_says_so_as_it_happens(path: Path) -> None:
    def say(request: Request, key: str) -> str:
        return "no names" if template(request) == "entities" else said(request, key)

    jobs = start(path, Builder(say))
    (view,) = jobs.views()
    assert jobs.wait(view.id, PATIENCE)
    (line,) = [one.text for one in jobs.log(view.id) if one.kind == "warn"]
    lost = f"entities has lost {LEAST} of {LEAST}: {LEAST} no entity"
    assert line == f'{lost}; one reply (no entity): "{{"entities": []}}"'


def test_the_funnel_counts_what_was_taken_and_dropped(undisturbed: Path) -> None:
    with OpenProject(undisturbed) as project:
        rows = {row.stage.name: row for row in funnel(project.connection)}
        facts = len(project.index)
    assert rows["length"].taken == COUNT
    assert rows["facts"].kept == facts > 0
    assert any(row.dropped for row in rows.values())
    for row in rows.values():
        assert row.waiting == 0
        for name in {*before(row.stage.name)} - {*OF_TRIPLES}:
            if row.stage.of is BY_NAME[name].of:
                assert row.taken <= rows[name].kept


def test_every_drop_and_failure_has_a_reason_and_the_raw_reply(undisturbed: Path) -> None:
    with OpenProject(undisturbed) as project:
        rows = project.connection.execute(
            "SELECT stage, verdict, reason, raw FROM step WHERE verdict <> 'kept'"
        ).fetchall()
    assert {verdict for _, verdict, _, _ in rows} == {"dropped", "failed"}
    for stage, _, reason, raw in rows:
        assert reason
        assert raw is not None or BY_NAME[stage].prompt is None


@dataclass
class PatientBuilder(Builder):
    """Answers a request when the answers before it stand in the file."""

    path: Path = Path()
    answered: int = 0

    async def draw(self, request: Request) -> Reply:
        reply = await super().draw(request)
        while self.stored() < self.answered:
            await asyncio.sleep(0.001)
        self.answered += 1
        return reply

    def stored(self) -> int:
        """How many answers of models are there."""
        with closing(sqlite3.connect(self.path)) as connection:
            sql = "SELECT count(*) FROM step WHERE raw IS NOT NULL"
            return int(connection.execute(sql).fetchone()[0])


def test_deep_stages_go_first(tmp_path: Path) -> None:
    """However slow the file is written: a request that follows a stored answer goes first."""
    path = made(tmp_path / "many.db", documents(10))
    builder = PatientBuilder(path=path)
    built(path, builder, until="direct", in_flight=4)
    before = sum(name != "direct" for name in builder.prompts)
    assert builder.prompts.index("direct") < 0.7 * before


KILLED = """
import sys
from pathlib import Path
from tests.core.pipeline.making import Builder, MODEL, start, with_shares
say = with_shares(0.03, 0.12)
def told(request, key):
    print("answered", flush=True)
    return say(request, key)
jobs = start(Path(sys.argv[1]), Builder(told))
jobs.wait(jobs.views()[0].id)
print("over", flush=True)
"""


@pytest.mark.slow
def test_killed_at_any_moment_and_taken_up_again(path: Path, undisturbed: Path) -> None:
    random = Random(7)
    for most in (12, 150, 250):
        process = program(KILLED, path)
        try:
            for _ in range(random.randrange(most // 2, most)):
                assert line_of(process) == "answered"
        finally:
            stop(process)
        free(path)
    with OpenProject(path) as project:
        assert len(project.connection.execute("SELECT 1 FROM step").fetchall()) > 0
    built(path, Builder(MIXED))
    assert steps_of(path) == steps_of(undisturbed)
    assert facts_of(path) == facts_of(undisturbed)


def test_stopped_and_taken_up_again_asks_for_what_is_missing(path: Path, undisturbed: Path) -> None:
    for most in (5, 60, 200):
        builder = Builder(MIXED, stop_after=most)
        jobs = start(path, builder)
        assert builder.waits.wait(PATIENCE)
        assert jobs.close(PATIENCE)
    built(path, Builder(MIXED))
    assert steps_of(path) == steps_of(undisturbed)
    assert facts_of(path) == facts_of(undisturbed)


def test_two_programs_ask_about_each_unit_once(tmp_path: Path) -> None:
    path, other = (made(tmp_path / name, documents(80)) for name in ("two.db", "one.db"))
    alone = Builder()
    built(other, alone, until="verify-with-gold")
    builders = [Builder(seconds=0.1), Builder(seconds=0.1)]
    every = [
        start(path, builder, until="verify-with-gold", seed=seed)
        for seed, builder in enumerate(builders)
    ]
    for jobs in every:
        (view,) = jobs.views()
        assert jobs.wait(view.id, PATIENCE)
        assert jobs.views()[0].state is State.FINISHED, jobs.views()[0].reason
    both = [one for builder in builders for one in map(str, builder.seen)]
    assert Counter(both) == Counter(map(str, alone.seen))
    assert all(builder.seen for builder in builders)
    assert steps_of(path) == steps_of(other)


def test_what_waits_is_what_a_unit_waits_for(path: Path) -> None:
    """The query and the rule in code say the same, in the middle of a build."""
    for most in (30, 200):
        builder = Builder(MIXED, stop_after=most)
        jobs = start(path, builder)
        assert builder.waits.wait(PATIENCE)
        assert jobs.close(PATIENCE)
        with OpenProject(path) as project:
            connection = project.connection
            units = {
                kind: [key for (key,) in connection.execute(f"SELECT id FROM {kind}")]
                for kind in UnitKind
            }
            found = Counter[str]()
            for stage in STAGES:
                waiting = db.build_steps.find_waiting(
                    connection, stage.name, before(stage.name), "first", 0, -1
                )
                assert waiting == [
                    key
                    for key in units[stage.of]
                    if read_progress(connection, stage.of, key).waits_for(stage)
                ]
                found[stage.name] = len(waiting)
                assert found[stage.name] == db.build_steps.count_waiting(
                    connection, stage.name, before(stage.name), "first"
                )
            assert found.total()


def test_a_budget_stops_it_and_more_goes_on(path: Path, tmp_path: Path) -> None:
    model = "gemini:gemini-2.5-flash"
    jobs = start(path, Builder(), 0.1, model=model)
    (view,) = jobs.views()
    assert jobs.wait(view.id, PATIENCE)
    (view,) = jobs.views()
    assert view.state is State.STOPPED
    assert "of $0.10, the next request may cost more" in view.reason
    assert view.cost is not None
    assert 0 < view.cost <= 0.1
    _, whole = built(path, Builder(), 100.0, model=model)
    assert whole.id == view.id
    whole_path = made(tmp_path / "whole.db", documents(COUNT))
    built(whole_path, Builder(), model=model)
    assert facts_of(path) == facts_of(whole_path)
    assert len(facts_of(path)) > COUNT


def test_off_format_is_asked_again_twice_then_failed(path: Path) -> None:
    def say(request: Request, key: str) -> str:
        name = template(request)
        if name == "classify" and digest(str(request.messages)) % 2:
            return "Sport, I would say" if request.temperature < 1 else "no idea\x1b[2J\ud800"
        if name == "entities" and request.temperature == 0:
            return "off"
        return said(request, key)

    builder = Builder(say)
    result, view = built(path, builder)
    stages = {one.name: one for one in view.stages}
    failed = stages["classify"].failed
    assert 0 < failed < COUNT
    assert result.failed == failed
    assert stages["entities"].done == COUNT - failed
    asked = Counter(builder.prompts)
    assert asked["classify"] == COUNT + 2 * failed
    assert asked["entities"] == 2 * (COUNT - failed)
    rooms = [one.max_tokens for one in builder.seen if template(one) == "entities"]
    assert max(rooms) >= 2 * min(rooms)
    with OpenProject(path) as project:
        rows = project.connection.execute(
            "SELECT reason, raw FROM step WHERE verdict = 'failed'"
        ).fetchall()
    assert all(reason.startswith("off format: ") for reason, _ in rows)
    assert all(raw == "no idea\x1b[2J\ufffd" for _, raw in rows)


def test_what_failed_is_asked_again_only_when_that_is_wanted(path: Path, tmp_path: Path) -> None:
    def down(request: Request, key: str) -> str | Exception:
        if template(request) == "grounded-local" and digest(str(request.messages)) % 3 == 0:
            return UnanswerableError("the source is down")
        return said(request, key)

    result, view = built(path, Builder(down))
    assert result.failed > 0
    assert len(facts_of(path)) > 0
    (reason,) = {
        reason for one in view.stages if one.failed for reason in one.reasons if "down" in reason
    }
    assert reason == "the model refused: the source is down"
    plain = Builder()
    built(path, plain)
    assert plain.seen == []
    jobs = Jobs(path, means=JobContext(lambda name: Builder()))
    again = jobs.retry(view.id)
    assert jobs.wait(again, PATIENCE)
    assert jobs.result(again).failed == 0
    whole = made(tmp_path / "whole.db", documents(COUNT))
    built(whole)
    assert facts_of(path) == facts_of(whole)


def test_a_source_that_is_down_holds_up_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "none")
    is_down, builder, search = True, Builder(), Builder()

    def away(request: Request, key: str) -> str | Exception:
        if is_down and template(request) == "grounded-search":
            return TransientError("the source is away", retry_after=100_000.0)
        return said(request, key)

    search.say = away
    jobs = Jobs(
        path, means=JobContext(lambda name: search if name.startswith("gemini") else builder)
    )
    spec = BuildingSpec(MODEL, "gemini:gemini-2.5-flash")
    for is_down in (True, False):
        job = jobs.start(spec)
        assert jobs.wait(job, PATIENCE)
        view = jobs.view(job)
        stages = {one.name: one for one in view.stages}
        assert view.state is (State.STOPPED if is_down else State.FINISHED)
        assert stages["minimize-direct"].done > COUNT
        assert stages["ground-direct"].left == (stages["minimize-direct"].done if is_down else 0)
        assert "the source is away" in view.reason or not is_down
    assert set(search.prompts) == {"", "grounded-search"}
    assert len(facts_of(path)) > COUNT


def test_half_a_character_harms_nothing(path: Path) -> None:
    def broken(request: Request, key: str) -> str:
        text = said(request, key)
        return text.replace("?", "\ud800?") if template(request) == "direct" else text

    _, view = built(path, Builder(broken))
    stages = {one.name: one for one in view.stages}
    assert view.state is State.FINISHED
    assert stages["direct"].left == 0
    assert stages["direct"].done + stages["direct"].dropped + stages["direct"].failed > 0


def test_only_so_far_and_one_stage_alone(path: Path) -> None:
    _, view = built(path, until="entities")
    assert [one.name for one in view.stages] == ["length", "classify", "entities"]
    assert [one.done for one in view.stages] == [COUNT] * 3
    builder = Builder()
    built(path, builder, only="objects")
    assert set(builder.prompts) == {"objects"}
    assert len(builder.seen) == COUNT
    assert facts_of(path) == {}


def test_without_a_model_the_rest_waits(path: Path) -> None:
    builder = Builder()
    result, view = built(path, builder, model=None)
    assert builder.seen == []
    assert view.stages[0].done == COUNT
    assert f"{COUNT} wait for a model" in result.said


def test_first_paragraphs_or_all_and_equal_texts_once(tmp_path: Path) -> None:
    first, second = documents(2)
    twice = first.__class__("again", "Again", first.paragraphs)
    long = first.__class__("long", "Long", (second.paragraphs[0], documents(3)[2].paragraphs[0]))
    path = made(tmp_path / "some.db", [first, twice, long])
    _, view = built(path, until="length", paragraphs="first")
    assert (view.stages[0].done, view.stages[0].dropped) == (2, 1)
    assert view.stages[0].reasons == {"same text as an earlier passage": 1}
    built(path, until="length", paragraphs="all")
    with OpenProject(path) as project:
        assert project.connection.execute("SELECT count(*) FROM step").fetchone() == (4,)


def test_as_many_as_wanted_and_no_more(path: Path, tmp_path: Path) -> None:
    result, view = built(path, target=7, seed=3)
    stages = {one.name: one for one in view.stages}
    assert stages["downsample"].done == 7
    assert stages["downsample"].dropped > 0
    assert len(facts_of(path)) <= 7
    other = made(tmp_path / "other.db", reversed(documents(COUNT)))
    builder = Builder(stop_after=100)
    jobs = start(other, builder, target=7, seed=3)
    assert builder.waits.wait(PATIENCE)
    assert jobs.close(PATIENCE)
    built(other, target=7, seed=3)
    assert facts_of(other) == facts_of(path)
    assert result.failed == 0


def test_a_spec_is_kept_as_it_is() -> None:
    from core.specs.stored_specs import as_json, from_json

    spec = BuildingSpec(MODEL, "gemini:g", "facts", None, 5, 2, "all", "direct", "folder", True)
    assert from_json(as_json(spec)) == spec
    assert asked_models(spec) == (MODEL, "gemini:g")
    assert asked_models(BuildingSpec()) == ()
    assert spec.subject == "smollm2-135m"
    assert json.loads(as_json(spec))["kind"] == "build"
