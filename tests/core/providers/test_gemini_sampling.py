"""Gemini under the engine: a run against a service that keeps failing loses and doubles nothing."""

import random
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from aiohttp import web

import db.facts
from core.names import Task
from core.preflight import Result, preflight
from core.project import Project
from core.providers.gemini import Gemini
from core.sampling import engine
from core.sampling.engine import Outcomes, Plan, Sampling
from db.connection import writing
from tests.core.providers.fake_gemini import FakeGemini, answer, failure, serving
from tests.core.sampling.scripted import capital

KEY = "AIza-very-secret-0123456789"
MODEL = "gemini-2.5-flash"
RUNS = 4
"""Slots that used up their tries are left to the next run; this many always do."""


class Unreliable(FakeGemini):
    """Fails three requests in ten, in every way by turns."""

    def __init__(self) -> None:
        super().__init__()
        self.random = random.Random(4)
        self.faults = [self.reset, self.break_off, self.cut, self.limit, self.crash, self.fewer]
        self.seen: Counter[str] = Counter()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if self.random.random() < 0.3:
            fault = self.faults[sum(self.seen.values()) % len(self.faults)]
            self.seen[fault.__name__] += 1
            self.answers.append(fault)
        return await super().handle(request)

    async def reset(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def break_off(self, request: web.Request) -> web.StreamResponse:
        reply = web.StreamResponse(headers={"Content-Length": "1000"})
        await reply.prepare(request)
        await reply.write(b'{"candidates": [')
        assert request.transport is not None
        request.transport.close()
        return reply

    async def cut(self, request: web.Request) -> web.StreamResponse:
        return web.Response(
            text='{"candidates": [{"content": {"pa', content_type="application/json"
        )

    async def limit(self, request: web.Request) -> web.StreamResponse:
        return failure(429, "slowly", {"kind": "RetryInfo", "retryDelay": "0.01s"})

    async def crash(self, request: web.Request) -> web.StreamResponse:
        return failure(503, "The model is overloaded.")

    async def fewer(self, request: web.Request) -> web.StreamResponse:
        normal: dict[str, Any] = self.normal(self.bodies[-1])
        return web.json_response(answer(*normal["candidates"][: -len(normal["candidates"]) // 2]))


class Talkative(FakeGemini):
    """Fails every request, and repeats the key."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        return failure(500, f"Consumer 'api_key:{KEY}' has been suspended.")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FIRST_WAIT", 0.0)


@pytest.fixture
async def fake(request: pytest.FixtureRequest) -> AsyncIterator[FakeGemini]:
    async with serving(getattr(request, "param", FakeGemini)()) as server:
        yield server


@pytest.fixture
async def provider(fake: FakeGemini) -> AsyncIterator[Gemini]:
    provider = Gemini(MODEL, KEY, base_url=fake.address, timeout=5)
    yield provider
    await provider.close()


def plan_for(project: Project, samples: int) -> Plan:
    """Everything about two facts, in both settings."""
    facts = [capital(1, "France", "Paris"), capital(2, "Italy", "Rome")]
    with writing(project.connection):
        db.facts.insert(project.connection, facts)
    project.refresh()
    return Plan(f"gemini:{MODEL}", "gemini", samples, np.ones(len(project.index), np.bool_))


async def run(project: Project, provider: Gemini, plan: Plan) -> Outcomes:
    outcomes = await Sampling(project, provider, plan).run()
    project.refresh()
    return outcomes


def thinks(body: dict[str, Any]) -> bool:
    """Whether a request asks for thinking."""
    budget = body["generationConfig"]["thinkingConfig"]["thinkingBudget"]
    return bool(budget)


def texts(project: Project) -> list[str]:
    return [text for (text,) in project.connection.execute("SELECT text FROM response")]


async def test_a_run_fills_every_slot(project: Project, fake: FakeGemini, provider: Gemini) -> None:
    plan = plan_for(project, 8)
    outcomes = await run(project, provider, plan)
    # Ten tasks off, and on all but the two that measure encoding.
    assert outcomes.wanted == outcomes.drawn == 2 * (10 + 8) * 8
    assert (outcomes.failed, outcomes.reasoned) == (0, 0)
    assert len(set(texts(project))) == outcomes.wanted
    # One request for eight answers; multiple choice shows four orders, two answers each.
    assert len(fake.bodies) == 2 * ((6 + 4) + 4 * (4 + 4))
    on = [body for body in fake.bodies if thinks(body)]
    assert len(on) == 2 * (4 + 4 * 4)
    assert not any("step by step" in str(body["systemInstruction"]) for body in fake.bodies)
    reasoning = project.connection.execute("SELECT count(*) FROM draw WHERE reasoning > ''")
    assert reasoning.fetchone() == (2 * 8 * 8,)


@pytest.mark.parametrize("fake", [Unreliable], indirect=True)
async def test_three_faults_in_ten_lose_and_double_nothing(
    project: Project, fake: Unreliable, provider: Gemini
) -> None:
    plan = plan_for(project, 24)
    wanted = 2 * (10 + 8) * 24
    for _ in range(RUNS):
        outcomes = await run(project, provider, plan)
        if not outcomes.failed:
            break
    assert outcomes.failed == 0
    assert set(fake.seen) == {fault.__name__ for fault in fake.faults}
    assert min(fake.seen.values()) > 5
    kept = texts(project)
    assert len(kept) == len(set(kept)) == wanted


@pytest.mark.parametrize("fake", [Talkative], indirect=True)
async def test_no_key_in_the_database(project: Project, fake: Talkative, provider: Gemini) -> None:
    outcomes = await run(project, provider, replace(plan_for(project, 1), tasks=(Task.DIRECT,)))
    assert outcomes.failed == outcomes.wanted == 4
    dump = list(project.connection.iterdump())
    assert any("has been suspended" in line for line in dump)
    assert not any(KEY in line for line in dump)


async def test_the_preflight_passes(fake: FakeGemini, provider: Gemini) -> None:
    found = await preflight(provider, f"gemini:{MODEL}")
    assert [check.result for check in found.checks] == [Result.PASSED] * 5


async def test_the_preflight_tells_of_a_model_that_always_thinks(fake: FakeGemini) -> None:
    provider = Gemini("gemini-2.5-pro", KEY, base_url=fake.address)
    found = await preflight(provider, "gemini:gemini-2.5-pro")
    await provider.close()
    (failed,) = found.failed
    assert failed.name == "thinking off"
    assert "cannot be kept from it" in failed.detail
