"""Gemini under the engine: a run against a service that keeps failing loses and doubles nothing."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from aiohttp import web

import db.facts
from core.project import OpenProject
from core.providers.gemini import Gemini
from core.sampling.preflight import NAMES, CheckResult, preflight
from core.sampling.sample_plan import Plan
from core.vocabulary import Task
from db.connection import write_transaction
from tests.core.sampling.filling import Outcome, Running
from tests.core.sampling.scripted import capital
from tests.fakes import faults
from tests.fakes.gemini_server import FakeGemini, failure, sends_fewer, serving
from tests.fakes.service import Call
from tests.patience import PATIENCE

KEY = "AIza-very-secret-0123456789"
MODEL = "gemini-2.5-flash"
RUNS = 4
"""Slots that used up their tries are left to the next run; this many always do."""


FEWER = faults.changed(sends_fewer)


async def slow_down(call: Call) -> web.StreamResponse:
    return failure(429, "slowly", {"kind": "RetryInfo", "retryDelay": "0.01s"})


async def repeat_the_key(call: Call) -> web.StreamResponse:
    return failure(500, f"Consumer 'api_key:{KEY}' has been suspended.")


@pytest.fixture
async def fake() -> AsyncIterator[FakeGemini]:
    async with serving(FakeGemini(seed=4)) as server:
        yield server


@pytest.fixture
async def provider(fake: FakeGemini) -> AsyncIterator[Gemini]:
    provider = Gemini(MODEL, KEY, base_url=fake.address, timeout=PATIENCE)
    yield provider
    await provider.close()


def plan_for(project: OpenProject, samples: int) -> Plan:
    """Everything about two facts, in both settings."""
    facts = [capital(1, "France", "Paris"), capital(2, "Italy", "Rome")]
    with write_transaction(project.connection):
        db.facts.insert(project.connection, facts)
    project.refresh()
    return Plan(f"gemini:{MODEL}", "gemini", samples, np.ones(len(project.index), np.bool_))


async def run(project: OpenProject, provider: Gemini, plan: Plan) -> Outcome:
    outcome = await Running().fill(project, provider, plan)
    project.refresh()
    return outcome


def thinks(body: dict[str, Any]) -> bool:
    """Whether a request asks for thinking."""
    budget = body["generationConfig"]["thinkingConfig"]["thinkingBudget"]
    return bool(budget)


def texts(project: OpenProject) -> list[str]:
    return [text for (text,) in project.connection.execute("SELECT text FROM response")]


async def test_a_run_fills_every_slot(
    project: OpenProject, fake: FakeGemini, provider: Gemini
) -> None:
    plan = plan_for(project, 8)
    outcome = await run(project, provider, plan)
    # Ten tasks off, and on all but the two that measure encoding.
    wanted = 2 * (10 + 8) * 8
    assert (outcome.done, outcome.failed, outcome.answering.reasoned) == (wanted, 0, 0)
    assert len(set(texts(project))) == wanted
    # One request for eight answers; multiple choice shows four orders, two answers each.
    assert len(fake.bodies) == 2 * ((6 + 4) + 4 * (4 + 4))
    on = [body for body in fake.bodies if thinks(body)]
    assert len(on) == 2 * (4 + 4 * 4)
    assert not any("step by step" in str(body["systemInstruction"]) for body in fake.bodies)
    reasoning = project.connection.execute("SELECT count(*) FROM draw WHERE reasoning > ''")
    assert reasoning.fetchone() == (2 * 8 * 8,)


@pytest.mark.slow
async def test_three_faults_in_ten_lose_and_double_nothing(
    project: OpenProject, fake: FakeGemini, provider: Gemini
) -> None:
    kinds = (faults.reset, faults.break_off, faults.truncated, slow_down, faults.overloaded, FEWER)
    fake.at_random(0.3, *kinds)
    plan = plan_for(project, 24)
    wanted = 2 * (10 + 8) * 24
    for _ in range(RUNS):
        outcome = await run(project, provider, plan)
        if not outcome.failed:
            break
    assert outcome.failed == 0
    assert set(fake.faults) == {kind.__name__ for kind in kinds}
    assert min(fake.faults.values()) > 5
    kept = texts(project)
    assert len(kept) == len(set(kept)) == wanted


async def test_no_key_in_the_database(
    project: OpenProject, fake: FakeGemini, provider: Gemini
) -> None:
    fake.at_random(1.0, repeat_the_key)
    outcome = await run(project, provider, replace(plan_for(project, 1), tasks=(Task.DIRECT,)))
    assert (outcome.done, outcome.failed) == (0, 4)
    assert not any(KEY in reason for reason in outcome.reasons)
    dump = list(project.connection.iterdump())
    assert any("has been suspended" in line for line in dump)
    assert not any(KEY in line for line in dump)


async def test_the_preflight_passes(fake: FakeGemini, provider: Gemini) -> None:
    found = await preflight(provider, f"gemini:{MODEL}")
    assert [check.result for check in found.checks] == [CheckResult.PASSED] * len(NAMES)


async def test_the_preflight_tells_of_a_model_that_always_thinks(fake: FakeGemini) -> None:
    provider = Gemini("gemini-2.5-pro", KEY, base_url=fake.address)
    found = await preflight(provider, "gemini:gemini-2.5-pro")
    await provider.close()
    (failed,) = found.failed
    assert failed.name == "thinking off"
    assert "cannot be kept from it" in failed.detail
