"""The engine asks for everything once, writes it down, and says what it did."""

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest

from core.engine.model_channel import Concurrency, Limits, limits_for
from core.pricing import AccountLimits
from core.providers.base import Draw, Reply, Request
from core.providers.capabilities import Capabilities
from tests.core.engine.scripted import STAGE, Scripted, Stage, say
from tests.core.engine.timeless import run

Make = Callable[..., Stage]


def test_everything_is_asked_and_written_once(stage: Make) -> None:
    made, server = stage(500, n=4), Scripted()
    run(lambda: made.run(server))
    assert made.work.said() == Counter(dict.fromkeys(range(500), 4))
    assert made.counts == (0, 0, 2000, 0)
    assert len(server.sent) == 500
    spent = made.counters.spends[STAGE, "model"]
    assert (spent.requests, spent.answers) == (500, 2000)
    assert (spent.input_tokens, spent.output_tokens, spent.cost) == (500, 500, None)
    assert 62 <= spent.seconds <= 70  # eight at once, a second each


def test_fewer_answers_are_asked_for_again(stage: Make) -> None:
    made = stage(3, n=8)
    server = Scripted(lambda request: Reply((Draw("one"), Draw("two"))[: request.n], 1, 1))
    run(lambda: made.run(server))
    assert made.work.said() == Counter({0: 8, 1: 8, 2: 8})
    assert [request.n for _, request in server.sent if request.text == "0"] == [8, 6, 4, 2]
    assert made.counts == (0, 0, 24, 0)


@pytest.mark.slow
def test_items_are_fetched_as_they_are_needed(stage: Make) -> None:
    made, server = stage(5000), Scripted()
    ready: list[int] = []

    def script(request: Request) -> Reply:
        ready.append(made.work.at - len(server.sent))
        return say()(request)

    server.script = script
    run(lambda: made.run(server))
    assert made.counts[2] == 5000
    assert 0 < max(ready) < 100


def test_several_channels_and_what_follows(stage: Make) -> None:
    made, first, second = stage(20), Scripted(), Scripted(say("grade"))
    made.work.chosen = lambda number: "model1" if number % 2 else "model"
    run(lambda: made.run(first, second))
    assert len(first.sent) == len(second.sent) == 10
    assert {model for _, model in made.counters.spends} == {"model", "model1"}


def test_others_hold_the_rest(stage: Make) -> None:
    made, server = stage(1), Scripted()
    looks: list[int] = []

    def held(most: int) -> list[object] | None:
        looks.append(most)
        return [] if len(looks) < 4 else None

    made.work.next = held  # type: ignore[method-assign, assignment]
    run(lambda: made.run(server))
    assert len(looks) == 4
    assert not server.sent


def test_pause_and_resume(stage: Make) -> None:
    made, server = stage(40), Scripted()

    def also() -> None:
        loop, engine = asyncio.get_running_loop(), made.engine
        assert engine is not None
        loop.call_later(1.5, engine.pause)
        loop.call_later(10.0, engine.resume)

    run(lambda: made.run(server, also=also))
    assert made.counts == (0, 0, 40, 0)
    quiet = [at for at in server.times if 1.6 < at < 9.9]
    assert not quiet
    assert any(at >= 10 for at in server.times)


def test_answers_in_flight_are_counted_where_they_are_the_limit(stage: Make) -> None:
    made = stage(30, n=8, limits=lambda: Limits(Concurrency(16, 16), by_answers=True))
    server = Scripted()
    run(lambda: made.run(server))
    assert server.most == 2


def test_usage_that_does_not_come_is_estimated_and_said_once(stage: Make) -> None:
    made = stage(5)
    run(lambda: made.run(Scripted(say("ninechars", tokens=None))))
    spent = made.counters.spends[STAGE, "model"]
    assert (spent.input_tokens, spent.output_tokens) == (5, 20)
    assert sum("estimated" in line for line in made.log) == 1


def test_what_a_provider_left_out_is_said_once_at_the_end(stage: Make) -> None:
    class Remarking(Scripted):
        @property
        def remarks(self) -> tuple[str, ...]:
            return ("top_p is refused and left out",)

    made = stage(5)
    run(lambda: made.run(Remarking()))
    assert made.log == ["top_p is refused and left out"]


async def test_limits_follow_from_what_is_known_of_a_model() -> None:
    own = limits_for(Capabilities(requests=16, sequences=16))
    assert (own.by_answers, own.concurrency.size, own.concurrency.most) == (True, 16, 16)
    other = limits_for(Capabilities(requests=8), AccountLimits(rpm=60, tpm=None))
    assert (other.by_answers, other.concurrency.size, other.concurrency.most) == (False, 8, 64)
    assert other.requests is not None
    assert other.tokens is None
