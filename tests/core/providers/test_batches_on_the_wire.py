"""What a batch service answers, broken at every byte: a right answer or a failure in passing."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from core.providers.base import Request, TransientError
from core.providers.batch_service import BatchService
from core.providers.gemini_batches import GeminiBatches
from core.providers.openai_batches import OpenAIBatches
from prompts import Message
from tests.fakes.gemini_server import FakeGemini
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import Call, Fake, listening
from tests.fakes.wire import Breaks, Framing, Way, byte_by_byte

pytestmark = pytest.mark.slow

ASKED = Request(1, 20, 1.0, 1.0, messages=(Message("user", "hi"),))
AT_ONCE = 32
WAYS = {
    Framing.LENGTH: (Way.KEPT, Way.CUT, Way.STALLED, Way.CLOSED),
    Framing.CHUNKED: (Way.CHUNK, Way.CHUNK_CLOSED, Way.KEPT),
}
"""How responses are broken at every byte, in one way after the other."""


Act = Callable[[BatchService, str], Awaitable[Any]]


async def submit(service: BatchService, name: str) -> bool:
    lines = service.lines("0", ASKED)
    return bool(await service.call(service.submit("two", service.kind(ASKED), lines)))


async def find(service: BatchService, name: str) -> Any:
    return await service.call(service.find("one"))


async def standing(service: BatchService, name: str) -> Any:
    return await service.call(service.get_status(name))


async def results(service: BatchService, name: str) -> Any:
    (lines,) = (await service.call(service.results(name))).values()
    return service.read_reply(ASKED, lines).draws[0].text


async def cancel(service: BatchService, name: str) -> None:
    await service.call(service.cancel(name))


OPENAI: dict[str, tuple[str, Act]] = {
    "upload": (r"POST /v1/files", submit),
    "create": (r"POST /v1/batches", submit),
    "list": (r"GET /v1/batches", find),
    "get": (r"GET /v1/batches/\w+", standing),
    "content": (r"GET /v1/files/[^/]+/content", results),
    "cancel": (r"POST /v1/batches/\w+/cancel", cancel),
}
GEMINI: dict[str, tuple[str, Act]] = {
    "begin": (r"POST /upload/v1beta/files", submit),
    "upload": (r"POST /upload/v1beta/files/\w+", submit),
    "create": (r"POST /v1beta/models/.*:batchGenerateContent", submit),
    "list": (r"GET /v1beta/batches", find),
    "get": (r"GET /v1beta/batches/\w+", standing),
    "download": (r"GET /v1beta/files/[^/]+:download", results),
    "cancel": (r"POST /v1beta/batches/\w+:cancel", cancel),
}
CASES = [("openai", one) for one in OPENAI] + [("gemini", one) for one in GEMINI]
IN_CHUNKS = [("openai", "get"), ("openai", "content"), ("gemini", "get"), ("gemini", "download")]
"""States and files, which services send in chunks."""


@asynccontextmanager
async def opened(whose: str) -> Any:
    """A fake, a service at it, and a batch that has ended."""
    fake: Fake = FakeOpenAI() if whose == "openai" else FakeGemini()
    fake.says = lambda prompt, number: "said"
    async with listening(fake):
        service: BatchService = (
            OpenAIBatches("m", f"{fake.address}/v1")
            if whose == "openai"
            else GeminiBatches("gemini-2.5-flash", "key", base_url=fake.address)
        )
        try:
            lines = service.lines("0", ASKED)
            name = await service.submit("one", service.kind(ASKED), lines)
            while (await service.get_status(name)).state == "working":
                pass
            yield fake, service, name
        finally:
            await service.close()


def fitting(pattern: str) -> Callable[[Call], bool]:
    return lambda call: re.fullmatch(pattern, f"{call.request.method} {call.path}") is not None


async def tried(act: Act, service: BatchService, name: str) -> Any:
    try:
        return await act(service, name)
    except TransientError as error:
        return error


@pytest.mark.parametrize(
    ("whose", "which", "framing"),
    [(*case, Framing.LENGTH) for case in CASES] + [(*case, Framing.CHUNKED) for case in IN_CHUNKS],
)
async def test_what_is_broken_at_any_byte_is_right_or_passes(
    whose: str, which: str, framing: Framing
) -> None:
    pattern, act = (OPENAI if whose == "openai" else GEMINI)[which]
    breaks = Breaks(framing, WAYS[framing], in_turn=True)
    async with opened(whose) as (fake, service, name):
        right = await act(service, name)
        timeout = service.deadline.timeout = 1.0
        fits = fitting(pattern)
        fake.when(lambda call: fits(call) and not breaks.through, breaks)
        while not breaks.through:
            before = breaks.broken
            many = await asyncio.gather(*(tried(act, service, name) for _ in range(AT_ONCE)))
            assert all(one == right or isinstance(one, TransientError) for one in many)
            if breaks.broken == before:  # the machine is too busy to come so far in time
                timeout = service.deadline.timeout = 2 * timeout
        # A connection may be left that stalls after a whole answer: it costs the next one a try.
        tries = [await tried(act, service, name) for _ in range(AT_ONCE)]
        assert all(one == right or isinstance(one, TransientError) for one in tries)
        assert tries[-1] == right


@pytest.mark.parametrize("framing", [Framing.LENGTH, Framing.CHUNKED])
@pytest.mark.parametrize(("whose", "which"), CASES)
async def test_what_comes_byte_by_byte_is_right(whose: str, which: str, framing: Framing) -> None:
    pattern, act = (OPENAI if whose == "openai" else GEMINI)[which]
    async with opened(whose) as (fake, service, name):
        right = await act(service, name)
        fake.when(fitting(pattern), byte_by_byte(0.0, framing), times=1)
        assert await act(service, name) == right
