"""Answers after a web search, through the real SDK and OpenAI's Responses format."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from openai.types.responses import Response

from core.providers.base import CitedSource, Request, TransientError
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.fakes.openai_search import PAGES, answer_after_search
from tests.patience import PATIENCE

KEY = "sk-very-secret-0123456789"
ASKED = Request(
    1,
    300,
    1.0,
    1.0,
    messages=(Message("system", "Look it up."), Message("user", "Who?")),
    options={"search": True, "thinking_room": (2_000, 2_000)},
)


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    provider = OpenAICompatible("m", fake.base_url, KEY, own_host=True, timeout=PATIENCE)
    yield provider
    await provider.close()


def test_the_fake_speaks_the_format_of_the_sdk() -> None:
    answer = Response.model_validate(
        {
            **answer_after_search("So."),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
    )
    assert answer.output_text.startswith("So. ([one.example]")


async def test_a_search_is_asked_for_and_its_sources_are_read(
    fake: Any, provider: OpenAICompatible
) -> None:
    reply = await provider.draw(ASKED)
    assert fake.paths == ["/v1/responses"]
    assert fake.bodies == [
        {
            "model": "m",
            "input": [
                {"role": "system", "content": "Look it up."},
                {"role": "user", "content": "Who?"},
            ],
            "tools": [{"type": "web_search"}],
            "temperature": 1.0,
            "top_p": 1.0,
            "max_output_tokens": 2_300,
            "store": False,
        }
    ]
    [draw] = reply.draws
    assert draw.text.startswith(" answer 0\n")
    assert draw.finish == "stop"
    assert draw.sources == tuple(CitedSource(title, url) for title, url in PAGES)
    assert (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens) == (900, 70, 40)
    assert reply.exchanges[0].received


async def test_a_parameter_that_is_refused_is_left_out(
    fake: Any, provider: OpenAICompatible
) -> None:
    error = {
        "message": "Unsupported parameter: 'temperature' is not supported with this model.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_parameter",
    }
    fake.then(400, {"error": error})
    assert (await provider.draw(ASKED)).draws
    assert ["temperature" in body for body in fake.bodies] == [True, False]


async def test_without_the_option_chat_completions_are_asked(
    fake: Any, provider: OpenAICompatible
) -> None:
    await provider.draw(replace(ASKED, options={}))
    assert fake.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    ("changed", "finish", "text"),
    [
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "length",
            "",
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            "content_filter",
            "",
        ),
        (
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
            "stop",
            "No.",
        ),
    ],
)
async def test_answers_that_are_cut_off_or_refused(
    fake: Any, provider: OpenAICompatible, changed: dict[str, Any], finish: str, text: str
) -> None:
    fake.then(200, {**answer_after_search(""), "output": [], **changed})
    [draw] = (await provider.draw(ASKED)).draws
    assert (draw.finish, draw.text) == (finish, text)


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "failed", "error": {"code": "server_error", "message": "down"}},
        {"status": "in_progress"},
        {"output": None},
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": 3}]}]},
        {"output": ["nonsense"]},
    ],
)
async def test_what_is_no_answer_may_be_asked_again(
    fake: Any, provider: OpenAICompatible, changed: dict[str, Any]
) -> None:
    fake.then(200, {**answer_after_search("x"), **changed})
    with pytest.raises(TransientError):
        await provider.draw(ASKED)


async def test_a_key_that_is_repeated_does_not_come_out(
    fake: Any, provider: OpenAICompatible
) -> None:
    fake.then(200, answer_after_search(f"The key is {KEY}"))
    reply = await provider.draw(ASKED)
    assert KEY not in repr(reply)
