"""Responses as they are drawn: each with the run that it is of, and how it came."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from db import responses
from db.connection import undo_on_error
from db.row_statements import insert_by_column
from db.slot_ids import MAX_SETTING, SAMPLE_BITS

Slots = npt.NDArray[np.int64]

NONE_SERVED: Mapping[tuple[str, str], int] = {}
UNREASONED = (None, None)


class NewResponse(NamedTuple):
    """One response as a provider gave it.

    `shown` is the number of the permutation of the options that was shown (multiple choice),
    `served` the name and the fingerprint of the model that answered, as its server gave them.
    """

    slot: int
    text: str
    shown: int | None = None
    finish: str | None = None
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    served: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class DrawnColumns:
    """Many responses column by column, one a slot, as `NewResponse` has them one by one.

    `reasoned` has reasoning and its tokens by slot, of those that have any.
    """

    slots: Slots
    texts: Sequence[str]
    shown: Sequence[int | None]
    finishes: Sequence[str | None]
    served: Sequence[tuple[str, str] | None]
    reasoned: Mapping[int, tuple[str | None, int | None]]

    @classmethod
    def from_rows(cls, rows: Sequence[NewResponse]) -> "DrawnColumns":
        """The columns of some rows."""
        slots, texts, shown, finishes, thoughts, tokens, served = (
            zip(*rows, strict=True) if rows else ((),) * len(NewResponse._fields)
        )
        reasoned = {
            slot: (thought, count)
            for slot, thought, count in zip(slots, thoughts, tokens, strict=True)
            if thought is not None or count is not None
        }
        return cls(np.array(slots, np.int64), texts, shown, finishes, served, reasoned)

    def to_rows(self) -> Iterator[NewResponse]:
        """The responses one by one."""
        columns = self.slots.tolist(), self.texts, self.shown, self.finishes, self.served
        for slot, text, shown, finish, by in zip(*columns, strict=True):
            yield NewResponse(slot, text, shown, finish, *self.reasoned.get(slot, UNREASONED), by)

    def select(self, chosen: Slots) -> "DrawnColumns":
        """Those at some places, in that order."""
        places = chosen.tolist()
        return DrawnColumns(
            self.slots[chosen],
            [self.texts[place] for place in places],
            [self.shown[place] for place in places],
            [self.finishes[place] for place in places],
            [self.served[place] for place in places],
            self.reasoned,
        )


def insert_drawn(
    connection: sqlite3.Connection,
    drawn: DrawnColumns,
    runs: Mapping[int, int],
    served: Mapping[tuple[str, str], int] = NONE_SERVED,
) -> DrawnColumns:
    """Add responses to those of their slots that are still free; gives these.

    `runs` has the run of each setting (ids), `served` the ids of names with fingerprints
    (`db.served_models`); what is not in it is not kept. Inside a transaction. A slot that another
    program filled meanwhile keeps its first answer.
    """
    fresh = _insert_free(connection, drawn)
    slots = fresh.slots.tolist()
    settings = (fresh.slots >> SAMPLE_BITS & MAX_SETTING).tolist()
    columns: dict[str, Sequence[object]] = {
        "response": slots,
        "run": list(map(runs.__getitem__, settings)),
        "finish": fresh.finishes,
        "served": [served.get(one) if one else None for one in fresh.served],
    }
    if slots and fresh.reasoned:
        thoughts = [fresh.reasoned.get(slot, UNREASONED) for slot in slots]
        columns["reasoning"], columns["reasoning_tokens"] = zip(*thoughts, strict=True)
    insert_by_column(connection, "draw", columns)
    if connection.execute("SELECT EXISTS (SELECT 1 FROM failure)").fetchone()[0]:
        connection.execute(
            "DELETE FROM failure WHERE slot IN (SELECT value FROM json_each(?))",
            (json.dumps(slots),),
        )
    return fresh


def _insert_free(connection: sqlite3.Connection, drawn: DrawnColumns) -> DrawnColumns:
    """Insert responses whose slots are free; gives them.

    Mostly all are: only where one is not, it is asked which.
    """
    try:
        with undo_on_error(connection):
            _insert_columns(connection, drawn)
    except sqlite3.IntegrityError:
        taken = _find_filled(connection, drawn.slots.tolist())
        fresh = drawn.select(np.flatnonzero(~np.isin(drawn.slots, list(taken))))
        _insert_columns(connection, fresh)
        return fresh
    return drawn


def _insert_columns(connection: sqlite3.Connection, drawn: DrawnColumns) -> None:
    responses.insert_columns(connection, drawn.slots.tolist(), drawn.texts, drawn.shown)


def _find_filled(connection: sqlite3.Connection, slots: Sequence[int]) -> set[int]:
    rows = connection.execute(
        "SELECT id FROM response WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(slots),),
    )
    return {key for (key,) in rows}
