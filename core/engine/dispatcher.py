"""Asking one model: what waits for it, what is in flight, when what failed is asked again."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Generic, Protocol, cast

from core.engine.model_channel import ModelChannel
from core.engine.retry import RETRY, Breaker, OutageError, Retry, is_crowded, is_refused
from core.engine.run_counters import LateRequest, RunCounters, Spend
from core.engine.token_usage import Usage, count_failed
from core.engine.work_source import ItemT
from core.pricing import Budget
from core.providers.base import (
    FatalError,
    Reply,
    Request,
    SentRequests,
    TransientError,
    UnanswerableError,
    count_requests,
)
from core.providers.late_requests import LATE

TOO_FEW = "the server sent fewer answers than asked for"
UNCOUNTED = "the server gives no token counts that can be: they are estimated by the texts"

LATE_BURST, LATE_EVERY = 1.0, 60.0
"""Seconds in which late requests are gathered for a line of the log, and between two such lines."""

SAY_EVERY = 30.0
"""Seconds between two lines of the log about short pauses and lone refusals of one channel."""


@dataclass(slots=True, eq=False)
class Attempt(Generic[ItemT]):
    """An item on its way to a model and back; one trip for all its tries.

    `request` is what is sent: the item's own, or for fewer draws where money is short. `late`: it
    is out for much longer than others of its kind.
    """

    item: ItemT
    request: Request
    tries: int = 0
    refusals: int = 0
    tokens: int = 0
    reserved: float = 0.0
    sent: float = 0.0
    late: bool = False


@dataclass(frozen=True, slots=True)
class Completion(Generic[ItemT]):
    """What became of a trip: a reply and what it used, or the reason why there is none.

    `refused`: it is one that can never be answered.
    """

    trip: Attempt[ItemT]
    reply: Reply | None
    used: Spend | None = None
    reason: str = ""
    refused: bool = False


class CompletionSink(Protocol[ItemT]):
    """Where trips end."""

    @property
    def sends(self) -> bool:
        """Whether anything may be sent now."""

    def take_completion(self, arrival: Completion[ItemT]) -> None:
        """Take in what became of a trip."""

    def stop(self, error: BaseException) -> None:
        """Nothing can go on, and why."""

    def stir(self) -> None:
        """Look again at what is to be done."""


class LateRequests:
    """Requests that are out for long, told of in one line of the log for many of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, say: Callable[[str], object]) -> None:
        self._loop, self._say = loop, say
        self._untold: dict[str, tuple[int, float]] = {}
        self._told = -math.inf
        self._timer: asyncio.TimerHandle | None = None

    def add(self, stage: str, median: float) -> None:
        """Count one of a stage; `median` seconds are usual."""
        self._untold[stage] = self._untold.get(stage, (0, 0.0))[0] + 1, median
        if self._timer is None:
            when = max(self._loop.time() + LATE_BURST, self._told + LATE_EVERY)
            self._timer = self._loop.call_at(when, self.tell)

    def tell(self) -> None:
        """Say what has been counted since it was said last."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        untold, self._untold = self._untold, {}
        self._told = self._loop.time()
        for stage, (count, median) in untold.items():
            many = "1 request is" if count == 1 else f"{count:,} requests are"
            self._say(f"{stage}: {many} later than {LATE} times the median of {median:,.2f} s")


class Dispatcher(Generic[ItemT]):
    """Sends the trips of one channel as its limits, the breaker and the budget let it.

    All calls come from the event loop's thread. What is in flight is held by workers: each sends
    one request after another, and there are as many as the limits allow.
    """

    def __init__(
        self,
        channel: ModelChannel,
        sink: CompletionSink[ItemT],
        counters: RunCounters,
        budget: Budget | None = None,
        retry: Retry = RETRY,
        name: str = "",
    ) -> None:
        """`name` stands before what the log says of this channel, where there are several."""
        self._channel, self._sink, self._counters = channel, sink, counters
        self._budget, self._retry, self._name = budget, retry, name
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Attempt[ItemT]] = deque()
        self._aside: dict[Attempt[ItemT], asyncio.TimerHandle] = {}
        self._flying: set[Attempt[ItemT]] = set()
        self._in_vain: set[Attempt[ItemT]] = set()  # since the last answer
        self._workers: set[asyncio.Task[None]] = set()
        self._alarm: asyncio.TimerHandle | None = None
        self._breaker = Breaker(retry)
        self._late_requests = LateRequests(self._loop, partial(self._say, "warn"))
        self._usage = Usage()
        self._uncounted = False
        self._said = -math.inf
        self._busy_since: float | None = None
        self._busy = 0.0
        self.unaffordable = False

    @property
    def ready(self) -> int:
        """Items that wait to be sent."""
        return len(self._ready) + len(self._aside)

    @property
    def in_flight(self) -> int:
        """Requests that are being answered."""
        return len(self._flying)

    @property
    def look_ahead(self) -> int:
        """Items that should be ready, so that the channel never runs dry."""
        return 2 * math.ceil(self._channel.limits.concurrency.size) + 16

    def put(self, items: Iterable[ItemT]) -> None:
        """Add items behind those that wait."""
        self._ready.extend([Attempt(item, item.request) for item in items])

    def put_first(self, items: Sequence[ItemT]) -> None:
        """Add items before those that wait."""
        self._ready.extendleft([Attempt(item, item.request) for item in reversed(items)])

    def advance(self) -> None:
        """Send what may be sent."""
        while (trip := self._next()) is not None:
            worker = self._loop.create_task(self._work(trip))
            self._workers.add(worker)

    def seconds(self) -> float:
        """Seconds since the last call during which anything was in flight."""
        now, since = self._loop.time(), self._busy_since
        busy, self._busy = self._busy + (now - since if since is not None else 0.0), 0.0
        self._busy_since = None if since is None else now
        return busy

    async def drain(self, patience: float | None = None) -> None:
        """Wait for what is in flight, for so long at most; drop what is not home then."""
        for timer in (*self._aside.values(), *([self._alarm] if self._alarm else [])):
            timer.cancel()
        self._aside.clear()
        if self._workers and patience != 0:
            await asyncio.wait(self._workers, timeout=patience)
        workers = list(self._workers)
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        for trip in list(self._flying):  # a worker that was dropped before it began
            self._drop_attempt(trip)
        self._late_requests.tell()
        for line in self._channel.provider.remarks:
            self._say("warn", line)

    def _next(self) -> Attempt[ItemT] | None:
        """A trip that may be sent now, counted as sent; None if there is none."""
        self.unaffordable = False
        if not self._ready or not self._sink.sends:
            return None
        trip, now, limits = self._ready[0], self._loop.time(), self._channel.limits
        request = trip.request = trip.item.request
        if limits.tokens is not None:
            trip.tokens = self._usage.expect_tokens(request)
        pause = self._breaker.wait(now)
        wait = max(pause, limits.wait(request.n, trip.tokens, now))
        if 0 < pause < math.inf:
            resumes = datetime.now().astimezone() + timedelta(seconds=pause)
            self._counters.pause(trip.item.stage, resumes)
        if wait > 0:
            self._wake_in(wait)
            return None
        if not self._reserve(trip):
            return None
        self._flying.add(self._ready.popleft())
        if 2 * len(self._ready) < self.look_ahead:
            self._sink.stir()
        limits.begin(trip.request.n, trip.tokens)
        self._breaker.begin()
        self._counters.begin(trip.item.stage, trip.item.things)
        trip.sent = now
        if self._busy_since is None:
            self._busy_since = now
        return trip

    def _wake_in(self, seconds: float) -> None:
        if seconds == math.inf:
            return
        if self._alarm is not None:
            if self._alarm.when() <= self._loop.time() + seconds and not self._alarm.cancelled():
                return
            self._alarm.cancel()
        self._alarm = self._loop.call_later(seconds, self._on_alarm)

    def _on_alarm(self) -> None:
        self._alarm = None
        self.advance()

    def _reserve(self, trip: Attempt[ItemT]) -> bool:
        """Set money aside for a trip; where there is too little, for fewer of its draws."""
        if self._budget is None or self._channel.price is None:
            return True
        request = trip.request
        while not self._budget.reserve(most := self._channel.price.most(request)):
            if request.n == 1:
                self.unaffordable = True
                return False
            half = request.n // 2
            request = replace(request, n=half, samples=request.samples[:half])
        trip.request, trip.reserved = request, most
        return True

    async def _work(self, first: Attempt[ItemT]) -> None:
        """Send one trip after another while there is something to send, and room."""
        trip: Attempt[ItemT] | None = first
        try:
            while trip is not None:
                await self._send(trip)
                trip = self._next()
                self.advance()
        except Exception as error:  # a fault of ours, or of a provider
            self._sink.stop(error)
        finally:
            self._workers.remove(cast(asyncio.Task[None], asyncio.current_task()))
            if not self._flying:
                self._note_rest()

    def _note_rest(self) -> None:
        if self._busy_since is not None:
            self._busy += self._loop.time() - self._busy_since
            self._busy_since = None
        self._sink.stir()

    async def _send(self, trip: Attempt[ItemT]) -> None:
        with count_requests() as sent:
            try:
                asked = self._channel.provider.ask(trip.request, partial(self._mark_late, trip))
                reply = await asked
            except TransientError as error:
                self._end_attempt(trip, self._count_failed(trip, sent, error.reply))
                self._note_failure(trip, error)
            except UnanswerableError as error:
                self._end_attempt(trip, self._count_failed(trip, sent))
                self._note_answer()
                self._sink.take_completion(Completion(trip, None, reason=str(error), refused=True))
            except FatalError as error:
                self._count_failed(trip, sent)
                self._note_denial(trip, error)
            except BaseException:
                self._count_failed(trip, sent)
                self._drop_attempt(trip)
                raise
            else:
                self._take_reply(trip, reply, sent)

    def _count_failed(
        self, trip: Attempt[ItemT], sent: SentRequests, reply: Reply | None = None
    ) -> Spend:
        """Count what a request used that brought no answer."""
        used = count_failed(sent, reply)
        self._channel.set_cost(used)
        if used.requests:
            self._counters.spend(trip.item.stage, self._channel.model, used)
        return used

    def _take_reply(self, trip: Attempt[ItemT], reply: Reply, sent: SentRequests) -> None:
        for kind, line in self._channel.served.look(self._channel.model, reply):
            self._say(kind, line)
        used, estimated = self._usage.count_spend(trip.request, reply, sent)
        used.answers = trip.item.things * reply.answers // trip.item.request.n
        if estimated and not self._uncounted:
            self._uncounted = True
            self._say("warn", UNCOUNTED)
        self._channel.set_cost(used)
        if reply.answers:
            self._channel.limits.grow()
        self._end_attempt(trip, used)
        if reply.answers:
            self._note_answer()
            self._sink.take_completion(Completion(trip, reply, used))
        else:
            self._counters.spend(trip.item.stage, self._channel.model, used)
            self._note_failure(trip, TransientError(TOO_FEW))

    def _mark_late(self, trip: Attempt[ItemT], age: float, usual: float, deadline: float) -> None:
        """A request is out for long; it goes on until its deadline."""
        sent = datetime.now().astimezone() - timedelta(seconds=age)
        self._counters.mark_late(trip, LateRequest(trip.item.stage, sent, deadline))
        if not trip.late:
            trip.late = True
            self._late_requests.add(trip.item.stage, usual)

    def _drop_attempt(self, trip: Attempt[ItemT]) -> None:
        self._end_attempt(trip)
        self._counters.back(trip.item.stage, trip.item.things)

    def _end_attempt(self, trip: Attempt[ItemT], used: Spend | None = None) -> None:
        """A request is home: what was set aside for it is free."""
        self._flying.discard(trip)
        if trip.late:
            trip.late = False
            self._counters.clear_late(trip, trip.item.stage)
        tokens = used.input_tokens + used.output_tokens if used else 0
        self._channel.limits.end(trip.request.n, trip.tokens, tokens)
        if self._budget is not None and self._channel.price is not None:
            self._budget.settle(trip.reserved, (used.cost if used else None) or 0.0)

    def _note_answer(self) -> None:
        self._in_vain.clear()
        away = self._breaker.note_answer(self._loop.time())
        if away is not None:
            self._say("job", f"answers come again after {away:,.0f} s")

    def _note_denial(self, trip: Attempt[ItemT], error: FatalError) -> None:
        """A request was refused for good: the channel ends, or the item is asked again as any."""
        if self._breaker.note_denial():
            self._drop_attempt(trip)
            self._sink.stop(error)
            return
        self._end_attempt(trip)
        if trip.tries == 0:
            self._say_now_and_then(f"{error}; asked again")
        self._note_failure(trip, TransientError(str(error)))

    def _note_failure(self, trip: Attempt[ItemT], error: TransientError) -> None:
        """A request was in vain: the channel pauses or slows down, the item is asked again."""
        now, refused = self._loop.time(), is_refused(error)
        if is_crowded(error):
            self._channel.limits.concurrency.halve(trip.sent, now)
        pause = self._breaker.note_failure(now, refused, error.retry_after)
        if pause is not None:
            self._say_pause(pause, error, refused)
        self._in_vain.add(trip)
        if self._breaker.is_hopeless(now, error.retry_after):
            if len(self._in_vain) == 1 and self._breaker.has_answered:
                # The server has answered all else: it is this item that it does not get done.
                trip.tries = self._retry.tries
            else:
                self._sink.stop(_outage(error))
        trip.tries += not refused
        trip.refusals += refused
        if trip.tries >= self._retry.tries or trip.refusals >= self._retry.refusals:
            self._sink.take_completion(Completion(trip, None, reason=str(error)))
            return
        self._counters.back(trip.item.stage, trip.item.things)
        self._counters.retry(trip.item.stage, str(error))
        if refused or self._breaker.is_open:
            self._ready.append(trip)  # the pause is the wait; another one is tried first
        else:
            wait = self._retry.wait(trip.tries)
            self._aside[trip] = self._loop.call_later(wait, self._put_back, trip)

    def _put_back(self, trip: Attempt[ItemT]) -> None:
        del self._aside[trip]
        self._ready.appendleft(trip)
        self.advance()

    def _say_pause(self, pause: float, error: TransientError, refused: bool) -> None:
        why = "rate limit" if refused else str(error)
        line = f"{why}, waiting {_seconds(pause)}, {self.in_flight} in flight"
        self._say_now_and_then(line, pause >= SAY_EVERY / 3 or self._breaker.is_open)

    def _say_now_and_then(self, line: str, loud: bool = False) -> None:
        """Warn, where that is not `loud` no more often than a log can take."""
        now = self._loop.time()
        if loud or now - self._said >= SAY_EVERY:
            self._said = now
            self._say("warn", line)

    def _say(self, kind: str, text: str) -> None:
        self._counters.say(kind, f"{self._name}: {text}" if self._name else text)


def _outage(error: TransientError) -> OutageError:
    why = "no answer for long"
    if error.retry_after is not None:
        why = f"the server asks to wait {_seconds(error.retry_after)}"
    return OutageError(f"{error}; {why}: all that came is kept, the same command goes on")


def _seconds(seconds: float) -> str:
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 7200 else f"{round(seconds / 3600)} h"
