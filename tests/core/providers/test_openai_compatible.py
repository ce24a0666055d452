"""The real SDK against a server on loopback: what is sent, what is read, what goes wrong."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from core.providers import openai_format
from core.providers.base import FatalError, Request
from core.providers.openai_compatible import OpenAICompatible
from core.providers.provider_errors import remove_key
from prompts import Message
from tests.patience import PATIENCE

KEY = "sk-very-secret-0123456789"
REFUSED = {"type": "invalid_request_error", "code": "unsupported_parameter"}
THINK = {"thinking_on": {"reasoning_effort": "high"}, "thinking_off": {}, "thinking": True}
CHAT = Request(2, 32, 1.0, 1.0, messages=(Message("system", "Be short."), Message("user", "Who?")))
TEXT = Request(3, 16, 0.5, 0.9, text="The capital of France is ", options={"top_k": -1})


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    """The provider under test, with a key, pointed at the fake server."""
    provider = OpenAICompatible("m", fake.base_url, KEY, timeout=PATIENCE)
    yield provider
    await provider.close()


async def test_chat_is_sent_and_read(fake: Any, provider: OpenAICompatible) -> None:
    reply = await provider.draw(CHAT)
    assert fake.paths == ["/v1/chat/completions"]
    assert fake.bodies == [
        {
            "model": "m",
            "n": 2,
            "temperature": 1.0,
            "top_p": 1.0,
            "max_tokens": 32,
            "messages": [
                {"role": "system", "content": "Be short."},
                {"role": "user", "content": "Who?"},
            ],
        }
    ]
    assert [draw.text for draw in reply.draws] == [" answer 0\n", " answer 1\n"]
    assert [draw.finish for draw in reply.draws] == ["stop", "stop"]
    assert (reply.input_tokens, reply.output_tokens) == (7, 12)


async def test_text_is_sent_to_the_letter_with_its_options(
    fake: Any, provider: OpenAICompatible
) -> None:
    reply = await provider.draw(TEXT)
    assert fake.paths == ["/v1/completions"]
    assert fake.bodies == [
        {
            "model": "m",
            "n": 3,
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 16,
            "prompt": "The capital of France is ",
            "top_k": -1,
        }
    ]
    assert len(reply.draws) == 3


async def test_openai_itself_gets_its_name_for_the_limit(fake: Any) -> None:
    provider = OpenAICompatible("m", fake.base_url, KEY, own_host=True)
    await provider.draw(CHAT)
    await provider.close()
    assert fake.bodies[0]["max_completion_tokens"] == 32
    assert "max_tokens" not in fake.bodies[0]


async def test_another_host_sees_nothing_meant_for_openai(
    fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", f"meant-for-openai-{name}")
    custom = "Authorization: Bearer meant-for-openai\nX-Custom: meant-for-openai"
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", custom)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    provider = OpenAICompatible("m", fake.base_url)
    await provider.draw(CHAT)
    await provider.close()
    assert fake.headers[0]["authorization"] == "Bearer none"
    assert "meant-for-openai" not in str(fake.headers)


async def test_its_own_key_reaches_a_host(fake: Any, provider: OpenAICompatible) -> None:
    await provider.draw(CHAT)
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_the_exchange_is_what_went_over_the_wire(
    fake: Any, provider: OpenAICompatible
) -> None:
    body = f'{{"choices": [ ], "seen": "Bearer {KEY}"}}'
    fake.then(200, body)
    (exchange,) = (await provider.draw(CHAT)).exchanges
    assert json.loads(exchange.sent) == fake.bodies[0]
    assert exchange.received.decode() == body.replace(KEY, "***")


@pytest.mark.parametrize(
    ("key", "kept"), [(KEY, "*** is the key"), ("EMPTY", "EMPTY is the key"), (None, "the key")]
)
async def test_no_key_in_an_answer(fake: Any, key: str | None, kept: str) -> None:
    provider = OpenAICompatible("m", fake.base_url, key)
    said = f"{key} is the key" if key else "the key"
    fake.then(200, {"choices": [{"message": {"content": said}}]})
    reply = await provider.draw(CHAT)
    await provider.close()
    assert reply.draws[0].text == kept
    assert key is None or key.encode() not in reply.exchanges[0].received


async def test_a_key_is_found_however_json_writes_it() -> None:
    key = 'sk-"/\\-0123456789'
    body = json.dumps([key]) + json.dumps([key]).replace("/", "\\/") + key
    assert b"0123456789" not in remove_key(body.encode(), key)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "  Ünïcødé\t\r\n\u2028 \U0001f600 "}, "  Ünïcødé\t\r\n\u2028 \U0001f600 "),
        ({"content": "[bold]\x1b[31m\x00"}, "[bold]\x1b[31m\x00"),
        ({"content": None}, ""),
        ({"content": None, "refusal": "I cannot."}, "I cannot."),
        ({}, ""),
        ({"content": "half \ud83d"}, "half \ufffd"),
    ],
)
async def test_texts_come_out_to_the_letter(
    fake: Any, provider: OpenAICompatible, message: dict[str, Any], text: str
) -> None:
    fake.then(200, {"choices": [{"message": message, "finish_reason": None}]})
    (draw,) = (await provider.draw(CHAT)).draws
    assert draw.text == text
    assert draw.finish is None


@pytest.mark.parametrize("body", [{}, {"choices": None}, {"choices": []}])
async def test_missing_choices_are_no_draws(
    fake: Any, provider: OpenAICompatible, body: dict[str, Any]
) -> None:
    fake.then(200, body)
    assert (await provider.draw(CHAT)).draws == ()


async def test_fewer_choices_come_back_as_they_are(fake: Any, provider: OpenAICompatible) -> None:
    fake.then(200, {"choices": [{"text": " Paris"}]})
    assert [draw.text for draw in (await provider.draw(TEXT)).draws] == [" Paris"]


async def test_a_used_up_account_is_not_waited_for(fake: Any, provider: OpenAICompatible) -> None:
    fake.then(429, {"error": {"message": "pay first", "code": "insufficient_quota"}})
    with pytest.raises(FatalError, match="pay first"):
        await provider.draw(CHAT)


async def test_text_that_is_not_unicode_is_refused(fake: Any, provider: OpenAICompatible) -> None:
    with pytest.raises(FatalError) as caught:
        await provider.draw(Request(1, 8, 1.0, 1.0, text="half \ud83d"))
    assert_one_line(caught.value)


async def test_many_at_once_each_get_their_own(fake: Any, provider: OpenAICompatible) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        prompt = (await request.json())["prompt"]
        await asyncio.sleep(0.01 * (len(prompt) % 3))
        return web.json_response({"choices": [{"text": prompt[::-1]}]})

    prompts = [f"prompt number {number}" for number in range(40)]
    fake.answers += [echo] * len(prompts)
    replies = await asyncio.gather(
        *(provider.draw(Request(1, 8, 1.0, 1.0, text=prompt)) for prompt in prompts)
    )
    assert [reply.draws[0].text[::-1] for reply in replies] == prompts


def assert_one_line(error: Exception) -> None:
    """What a person sees: one printable line that names model and address, but not the key."""
    line = str(error)
    assert line.isprintable()
    assert line.startswith("m at http://127.0.0.1:")
    assert len(line) <= 300
    assert KEY not in line
    assert KEY not in repr(error)


@pytest.mark.parametrize("count", [-1, 1.5, "7", True, None])
def test_what_is_no_count_of_tokens_is_none(count: object) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": count}
    reply = openai_format.reply({"choices": [{"message": {"content": "a"}}], "usage": usage})
    assert (reply.input_tokens, reply.output_tokens) == (7, None)
