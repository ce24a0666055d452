"""Answers of status 200 in which the service failed: they are no answers of the model."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from core.providers.base import Request, TransientError
from core.providers.gemini import Gemini
from core.providers.openai_batches import OpenAIBatches
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.core.providers.test_trouble import KEY
from tests.fakes import gemini_server
from tests.fakes.openai_server import FakeOpenAI, serving

CHAT = Request(2, 32, 1.0, 1.0, messages=(Message("user", "Who?"),))
RAW = Request(2, 32, 1.0, 1.0, text="Who? ")
UPSTREAM = {"code": 502, "message": "Upstream provider failed"}
USAGE = {"prompt_tokens": 9, "completion_tokens": 5}


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with serving() as fake:
        yield fake


def choices(request: Request, *said: dict[str, Any]) -> dict[str, Any]:
    """An answer whose choices have these fields beside the text "some text"."""
    text: dict[str, Any] = {"text": "some text"}
    if request.messages is not None:
        text = {"message": {"role": "assistant", "content": "some text"}}
    return {
        "choices": [{"index": at, **text, **one} for at, one in enumerate(said)],
        "usage": USAGE,
    }


@pytest.mark.parametrize("request_", [CHAT, RAW], ids=["chat", "raw"])
@pytest.mark.parametrize(
    ("choice", "said", "status"),
    [
        ({"finish_reason": "error", "error": UPSTREAM}, "Upstream provider failed", 502),
        ({"finish_reason": "stop", "error": UPSTREAM}, "Upstream provider failed", 502),
        ({"finish_reason": "stop", "error": "gone"}, "gone", None),
        ({"finish_reason": "error"}, "the answer ended with error", None),
        ({"finish_reason": "ERROR", "error": {"message": None}}, "ended with ERROR", None),
        ({"finish_reason": "network_error"}, "ended with network_error", None),
        ({"finish_reason": "insufficient_system_resource"}, "insufficient_system", None),
        (
            {"finish_reason": "abort", "text": "", "message": {"content": None}},
            "the answer ended with abort",
            None,
        ),
    ],
)
async def test_a_choice_in_which_the_service_failed_is_none(
    server: FakeOpenAI, request_: Request, choice: dict[str, Any], said: str, status: int | None
) -> None:
    provider = OpenAICompatible("m", server.base_url)
    server.then(200, choices(request_, choice, choice))
    with pytest.raises(TransientError, match=said) as caught:
        await provider.draw(request_)
    assert caught.value.status == status
    assert caught.value.reply is not None
    assert (caught.value.reply.input_tokens, caught.value.reply.output_tokens) == (9, 5)
    server.then(200, choices(request_, choice, {"finish_reason": "stop"}))
    reply = await provider.draw(request_)
    assert [one.text for one in reply.draws] == ["some text"]
    await provider.close()


@pytest.mark.parametrize(
    "choice",
    [
        {"finish_reason": "abort"},
        {"finish_reason": "content_filter"},
        {"finish_reason": "stop", "error": None},
        {"finish_reason": "stop", "error": {"code": None, "message": None}},
        {"finish_reason": None},
        {"finish_reason": "eos_token"},
    ],
)
async def test_other_ends_are_answers(server: FakeOpenAI, choice: dict[str, Any]) -> None:
    provider = OpenAICompatible("m", server.base_url)
    server.then(200, choices(CHAT, choice))
    assert [one.text for one in (await provider.draw(CHAT)).draws] == ["some text"]
    await provider.close()


async def test_a_line_of_a_batch_is_read_alike(server: FakeOpenAI) -> None:
    service = OpenAIBatches("m", server.base_url)
    body = choices(CHAT, {"finish_reason": "error", "error": UPSTREAM})
    line = {"custom_id": "0", "response": {"status_code": 200, "body": body}, "error": None}
    with pytest.raises(TransientError, match="Upstream provider failed") as caught:
        service.read_reply(CHAT, [json.dumps(line).encode()])
    assert caught.value.reply is not None
    assert caught.value.reply.output_tokens == 5
    await service.close()


async def test_what_gemini_broke_off_costs_what_it_counted() -> None:
    async with gemini_server.serving() as fake:
        provider = Gemini("gemini-2.5-flash", KEY, base_url=fake.address)
        broken = {"finishReason": "MALFORMED_RESPONSE"}
        usage = {"promptTokenCount": 7, "candidatesTokenCount": 3}
        fake.then(200, {"candidates": [broken], "usageMetadata": usage})
        with pytest.raises(TransientError, match="ended with MALFORMED_RESPONSE") as caught:
            await provider.draw(CHAT)
        assert caught.value.reply is not None
        assert (caught.value.reply.input_tokens, caught.value.reply.output_tokens) == (7, 3)
        await provider.close()


@pytest.mark.parametrize("key", ["abc123", "lm-studio", "fifteen-letters"])
async def test_a_key_that_a_server_echoes_is_censored_as_a_word(
    server: FakeOpenAI, key: str
) -> None:
    provider = OpenAICompatible("m", server.base_url, key)
    text = f"\n{key} is x{key}x: \u00e9 {key}!"
    server.then(200, choices(CHAT, {"message": {"content": text, "reasoning": key}}))
    (draw,) = (await provider.draw(CHAT)).draws
    assert draw.text == f"\n*** is x{key}x: \u00e9 ***!"
    assert draw.reasoning == "***"
    server.then(200, {"said": [key, {key: key}]})
    assert await provider.exchange("completions", {}) == {"said": ["***", {key: "***"}]}
    await provider.close()
