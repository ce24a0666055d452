"""Before a run: the model is checked, what was found out of it is remembered and kept to."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from aiohttp import web

import core.providers.base
import db.facts
import db.project_values
from core.curation import response_discards
from core.errors import ProviderError, UsageError
from core.project import OpenProject
from core.providers import model_traits
from core.providers.base import Provider, Reply, Request
from core.providers.model_traits import ModelTraits
from core.providers.openai_compatible import OpenAICompatible
from core.sampling.preflight import preflight, prepare_model
from core.sampling.recipe import known_of, recipe_for
from core.sampling.sample_plan import Plan, check_plan
from core.vocabulary import Task
from db.connection import write_transaction
from tests.core.providers import servers
from tests.core.sampling.filling import Running
from tests.core.sampling.scripted import Scripted, capital, say
from tests.fakes import openai_changes as changes
from tests.fakes.openai_changes import misbehave
from tests.fakes.openai_server import serving
from tests.fakes.service import Call
from tests.patience import PATIENCE

MODEL = "openai:m@http://127.0.0.1:9/v1"
OLLAMA = ModelTraits(
    "native", off={"reasoning_effort": "none"}, completion="chat", questions="chat"
)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    provider = OpenAICompatible("m", fake.base_url, timeout=PATIENCE)
    yield provider
    await provider.close()


@pytest.fixture
async def ollama() -> AsyncIterator[tuple[servers.Thinker, OpenAICompatible]]:
    """A server whose model thinks unless told not to."""
    async with serving(servers.ollama()) as fake:
        assert isinstance(fake, servers.Thinker)
        provider = OpenAICompatible("m", fake.base_url, timeout=PATIENCE)
        yield fake, provider
        await provider.close()


@pytest.fixture
def capitals(project: OpenProject) -> OpenProject:
    with write_transaction(project.connection):
        db.facts.insert(project.connection, [capital(1, "France", "Paris")])
    return project


def plan(
    project: OpenProject, thinking: tuple[bool, ...] = (False,), model: str = MODEL, label: str = ""
) -> Plan:
    everything = np.ones(len(project.index), np.bool_)
    return Plan(model, label or model, 8, everything, thinking)


def known(project: OpenProject) -> ModelTraits:
    return model_traits.read_traits(project.connection, MODEL)


async def start(project: OpenProject, wanted: Plan) -> None:
    """Draw one answer, by which the label stands for its recipe."""
    await Running().fill(project, Scripted(say("Paris")), replace(wanted, tasks=(Task.DIRECT,)))
    project.refresh()


async def test_what_is_found_goes_into_the_recipe(
    ollama: tuple[servers.Thinker, OpenAICompatible], capitals: OpenProject
) -> None:
    fake, provider = ollama
    assert check_plan(capitals, plan(capitals)).thinking == "step_by_step"
    seen = await prepare_model(capitals, provider, plan(capitals))
    assert seen is not None
    assert seen.notes == (
        "thinking: reasoning_effort none / plain",
        "completion chat, questions chat",
    )
    assert known(capitals) == OLLAMA
    recipe = check_plan(capitals, plan(capitals))
    assert recipe.thinking == "native"
    assert recipe.options["thinking_off"] == {"reasoning_effort": "none"}
    assert len(fake.bodies) == 4, "the raw probe, the plain request, the spelling, the checks"
    assert fake.bodies[-1]["reasoning_effort"] == "none"


async def test_a_second_run_finds_out_nothing(
    ollama: tuple[servers.Thinker, OpenAICompatible], capitals: OpenProject
) -> None:
    fake, provider = ollama
    await prepare_model(capitals, provider, plan(capitals))
    fake.bodies.clear()
    await prepare_model(capitals, provider, plan(capitals))
    (body,) = fake.bodies
    assert body["n"] == 8


async def test_a_label_keeps_its_recipe(
    ollama: tuple[servers.Thinker, OpenAICompatible], capitals: OpenProject
) -> None:
    fake, provider = ollama
    old = plan(capitals, label="old")
    await start(capitals, old)
    with pytest.raises(ProviderError, match="reasons though asked not to"):
        await prepare_model(capitals, provider, old)
    assert known(capitals) == replace(OLLAMA, completion=None), "its recipe says where"
    assert "reasoning_effort" not in fake.bodies[-1]
    assert check_plan(capitals, old).thinking == "step_by_step"
    assert check_plan(capitals, plan(capitals, label="new")).thinking == "native"


async def test_another_way_of_thinking_does_not_replace_the_first(capitals: OpenProject) -> None:
    first = plan(capitals)
    with write_transaction(capitals.connection):
        model_traits.remember(capitals.connection, MODEL, OLLAMA)
    await start(capitals, first)
    other = ModelTraits("native", off={"think": False})
    with write_transaction(capitals.connection):
        model_traits.remember(capitals.connection, MODEL, other)
    recipe = check_plan(capitals, first)
    assert recipe.options["thinking_off"] == {"reasoning_effort": "none"}


async def test_a_label_without_answers_is_free_again(capitals: OpenProject) -> None:
    wanted = plan(capitals)
    await start(capitals, wanted)
    with write_transaction(capitals.connection):
        model_traits.remember(capitals.connection, MODEL, OLLAMA)
    assert check_plan(capitals, wanted).thinking == "step_by_step"
    slots = response_discards.slots_of(capitals, MODEL, (False,), (Task.DIRECT,))
    assert len(slots) == 8
    response_discards.discard(capitals, slots, "asked in another way")
    assert check_plan(capitals, wanted).thinking == "native"


async def test_what_was_found_is_for_one_address(capitals: OpenProject) -> None:
    with write_transaction(capitals.connection):
        model_traits.remember(capitals.connection, MODEL, OLLAMA)
    elsewhere = "openai:m@http://127.0.0.1:10/v1"
    assert known_of(capitals.connection, elsewhere, elsewhere).thinking == "step_by_step"


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "[]",
        "3",
        "null",
        '{"thinking": "native", "more": 1}',
        '{"off": 3}',
        '{"completion": ["raw"]}',
        '{"most_answers": 0}',
        '{"most_answers": "4"}',
    ],
)
async def test_what_cannot_be_read_was_not_found(capitals: OpenProject, stored: str) -> None:
    with write_transaction(capitals.connection):
        db.project_values.set_value(capitals.connection, f"found:{MODEL}", stored)
    assert known(capitals) == ModelTraits()


async def test_a_server_that_refuses_n_is_asked_singly(
    fake: Any, provider: Provider, capitals: OpenProject
) -> None:
    misbehave(fake)
    fake.when(lambda call: call.body["n"] > 1, refuse)
    seen = await prepare_model(capitals, provider, plan(capitals))
    assert seen is not None
    assert seen.notes[-1] == "at most 1 answer to a request"
    assert known_of(capitals.connection, MODEL, MODEL).draws == 1
    fake.bodies.clear()
    await prepare_model(capitals, provider, plan(capitals))
    assert [body["n"] for body in fake.bodies] == [1, 1]


async def refuse(call: Call) -> web.StreamResponse:
    return call.fake.failure(400, "'n' must be 1")


async def test_a_failed_check_stops_before_anything_is_drawn(
    fake: Any, provider: Provider, capitals: OpenProject
) -> None:
    misbehave(fake, changes.reasons)
    with pytest.raises(ProviderError, match=r"thinking off: .* --unchecked"):
        await prepare_model(capitals, provider, plan(capitals))
    capitals.refresh()
    assert list(capitals.models()) == []
    assert known(capitals).always_thinks, "no spelling keeps it from reasoning"
    assert await prepare_model(capitals, provider, plan(capitals, (True,))) is not None


async def test_a_silent_server_leaves_nothing_behind(
    fake: Any, provider: Provider, capitals: OpenProject
) -> None:
    fake.key = "another"
    with pytest.raises(ProviderError, match="the key was refused"):
        await prepare_model(capitals, provider, plan(capitals))
    assert known(capitals) == ModelTraits()


async def test_nothing_missing_and_nothing_to_ask(
    fake: Any, provider: Provider, capitals: OpenProject
) -> None:
    nothing = Plan(MODEL, MODEL, 8, np.zeros(len(capitals.index), np.bool_))
    assert await prepare_model(capitals, provider, nothing) is None
    assert fake.bodies == []


async def test_a_plan_that_cannot_be_asks_nothing(
    fake: Any, provider: Provider, capitals: OpenProject
) -> None:
    with pytest.raises(UsageError, match="nobody"):
        await prepare_model(capitals, provider, plan(capitals, model="nobody"))
    assert fake.bodies == []


async def test_models_that_are_known_are_not_asked(capitals: OpenProject, tmp_path: Any) -> None:
    def script(request: Request) -> Reply:
        raise AssertionError("it was asked")

    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"prompt": "Who?", "answers": ["I."]}\n', encoding="utf-8")
    wanted = plan(capitals, model=f"replay:{answers}")
    assert await prepare_model(capitals, Scripted(script), wanted) is None
    checks = (await preflight(Scripted(script), wanted.model)).checks
    assert {check.result for check in checks} == {"passed", "not applicable"}


def test_a_recipe_by_the_name_alone_is_step_by_step() -> None:
    assert recipe_for(MODEL).thinking == "step_by_step"
