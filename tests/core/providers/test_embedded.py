"""The real embedded model behind the provider interface."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.providers import thinking_switch
from core.providers.base import FatalError, Provider, Request, UnanswerableError
from core.providers.capabilities import UNTRUNCATED
from core.providers.embedded import weights
from core.providers.embedded.model_server import SLOTS, EmbeddedServer
from core.providers.model_names import parse
from core.providers.model_traits import ModelTraits
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import open_provider
from prompts import Message

pytestmark = pytest.mark.slow

QUESTION = (Message("user", "What is the capital of France?"),)


@pytest.fixture
async def embedded() -> AsyncIterator[Provider]:
    """The provider; the server behind it outlives each test."""
    try:
        weights.find()
    except LostkeysError as error:
        pytest.skip(str(error))
    provider = open_provider("embedded:smollm2-135m")
    yield provider
    await provider.close()


async def test_raw_completion_knows_the_capital_of_france(embedded: Provider) -> None:
    request = Request(8, 6, 1.0, 1.0, text="The capital of France is", options=UNTRUNCATED)
    replies = [await embedded.draw(request) for _ in range(2)]
    texts = [draw.text for reply in replies for draw in reply.draws]
    assert len(texts) == 16
    assert len(set(texts)) > 1, "sampling is on"
    assert sum("Paris" in text for text in texts) > 4


async def test_chat_answers_eight_times(embedded: Provider) -> None:
    request = Request(8, 8, 1.0, 1.0, messages=QUESTION, options=UNTRUNCATED)
    reply = await embedded.draw(request)
    assert len(reply.draws) == 8
    assert len({draw.text for draw in reply.draws}) > 1
    assert {draw.finish for draw in reply.draws} <= {"stop", "length"}
    assert all(draw.text for draw in reply.draws)


async def test_greedy_draws_agree(embedded: Provider) -> None:
    request = Request(8, 8, 0.0, 1.0, messages=QUESTION)
    assert len({draw.text for draw in (await embedded.draw(request)).draws}) == 1


async def test_more_requests_than_slots_wait_their_turn(embedded: Provider) -> None:
    request = Request(8, 2, 1.0, 1.0, text="One, two,", options=UNTRUNCATED)
    replies = await asyncio.gather(*(embedded.draw(request) for _ in range(4)))
    assert [len(reply.draws) for reply in replies] == [8, 8, 8, 8]


async def test_a_prompt_too_long_for_the_context_is_refused_and_no_more(
    embedded: Provider,
) -> None:
    with pytest.raises(UnanswerableError, match="too long"):
        await embedded.draw(Request(8, 4, 1.0, 1.0, text="word " * 40_000))
    assert (await embedded.draw(Request(1, 4, 1.0, 1.0, text="One, two,"))).draws


async def test_more_draws_than_slots_are_asked_for_in_fewer(embedded: Provider) -> None:
    reply = await embedded.draw(Request(SLOTS + 2, 4, 1.0, 1.0, text="One, two,"))
    assert len(reply.draws) == embedded.most_answers == SLOTS, "its refusal names the limit"


@pytest.mark.slow
async def test_a_server_that_died_is_started_again(embedded: Provider) -> None:
    request = Request(2, 4, 1.0, 1.0, text="One, two,", options=UNTRUNCATED)
    await embedded.draw(request)
    first = EmbeddedServer.open_shared()
    os.kill(first.pid, signal.SIGKILL)
    while first.alive:
        await asyncio.sleep(0.01)
    assert len((await embedded.draw(request)).draws) == 2
    assert EmbeddedServer.open_shared().pid != first.pid


async def test_a_model_that_cannot_be_loaded_is_fatal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(range(256)))
    monkeypatch.setenv("LOSTKEYS_GGUF", str(bad))
    EmbeddedServer.stop_shared()
    provider = open_provider("embedded:smollm2-135m")
    with pytest.raises(FatalError, match=r"bad\.gguf"):
        await provider.draw(Request(1, 4, 1.0, 1.0, text="One, two,"))
    await provider.close()


@pytest.mark.slow
async def test_its_server_has_no_reasoning_mode(
    embedded: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real llama.cpp server: it takes every spelling, and its model obeys none."""
    for name in ("ROOM", "LONG_ROOM"):
        monkeypatch.setattr(thinking_switch, name, 24)
    server = await asyncio.to_thread(EmbeddedServer.open_shared)
    provider = OpenAICompatible(server.model, server.base_url, server.api_key)
    found = await thinking_switch.discover(provider.draw, parse(f"openai:m@{server.base_url}"))
    await provider.close()
    assert found == ModelTraits("step_by_step")
