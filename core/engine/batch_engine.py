"""The engine for batches: hands in all that a work has, waits, and takes in what comes.

A batch is written down before it is handed in and carries a token, so that a program that dies at
any moment leaves nothing behind that another could not go on with: what was not handed in is
handed in, what was is found, and what was half taken in is taken in to its end.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import db.batches
from core.engine.batch_collector import BatchCollector
from core.engine.batch_requests import (
    BatchDraft,
    BatchRun,
    BatchT,
    Out,
    pack_entries,
    restore_items,
    unpack_entries,
)
from core.engine.engine import over_budget, refuse_unknown_prices
from core.engine.model_channel import ModelChannel
from core.engine.poll_schedule import Patience
from core.errors import UsageError
from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.batch_service import (
    ANSWER,
    BatchService,
    BatchStatus,
    LongResultsError,
    NoBatchServiceError,
    Results,
)
from core.providers.body_limits import (
    BASE,
    LONGEST_FILE,
    LongFileError,
    limit_body,
    longest_result,
)
from core.stats.number_format import format_amount
from db.batches import StoredBatch

T = TypeVar("T")

BLOCK = 256
"""Items that are asked of a work, or restored, at once: the db writer has other duties."""


class BatchEngine(Generic[BatchT]):
    """Runs one work to its end by batches. Construct it in the event loop in which it runs."""

    def __init__(self, run: BatchRun[BatchT]) -> None:
        self._run = run
        self._services = {name: _service(channel) for name, channel in run.channels.items()}
        self._collector = BatchCollector(run)
        self._out: dict[int, Out] = {}
        self._begun: set[int] = set()
        self._again: deque[tuple[BatchT, int]] = deque()
        self._going = asyncio.Event()
        self._going.set()
        self._most_lines = run.pace.most_lines
        self._patience = Patience(run.pace, run.counters)
        self._wait = run.pace.first_look

    async def run(self) -> None:
        """Ask for all that the work has, and what is out already; ends when all has come.

        Cancelled, it leaves what is out with the service; whoever runs the same job goes on.
        Raises as `Engine.run` does.
        """
        refuse_unknown_prices(self._run.budget, self._run.channels.values())
        await self._take_up()
        while True:
            more = self._going.is_set() and await self._hand_in_all()
            if self._out:
                await self._look()
            elif not self._going.is_set():
                await self._going.wait()
            elif not more:
                return
            else:
                await self._run.pace.sleep(self._run.pace.ask_again)

    def pause(self) -> None:
        """Hand in nothing new; what is out is taken in when it has come."""
        self._going.clear()

    def resume(self) -> None:
        """Go on after a pause."""
        self._going.set()

    async def cancel(self) -> None:
        """Have all batches of the job end at the service; take in what is done, free the rest.

        For a job that is not to go on; without `run`, or after it. Raises as `run` does.
        """
        self._out.clear()
        self._wait = self._run.pace.first_look
        for out in await self._load_open():
            service = self._services[out.row.lane]
            name = out.row.name or await self._find_batch(service, out.row.token)
            if name is None:
                await self._drop(out, "cancelled")
                continue
            out.name = name
            await self._ask(service, partial(service.cancel, name))
            self._out[out.row.id] = out
        while self._out:
            await self._look(cancelled=True)
        self._again.clear()

    # Handing in.

    async def _hand_in_all(self) -> bool:
        """Hand in what may be asked now; gives whether others hold what is left."""
        drafts: dict[tuple[str, str], BatchDraft] = {}
        items, fits = await self._next(), True
        while items and fits:
            for place, (item, tries) in enumerate(items):
                fits = await self._add(drafts, item, tries)
                if not fits:
                    self._again.extendleft(reversed(items[place:]))
                    break
            if fits:
                items = await self._next()
        for draft in drafts.values():
            await self._hand_in(draft)
        if not fits and not self._out and self._run.budget is not None:
            raise over_budget(self._run.budget, self._run.counters)
        return items is not None

    async def _next(self) -> Sequence[tuple[BatchT, int]] | None:
        if self._again:
            return [self._again.popleft() for _ in range(min(BLOCK, len(self._again)))]
        items = await self._run.db_writer.run_read(partial(self._run.work.next, BLOCK))
        return None if items is None else [(item, 0) for item in items]

    async def _add(
        self, drafts: dict[tuple[str, str], BatchDraft], item: BatchT, tries: int
    ) -> bool:
        """Add an item to the draft that it belongs to; False where it cannot be paid."""
        service, request = self._services[item.channel], item.request
        key = (item.channel, service.kind(request))
        draft = drafts.setdefault(key, BatchDraft(*key))
        if self._is_full(draft) and item.cell not in draft.cells:  # a cell is claimed by one batch
            await self._hand_in(draft)
            draft = drafts[key] = BatchDraft(*key)
        try:
            lines = service.lines(str(len(draft.entries)), request)
        except UnanswerableError as error:
            taken = await self._run.db_writer.write(
                partial(self._run.work.fail, item, str(error), True)
            )
            self._run.counters.begin(item.stage, item.things)
            self._run.counters.settle(
                item.stage, item.things, taken.done, taken.failed, taken.reason
            )
            self._again.extend((one, 0) for one in taken.further)
            return True
        if not self._collector.reserve(item):
            return False
        draft.add(item, lines, tries)
        return True

    def _is_full(self, draft: BatchDraft) -> bool:
        service = self._services[draft.channel]
        lines = min(self._most_lines, service.most_lines // 2)
        return len(draft.lines) >= lines or draft.size >= service.most_bytes // 2

    async def _hand_in(self, draft: BatchDraft) -> None:
        if not draft.entries:
            return
        row = await self._run.db_writer.write(partial(self._prepare, draft))
        out = Out(row, draft.entries, draft.asked, longest=draft.longest)
        self._begin(out)
        await self._submit(out, draft.kind, draft.lines)

    def _prepare(self, draft: BatchDraft) -> StoredBatch:
        """Write the batch down and have it claim what is ours. In the db writer's thread."""
        row = db.batches.prepare(
            self._run.connection, self._run.job, draft.channel, pack_entries(draft.entries)
        )
        cells = list(draft.cells)
        self._run.lease_holder.release(self._run.claimed, cells)
        db.batches.claim(self._run.connection, row.id, self._run.claimed, cells)
        return row

    async def _submit(self, out: Out, kind: str, lines: Sequence[bytes]) -> None:
        """Hand a batch in, once: after each failure it is looked for before another try."""
        service, token = self._services[out.row.lane], out.row.token
        name: str | None = None
        while name is None:
            try:
                name = await service.call(service.submit(token, kind, lines), sum(map(len, lines)))
                self._patience.note_answer()
            except TransientError as error:
                await self._patience.wait(error)
                name = await self._find_batch(service, token)
            except FatalError:
                await self._drop(out, "failed")
                raise
        self._run.counters.say(
            "job", f"batch {out.row.id} handed in, {format_amount(len(lines), 'request')}"
        )
        await self._note_submitted(out, name)

    async def _note_submitted(self, out: Out, name: str) -> None:
        """Note the service's name for a batch; from now on it is looked at."""
        await self._run.db_writer.write(
            partial(db.batches.mark_submitted, self._run.connection, out.row.id, name)
        )
        out.name = name
        self._out[out.row.id] = out
        self._wait = self._run.pace.first_look

    async def _find_batch(self, service: BatchService, token: str) -> str | None:
        """The name of a batch that may have been handed in. Lists are not always up to date."""
        for look in range(self._run.pace.looks):
            if look:
                await self._run.pace.sleep(self._run.pace.first_look * 2 ** (look - 1))
            try:
                name = await self._ask(service, partial(service.find, token))
            except NoBatchServiceError:
                return None
            if name is not None:
                return name
        return None

    async def _drop(self, out: Out, state: db.batches.End) -> None:
        """Give up a batch of which nothing will come."""
        await self._run.db_writer.write(
            partial(db.batches.end, self._run.connection, out.row.id, state)
        )
        self._collector.forget(out)

    # Going on with what an earlier run left.

    async def _take_up(self) -> None:
        for out in await self._load_open():
            if out.row.name is not None:
                self._run.counters.say("job", f"batch {out.row.id} is out since an earlier run")
                await self._note_submitted(out, out.row.name)
                continue
            service = self._services[out.row.lane]
            name = await self._find_batch(service, out.row.token)
            if name is not None:
                self._run.counters.say("job", f"batch {out.row.id} had been handed in")
                await self._note_submitted(out, name)
            else:
                await self._submit_again(out)

    async def _load_open(self) -> list[Out]:
        """The job's batches that are not at their end, and all their items known to the work."""
        rows = await self._run.db_writer.run_read(
            partial(db.batches.find_unfinished, self._run.connection, self._run.job)
        )
        found = []
        for row in rows:
            if row.lane not in self._run.channels:
                raise UsageError(f"a batch of {row.lane} is out: the job must ask that model")
            out = Out(row, unpack_entries(row.items), Counter(), row.name or "")
            async for item, _ in self._restore_items(out):
                out.asked[item.stage] += item.things
                out.longest += longest_result(item.request)
                if not self._collector.reserve(item):
                    out.unpaid.add(tuple(item.slots))
            self._begin(out)
            found.append(out)
        return found

    def _begin(self, out: Out) -> None:
        """Count what is out as being asked, once."""
        if out.row.id not in self._begun:
            self._begun.add(out.row.id)
            for stage, count in out.asked.items():
                self._run.counters.begin(stage, count)

    async def _restore_items(self, out: Out) -> AsyncIterator[tuple[BatchT, int]]:
        """Items of a batch that are still wanted, with their places."""
        for start in range(out.row.taken, len(out.entries), BLOCK):
            part = out.entries[start : start + BLOCK]
            items = await self._run.db_writer.write(partial(restore_items, self._run.work, part))
            for place, item in enumerate(items, start):
                if item is not None:
                    yield item, place

    async def _submit_again(self, out: Out) -> None:
        """Hand in a batch that had only been written down."""
        service, lines, kind = self._services[out.row.lane], list[bytes](), ""
        async for item, place in self._restore_items(out):
            kind = service.kind(item.request)
            lines += service.lines(str(place), item.request)
        if lines:
            await self._submit(out, kind, lines)
        else:
            await self._drop(out, "cancelled")

    # Taking in.

    async def _look(self, cancelled: bool = False) -> None:
        """Wait, then look at all that is out and take in what has ended."""
        await self._run.pace.sleep(self._wait)
        self._wait = min(self._wait * 1.5, self._run.pace.longest_look)
        for out in list(self._out.values()):
            service = self._services[out.row.lane]
            standing = await self._ask(service, partial(service.get_status, out.name))
            if standing.state == "working":
                self._tell(out, standing)
            else:
                await self._collect(out, standing, cancelled)

    async def _ask(
        self, service: BatchService, asked: Callable[[], Coroutine[Any, Any, T]], size: int = 0
    ) -> T:
        """What a service says, as with `Patience.ask`; `size` in bytes."""
        return await self._patience.ask(lambda: service.call(asked(), size))

    def _tell(self, out: Out, standing: BatchStatus) -> None:
        if standing.done > out.done:
            out.done = standing.done
            self._run.counters.say(
                "job", f"batch {out.row.id}: {format_amount(standing.done, 'request')} done"
            )

    async def _collect(self, out: Out, standing: BatchStatus, cancelled: bool) -> None:
        """Take in a batch that has ended, whatever there is of it."""
        service, row = self._services[out.row.lane], out.row
        if standing.state == "failed" and not standing.passing:
            del self._out[row.id]
            await self._drop(out, "failed")
            raise FatalError(standing.reason)
        if standing.state == "failed":
            self._run.counters.say(
                "warn", f"batch {row.id}: {standing.reason}; smaller ones are tried"
            )
            self._most_lines = max(1, min(self._most_lines, len(out.entries)) // 2)
            results: Mapping[str, Sequence[bytes]] = {}
        else:
            results = await self._fetch(out, service, cancelled)
        reason = standing.reason or "the batch ended without an answer to this request"
        again = await self._collector.collect(out, service, results, reason, cancelled)
        self._again.extend(again)
        del self._out[row.id]
        self._say_end(out, len(again), standing)
        if standing.state == "failed":
            await self._run.pace.sleep(self._wait)
        else:
            self._wait = self._run.pace.first_look

    async def _fetch(self, out: Out, service: BatchService, cancelled: bool) -> Results:
        """The results of a batch. One whose file is too long to be any is given up."""
        most = min(BASE + out.longest, LONGEST_FILE)
        try:
            with limit_body(most, LongFileError):
                size = ANSWER * len(out.entries)
                return await self._ask(service, partial(service.results, out.name), size)
        except LongResultsError as error:
            if cancelled:
                return {}
            del self._out[out.row.id]
            await self._drop(out, "failed")
            raise FatalError(
                f"batch {out.row.id}: {error}; none of it was taken, and the same command asks for "
                "it again"
            ) from error

    def _say_end(self, out: Out, again: int, standing: BatchStatus) -> None:
        said = f"batch {out.row.id} collected"
        if again:
            why = f" ({standing.reason})" if standing.reason else ""
            said += (
                f", {again:,} of {format_amount(len(out.entries), 'request')} go into the next{why}"
            )
        self._run.counters.say("job", said)


def _service(channel: ModelChannel) -> BatchService:
    if not isinstance(channel.provider, BatchService):
        raise UsageError(f"{channel.model} takes no batches: leave --via batch out")
    return channel.provider
