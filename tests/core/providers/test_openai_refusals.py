"""What a server refuses and need not be told is left out, and what it cannot do is said."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from core.providers.base import FatalError, Request, UnanswerableError
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.fakes.service import Call
from tests.patience import PATIENCE

REFUSED = {"type": "invalid_request_error", "code": "unsupported_parameter"}
THINK = {"thinking_on": {"reasoning_effort": "high"}, "thinking_off": {}, "thinking": True}
CHAT = Request(2, 32, 1.0, 1.0, messages=(Message("user", "Who?"),))


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    provider = OpenAICompatible("m", fake.base_url, timeout=PATIENCE)
    yield provider
    await provider.close()


def refuse(name: str, said: str = "is not supported with this model.") -> dict[str, Any]:
    return {
        "error": REFUSED | {"message": f"Unsupported parameter: '{name}' {said}", "param": name}
    }


@pytest.mark.parametrize("name", ["top_p", "temperature"])
async def test_what_a_model_does_by_itself_it_is_not_told_twice(
    fake: Any, provider: OpenAICompatible, name: str
) -> None:
    fake.then(400, refuse(name))
    assert len((await provider.draw(CHAT)).draws) == 2
    await provider.draw(CHAT)
    assert [name in body for body in fake.bodies] == [True, False, False]
    assert provider.remarks == (f"{name} is refused and left out: 1 is what it does",)


async def test_a_temperature_that_counts_is_not_left_out(
    fake: Any, provider: OpenAICompatible
) -> None:
    fake.then(400, refuse("temperature", "does not support 0.5 with this model."))
    with pytest.raises(FatalError, match=r"'temperature' does not support 0\.5") as caught:
        await provider.draw(replace(CHAT, temperature=0.5))
    assert str(caught.value).isprintable()
    assert provider.remarks == ()


async def test_the_limit_gets_its_newer_name(fake: Any, provider: OpenAICompatible) -> None:
    fake.then(400, refuse("max_tokens", "Use 'max_completion_tokens' instead."))
    await provider.draw(CHAT)
    assert fake.bodies[1]["max_completion_tokens"] == 32
    assert "max_tokens" not in fake.bodies[1]


async def test_several_requests_find_out_the_same(fake: Any, provider: OpenAICompatible) -> None:
    fake.when(lambda call: "top_p" in call.body, refuse_top_p)
    fake.when(lambda call: "max_tokens" in call.body, refuse_limit)
    replies = await asyncio.gather(*(provider.draw(CHAT) for _ in range(8)))
    assert [len(reply.draws) for reply in replies] == [2] * 8


async def refuse_top_p(call: Call) -> web.StreamResponse:
    return web.json_response(refuse("top_p"), status=400)


async def refuse_limit(call: Call) -> web.StreamResponse:
    return web.json_response(refuse("max_tokens"), status=400)


async def test_thoughts_get_what_the_context_has(fake: Any, provider: OpenAICompatible) -> None:
    said = "'max_tokens' is too large: 16416. This model's maximum context length is 8192 tokens."

    async def too_much(call: Call) -> web.StreamResponse:
        return web.json_response({"error": {"message": said, "code": 400}}, status=400)

    fake.when(lambda call: call.body["max_tokens"] > 8000, too_much)
    request = replace(CHAT, options={**THINK, "thinking_room": [0, 16_384]})
    await asyncio.gather(*(provider.draw(request) for _ in range(4)))
    fake.bodies.clear()
    await provider.draw(request)
    assert [body["max_tokens"] for body in fake.bodies] == [32 + 4_096]
    assert provider.remarks == ("thoughts get 4,096 tokens, not more",)
    await provider.draw(replace(request, options={**request.options, "thinking": False}))
    assert fake.bodies[-1]["max_tokens"] == 32


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("context_length_exceeded", "This model's maximum context length is 8192 tokens."),
        ("exceed_context_size_error", "the request exceeds the available context size"),
        (None, "This model's maximum context length is 8192 tokens. However, you requested 9000."),
        (None, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
    ],
)
@pytest.mark.parametrize("options", [{}, {**THINK, "thinking_room": [0, 16_384]}])
async def test_a_prompt_that_is_too_long_is_skipped(
    fake: Any, provider: OpenAICompatible, code: str | None, said: str, options: dict[str, Any]
) -> None:
    async def too_long(call: Call) -> web.StreamResponse:
        return web.json_response({"error": {"message": said, "code": code}}, status=400)

    fake.when(lambda call: True, too_long)
    with pytest.raises(UnanswerableError, match="the prompt is too long") as caught:
        await provider.draw(replace(CHAT, options=options))
    assert str(caught.value).isprintable()
