"""The engine: has a work's items asked, and what comes written down.

Whatever has arrived is committed before it counts as done; stopping at any moment loses nothing
of it, and starting again asks for what is missing.
"""

import asyncio
import gc
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Generic, Protocol

from core.engine.db_writer import DbWriter
from core.engine.dispatcher import Completion, Dispatcher
from core.engine.model_channel import ModelChannel
from core.engine.retry import RETRY, Retry
from core.engine.run_counters import RunCounters, Spend
from core.engine.token_usage import total
from core.engine.work_source import ItemResult, ItemT, WorkSource
from core.errors import UsageError
from core.pricing import Budget, OverBudgetError
from core.pricing.budget import dollars
from core.providers.base import FatalError, Reply, Request


def refuse_unknown_prices(budget: Budget | None, channels: Iterable[ModelChannel]) -> None:
    """Raise `UsageError` where a budget cannot be kept as nobody knows what a model costs."""
    if budget is None or budget.limit is None:
        return
    for channel in channels:
        if channel.price is None:
            raise UsageError(
                f"nobody knows what {channel.model} costs, so that --max-cost cannot be kept: "
                "put its price into prices.toml, or leave --max-cost out"
            )


def over_budget(budget: Budget, counters: RunCounters) -> OverBudgetError:
    """The error with which a job stops whose next request may cost more than is left."""
    stages = counters.stages.values()
    done = sum(one.done + one.dropped for one in stages)
    total = done + sum(one.waiting + one.running + one.failed for one in stages)
    return OverBudgetError(
        f"Stopped at {dollars(budget.spent)} of {dollars(budget.limit or 0)}, the next request may "
        f"cost more than is left. {done:,} of {total:,} done, all kept; a larger --max-cost goes on"
    )


ASK_AGAIN = 1.0
"""Seconds until a work whose rest is with others is asked again."""

GATHER = 0.005
"""Seconds for which arrivals gather before they are written together."""

UNWRITTEN = 1_000
"""Replies that may wait to be written before nothing more is sent."""

GRACE = 30.0
"""Seconds that requests in flight have to come home once a server has refused for good."""


class Raw(Protocol):
    """A file that keeps what went over the wire."""

    def append(self, samples: Sequence[int], stage: str, request: Request, reply: Reply) -> object:
        """Add one request with its reply. Called in the db writer's thread, after the commit."""


class Engine(Generic[ItemT]):
    """Runs one work to its end. Construct it in the event loop in which it runs.

    channels: the models by the names that items call them. budget: what may be spent. raw: where
    requests and responses are kept for audit.
    """

    def __init__(
        self,
        db_writer: DbWriter,
        work: WorkSource[ItemT],
        channels: Mapping[str, ModelChannel],
        counters: RunCounters,
        budget: Budget | None = None,
        raw: Raw | None = None,
        retry: Retry = RETRY,
    ) -> None:
        self._db_writer, self._work, self._counters = db_writer, work, counters
        self._channels, self._budget, self._raw = channels, budget, raw
        self._asking: dict[str, Dispatcher[ItemT]] = {
            key: Dispatcher(
                channel, self, counters, budget, retry, channel.model if len(channels) > 1 else ""
            )
            for key, channel in channels.items()
        }
        self._arrived: list[Completion[ItemT]] = []
        self._writing = 0  # arrivals
        self._loop = asyncio.get_running_loop()
        self._paused = self._over = self._all_home = False
        self._error: BaseException | None = None
        self._stirred, self._news = asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        """Ask for all that the work has. What had arrived is committed however this ends.

        Raises `FatalError` where no further request can succeed, `OutageError` where none has for
        long, `OverBudgetError` where the next one cannot be paid, `UsageError` where a budget
        cannot be kept, `DatabaseError` where nothing can be written any more.
        """
        refuse_unknown_prices(self._budget, self._channels.values())
        writer = asyncio.create_task(self._keep_writing())
        patience: float | None = 0.0
        gc.freeze()  # what is there outlives the run as a rule: not to be looked through
        try:
            await self._feed()
        except FatalError:
            patience = GRACE
            raise
        finally:
            gc.unfreeze()
            self._over = True
            await asyncio.gather(*(one.drain(patience) for one in self._asking.values()))
            self._all_home = True
            self._news.set()
            await writer
            for arrival in self._arrived:  # could not be written
                self._wait_again(arrival)

    def pause(self) -> None:
        """Send nothing new; what is in flight comes home and is written."""
        self._paused = True

    def resume(self) -> None:
        """Go on after a pause."""
        self._paused = False
        self._advance()
        self.stir()

    # What the channels call.

    @property
    def sends(self) -> bool:
        """Whether anything may be sent now."""
        return not (self._paused or self._over or self._unwritten >= UNWRITTEN)

    def take_completion(self, arrival: Completion[ItemT]) -> None:
        """Have it written."""
        self._arrived.append(arrival)
        self._news.set()

    def stop(self, error: BaseException) -> None:
        """Stop with this error; the first one counts."""
        self._error = self._error or error
        self._over = True
        self.stir()

    def stir(self) -> None:
        """Look again at what is to be done."""
        self._stirred.set()

    # Getting items.

    async def _feed(self) -> None:
        """Keep the channels supplied until nothing is left and all of it is written."""
        ended, not_before = False, -math.inf
        while True:
            self._stirred.clear()
            self._raise_if_stopped()
            wanted, wait = self._count_wanted(ended), not_before - self._loop.time()
            if not wanted or wait > 0:
                await self._wait_for_news(wait if wanted else None)
                continue
            items = await self._db_writer.run_read(partial(self._work.next, wanted))
            ended = items is None
            if ended and not self._busy:
                self._raise_if_stopped()  # the last ones may have failed while it was read
                return
            if items:
                self._put(items)
            elif not ended:
                not_before = self._loop.time() + ASK_AGAIN

    def _count_wanted(self, ended: bool) -> int:
        """How many more items should be ready; once there were no more, only at the very end."""
        if self._paused or (ended and self._busy):
            return 0
        wanted = sum(one.look_ahead for one in self._asking.values())
        ready = sum(one.ready for one in self._asking.values())
        return wanted - ready if ready <= wanted // 2 else 0

    async def _wait_for_news(self, seconds: float | None) -> None:
        """Wait until something has happened, for so long at most."""
        try:
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        except TimeoutError:
            return

    def _put(self, items: Sequence[ItemT], first: bool = False) -> None:
        by_channel: dict[str, list[ItemT]] = {}
        for item in items:
            by_channel.setdefault(item.channel, []).append(item)
        for channel, mine in by_channel.items():
            if first:
                self._asking[channel].put_first(mine)
            else:
                self._asking[channel].put(mine)
            self._asking[channel].advance()

    def _advance(self) -> None:
        for one in self._asking.values():
            one.advance()

    @property
    def _unwritten(self) -> int:
        return len(self._arrived) + self._writing

    @property
    def _moves(self) -> bool:
        """Whether anything is under way that ends by itself."""
        return bool(self._unwritten) or any(one.in_flight for one in self._asking.values())

    @property
    def _busy(self) -> bool:
        return self._moves or any(one.ready for one in self._asking.values())

    def _raise_if_stopped(self) -> None:
        if self._error is not None:
            raise self._error
        if self._budget is not None and self.sends and not self._moves:
            self._advance()
            if not self._moves and any(one.unaffordable for one in self._asking.values()):
                raise over_budget(self._budget, self._counters)

    # Writing down.

    async def _keep_writing(self) -> None:
        while self._arrived or not self._all_home:
            self._news.clear()
            if not self._arrived:
                await self._news.wait()
            if not self._over:
                await asyncio.sleep(GATHER)
            arrivals, self._arrived = self._arrived, []
            self._writing = len(arrivals)
            try:
                await self._write(arrivals)
            except Exception as error:  # nothing can be written any more
                self._arrived = [*arrivals, *self._arrived]
                self.stop(error)
                return
            finally:
                self._writing = 0
            self._advance()
            self.stir()

    async def _write(self, arrivals: Sequence[Completion[ItemT]]) -> None:
        self._add_up(arrivals)
        for arrival, taken in zip(arrivals, await self._commit_arrivals(arrivals), strict=True):
            if isinstance(taken, Exception):
                self._wait_again(arrival)
                self.stop(taken)
                continue
            item = arrival.trip.item
            self._counters.settle(
                item.stage, item.things, taken.done, taken.failed, taken.reason, taken.dropped
            )
            for also in taken.also:
                self._counters.add(also.stage, also.waiting + also.dropped, also.done)
                if also.dropped:
                    self._counters.drop(also.stage, also.dropped, also.reason)
            if taken.further:
                self._put(taken.further, first=True)
        if self._raw is not None:
            await self._db_writer.run_read(partial(_keep, self._raw, arrivals))

    async def _commit_arrivals(
        self, arrivals: Sequence[Completion[ItemT]]
    ) -> Sequence[ItemResult[ItemT] | Exception]:
        """What became of each arrival, once it is committed; an exception where it is not."""
        (taken,) = await self._db_writer.write_all([partial(self._take, arrivals)])
        if not isinstance(taken, Exception):
            return taken
        alone = await self._db_writer.write_all([partial(self._take, [one]) for one in arrivals])
        return [one if isinstance(one, Exception) else one[0] for one in alone]

    def _take(self, arrivals: Sequence[Completion[ItemT]]) -> list[ItemResult[ItemT]]:
        """In the db writer's thread."""
        work = self._work
        replies = [(one.trip.item, one.reply) for one in arrivals if one.reply is not None]
        taken = iter(work.take_all(replies))
        return [
            work.fail(one.trip.item, one.reason, one.refused) if one.reply is None else next(taken)
            for one in arrivals
        ]

    def _wait_again(self, arrival: Completion[ItemT]) -> None:
        self._counters.back(arrival.trip.item.stage, arrival.trip.item.things)

    def _add_up(self, arrivals: Sequence[Completion[ItemT]]) -> None:
        """Count what arrivals used, and the time that their channels worked."""
        used: dict[tuple[str, str], list[Spend]] = {}
        for arrival in arrivals:
            if arrival.used is not None:
                item = arrival.trip.item
                used.setdefault((item.channel, item.stage), []).append(arrival.used)
        answers = Counter[str]()
        for (channel, _), spends in used.items():
            answers[channel] += sum([spend.answers for spend in spends])
        seconds = {channel: self._asking[channel].seconds() for channel in answers}
        for (channel, stage), spends in used.items():
            whole = total(spends)
            whole.seconds = seconds[channel] * whole.answers / max(1, answers[channel])
            self._counters.spend(stage, self._channels[channel].model, whole)


def _keep(raw: Raw, arrivals: Sequence[Completion[ItemT]]) -> None:
    for arrival in arrivals:
        if arrival.reply is not None:
            item = arrival.trip.item
            raw.append(item.request.samples, item.stage, item.request, arrival.reply)
