"""Requests that never come home, or late: given up, asked again, told of."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.engine.model_channel import Concurrency, Limits, limits_for
from core.engine.retry import RETRY
from core.providers.base import Provider, Reply, Request, TransientError
from core.providers.capabilities import Capabilities
from core.providers.deadline import FIRST, LEAST, Deadline
from tests.core.engine.scripted import STAGE, Scripted, Stage, request, say
from tests.core.engine.timeless import run

Make = Callable[..., Stage]
QUIET = replace(RETRY, first_wait=0.01)


class Hanging(Provider):
    """Never answers the first request for each of some numbers; the others after a second.

    `swallowed`: how many cancellations a request that hangs takes no notice of.
    """

    def __init__(self, *numbers: int, swallowed: int = 0) -> None:
        self.hanging = set(map(str, numbers))
        self.swallowed = swallowed
        self.out = self.most = 0
        self.given_up: list[float] = []

    async def draw(self, request: Request) -> Reply:
        self.out += 1
        self.most = max(self.most, self.out)
        try:
            if request.text not in self.hanging:
                await asyncio.sleep(1)
                return say()(request)
            self.hanging.remove(request.text)
            return await self._hang()
        finally:
            self.out -= 1

    async def _hang(self) -> Reply:
        loop = asyncio.get_running_loop()
        since = loop.time()
        for _ in range(self.swallowed):
            try:
                await asyncio.sleep(1e6)
            except asyncio.CancelledError:
                self.given_up.append(loop.time() - since)
        try:
            await asyncio.sleep(1e6)
        finally:
            self.given_up.append(loop.time() - since)
        raise AssertionError


@pytest.mark.parametrize("swallowed", [0, 1, 2])
def test_a_request_that_never_comes_home_is_given_up_and_asked_again(
    stage: Make, swallowed: int
) -> None:
    there = stage(40, retry=QUIET)
    provider = Hanging(20, swallowed=swallowed)
    provider.deadline.timeout = 30.0
    run(lambda: there.run(provider))
    assert there.counts == (0, 0, 40, 0)
    assert set(there.work.said().values()) == {1}
    assert provider.given_up[0] == pytest.approx(30, abs=0.1)


def test_all_places_may_hang_and_each_is_given_back(stage: Make) -> None:
    there = stage(40, retry=QUIET, limits=lambda: Limits(Concurrency(4, 4)))
    provider = Hanging(*range(12))
    provider.deadline.timeout = 10.0
    run(lambda: there.run(provider))
    assert there.counts == (0, 0, 40, 0)
    assert provider.most == 4


def test_a_request_goes_on_after_one_that_is_left_alone(stage: Make) -> None:
    """Not even a request that swallows every cancellation holds a place."""
    there = stage(12, retry=QUIET, limits=lambda: Limits(Concurrency(1, 1)))
    provider = Hanging(3, swallowed=5)
    provider.deadline.timeout = 10.0
    run(lambda: there.run(provider))
    assert there.counts == (0, 0, 12, 0)


def test_once_latencies_are_known_the_rest_is_given_up_by_them(stage: Make) -> None:
    """Eight answers within a second: sixty for the one that hangs, not five minutes."""
    there, provider = stage(160, retry=QUIET), Hanging(0)
    run(lambda: there.run(provider))
    assert there.counts == (0, 0, 160, 0)
    assert provider.given_up == [pytest.approx(LEAST, abs=0.1)]


def test_a_slow_model_is_not_given_up_wrongly(stage: Make) -> None:
    there, slow = stage(30, retry=QUIET), Scripted(seconds=280.0)
    run(lambda: there.run(slow))
    assert len(slow.sent) == 30


def test_a_late_request_is_one_line_and_a_mark_while_it_is_out(stage: Make) -> None:
    there, provider = stage(40, retry=QUIET), Hanging(0)
    marked: list[int] = []
    there.counters = type(there.counters)(lambda: marked.append(there.counters.stages[STAGE].late))
    run(lambda: there.run(provider))
    lines = [line for line in there.log if "median" in line]
    assert lines == ["answer: 1 request is later than 10 times the median of 1.00 s"]
    assert max(marked) == 1
    assert there.counters.stages[STAGE].late == 0


def test_a_late_request_has_its_age_and_its_deadline_until_it_ends(stage: Make) -> None:
    there = stage(40, retry=QUIET)
    told: list[tuple[timedelta, float]] = []

    def note() -> None:
        late, now = there.counters.stages[STAGE].late_requests, datetime.now().astimezone()
        told.extend((now - one.sent, one.deadline) for one in late.values())

    there.counters = type(there.counters)(note)
    run(lambda: there.run(Hanging(0)))
    assert told[0][0] >= timedelta(seconds=10)
    assert max(age for age, _ in told) >= timedelta(seconds=50)
    assert {deadline for _, deadline in told} == {LEAST}
    assert not there.counters.stages[STAGE].late_requests


def test_many_late_requests_are_a_line_a_minute(stage: Make) -> None:
    there = stage(400, retry=QUIET, limits=lambda: Limits(Concurrency(64, 64)))
    provider = Hanging(*range(40, 77))
    late: list[int] = []
    there.counters = type(there.counters)(lambda: late.append(there.counters.stages[STAGE].late))
    run(lambda: there.run(provider))
    counts = [int(line.split()[1]) for line in there.log if "later than 10 times" in line]
    assert sum(counts) == 37
    assert len(counts) == 2
    assert max(late) == 37
    assert late[-1] == 0


@pytest.mark.parametrize("known", [Capabilities(requests=16), Capabilities(sequences=16)])
def test_no_more_requests_are_in_flight_than_were_asked_for(
    stage: Make, known: Capabilities
) -> None:
    there, provider = stage(40, 2, limits=lambda: limits_for(known, None, 3)), Scripted()
    run(lambda: there.run(provider))
    assert provider.most == 3


# What a request is given


def test_what_nothing_is_known_of_has_a_time_by_its_tokens() -> None:
    deadline = Deadline()
    assert deadline.seconds("k", 0) == FIRST
    assert deadline.seconds("k", 8_000) == FIRST + 2_000
    assert Deadline(7.5).seconds("k", 8_000) == 7.5


@pytest.mark.parametrize(
    ("latency", "tokens", "given"),
    [(0.01, 64, 60.0), (10.0, 64, 200.0), (100.0, 64, 400.0), (100.0, 8_000, 2_000.0)],
)
def test_what_is_known_has_a_time_by_the_slowest(latency: float, tokens: int, given: float) -> None:
    async def known() -> Deadline:
        deadline = Deadline()
        for _ in range(8):
            await deadline.keep("k", tokens, asyncio.sleep(latency), lambda age, usual, limit: None)
        return deadline

    deadline = run(known)
    assert deadline.seconds("k", tokens) == pytest.approx(given, rel=0.01)
    assert deadline.seconds("another", 0) == FIRST


def test_a_deadline_that_nothing_keeps_grows_once_for_all_that_miss_it() -> None:
    async def ask(deadline: Deadline, seconds: float) -> None:
        await deadline.keep("k", 0, asyncio.sleep(seconds), lambda age, usual, limit: None)

    async def miss() -> list[float]:
        deadline, given = Deadline(), []
        for _ in range(5):
            many = [ask(deadline, 1e6) for _ in range(4)]
            missed = await asyncio.gather(*many, return_exceptions=True)
            assert all(isinstance(one, TimeoutError) for one in missed)
            given.append(deadline.seconds("k", 0) / FIRST)
        await ask(deadline, 1)
        return [*given, deadline.seconds("k", 0) / FIRST]

    assert run(miss) == [2, 4, 8, 8, 8, 1]


def test_an_answer_in_the_last_moment_counts() -> None:
    class Late(Provider):
        async def draw(self, request: Request) -> Reply:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(1e6)
            return say("late")(request)

    provider = Late()
    provider.deadline.timeout = 1.0
    assert run(lambda: provider.ask(request(1))).draws[0].text == "late"


def test_a_miss_is_an_ordinary_failure_in_passing() -> None:
    provider = Scripted(seconds=1e6)
    provider.deadline.timeout = 2.0
    with pytest.raises(TransientError, match="no answer within 2 s, the request is given up"):
        run(lambda: provider.ask(request(1)))
    assert provider.in_flight == 0
