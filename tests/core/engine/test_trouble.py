"""What the engine does when servers fail: tries again, slows down, pauses, gives up."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from itertools import count, pairwise

import pytest

from core.engine.dispatcher import TOO_FEW
from core.engine.model_channel import Bucket, Concurrency, Limits
from core.engine.retry import OutageError, Retry
from core.engine.run_counters import KINDS_KEPT, OTHER_KINDS, RunCounters
from core.providers.base import (
    FatalError,
    Reply,
    Request,
    TransientError,
    UnanswerableError,
)
from tests.core.engine.scripted import STAGE, Scripted, Stage, say
from tests.core.engine.timeless import run
from tests.patience import PATIENCE

Make = Callable[..., Stage]


class RefusedError(Exception):
    status_code = 429


class UnavailableError(Exception):
    status_code = 503


def refused(after: float | None = None, cause: type[Exception] = RefusedError) -> TransientError:
    error = TransientError("m at http://x: too much", after)
    error.__cause__ = cause()
    return error


def failing(times: int, error: Callable[[], Exception]) -> Callable[[Request], Reply]:
    """Fails so often for each number, then answers."""
    seen: Counter[str | None] = Counter()

    def script(request: Request) -> Reply:
        seen[request.text] += 1
        if seen[request.text] <= times:
            raise error()
        return say()(request)

    return script


def test_requests_in_vain_are_counted_by_reason(stage: Make) -> None:
    made, server = stage(3), Scripted(failing(2, lambda: TransientError("x: HTTP 500")))
    run(lambda: made.run(server))
    counts = made.counters.stages[STAGE]
    assert counts.retried == {"x: HTTP 500": 6}
    assert (counts.reasons, counts.failed, counts.resumes) == ({}, 0, None)


def test_reasons_without_end_are_counted_together() -> None:
    counters = RunCounters()
    counters.expect(STAGE, 1)
    for number in range(KINDS_KEPT + 80):
        counters.retry(STAGE, f"x: request {number}")
    retried = counters.stages[STAGE].retried
    assert len(retried) == KINDS_KEPT + 1
    assert retried[OTHER_KINDS] == 80


def test_a_pause_says_when_it_ends(stage: Make) -> None:
    made, server = stage(1), Scripted(failing(1, lambda: refused(20.0)))
    began = datetime.now().astimezone()
    run(lambda: made.run(server))
    resumes = made.counters.stages[STAGE].resumes
    assert resumes is not None
    assert 20 <= (resumes - began).total_seconds() < 20 + PATIENCE


def test_what_may_pass_is_tried_again_with_growing_waits(stage: Make) -> None:
    made, server = stage(1), Scripted(failing(5, lambda: TransientError("x: HTTP 500")))
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 1, 0)
    waits = [later - at - 1 for at, later in pairwise(server.times)]
    assert all(
        0.25 * 2**number <= wait <= 0.5 * 2**number + 0.01 for number, wait in enumerate(waits)
    )


def test_an_item_that_never_succeeds_fails_and_the_others_do_not(stage: Make) -> None:
    def script(request: Request) -> Reply:
        if request.text == "3":
            raise TransientError("x: HTTP 500")
        return say()(request)

    made, server = stage(100, n=2), Scripted(script)
    run(lambda: made.run(server))
    assert made.work.failed == {3: "x: HTTP 500"}
    assert made.counts == (0, 0, 198, 2)
    assert made.counters.stages["answer"].reasons == {"x: HTTP 500": 2}
    assert sum(request.text == "3" for _, request in server.sent) == made.retry.tries


def test_empty_replies_are_failures(stage: Make) -> None:
    def script(request: Request) -> Reply:
        return say()(request) if request.text != "1" else Reply((), 7, 0)

    made = stage(30)
    run(lambda: made.run(Scripted(script)))
    assert made.work.failed == {1: TOO_FEW}
    assert made.counters.spends["answer", "model"].input_tokens == 29 + 7 * made.retry.tries


def test_what_can_never_be_answered_is_not_tried_again(stage: Make) -> None:
    def script(request: Request) -> Reply:
        if int(request.text or 0) % 2:
            raise UnanswerableError("too long")
        return say()(request)

    made, server = stage(10), Scripted(script)
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 5, 5)
    assert len(server.sent) == 10


def test_a_fatal_error_stops_and_what_is_in_flight_is_kept(stage: Make) -> None:
    class Refusing(Scripted):
        async def draw(self, request: Request) -> Reply:
            if request.text == "6":
                raise FatalError("m at http://x: HTTP 401, the key was refused or is missing")
            return await super().draw(request)

    made, server = stage(100), Refusing(seconds=5)
    with pytest.raises(FatalError, match="401"):
        run(lambda: made.run(server))
    assert made.work.said() == Counter({0, 1, 2, 3, 4, 5, 7})
    assert made.counts == (93, 0, 7, 0)


def test_retry_after_stops_the_whole_channel(stage: Make) -> None:
    answers = iter([refused(20.0)])

    def script(request: Request) -> Reply:
        if request.text == "0" and (error := next(answers, None)):
            raise error
        return say()(request)

    made, server = stage(60), Scripted(script)
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 60, 0)
    assert not [at for at in server.times if 1.01 < at < 21]
    assert "rate limit, waiting 20 s, 7 in flight" in made.log


@pytest.mark.slow
@pytest.mark.parametrize("cause", [RefusedError, UnavailableError, TimeoutError])
def test_a_crowded_server_gets_fewer_requests(stage: Make, cause: type[Exception]) -> None:
    limits: list[Limits] = []

    def made_limits() -> Limits:
        limits.append(Limits(Concurrency(8, 64)))
        return limits[-1]

    made = stage(3000, limits=made_limits)
    server = Scripted()

    def script(request: Request) -> Reply:
        if server.in_flight > 20:
            raise refused(cause=cause)
        return say()(request)

    server.script = script
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 3000, 0)
    assert 10 <= limits[0].concurrency.size <= 32
    assert len(server.sent) < 3600


def test_a_server_that_goes_away_is_waited_for(stage: Make) -> None:
    made, server = stage(400), Scripted(seconds=0.1)

    def script(request: Request) -> Reply:
        if 2 < server.times[-1] < 200:
            raise TransientError("m at http://x: nothing listens at this address")
        return say()(request)

    server.script = script
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 400, 0)
    away = [at for at in server.times if 2 < at < 200]
    assert len(away) < 50
    gaps = [later - at for at, later in pairwise(away)]
    assert all(gap <= 61 for gap in gaps)
    assert any("nothing listens at this address, waiting" in line for line in made.log)
    assert any(line.startswith("answers come again after") for line in made.log)


def test_the_job_stops_when_nothing_comes_for_long(stage: Make) -> None:
    def script(request: Request) -> Reply:
        raise TransientError("m at http://x: nothing listens at this address")

    made, server = stage(400), Scripted(script, seconds=0.1)
    with pytest.raises(OutageError, match=r"nothing listens .* the same command goes on") as caught:
        run(lambda: made.run(server))
    assert "\n" not in str(caught.value)
    assert made.retry.first_patience < server.times[-1] < 2 * made.retry.first_patience
    assert len(server.sent) < 60
    assert made.counts == (400, 0, 0, 0)
    assert not made.work.failed


def test_one_item_that_is_never_answered_fails_alone(stage: Make) -> None:
    def script(request: Request) -> Reply:
        if request.text == "3":
            raise TransientError("m at http://x: no answer within 300 s")
        return say()(request)

    made = stage(20)
    made.retry = Retry(patience=20.0)
    run(lambda: made.run(Scripted(script)))
    assert made.counts == (0, 0, 19, 1)


def test_a_wait_beyond_all_patience_stops_at_once(stage: Make) -> None:
    def script(request: Request) -> Reply:
        raise refused(86_400)

    made, server = stage(400), Scripted(script)
    with pytest.raises(OutageError, match="the server asks to wait 24 h"):
        run(lambda: made.run(server))
    assert len(server.sent) == 8


@pytest.mark.slow
def test_an_item_that_is_refused_for_ever_fails_at_last(stage: Make) -> None:
    def script(request: Request) -> Reply:
        if request.text == "3":
            raise refused()
        return say()(request)

    made = stage(3000)
    made.retry = Retry(refusals=5)
    run(lambda: made.run(Scripted(script)))
    assert made.counts == (0, 0, 2999, 1)


@pytest.mark.slow
def test_requests_and_tokens_a_minute(stage: Make) -> None:
    def limited(requests: float | None, tokens: float | None) -> Callable[[], Limits]:
        def make() -> Limits:
            now = asyncio.get_running_loop().time()
            return Limits(
                Concurrency(64, 64),
                requests=None if requests is None else Bucket(requests, now),
                tokens=None if tokens is None else Bucket(tokens, now),
            )

        return make

    by_requests, server = stage(300, limits=limited(60, None)), Scripted()
    run(lambda: by_requests.run(server))
    assert 285 <= server.times[-1] <= 295  # 10 at once, then one a second

    by_tokens, server = stage(300, limits=limited(None, 600)), Scripted(say(tokens=5))
    run(lambda: by_tokens.run(server))
    assert 275 <= server.times[-1] <= 300  # ten tokens each, ten a second


def test_a_fault_of_a_provider_is_not_hidden(stage: Make) -> None:
    def script(request: Request) -> Reply:
        raise ZeroDivisionError("a fault")

    made = stage(3)
    with pytest.raises(ZeroDivisionError):
        run(lambda: made.run(Scripted(script)))
    assert made.counts == (3, 0, 0, 0)


REDIRECT = "m at http://x: HTTP 302, a redirect to https://login.example/sso"


def denying(*places: int) -> Scripted:
    """Refuses the requests at these places of their order for good, and answers all others."""
    order = count(1)

    def script(request: Request) -> Reply:
        if next(order) in places:
            raise FatalError(REDIRECT)
        return say()(request)

    return Scripted(script)


def test_a_lone_refusal_among_answers_is_asked_again(stage: Make) -> None:
    made = stage(2_000)
    server = denying(700, 701, 1_400)
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 2_000, 0)
    assert len(server.sent) == 2_003
    assert made.log == [f"{REDIRECT}; asked again"] * 2


def test_an_item_that_is_always_refused_fails_alone(stage: Make) -> None:
    def script(request: Request) -> Reply:
        if request.text == "50":
            raise FatalError(REDIRECT)
        return say()(request)

    made, server = stage(100), Scripted(script)
    run(lambda: made.run(server))
    assert made.counts == (0, 0, 99, 1)
    assert made.work.failed == {50: REDIRECT}
    assert sum(request.text == "50" for _, request in server.sent) == made.retry.tries


def test_many_refusals_in_a_row_stop_the_job(stage: Make) -> None:
    made = stage(1_000)
    server = denying(*range(400, 2_000))
    with pytest.raises(FatalError, match="HTTP 302"):
        run(lambda: made.run(server))
    assert made.counts == (601, 0, 399, 0)
    assert len(server.sent) <= 399 + made.retry.in_a_row + 8


def test_the_first_requests_of_a_run_that_are_refused_stop_it_at_once(stage: Make) -> None:
    made, server = stage(100), denying(*range(1, 100))
    with pytest.raises(FatalError, match="HTTP 302"):
        run(lambda: made.run(server))
    assert len(server.sent) <= 8
    assert made.counts == (100, 0, 0, 0)
