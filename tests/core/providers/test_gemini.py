"""Google's SDK against a server on loopback: what is sent, and what is read."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from core.errors import ProviderError
from core.providers import gemini_models
from core.providers.base import (
    CitedSource,
    Request,
    SchemaRefusedError,
    TransientError,
    UnanswerableError,
)
from core.providers.gemini import Gemini
from core.providers.gemini_batches import GeminiBatches
from core.providers.gemini_models import LOW_THINKING_ROOM, THINKING_ROOM
from prompts import Message
from tests.fakes import faults
from tests.fakes.gemini_server import FakeGemini, answer, camel, candidate, serving
from tests.patience import PATIENCE

KEY = "AIza-very-secret-0123456789"
TURNS = (
    Message("system", "Be short."),
    Message("user", "Who?"),
    Message("assistant", "Me."),
    Message("user", "Where?"),
)
CHAT = Request(2, 32, 1.0, 1.0, messages=TURNS)
ONE = Request(1, 32, 1.0, 1.0, messages=TURNS[:2])
THINKING = Request(1, 32, 1.0, 1.0, messages=TURNS[:2], options={"thinking": True})

FLASH, PRO, THREE = "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3.7-flash"


@pytest.fixture
async def fake() -> AsyncIterator[FakeGemini]:
    async with serving() as server:
        yield server


@pytest.fixture
async def provider(fake: FakeGemini) -> AsyncIterator[Gemini]:
    """The provider under test, with a key, pointed at the fake server."""
    provider = Gemini(FLASH, KEY, base_url=fake.address, timeout=PATIENCE)
    yield provider
    await provider.close()


async def drawn(fake: FakeGemini, model: str, request: Request) -> dict[str, Any]:
    """The generation configuration with which a model is asked."""
    provider = Gemini(model, KEY, base_url=fake.address)
    await provider.draw(request)
    await provider.close()
    config: dict[str, Any] = fake.bodies[-1]["generationConfig"]
    return config


async def test_chat_is_sent_and_read(fake: FakeGemini, provider: Gemini) -> None:
    reply = await provider.draw(CHAT)
    assert fake.paths == [f"/v1beta/models/{FLASH}:generateContent"]
    assert fake.bodies == [
        {
            "systemInstruction": {"parts": [{"text": "Be short."}], "role": "user"},
            "contents": [
                {"role": "user", "parts": [{"text": "Who?"}]},
                {"role": "model", "parts": [{"text": "Me."}]},
                {"role": "user", "parts": [{"text": "Where?"}]},
            ],
            "generationConfig": {
                "candidateCount": 2,
                "maxOutputTokens": 32,
                "temperature": 1.0,
                "topP": 1.0,
                "thinkingConfig": {"thinkingBudget": 0},
            },
        }
    ]
    assert [draw.text for draw in reply.draws] == [" answer 1.0\n", " answer 1.1\n"]
    assert [draw.finish for draw in reply.draws] == ["stop", "stop"]
    assert [draw.reasoning for draw in reply.draws] == [None, None]
    assert (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens) == (7, 12, None)


SHAPE = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["label"],
    "additionalProperties": False,
}


async def test_a_schema_goes_along_alone_and_in_batches(fake: FakeGemini) -> None:
    shaped = replace(ONE, schema=SHAPE)
    config = await drawn(fake, FLASH, shaped)
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == SHAPE
    service = GeminiBatches(FLASH, KEY, base_url=fake.address)
    (line,) = service.lines("0", shaped)
    assert json.loads(line)["request"]["generationConfig"] == config
    await service.close()
    assert "responseMimeType" not in await drawn(fake, FLASH, ONE)


@pytest.mark.parametrize("asked", [replace(ONE, schema=SHAPE), ONE])
async def test_a_schema_refused_inside_a_batch_is_told_from_other_refusals(
    fake: FakeGemini, asked: Request
) -> None:
    service = GeminiBatches(FLASH, KEY, base_url=fake.address)
    said = {"code": 400, "message": "Invalid response_json_schema", "status": "INVALID_ARGUMENT"}
    line = json.dumps({"key": "0.0", "error": said}).encode()
    with pytest.raises(ProviderError, match="response_json_schema") as raised:
        service.read_reply(asked, [line])
    assert isinstance(raised.value, SchemaRefusedError) == (asked.schema is not None)
    await service.close()


async def test_the_environment_changes_nothing(
    fake: FakeGemini, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.setenv(name, "not-for-this")
    monkeypatch.setenv("GOOGLE_GENAI_USE_ENTERPRISE", "true")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")
    monkeypatch.setenv("GOOGLE_GENAI_CLIENT_MODE", "replay")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    await drawn(fake, FLASH, ONE)
    assert fake.paths == [f"/v1beta/models/{FLASH}:generateContent"]
    assert fake.headers[0]["x-goog-api-key"] == KEY
    assert "not-for-this" not in str(fake.headers)
    assert caplog.records == []


async def test_the_key_is_in_one_header_only(fake: FakeGemini, provider: Gemini) -> None:
    await provider.draw(ONE)
    assert [name for name, value in fake.headers[0].items() if KEY in value] == ["x-goog-api-key"]
    assert KEY not in fake.paths[0]
    assert KEY not in str(fake.bodies[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "request_", "thinking", "room"),
    [
        (FLASH, ONE, {"thinkingBudget": 0}, 0),
        (FLASH, THINKING, {"thinkingBudget": -1, "includeThoughts": True}, THINKING_ROOM),
        (PRO, ONE, {"thinkingBudget": 128, "includeThoughts": True}, LOW_THINKING_ROOM),
        (THREE, ONE, {"thinkingLevel": "MINIMAL", "includeThoughts": True}, LOW_THINKING_ROOM),
        (THREE, THINKING, {"includeThoughts": True}, THINKING_ROOM),
        ("gemini-2.0-flash", ONE, None, 0),
        ("gemini-2.0-flash", THINKING, None, 0),
        ("gemma-3-27b-it", ONE, None, 0),
    ],
)
async def test_how_models_are_made_to_think(
    fake: FakeGemini, model: str, request_: Request, thinking: dict[str, Any] | None, room: int
) -> None:
    config = await drawn(fake, model, request_)
    assert config.get("thinkingConfig") == thinking
    assert config["maxOutputTokens"] == 32 + room


async def test_a_level_that_is_refused_is_not_sent_again(fake: FakeGemini) -> None:
    fake.refused = [{"thinkingLevel": "MINIMAL", "includeThoughts": True}]
    provider = Gemini(THREE, KEY, base_url=fake.address)
    assert len((await provider.draw(ONE)).draws) == 1
    assert len((await provider.draw(ONE)).draws) == 1
    await provider.close()
    levels = [body["generationConfig"]["thinkingConfig"]["thinkingLevel"] for body in fake.bodies]
    assert levels == ["MINIMAL", "LOW", "LOW"]


async def test_configurations_of_a_recipe_are_obeyed(fake: FakeGemini, provider: Gemini) -> None:
    options = {"thinking_off": [{"thinking_budget": 64}], "thinking_on": {"thinking_budget": 512}}
    for on in (False, True):
        await provider.draw(
            Request(1, 8, 1.0, 1.0, messages=TURNS[:2], options=options | {"thinking": on})
        )
    assert [body["generationConfig"]["thinkingConfig"] for body in fake.bodies] == [
        {"thinkingBudget": 64},
        {"thinkingBudget": 512},
    ]


async def test_thoughts_are_kept_apart(fake: FakeGemini, provider: Gemini) -> None:
    parts = [
        {"text": "Let me ", "thought": True},
        {"text": "see.", "thought": True},
        {"text": "Pa"},
        {"thoughtSignature": "c2ln"},
        {"text": "ris"},
    ]
    fake.then(200, answer({"content": {"parts": parts}, "finishReason": "STOP"}, thoughts=9))
    reply = await provider.draw(THINKING)
    (draw,) = reply.draws
    assert (draw.text, draw.reasoning, draw.reasoning_tokens) == ("Paris", "Let me see.", 9)
    assert (reply.output_tokens, reply.reasoning_tokens) == (21, 9)


async def test_a_sum_of_thoughts_is_no_count_of_one_draw(
    fake: FakeGemini, provider: Gemini
) -> None:
    fake.then(200, answer(candidate("a"), candidate("b"), thoughts=9))
    reply = await provider.draw(CHAT)
    assert [draw.reasoning_tokens for draw in reply.draws] == [None, None]
    assert reply.reasoning_tokens == 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("finish", "read"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("SPII", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SOMETHING_NEW", None),
        (None, None),
    ],
)
async def test_why_it_ended(
    fake: FakeGemini, provider: Gemini, finish: str | None, read: str | None
) -> None:
    fake.then(
        200, {"candidates": [{"content": {"parts": [{"text": "Pa"}]}, "finishReason": finish}]}
    )
    (draw,) = (await provider.draw(ONE)).draws
    assert (draw.text, draw.finish) == ("Pa", read)


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, {}, {"role": "model"}, {"parts": []}, {"parts": None}])
async def test_a_withheld_answer_is_an_empty_one(
    fake: FakeGemini, provider: Gemini, content: dict[str, Any] | None
) -> None:
    fake.then(200, {"candidates": [{"content": content, "finishReason": "SAFETY"}]})
    (draw,) = (await provider.draw(ONE)).draws
    assert (draw.text, draw.finish, draw.reasoning) == ("", "content_filter", None)


async def test_a_blocked_prompt_is_no_answer(fake: FakeGemini, provider: Gemini) -> None:
    fake.then(200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    with pytest.raises(UnanswerableError, match=r"blocked the prompt \(PROHIBITED_CONTENT\)"):
        await provider.draw(ONE)


@pytest.mark.parametrize("finish", ["OTHER", "MALFORMED_RESPONSE"])
async def test_an_answer_that_broke_off_may_be_tried_again(
    fake: FakeGemini, provider: Gemini, finish: str
) -> None:
    fake.then(200, answer(candidate("Pa", finish=finish)))
    with pytest.raises(TransientError, match=finish):
        await provider.draw(ONE)
    assert len((await provider.draw(ONE)).draws) == 1


@pytest.mark.parametrize("body", [{}, {"candidates": None}, {"candidates": []}])
async def test_missing_candidates_are_no_draws(
    fake: FakeGemini, provider: Gemini, body: dict[str, Any]
) -> None:
    fake.then(200, body)
    assert (await provider.draw(ONE)).draws == ()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("  Ünïcødé\t\r\n\u2028 \U0001f600 ", "  Ünïcødé\t\r\n\u2028 \U0001f600 "),
        ("[bold]\x1b[31m\x00", "[bold]\x1b[31m\x00"),
        ("half \ud83d", "half \ufffd"),
    ],
)
async def test_texts_come_out_to_the_letter(
    fake: FakeGemini, provider: Gemini, text: str, read: str
) -> None:
    fake.then(200, answer(candidate(text)))
    (draw,) = (await provider.draw(ONE)).draws
    assert draw.text == read


async def test_several_candidates_are_not_asked_for_twice_where_refused(
    fake: FakeGemini, provider: Gemini
) -> None:
    fake.multiple = False
    assert len((await provider.draw(CHAT)).draws) == 1
    assert len((await provider.draw(CHAT)).draws) == 1
    counts = [body["generationConfig"].get("candidateCount") for body in fake.bodies]
    assert counts == [2, None, None]


async def test_fewer_candidates_than_asked_for_are_no_sample(
    fake: FakeGemini, provider: Gemini
) -> None:
    eight = Request(8, 32, 1.0, 1.0, messages=TURNS[:2])
    fake.then(200, answer(candidate("Paris"), candidate("Rome")))
    assert [draw.text for draw in (await provider.draw(eight)).draws] == ["Paris"]
    await provider.draw(eight)
    assert "candidateCount" not in fake.bodies[1]["generationConfig"]


async def test_connections_are_kept(fake: FakeGemini, provider: Gemini) -> None:
    for _ in range(3):
        await provider.draw(ONE)
    assert len(fake.connections) == 1


@pytest.mark.parametrize(
    ("model", "always", "draws"),
    [
        ("gemini-2.5-flash", False, 8),
        ("gemini-2.5-flash-lite", False, 8),
        ("gemini-2.5-pro", True, 8),
        ("gemini-2.0-flash", False, 8),
        ("gemini-3-pro-preview", True, 1),
        ("gemini-3.1-flash-lite", True, 1),
        ("gemini-flash-latest", True, 1),
    ],
)
def test_what_a_name_tells(model: str, always: bool, draws: int) -> None:
    known = gemini_models.look_up(model)
    assert (known.always_thinks, known.draws) == (always, draws)


async def test_a_search_is_switched_on_and_its_sources_are_read(
    fake: FakeGemini, provider: Gemini
) -> None:
    chunks = [
        {"web": {"uri": "https://example.org/1", "title": "One"}},
        {"web": {"uri": "https://example.org/2"}},
        {"retrievedContext": {"uri": "files/3"}},
        {"web": {"title": "nowhere"}},
    ]
    found = candidate("Paris") | {
        "groundingMetadata": {"groundingChunks": chunks, "webSearchQueries": ["capital of France"]}
    }
    fake.then(200, answer(found))
    (draw,) = (await provider.draw(replace(ONE, options={"search": True}))).draws
    assert draw.text == "Paris"
    assert draw.sources == (
        CitedSource("One", "https://example.org/1"),
        CitedSource("", "https://example.org/2"),
    )
    assert fake.bodies[0]["tools"] == [{"googleSearch": {}}]


async def test_no_search_unless_asked_for(fake: FakeGemini, provider: Gemini) -> None:
    for options in ({}, {"search": False}):
        (draw,) = (await provider.draw(replace(ONE, options=options))).draws
        assert draw.sources == ()
        assert "tools" not in fake.bodies[-1]


@pytest.mark.parametrize("grounding", [None, {}, {"groundingChunks": None}])
async def test_a_search_without_sources(
    fake: FakeGemini, provider: Gemini, grounding: dict[str, Any] | None
) -> None:
    fake.then(200, answer(candidate("Paris") | {"groundingMetadata": grounding}))
    (draw,) = (await provider.draw(replace(ONE, options={"search": True}))).draws
    assert draw.sources == ()


async def test_the_exchange_is_what_went_over_the_wire(fake: FakeGemini, provider: Gemini) -> None:
    sent: list[bytes] = []

    async def keep(request: web.Request) -> web.StreamResponse:
        sent.append(await request.read())
        return web.json_response(answer(candidate(f"It is {KEY}.")), headers={"X-Key": KEY})

    fake.answers += [keep, keep]
    replies = await asyncio.gather(provider.draw(ONE), provider.draw(CHAT))
    exchanges = [reply.exchanges[0] for reply in replies]
    assert sorted(exchange.sent for exchange in exchanges) == sorted(sent)
    for reply, exchange in zip(replies, exchanges, strict=True):
        assert KEY.encode() not in exchange.sent + exchange.received
        assert json.loads(exchange.received)["candidates"][0]["content"]["parts"] == [
            {"text": "It is ***."}
        ]
        assert reply.draws[0].text == "It is ***."


async def test_only_the_request_that_was_answered_is_kept(
    fake: FakeGemini, provider: Gemini
) -> None:
    await provider.draw(ONE)
    fake.coming.append(faults.reset)
    fake.multiple = False
    (exchange,) = (await provider.draw(CHAT)).exchanges
    assert len(fake.bodies) == 4
    assert camel(json.loads(exchange.sent)) == fake.bodies[-1]
