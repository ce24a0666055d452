"""Reasoning in OpenAI's format: read from wherever servers put it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from core.providers.base import Request
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.patience import PATIENCE

THINK = {"thinking_on": {"reasoning_effort": "high"}, "thinking_off": {}, "thinking": True}
CHAT = Request(1, 32, 1.0, 1.0, messages=(Message("user", "Who?"),))


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    provider = OpenAICompatible("m", fake.base_url, timeout=PATIENCE)
    yield provider
    await provider.close()


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


@pytest.mark.parametrize(
    "usage", [{"completion_tokens_details": {"reasoning_tokens": 5}}, {"reasoning_tokens": 5}]
)
async def test_reasoning_tokens_are_counted_where_servers_count_them(
    fake: Any, provider: OpenAICompatible, usage: dict[str, Any]
) -> None:
    fake.then(200, {"choices": [{"message": {"content": "Paris"}}], "usage": usage})
    assert (await provider.draw(CHAT)).reasoning_tokens == 5


TAGGED = [
    ("<think>\nHm.\n</think>\n\nParis ", "\nHm.\n", "\n\nParis "),
    (" <THINK>Hm.</think>Paris", "Hm.", "Paris"),
    ("<thinking>Hm.</thinking>Paris", "Hm.", "Paris"),
    ("[THINK]Hm.[/THINK]Paris", "Hm.", "Paris"),
    ("Hm.</think>\nParis", "Hm.", "\nParis"),
    ("<think>Hm. Well", "Hm. Well", ""),
    ("<think></think>Paris", None, "Paris"),
    (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Paris",
        "Hm.",
        "Paris",
    ),
    ("Paris <think>", None, "Paris <think>"),
    (" Paris\n", None, " Paris\n"),
]


@pytest.mark.parametrize(("content", "reasoning", "text"), TAGGED)
async def test_marked_reasoning_is_split_off_whether_thinking_is_on_or_off(
    fake: Any,
    provider: OpenAICompatible,
    content: str,
    reasoning: str | None,
    text: str,
) -> None:
    for on in (True, False):
        fake.then(200, {"choices": [{"message": {"content": content}}]})
        request = replace(CHAT, options={**THINK, "thinking": on})
        (draw,) = (await provider.draw(request)).draws
        assert (draw.reasoning, draw.text) == (reasoning, text)


async def test_reasoning_of_its_own_field_leaves_the_text_alone(
    fake: Any, provider: OpenAICompatible
) -> None:
    message = {"content": "<think>is a tag", "reasoning": "Hm."}
    fake.then(200, {"choices": [{"message": message}]})
    (draw,) = (await provider.draw(replace(CHAT, options=THINK))).draws
    assert (draw.reasoning, draw.text) == ("Hm.", "<think>is a tag")


async def test_content_in_parts(fake: Any, provider: OpenAICompatible) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Pa"},
        {"type": "text", "text": "ris"},
    ]
    fake.then(200, {"choices": [{"message": {"content": parts}}]})
    (draw,) = (await provider.draw(CHAT)).draws
    assert (draw.reasoning, draw.text) == ("Hm.", "Paris")


async def test_a_sum_of_reasoning_tokens_is_no_count_of_one_draw(
    fake: Any, provider: OpenAICompatible
) -> None:
    choice = {"message": {"content": "Paris"}}
    usage = {"completion_tokens_details": {"reasoning_tokens": 5}}
    fake.then(200, {"choices": [choice, choice], "usage": usage})
    draws = (await provider.draw(CHAT)).draws
    assert [draw.reasoning_tokens for draw in draws] == [None, None]
