"""What an error of a real client says of the server, and the waits that follow."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from core.engine.model_channel import Bucket, Concurrency
from core.engine.retry import Breaker, Retry, is_crowded, is_refused
from core.providers.base import Provider, Request, TransientError
from core.providers.gemini import Gemini
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.fakes import gemini_server, openai_server
from tests.fakes.faults import late
from tests.fakes.service import Fake
from tests.patience import PATIENCE

QUESTION = Request(1, 20, 1.0, 1.0, messages=(Message("user", "How many?"),))


@asynccontextmanager
async def client_of(name: str, timeout: float) -> AsyncIterator[tuple[Fake, Provider]]:
    """A fake service, and a client that waits so many seconds for an answer."""
    provider: Provider
    if name == "openai":
        async with openai_server.serving() as fake:
            provider = OpenAICompatible("m", fake.base_url, timeout=timeout)
            yield fake, provider
    else:
        async with gemini_server.serving() as other:
            provider = Gemini("gemini-2.5-flash", "key", base_url=other.address, timeout=timeout)
            yield other, provider
    await provider.close()


@pytest.fixture(params=["openai", "gemini"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Fake, Provider]]:
    """A fake service, and a client that is patient with it."""
    async with client_of(request.param, PATIENCE) as made:
        yield made


async def trouble(provider: Provider) -> TransientError:
    with pytest.raises(TransientError) as caught:
        await provider.draw(QUESTION)
    return caught.value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "headers", "refused", "crowded"),
    [
        (429, {}, True, True),
        (429, {"Retry_After": "3"}, True, True),
        (503, {}, False, True),
        (500, {}, False, False),
    ],
)
async def test_statuses(
    server: tuple[Fake, Provider],
    status: int,
    headers: dict[str, str],
    refused: bool,
    crowded: bool,
) -> None:
    fake, provider = server
    fake.then(status, {"error": {"message": "no", "code": status}}, **headers)
    error = await trouble(provider)
    assert (is_refused(error), is_crowded(error)) == (refused, crowded)
    assert error.retry_after == (3.0 if headers else None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openai", "gemini"])
async def test_no_answer_in_time_is_a_crowd(name: str) -> None:
    async with client_of(name, 0.5) as (fake, provider):
        fake.when(lambda call: True, late(5.0))
        error = await trouble(provider)
    assert is_crowded(error)
    assert not is_refused(error)


async def test_no_server_is_no_crowd() -> None:
    provider = OpenAICompatible("m", "http://127.0.0.1:9/v1")
    error = await trouble(provider)
    await provider.close()
    assert not is_crowded(error)
    assert not is_refused(error)


def test_waits_grow_up_to_the_longest_and_are_shortened_at_random() -> None:
    retry = Retry()
    for attempt, longest in ((1, 0.5), (2, 1.0), (5, 8.0), (7, 30.0), (1000, 30.0)):
        waits = [retry.wait(attempt) for _ in range(50)]
        assert longest / 2 <= min(waits) < max(waits) <= longest


def test_concurrency_doubles_then_halves_once_a_round_then_grows_slowly() -> None:
    size = Concurrency(8, 64)
    for _ in range(8):
        size.grow(round(size.size))
    assert size.size == 16
    size.grow(3)
    assert size.size == 16  # not used up: nothing is known
    size.halve(sent=10.0, now=11.0)
    size.halve(sent=10.5, now=11.1)
    assert size.size == 8
    for _ in range(8):
        size.grow(9)
    assert 8.8 < size.size < 9
    size.halve(sent=11.0, now=12.0)
    assert size.size < 4.5
    for _ in range(10_000):
        size.grow(64)
    assert size.size == 64
    for second in range(20):
        size.halve(sent=20.0 + second, now=20.5 + second)
    assert size.size == 1


def test_a_bucket_takes_what_is_larger_than_itself_when_it_is_full() -> None:
    bucket = Bucket(60, now=0.0)  # ten at once
    assert bucket.wait(500, 0.0) == 0
    bucket.use(500)
    assert bucket.wait(1, 0.0) == pytest.approx(491)
    assert bucket.wait(1, 491.0) == 0
    bucket.use(-10)
    assert bucket.wait(11, 491.0) == 0
    assert bucket.wait(10, 100_000.0) == 0
    bucket.use(10)
    assert bucket.wait(1, 100_000.0) == pytest.approx(1)  # no more was saved up


def test_the_breaker_lets_one_request_through_to_try() -> None:
    breaker = Breaker(Retry(in_a_row=3))
    assert [breaker.note_failure(1.0) for _ in range(2)] == [None, None]
    assert breaker.wait(1.0) == 0
    pause = breaker.note_failure(1.0)
    assert pause is not None
    assert breaker.note_failure(1.1) is None  # was in flight
    assert breaker.wait(1.0) == pytest.approx(pause)
    now = 1.0 + pause
    assert breaker.wait(now) == 0
    breaker.begin()
    assert breaker.wait(now) == float("inf")
    longer = breaker.note_failure(now)
    assert longer is not None
    assert longer > pause / 2
    breaker.begin()
    assert breaker.note_answer(now + longer) == pytest.approx(now + longer - 1.0)
    assert breaker.wait(now + longer) == 0
    assert not breaker.is_open


def test_a_moment_asked_for_is_not_enough_for_a_server_that_answers_nothing() -> None:
    breaker = Breaker(Retry(in_a_row=3))
    now, pauses = 0.0, list[float]()
    for _ in range(12):
        pause = breaker.note_failure(now, refused=True, asked=0.01)
        pauses.append(pause or 0.0)
        now += breaker.wait(now)
    assert pauses[:2] == [0.01, 0.01]
    assert pauses[-1] > 1
    assert now > 10


def test_what_was_in_flight_tells_of_the_same_pause_once() -> None:
    breaker = Breaker(Retry())
    assert breaker.note_failure(5.0, refused=True, asked=30.0) == 30.0
    assert [breaker.note_failure(5.0 + n / 100, refused=True, asked=30.0) for n in range(1, 9)] == [
        None
    ] * 8
    assert breaker.wait(5.0) == pytest.approx(30.08)
    assert breaker.note_failure(6.0, refused=True, asked=60.0) == 60.0


def test_a_response_that_cannot_be_read_has_no_status_that_counts() -> None:
    """And aiohttp's is not looked for under a name that it warns of."""
    unreadable = TransientError("m: broken")
    unreadable.__context__ = aiohttp.ClientResponseError(
        None,  # type: ignore[arg-type]
        (),
        status=400,
        message="Bad status line",
    )
    assert not is_refused(unreadable)
    assert not is_crowded(unreadable)
