"""Taking in a batch that has ended: part by part, each in one transaction, each exactly once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic

import db.batches
from core.engine.batch_requests import (
    BatchEntry,
    BatchRun,
    BatchT,
    Out,
    parts,
    restore_items,
)
from core.engine.engine import Raw
from core.engine.run_counters import Spend
from core.engine.token_usage import Usage, count_failed, total
from core.engine.work_source import ItemResult
from core.providers.base import FatalError, Reply, SentRequests, TransientError, UnanswerableError
from core.providers.batch_service import BatchService, Results

PART = 200
"""Items that are taken in together, about: those of one cell are, as they share its claim."""

NOTHING = Reply(())


@dataclass(frozen=True, slots=True)
class BatchReply(Generic[BatchT]):
    """What came for one item: a reply, perhaps empty, or the reason why none ever will.

    `lines` of the results are about it.
    """

    item: BatchT
    entry: BatchEntry
    reply: Reply
    lines: int
    failed: str = ""
    refused: bool = False

    @property
    def draws(self) -> int:
        """How many of the draws came that were asked for."""
        return min(self.item.request.n, len(self.reply.draws))


class BatchCollector(Generic[BatchT]):
    """Takes in batches for a `BatchEngine`, and counts what they used."""

    def __init__(self, run: BatchRun[BatchT]) -> None:
        self._run = run
        self._usage: defaultdict[str, Usage] = defaultdict(Usage)

    def reserve(self, item: BatchT) -> bool:
        """Set aside what an item can cost; False where that is no longer there."""
        return self._run.budget is None or self._run.budget.reserve(self._most(item))

    def forget(self, out: Out) -> None:
        """What a batch asked for waits again."""
        for stage, count in out.asked.items():
            self._run.counters.back(stage, count)
        out.asked.clear()

    async def collect(
        self,
        out: Out,
        service: BatchService,
        results: Results,
        reason: str,
        cancelled: bool = False,
    ) -> list[tuple[BatchT, int]]:
        """Take in what came; gives what is to be asked next, each with its tries in vain.

        `reason` is why there are no results for what has none. Of a batch that was `cancelled`
        nothing is asked again. The batch is at its end then.
        """
        again: list[tuple[BatchT, int]] = []
        start = out.row.taken
        for part in parts(out.entries, start, PART):
            items = await self._run.db_writer.write(partial(restore_items, self._run.work, part))
            came = [
                self._read_item(service, item, entry, results.get(str(place), ()), reason)
                for place, (entry, item) in enumerate(zip(part, items, strict=True), start)
                if item is not None
            ]
            if cancelled:
                came = [one for one in came if one.draws]
            start += len(part)
            taken = await self._run.db_writer.write(partial(self._take, out, came, start))
            again += self._count(out, came, taken)
            if self._run.raw is not None:
                await self._run.db_writer.run_read(partial(_keep, self._run.raw, came))
        end: db.batches.End = "cancelled" if cancelled else "collected"
        await self._run.db_writer.write(
            partial(db.batches.end, self._run.connection, out.row.id, end)
        )
        self._drop_rest(out, cancelled)
        return [] if cancelled else again

    # In the db writer's thread.

    def _take(
        self, out: Out, came: Sequence[BatchReply[BatchT]], until: int
    ) -> list[ItemResult[BatchT]]:
        """Write down what came, of the entries before the place `until`.

        The claims are the lease's again, as if it had just asked.
        """
        cells = list({one.item.cell for one in came})
        db.batches.release(self._run.connection, out.row.id, self._run.claimed, cells)
        self._run.lease_holder.claim(self._run.claimed, cells)
        work = self._run.work
        taken = iter(work.take_all([(one.item, one.reply) for one in came if not one.failed]))
        db.batches.take(self._run.connection, out.row.id, until)
        return [
            work.fail(one.item, one.failed, one.refused) if one.failed else next(taken)
            for one in came
        ]

    # Reading and counting.

    def _read_item(
        self,
        service: BatchService,
        item: BatchT,
        entry: BatchEntry,
        lines: Sequence[bytes],
        reason: str,
    ) -> BatchReply[BatchT]:
        try:
            reply = service.read_reply(item.request, lines) if lines else NOTHING
        except TransientError as error:
            reply, reason = error.reply or NOTHING, str(error)
        except (UnanswerableError, FatalError) as error:
            return BatchReply(item, entry, NOTHING, len(lines), str(error), True)
        if reply.draws or entry.tries + 1 < self._run.pace.rounds:
            return BatchReply(item, entry, reply, len(lines))
        return BatchReply(item, entry, reply, len(lines), reason)

    def _count(
        self, out: Out, came: Sequence[BatchReply[BatchT]], taken: Sequence[ItemResult[BatchT]]
    ) -> list[tuple[BatchT, int]]:
        used: defaultdict[str, list[Spend]] = defaultdict(list)
        again: list[tuple[BatchT, int]] = []
        for one, found in zip(came, taken, strict=True):
            stage, things = one.item.stage, one.item.things
            out.asked[stage] -= things
            self._run.counters.settle(stage, things, found.done, found.failed, found.reason)
            used[stage].append(self._count_spend(out, one))
            tries = 0 if one.draws else one.entry.tries + 1
            again += [(item, tries) for item in found.further]
        for stage, spends in used.items():
            self._run.counters.spend(stage, self._run.channels[out.row.lane].model, total(spends))
        return again

    def _count_spend(self, out: Out, one: BatchReply[BatchT]) -> Spend:
        """What an item used; a request that brought nothing costs what the service counted."""
        channel = self._run.channels[out.row.lane]
        for kind, line in channel.served.look(channel.model, one.reply):
            self._run.counters.say(kind, line)
        used = count_failed(SentRequests(one.lines), one.reply)
        if one.reply.draws:
            used, _ = self._usage[out.row.lane].count_spend(one.item.request, one.reply)
        channel.set_cost(used, batch=True)
        if self._run.budget is not None and one.entry.slots in out.unpaid:
            self._run.budget.spent += used.cost or 0.0
        elif self._run.budget is not None:
            self._run.budget.settle(self._most(one.item), used.cost or 0.0)
        return used

    def _most(self, item: BatchT) -> float:
        price = self._run.channels[item.channel].price
        return 0.0 if price is None else price.most(item.request, batch=True)

    def _drop_rest(self, out: Out, cancelled: bool) -> None:
        """Count what was not taken in: of a cancelled batch, or out of date meanwhile."""
        for stage, count in out.asked.items():
            self._run.counters.back(stage, count)
            if count and not cancelled:
                self._run.counters.drop(stage, count, "the question was changed meanwhile")
        out.asked.clear()


def _keep(raw: Raw, came: Sequence[BatchReply[BatchT]]) -> None:
    for one in came:
        if one.reply.draws:
            request = one.item.request
            raw.append(request.samples, one.item.stage, request, one.reply)
