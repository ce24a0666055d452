"""A plan filled by batches, by real services' SDKs, through death at every step."""

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import core.engine.batch_collector
import db.job_rows
from core.engine.batch_engine import BatchEngine
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.errors import UsageError
from core.pricing import Budget, OverBudgetError
from core.project import OpenProject
from core.providers.base import Reply, Request
from core.providers.batch_service import BatchService
from core.providers.gemini_batches import GeminiBatches
from core.providers.openai_batches import OpenAIBatches
from core.sampling.curtailed_work import CurtailedWork
from core.sampling.sample_plan import Plan
from core.scoring.policy import Policy
from db.connection import write_transaction
from tests.core.engine import batching
from tests.core.engine.batching import (
    PRICE,
    REQUESTS,
    SAMPLES,
    SLOTS,
    WHILE_OUT,
    Killed,
    Place,
    Steps,
    made_at,
    of,
    run,
    said,
)
from tests.core.sampling.scripted import Scripted
from tests.fakes.fate import Fate
from tests.fakes.gemini_server import FakeGemini
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import listening
from tests.patience import PATIENCE


async def test_one_batch_fills_a_plan_for_half_the_price(place: Place, fake: FakeOpenAI) -> None:
    counters = await run(place, of(fake))
    place.check_filled(fake)
    assert len(fake.batches.made) == 1
    assert len(fake.batches.requests(fake.batches.made["batch_0"])) == REQUESTS
    assert sum(stage.done for stage in counters.stages.values()) == SLOTS
    assert all(stage.waiting == stage.running == 0 for stage in counters.stages.values())
    spends = counters.spends.values()
    assert sum(spend.requests for spend in spends) == REQUESTS
    assert sum(spend.answers for spend in spends) == SLOTS
    assert sum(spend.cost or 0 for spend in spends) == pytest.approx(
        REQUESTS * PRICE.cost(7, 12) / 2
    )
    assert "handed in, 84 requests" in said(counters)
    choice = "SELECT count(*) FROM grade JOIN grader ON grader.id = grader WHERE name = 'choice'"
    assert place.rows(choice) == [(2 * 8 * SAMPLES,)]


@pytest.mark.slow
async def test_gemini_fills_a_plan(place: Place) -> None:
    fake = FakeGemini(unique=True)
    async with listening(fake):
        service = GeminiBatches("gemini-2.0-flash", "key", base_url=fake.address, timeout=PATIENCE)
        await run(place, service)
    place.check_filled(fake)
    assert len(fake.batches.made) == 1


@pytest.mark.slow
async def test_many_small_batches_are_out_at_once(place: Place, fake: FakeOpenAI) -> None:
    fake.batches.fate.steps = 5
    await run(place, of(fake), most_lines=1)
    place.check_filled(fake)
    calls = [call for call in fake.calls if "/v1/batches" in call]
    made = len(fake.batches.made)
    assert made > 1
    assert calls[:made] == ["POST /v1/batches"] * made


@pytest.mark.slow
async def test_death_at_every_step_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core.engine.batch_collector, "PART", 16)
    deadly = done = 0
    while not done:
        deadly += 1
        here = made_at(tmp_path / f"{deadly}.db", 1)
        fake = FakeOpenAI(unique=True)
        fake.batches.fates = [Fate("expired", done=0.6)]
        async with listening(fake):
            steps = Steps(deadly)
            try:
                await run(here, of(fake, steps), steps)
                done = deadly
            except Killed:
                kept = set(here.rows("SELECT id, text FROM response"))
                await run(here, of(fake))
                assert kept <= set(here.rows("SELECT id, text FROM response"))
        here.check_filled(fake)
        # What was sent was asked for once: nothing was handed in twice, nothing taken in twice.
        assert sum(fake.sent.values()) == here.slots
        assert 2 <= len(fake.batches.made) <= 3
    assert done > 30


async def test_while_a_batch_is_out_nobody_else_asks(place: Place, fake: FakeOpenAI) -> None:
    with pytest.raises(Killed):
        await run(place, of(fake), Steps(WHILE_OUT))
    other = Place(place.path, place.job)
    with OpenProject(place.path, "write") as project, write_transaction(project.connection):
        other.job = db.job_rows.create(project.connection, "sample", "m", "{2}")
    counters = await run(other, of(fake))
    assert len(fake.batches.made) == 1
    assert sum(stage.dropped for stage in counters.stages.values()) == SLOTS
    await run(place, of(fake))
    place.check_filled(fake)


async def test_a_budget_is_kept(place: Place, fake: FakeOpenAI) -> None:
    fake.batches.fate.steps = 1
    each = PRICE.most(Request(1, 8, 1.0, 1.0, text="x" * 500), batch=True)
    budget = Budget(each * 20)
    counters = RunCounters()
    with pytest.raises(OverBudgetError, match="a larger --max-cost goes on"):
        await run(place, of(fake), counters=counters, budget=budget)
    drawn = len(place.texts())
    assert 0 < drawn < SLOTS
    cost = sum(spend.cost or 0 for spend in counters.spends.values())
    assert budget.spent == pytest.approx(cost)
    assert cost <= each * 20
    assert budget.reserved == 0
    await run(place, of(fake))
    place.check_filled(fake)


async def test_a_budget_needs_a_price(place: Place, fake: FakeOpenAI) -> None:
    with pytest.raises(UsageError, match="nobody knows what"):
        await run(place, of(fake), budget=Budget(1.0), price=None)
    assert fake.calls == []


async def test_a_model_without_batches_is_refused(place: Place) -> None:
    with pytest.raises(UsageError, match="takes no batches"):
        await run(place, Scripted(lambda request: Reply(())))


async def test_cancelling_takes_in_what_is_done_and_frees_the_rest(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.batches.fate = Fate("completed", steps=99, done=0.5)
    counters = RunCounters()

    async def run_and_cancel(engine: BatchEngine[Any]) -> None:
        task = asyncio.create_task(engine.run())
        while not fake.batches.made or not place.rows("SELECT 1 FROM batch WHERE name > ''"):
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await engine.cancel()

    await run(place, of(fake), counters=counters, do=run_and_cancel)
    assert sum(fake.sent.values()) == len(place.texts()) < SLOTS
    assert place.texts() != []
    assert place.rows("SELECT state FROM batch") == [("cancelled",)]
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]
    stages = counters.stages.values()
    assert sum(stage.done for stage in stages) == len(place.texts())
    assert sum(stage.waiting for stage in stages) == SLOTS - len(place.texts())
    assert sum(stage.running for stage in stages) == 0


async def test_a_job_of_a_program_that_is_gone_can_be_cancelled(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.batches.fate = Fate("completed", steps=99)
    with pytest.raises(Killed):
        await run(place, of(fake), Steps(WHILE_OUT))
    assert place.rows("SELECT count(*) > 0 FROM claim") == [(1,)]
    await run(place, of(fake), do=lambda engine: engine.cancel())
    assert place.rows("SELECT state FROM batch") == [("cancelled",)]
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]


async def test_a_pause_hands_in_nothing_new(place: Place, fake: FakeOpenAI) -> None:
    fake.batches.fates = [Fate("expired", steps=3, done=0.5)]
    counters = RunCounters()

    async def pause(engine: BatchEngine[Any]) -> None:
        task = asyncio.create_task(engine.run())
        while not fake.batches.made:
            await asyncio.sleep(0.01)
        engine.pause()
        while place.rows("SELECT 1 FROM batch WHERE state <> 'collected'"):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert len(fake.batches.made) == 1
        engine.resume()
        await task

    await run(place, of(fake), counters=counters, do=pause)
    place.check_filled(fake)
    assert len(fake.batches.made) == 2


@pytest.mark.slow
async def test_questions_that_changed_meanwhile_are_left_out(
    place: Place, fake: FakeOpenAI
) -> None:
    with pytest.raises(Killed):
        await run(place, of(fake), Steps(WHILE_OUT))
    connection = sqlite3.connect(place.path)
    connection.execute("UPDATE question SET current = 0 WHERE task = 'direct'")
    changed = connection.total_changes
    connection.commit()
    connection.close()
    assert changed == 2
    counters = await run(place, of(fake))
    assert len(place.texts()) == SLOTS - 2 * 2 * SAMPLES
    assert all(stage.running == 0 for stage in counters.stages.values())
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]


def test_services_are_providers_too() -> None:
    assert issubclass(OpenAIBatches, BatchService)
    assert issubclass(GeminiBatches, BatchService)


@pytest.mark.slow
@pytest.mark.parametrize("deadly", [-1, WHILE_OUT, 20])
async def test_a_curtailed_run_goes_in_rounds_and_asks_for_less(
    place: Place, fake: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, deadly: int
) -> None:
    def curtailing(
        project: OpenProject, plan: Plan, lease_holder: LeaseHolder, counters: RunCounters, job: int
    ) -> CurtailedWork:
        policy = Policy(graders=("lexical", "choice"))
        return CurtailedWork(project, plan, lease_holder, counters, ("lexical",), policy, job=job)

    monkeypatch.setattr(batching, "SampleWork", curtailing)
    fake.says = lambda prompt, number: f"Paris {number}"
    steps = Steps(deadly)
    with contextlib.suppress(Killed):
        await run(place, of(fake, steps), steps)
    await run(place, of(fake))
    assert 0 < len(place.texts()) == sum(fake.sent.values()) < SLOTS
    made = len(fake.batches.made)
    assert made > 1
    await run(place, of(fake))
    assert len(fake.batches.made) == made
    assert place.rows("SELECT * FROM claim") == []
