"""How a model is made to think is found out from what the server does, and obeyed from then on."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from aiohttp import web

from core.providers.base import FatalError, Request, TransientError
from core.providers.capabilities import Capabilities, most_tokens
from core.providers.model_names import parse
from core.providers.model_traits import LOW_THINKING_ROOM, THINKING_ROOM, ModelTraits, in_words
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import describe
from core.providers.thinking_switch import discover
from prompts import Message
from tests.core.providers import servers
from tests.fakes import faults
from tests.fakes.openai_server import FakeOpenAI, serving
from tests.fakes.service import Call
from tests.patience import PATIENCE

OWN = "openai:gpt"
ASK = (Message("user", "Who?"),)


def template(on: bool) -> dict[str, object]:
    return {"chat_template_kwargs": {"enable_thinking": on, "thinking": on}}


def effort(value: str) -> dict[str, object]:
    return {"reasoning_effort": value}


@asynccontextmanager
async def asked(server: FakeOpenAI, own: bool = False) -> AsyncIterator[OpenAICompatible]:
    async with serving(server) as fake:
        provider = OpenAICompatible("m", fake.base_url, own_host=own, timeout=PATIENCE)
        yield provider
        await provider.close()


async def discovered(server: FakeOpenAI, own: bool = False) -> ModelTraits:
    async with asked(server, own) as provider:
        name = OWN if own else f"openai:m@{server.base_url}"
        return await discover(provider.draw, parse(name))


@pytest.mark.parametrize(
    ("server", "own", "found", "requests"),
    [
        (servers.ollama, False, ModelTraits("native", off=effort("none")), 2),
        (servers.vllm, False, ModelTraits("native", off=template(False)), 3),
        (servers.llama_cpp, False, ModelTraits("native", off=template(False)), 3),
        (servers.sglang, False, ModelTraits("native", template(False), template(True)), 4),
        (servers.hosted, False, ModelTraits("native", off={"thinking": {"type": "disabled"}}), 4),
        (servers.proxy, False, ModelTraits("native", off={"think": False}), 5),
        (servers.r1, False, ModelTraits("native", off=effort("minimal"), always_thinks=True), 8),
        (servers.gpt_oss, False, ModelTraits("native", off=effort("low"), always_thinks=True), 7),
        (servers.gpt_4, True, ModelTraits("step_by_step"), 2),
        (servers.gpt_5, True, ModelTraits("native", off=effort("minimal")), 3),
        (servers.gpt_5_1, True, ModelTraits("native", effort("none"), effort("medium")), 3),
        (servers.plain, False, ModelTraits("step_by_step"), 5),
        (servers.strict, False, ModelTraits("step_by_step"), 5),
    ],
)
async def test_servers_of_the_world(
    server: Callable[[], FakeOpenAI], own: bool, found: ModelTraits, requests: int
) -> None:
    fake = server()
    assert await discovered(fake, own) == found
    assert len(fake.bodies) == requests


@pytest.mark.parametrize(
    "server", [servers.ollama, servers.vllm, servers.sglang, servers.hosted, servers.proxy]
)
async def test_what_was_found_switches_thinking(server: Callable[[], servers.Thinker]) -> None:
    found = await discovered(server())
    known = found.apply_to(describe("openai:m@http://127.0.0.1:9/v1"))
    assert (known.thinking, known.options["top_k"]) == ("native", -1)
    fake = server()
    async with asked(fake) as provider:
        for on in (False, True):
            options = {**known.options, "thinking": on}
            reply = await provider.draw(Request(1, 32, 1.0, 1.0, ASK, options=options))
            (draw,) = reply.draws
            assert bool(draw.reasoning) == fake.thinks(fake.bodies[-1]) == on
            assert draw.text.strip() == next(reversed(fake.sent)).split("</think>")[-1].strip()
            assert "think>" not in draw.text
            assert fake.bodies[-1]["max_tokens"] == 32 + on * THINKING_ROOM
            assert not {"thinking_on", "thinking_off", "thinking_room"} & set(fake.bodies[-1])


async def test_off_is_what_is_not_said(fake: Any) -> None:
    known = ModelTraits("native", effort("none"), effort("medium")).apply_to(Capabilities())
    provider = OpenAICompatible("m", fake.base_url)
    await provider.draw(Request(1, 32, 1.0, 1.0, ASK, options=known.options))
    await provider.close()
    assert fake.bodies[0]["reasoning_effort"] == "none"


async def test_a_field_that_crashes_the_server_is_no_way(fake: Any) -> None:
    async def crash_if_switched(call: Call) -> web.StreamResponse:
        return await faults.crash(call)

    fake.when(lambda call: "chat_template_kwargs" in call.body, crash_if_switched)
    assert await discovered_at(fake) == ModelTraits("step_by_step")
    assert len(fake.bodies) == 6, "the plain request once more, after the crash"


async def test_a_server_that_goes_away_shows_nothing(fake: Any) -> None:
    fake.when(lambda call: len(fake.bodies) > 2, faults.crash)
    with pytest.raises(TransientError):
        await discovered_at(fake)


async def test_a_wrong_key_shows_nothing(fake: Any) -> None:
    fake.key = "another"
    with pytest.raises(FatalError, match="key"):
        await discovered_at(fake)
    assert len(fake.bodies) <= 1


async def discovered_at(fake: Any) -> ModelTraits:
    provider = OpenAICompatible("m", fake.base_url, timeout=PATIENCE)
    name = f"openai:m@{fake.base_url}"
    try:
        return await discover(partial(provider.draw), parse(name))
    finally:
        await provider.close()


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ModelTraits("step_by_step"), "step by step: the model has no reasoning mode of its own"),
        (ModelTraits("native", effort("none"), effort("medium")), "reasoning_effort none / medium"),
        (ModelTraits("native", off=effort("none")), "reasoning_effort none / plain"),
        (
            ModelTraits("native", template(False), template(True)),
            "chat_template_kwargs enable_thinking false / enable_thinking true",
        ),
        (
            ModelTraits("native", off=effort("low"), always_thinks=True),
            "reasoning_effort low / plain (never quite off)",
        ),
    ],
)
def test_what_was_found_in_words(found: ModelTraits, words: str) -> None:
    assert in_words(found.apply_to(Capabilities())) == words


def test_gemini_in_words() -> None:
    assert in_words(describe("gemini:gemini-2.5-flash")) == "thinking_budget 0 / -1"
    assert in_words(describe("gemini:gemini-3.7-flash")).startswith("thinking_level MINIMAL / ")


def test_one_answer_a_request_is_asked_for_singly() -> None:
    assert ModelTraits(most_answers=1).apply_to(Capabilities()).draws == 1


@pytest.mark.parametrize(
    ("name", "options", "tokens"),
    [
        ("openai:gpt", {}, 2 * 32),
        ("openai:gpt", {"thinking": True, "thinking_room": [0, 500]}, 2 * 532),
        ("openai:gpt", {"thinking": False, "thinking_room": [7, 500]}, 2 * 39),
        ("gemini:gemini-2.5-flash", {}, 2 * 32),
        ("gemini:gemini-2.5-flash", {"thinking": True}, 2 * (32 + 32_768)),
        ("gemini:gemini-2.5-pro", {}, 2 * (32 + LOW_THINKING_ROOM)),
    ],
)
def test_the_most_tokens_of_an_answer(name: str, options: dict[str, object], tokens: int) -> None:
    assert most_tokens(name, Request(2, 32, 1.0, 1.0, ASK, options=options)) == tokens
