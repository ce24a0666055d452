"""The real SDK against a server on loopback: what is sent, what is read, what goes wrong."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from core.providers.base import FatalError, Request, TransientError
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message

KEY = "sk-very-secret-0123456789"
CHAT = Request(2, 32, 1.0, 1.0, messages=(Message("system", "Be short."), Message("user", "Who?")))
TEXT = Request(3, 16, 0.5, 0.9, text="The capital of France is ", options={"top_k": -1})


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    """The provider under test, with a key, pointed at the fake server."""
    provider = OpenAICompatible("m", fake.base_url, KEY, timeout=5)
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


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_read(fake: Any, provider: OpenAICompatible, field: str) -> None:
    fake.then(
        200,
        {
            "choices": [
                {"message": {"content": "Paris", field: "Well…"}, "finish_reason": "length"}
            ],
            "usage": {"completion_tokens_details": {"reasoning_tokens": 5}},
        },
    )
    (draw,) = (await provider.draw(CHAT)).draws
    assert (draw.text, draw.reasoning, draw.reasoning_tokens) == ("Paris", "Well…", 5)
    assert draw.finish == "length"


async def test_a_sum_of_reasoning_tokens_is_no_count_of_one_draw(
    fake: Any, provider: OpenAICompatible
) -> None:
    choice = {"message": {"content": "Paris"}}
    usage = {"completion_tokens_details": {"reasoning_tokens": 5}}
    fake.then(200, {"choices": [choice, choice], "usage": usage})
    draws = (await provider.draw(CHAT)).draws
    assert [draw.reasoning_tokens for draw in draws] == [None, None]


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


@pytest.mark.parametrize(
    "body",
    [
        '{"choices": [{"text": "cut o',
        "<html>busy</html>",
        "",
        "[]",
        '"text"',
        '{"choices": 3}',
        '{"choices": ["text"]}',
        '{"choices": [{"text": 3}]}',
        '{"choices": [{"nothing": ""}]}',
        '{"error": {"message": "upstream is down"}}',
    ],
)
async def test_an_answer_in_no_known_form_may_be_tried_again(
    fake: Any, provider: OpenAICompatible, body: str
) -> None:
    fake.then(200, body)
    with pytest.raises(TransientError) as caught:
        await provider.draw(TEXT)
    assert_one_line(caught.value)
    assert len((await provider.draw(TEXT)).draws) == 3


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_statuses_that_pass(fake: Any, provider: OpenAICompatible, status: int) -> None:
    fake.then(status, {"error": {"message": f"busy,\nsays {KEY}"}})
    with pytest.raises(TransientError, match=f"HTTP {status} busy, says") as caught:
        await provider.draw(CHAT)
    assert_one_line(caught.value)
    assert caught.value.retry_after is None
    assert len(fake.bodies) == 1, "retrying is the engine's"


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 422, 501])
async def test_statuses_that_stay(fake: Any, provider: OpenAICompatible, status: int) -> None:
    fake.then(status, {"error": {"message": f"no, says\x1b[31m {KEY}"}}, Location=fake.base_url)
    with pytest.raises(FatalError, match=f"HTTP {status}") as caught:
        await provider.draw(CHAT)
    assert_one_line(caught.value)
    assert len(fake.bodies) == 1


@pytest.mark.parametrize("body", ["<html>" + "x" * 5000, "", [], {"detail": "what"}, None])
async def test_an_error_may_have_any_body(
    fake: Any, provider: OpenAICompatible, body: object
) -> None:
    fake.then(400, body)
    with pytest.raises(FatalError, match="HTTP 400") as caught:
        await provider.draw(CHAT)
    assert_one_line(caught.value)


async def test_a_used_up_account_is_not_waited_for(fake: Any, provider: OpenAICompatible) -> None:
    fake.then(429, {"error": {"message": "pay first", "code": "insufficient_quota"}})
    with pytest.raises(FatalError, match="pay first"):
        await provider.draw(CHAT)


@pytest.mark.parametrize(
    ("value", "seconds"), [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None), ("nan", None)]
)
async def test_retry_after_in_seconds(
    fake: Any, provider: OpenAICompatible, value: str, seconds: float | None
) -> None:
    fake.then(429, {"error": {"message": "slowly"}}, Retry_After=value)
    with pytest.raises(TransientError) as caught:
        await provider.draw(CHAT)
    assert caught.value.retry_after == seconds


async def test_retry_after_as_a_date(fake: Any, provider: OpenAICompatible) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    fake.then(503, {"error": {"message": "later"}}, Retry_After=date)
    with pytest.raises(TransientError) as caught:
        await provider.draw(CHAT)
    assert caught.value.retry_after is not None
    assert 3000 < caught.value.retry_after <= 3600


async def reset(request: web.Request) -> web.StreamResponse:
    """Break the connection instead of answering."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def break_off(request: web.Request) -> web.StreamResponse:
    """Promise more than is sent."""
    answer = web.StreamResponse(headers={"Content-Length": "1000"})
    await answer.prepare(request)
    await answer.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return answer


async def never(request: web.Request) -> web.StreamResponse:
    """Take longer than anybody waits."""
    await asyncio.sleep(60)
    return web.Response()


async def test_a_dropped_connection_is_tried_again_at_once(
    fake: Any, provider: OpenAICompatible
) -> None:
    await provider.draw(CHAT)
    fake.answers.append(reset)
    assert len((await provider.draw(CHAT)).draws) == 2
    assert len(fake.bodies) == 3
    assert len(fake.connections) == 2


async def test_a_connection_dropped_twice_is_the_engines(
    fake: Any, provider: OpenAICompatible
) -> None:
    fake.answers += [reset, reset]
    with pytest.raises(TransientError, match="closed the connection") as caught:
        await provider.draw(CHAT)
    assert_one_line(caught.value)
    assert len(fake.bodies) == 2


async def test_an_answer_that_breaks_off(fake: Any, provider: OpenAICompatible) -> None:
    fake.answers += [break_off, break_off]
    with pytest.raises(TransientError) as caught:
        await provider.draw(CHAT)
    assert_one_line(caught.value)


async def test_a_server_that_never_answers(fake: Any) -> None:
    provider = OpenAICompatible("m", fake.base_url, KEY, timeout=0.2)
    fake.answers.append(never)
    with pytest.raises(TransientError, match="no answer in time"):
        await provider.draw(CHAT)
    await provider.close()
    assert len(fake.bodies) == 1, "a slow server is not asked twice"


async def test_nobody_listens(unused_tcp_port: int) -> None:
    provider = OpenAICompatible("m", f"http://127.0.0.1:{unused_tcp_port}/v1", KEY)
    with pytest.raises(TransientError, match="nothing listens") as caught:
        await provider.draw(CHAT)
    await provider.close()
    assert_one_line(caught.value)


async def speak_no_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer as some other kind of server would."""
    await reader.read(1)
    writer.write(b"220 mail.example ready\r\n\r\n")
    await writer.drain()
    writer.close()


async def test_a_server_that_speaks_no_http() -> None:
    server = await asyncio.start_server(speak_no_http, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider = OpenAICompatible("m", f"http://127.0.0.1:{port}/v1", KEY)
    with pytest.raises(TransientError) as caught:
        await provider.draw(CHAT)
    await provider.close()
    server.close()
    await server.wait_closed()
    assert_one_line(caught.value)


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
