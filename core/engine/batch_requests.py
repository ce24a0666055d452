"""Batches before they are handed in, and what is kept of them until they come back."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from core.engine.db_writer import DbWriter
from core.engine.engine import Raw
from core.engine.lease_holder import LeaseHolder
from core.engine.model_channel import ModelChannel
from core.engine.poll_schedule import PACE, PollSchedule
from core.engine.run_counters import RunCounters
from core.engine.work_source import WorkItem, WorkSource
from core.pricing import Budget
from core.providers.body_limits import longest_result
from db.batches import StoredBatch
from db.stored_values import StoredValues, check_list, read_json, unreadable

ITEMS = "items of a batch"


class BatchItem(WorkItem, Protocol):
    """An item that can be told by its slots, when whoever asked for it is long gone.

    `cell` is what it is claimed by.
    """

    @property
    def slots(self) -> Sequence[int]:
        """The slots that it fills."""

    @property
    def cell(self) -> int:
        """The thing that is claimed so that nobody else asks for these slots."""


BatchT = TypeVar("BatchT", bound=BatchItem)


class BatchWork(WorkSource[BatchT], Protocol[BatchT]):
    """A work whose items outlive the program that asked for them."""

    def restore(self, slots: Sequence[int]) -> BatchT | None:
        """The item that went out for these slots; None if it is out of date.

        Called inside a transaction, and before `next` for whatever is out, so that the work knows
        of it.
        """


@dataclass(frozen=True, slots=True)
class BatchRun(Generic[BatchT]):
    """What a `BatchEngine` works with, and its collector: one work of one job."""

    db_writer: DbWriter
    work: BatchWork[BatchT]
    channels: Mapping[str, ModelChannel]
    """The models by the names that items call them; all their providers are `BatchService`s."""
    counters: RunCounters
    connection: sqlite3.Connection
    """The db writer's, used in its thread only."""
    lease_holder: LeaseHolder
    """Holds the job's lease."""
    job: int
    """The id of its row."""
    budget: Budget | None = None
    raw: Raw | None = None
    claimed: str = "answer"
    """The stage under which cells are claimed."""
    pace: PollSchedule = PACE


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """One item of a batch: its cell and slots, and how many batches have brought nothing for it."""

    cell: int
    slots: tuple[int, ...]
    tries: int = 0


def pack_entries(entries: Iterable[BatchEntry]) -> str:
    """Entries as they are stored."""
    return json.dumps([[entry.tries, entry.cell, *entry.slots] for entry in entries])


def unpack_entries(text: str) -> list[BatchEntry]:
    """The entries stored so."""
    return [_entry(row) for row in check_list(read_json(text, ITEMS), list, ITEMS)]


STORED = StoredValues("batch", "items", unpack_entries)


def _entry(row: list[object]) -> BatchEntry:
    numbers = check_list(row, int, ITEMS)
    if len(numbers) < 2:
        raise unreadable(ITEMS, row)
    tries, cell, *slots = numbers
    return BatchEntry(cell, tuple(slots), tries)


def parts(entries: Sequence[BatchEntry], start: int, size: int) -> Iterator[Sequence[BatchEntry]]:
    """The entries from `start` on, about `size` at a time, never with a cell in two parts."""
    while start < len(entries):
        end = min(start + size, len(entries))
        while end < len(entries) and entries[end].cell == entries[end - 1].cell:
            end += 1
        yield entries[start:end]
        start = end


def restore_items(work: BatchWork[BatchT], entries: Iterable[BatchEntry]) -> list[BatchT | None]:
    """The items of these entries; None for those out of date. Inside a transaction."""
    return [work.restore(entry.slots) for entry in entries]


@dataclass(slots=True)
class BatchDraft:
    """Requests of one channel and kind that go out together.

    `asked` counts by stage what they bring, `longest` the bytes that their answers may have. The
    key of a request is its place among the entries.
    """

    channel: str
    kind: str
    entries: list[BatchEntry] = field(default_factory=list)
    cells: set[int] = field(default_factory=set)
    lines: list[bytes] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    size: int = 0
    longest: int = 0

    def add(self, item: BatchItem, lines: Sequence[bytes], tries: int) -> None:
        """Add an item with the lines that ask for it."""
        self.entries.append(BatchEntry(item.cell, tuple(item.slots), tries))
        self.cells.add(item.cell)
        self.lines += lines
        self.asked[item.stage] += item.things
        self.size += sum(map(len, lines))
        self.longest += longest_result(item.request)


@dataclass(slots=True)
class Out:
    """A batch that is with its service.

    `asked` counts by stage what has not been taken in yet. `unpaid` are slots of items whose cost
    did not fit into the budget any more when they were found out. `done`: what the service said
    last. `longest`: bytes that its results may have.
    """

    row: StoredBatch
    entries: Sequence[BatchEntry]
    asked: Counter[str]
    name: str = ""
    unpaid: set[tuple[int, ...]] = field(default_factory=set)
    done: int = 0
    longest: int = 0
