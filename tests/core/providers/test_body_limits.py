"""Bodies without an end, and gigabytes packed into kilobytes: none is read to its end."""

import tracemalloc
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from core.providers import body_limits
from core.providers.base import FatalError, Request, TransientError
from core.providers.batch_service import LongResultsError
from core.providers.body_limits import LongFileError, limit_body
from core.providers.openai_batches import OpenAIBatches
from core.providers.openai_compatible import OpenAICompatible
from core.providers.written_requests import WrittenRequest, WrittenRequests
from prompts import Message
from tests.core.providers.test_trouble import ASK, GEMINI, KEY, OPENAI, Asked, Service
from tests.fakes import faults
from tests.fakes.openai_server import FakeOpenAI, serving
from tests.fakes.service import Fault

MEGABYTE = 2**20


@pytest.fixture(params=[OPENAI, GEMINI], ids=["openai", "gemini"])
async def asked(request: pytest.FixtureRequest) -> AsyncIterator[Asked]:
    service: Service = request.param
    async with service.serving() as fake:
        provider = service.open(fake.address)
        yield Asked(service, fake, provider)
        await provider.close()


@pytest.fixture
async def server() -> AsyncIterator[FakeOpenAI]:
    async with serving() as fake:
        yield fake


@pytest.mark.parametrize(
    "fault", [faults.endless(), faults.packed(64), faults.packed(64, "deflate")]
)
async def test_a_body_is_read_as_far_as_its_tokens_go(asked: Asked, fault: Fault) -> None:
    asked.fake.when(lambda call: call.asks, fault)
    tracemalloc.start()
    error = await asked.trouble(TransientError, "longer than 0.3 MB, which is more than was asked")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(error, TransientError)
    assert error.status is None
    assert peak < 24 * MEGABYTE  # with the server, which is in this program
    assert asked.fake.faults["pieces"] < 300  # of 64 kB: what lies in buffers, too
    asked.fake.rules.clear()
    assert (await asked.draw()).answers == 1, "the next request is answered"


@pytest.mark.parametrize("fault", [faults.endless(503, b"busy"), faults.packed(64, status=503)])
async def test_of_an_error_without_an_end_its_status_counts(asked: Asked, fault: Fault) -> None:
    asked.fake.when(lambda call: call.asks, fault)
    await asked.trouble(TransientError, "HTTP 503")
    assert asked.fake.faults["pieces"] < 300


async def test_a_packed_answer_is_read_to_the_letter(server: FakeOpenAI) -> None:
    server.when(lambda call: call.asks, faults.packed(1))
    provider = OpenAICompatible("m", server.base_url)
    many = Request(1, 16_384, 1.0, 1.0, text="Go on")
    reply = await provider.draw(many)
    await provider.close()
    assert reply.draws[0].text == "a" * MEGABYTE


def test_the_limit_follows_from_the_tokens_and_has_an_end() -> None:
    least = body_limits.longest_answer(ASK, 32)
    assert least == body_limits.BASE + 8 * len("Who?") + body_limits.EACH + 32 * body_limits.TOKEN
    eight = body_limits.longest_answer(replace(ASK, n=8), 32)
    assert eight - least == 7 * (body_limits.EACH + 32 * body_limits.TOKEN)
    assert body_limits.longest_answer(ASK, 2**30) == body_limits.LONGEST
    assert body_limits.longest_numbers(2**30) == body_limits.LONGEST


async def test_what_a_server_says_of_numbers_has_an_end(server: FakeOpenAI) -> None:
    server.when(lambda call: True, faults.endless())
    provider = OpenAICompatible("m", server.base_url)
    with pytest.raises(TransientError, match=r"longer than 4\.2 MB"):
        await provider.exchange("completions", {"prompt": "a"})
    with pytest.raises(TransientError, match=r"longer than 4\.2 MB"):
        await provider.exchange("/v1/models")
    await provider.close()


async def test_a_written_body_without_a_limit_has_the_longest(server: FakeOpenAI) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Who?"}]}
    provider = WrittenRequests("m", server.base_url)
    server.when(lambda call: True, faults.packed(8))
    free, bound = (
        WrittenRequest("/v1/chat/completions", {**body, **more}).request()
        for more in ({}, {"max_completion_tokens": 32})
    )
    assert len((await provider.draw(free)).draws[0].text) == 8 * MEGABYTE
    with pytest.raises(TransientError, match=r"longer than 0\.3 MB"):
        await provider.draw(bound)
    await provider.close()


async def test_a_file_of_results_that_is_too_long_is_none(server: FakeOpenAI) -> None:
    service = OpenAIBatches("m", server.base_url, KEY)
    line = service.lines("0", Request(1, 32, 1.0, 1.0, messages=(Message("user", "Who?"),)))
    name = await service.submit("lostkeys-1", "/v1/chat/completions", line)
    while (await service.get_status(name)).state == "working":
        pass
    server.when(lambda call: call.path.endswith("/content"), faults.endless(200, b"{}"))
    with (
        limit_body(MEGABYTE, LongFileError),
        pytest.raises(LongResultsError, match=r"1\.0 MB") as it,
    ):
        await service.results(name)
    assert isinstance(it.value, FatalError), "it is no shorter when it is fetched again"
    server.rules.clear()
    with limit_body(MEGABYTE, LongFileError):
        assert list(await service.results(name)) == ["0"]
    await service.close()
