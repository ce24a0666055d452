"""Batches that go wrong: in part, as a whole, or with a service that cannot be reached."""

import re
from typing import Any

import pytest
from aiohttp import web

from core.engine.retry import OutageError
from core.engine.run_counters import RunCounters
from core.providers.base import FatalError
from tests.core.engine.batching import SLOTS, WHILE_OUT, Killed, Place, Steps, of, run, said
from tests.fakes import faults
from tests.fakes.fate import Fate
from tests.fakes.openai_changes import misbehave, sends_fewer
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import Call


async def test_what_expired_goes_into_the_next_batch(place: Place, fake: FakeOpenAI) -> None:
    fake.batches.fates = [Fate("expired", done=0.5), Fate("cancelled", done=0.25)]
    counters = await run(place, of(fake))
    place.check_filled(fake)
    assert len(fake.batches.made) == 3
    assert "42 of 84 requests go into the next (it was not done within 24h)" in said(counters)
    assert sum(fake.asked.values()) > SLOTS == sum(fake.sent.values())


@pytest.mark.slow
async def test_requests_that_never_bring_anything_fail_for_good(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.batches.fate = Fate("completed", refused=1.0, status=500)
    counters = await run(place, of(fake), rounds=3)
    assert len(fake.batches.made) == 3
    assert sum(stage.failed for stage in counters.stages.values()) == SLOTS
    assert place.rows("SELECT count(*) FROM failure") == [(SLOTS,)]
    ((reason,),) = place.rows("SELECT DISTINCT reason FROM failure")
    assert "This one went wrong" in reason
    fake.batches.fate = Fate("completed")
    await run(place, of(fake))
    place.check_filled(fake)


async def test_fewer_answers_than_asked_for_are_asked_for_again(
    place: Place, fake: FakeOpenAI
) -> None:
    misbehave(fake, sends_fewer)
    await run(place, of(fake))
    texts = place.texts()
    assert len(texts) == len(set(texts)) == SLOTS


async def test_a_full_queue_makes_smaller_batches(place: Place, fake: FakeOpenAI) -> None:
    full = Fate("failed", errors=[{"code": "token_limit_exceeded", "message": "Enqueued"}])
    fake.batches.fates = [full, full]
    counters = await run(place, of(fake), most_lines=84)
    place.check_filled(fake)
    assert "Enqueued; smaller ones are tried" in said(counters)


async def test_a_batch_that_is_refused_stops_the_job(place: Place, fake: FakeOpenAI) -> None:
    fake.batches.fates = [Fate("failed", errors=[{"code": "x", "message": "no such model"}])]
    counters = RunCounters()
    with pytest.raises(FatalError, match="no such model"):
        await run(place, of(fake), counters=counters)
    assert sum(stage.waiting for stage in counters.stages.values()) == SLOTS
    assert place.rows("SELECT state, items FROM batch") == [("failed", "[]")]
    await run(place, of(fake))
    place.check_filled(fake)


async def test_results_that_are_too_long_end_the_job_and_are_asked_for_again(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.batches.fates = [Fate("completed"), Fate("completed", padding=2**24)]
    counters = RunCounters()
    with pytest.raises(FatalError) as caught:
        await run(place, of(fake), counters=counters, most_lines=42)
    assert re.fullmatch(
        r"batch 2: m at http://[\w.:]+/v1: the answer is longer than [\d.]+ MB, .*; none of it was "
        "taken, and the same command asks for it again",
        str(caught.value),
    )
    # The other batch was taken in; the slots of this one are free, and count as not done.
    here = len(place.texts())
    assert 0 < here < SLOTS
    assert sum(stage.done for stage in counters.stages.values()) == here
    assert sum(stage.waiting for stage in counters.stages.values()) == SLOTS - here
    assert sorted(place.rows("SELECT state FROM batch")) == [("collected",), ("failed",)]
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]
    await run(place, of(fake))
    place.check_filled(fake)
    assert sum(fake.asked.values()) == 2 * SLOTS - here


async def test_of_a_cancelled_job_results_that_are_too_long_are_left(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.batches.fates = [Fate("completed", steps=99, done=0.5, padding=2**24)]
    with pytest.raises(Killed):
        await run(place, of(fake), Steps(WHILE_OUT))
    await run(place, of(fake), do=lambda engine: engine.cancel())
    assert place.texts() == []
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]
    await run(place, of(fake))
    place.check_filled(fake)


async def test_a_wrong_key_stops_the_job_and_leaves_it_as_it_was(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.key = "another"
    with pytest.raises(FatalError, match="the key was refused"):
        await run(place, of(fake))
    assert place.rows("SELECT state FROM batch") == [("failed",)]
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]
    fake.key = None
    await run(place, of(fake))
    place.check_filled(fake)


async def test_a_wrong_key_while_a_batch_is_out_leaves_it_out(
    place: Place, fake: FakeOpenAI
) -> None:
    async def change_key(call: Call) -> web.StreamResponse:
        fake.key = "another"
        return await faults.busy(call)

    fake.when(lambda call: call.path.startswith("/v1/batches/"), change_key, times=1)
    with pytest.raises(FatalError, match="the key was refused"):
        await run(place, of(fake))
    assert place.rows("SELECT state FROM batch") == [("submitted",)]
    fake.key, fake.rules = None, []
    counters = await run(place, of(fake))
    assert "out since an earlier run" in said(counters)
    assert len(fake.batches.made) == 1
    place.check_filled(fake)


@pytest.mark.parametrize("status", [400, 403, 404])
@pytest.mark.parametrize("times", [1, 15])
async def test_a_lone_refusal_while_a_batch_is_out_is_no_end(
    place: Place, fake: FakeOpenAI, status: int, times: int
) -> None:
    async def refuse(call: Call) -> web.StreamResponse:
        return fake.failure(status, "a proxy in between")

    fake.when(lambda call: call.path.startswith("/v1/batches/"), refuse, times=times)
    fake.when(lambda call: call.path.endswith("/content"), refuse, times=times)
    counters = await run(place, of(fake))
    place.check_filled(fake)
    assert len(fake.batches.made) == 1
    assert said(counters).count("; asked again") == 2 * times


async def test_refusals_in_a_row_end_the_job_and_leave_the_batch_out(
    place: Place, fake: FakeOpenAI
) -> None:
    async def refuse(call: Call) -> web.StreamResponse:
        return fake.failure(403, "a proxy in between")

    steps = Steps()
    fake.when(lambda call: call.path.startswith("/v1/batches/"), refuse)
    with pytest.raises(FatalError, match="HTTP 403 a proxy in between"):
        await run(place, of(fake), steps)
    assert sum(steps.waits) < 300
    assert len([call for call in fake.calls if "GET /v1/batches/" in call]) == 16
    assert place.rows("SELECT state FROM batch") == [("submitted",)]


async def test_a_server_that_is_gone_for_a_while_is_waited_for(
    place: Place, fake: FakeOpenAI
) -> None:
    fake.when(lambda call: call.path.startswith("/v1/batches/"), faults.reset, times=4)
    for fault in (faults.gateway, faults.html, faults.truncated):
        fake.when(lambda call: call.path.endswith("/content"), fault, times=1)
    counters = await run(place, of(fake))
    place.check_filled(fake)
    assert len(fake.batches.made) == 1
    assert "what is with the service goes on meanwhile" in said(counters)


async def test_a_server_that_is_gone_for_good_stops_the_job(place: Place, fake: FakeOpenAI) -> None:
    fake.when(lambda call: call.path.startswith("/v1/batches/"), faults.crash)
    steps = Steps()
    with pytest.raises(OutageError, match="run the same command again to resume"):
        await run(place, of(fake), steps)
    assert 3_000 < sum(steps.waits) < 4_000
    fake.rules.clear()
    await run(place, of(fake))
    assert len(fake.batches.made) == 1
    place.check_filled(fake)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [faults.lost, faults.reset, faults.crash, faults.html, faults.truncated, faults.break_off],
)
async def test_a_batch_is_handed_in_once_whatever_becomes_of_the_answer(
    place: Place, fake: FakeOpenAI, fault: Any
) -> None:
    fake.when(lambda call: call.path == "/v1/batches", fault, times=3)
    await run(place, of(fake))
    place.check_filled(fake)
    assert len(fake.batches.made) == 1


@pytest.mark.slow
@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("path", ["/v1/files", "/v1/batches"])
async def test_a_host_without_batches_says_so(
    place: Place, fake: FakeOpenAI, path: str, status: int
) -> None:
    async def absent(call: Call) -> web.StreamResponse:
        return web.Response(status=status, text="404 page not found")

    fake.when(lambda call: call.path == path, absent)
    host = fake.address.removeprefix("http://")
    with pytest.raises(FatalError) as caught:
        await run(place, of(fake))
    said = f"no batch service at {host}: `lostkeys requests` writes files for other engines"
    assert str(caught.value) == said
    assert place.rows("SELECT state FROM batch") == [("failed",)]
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]


async def test_a_host_without_batches_that_drops_the_first_call_claims_nothing(
    place: Place, fake: FakeOpenAI
) -> None:
    """The batch may be out after a lost answer; where nobody takes batches it is not."""

    async def absent(call: Call) -> web.StreamResponse:
        return web.Response(status=404, text="404 page not found")

    fake.when(lambda call: call.path == "/v1/files", faults.crash, times=1)
    fake.when(lambda call: call.path in ("/v1/files", "/v1/batches"), absent)
    with pytest.raises(FatalError, match="no batch service at"):
        await run(place, of(fake))
    assert place.rows("SELECT state FROM batch") == [("failed",)]
    assert place.rows("SELECT count(*) FROM claim") == [(0,)]
