"""Where collected answers land: the slots of a database."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

import db.failures
import db.label_grids
from core.project import OpenProject
from core.sampling.response_store import ReadQuestions, ResponseStore
from db.connection import write_transaction
from db.drawn_responses import DrawnColumns
from db.foreign_key_checks import write_unchecked
from db.label_grids import LabelMatrix

Slots = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FOLD_EVERY = 50
"""Transactions between two looks at whether the label grids are to be folded."""


class AnswerSink(Protocol):
    """Takes answers in, each slot once. What it says is here stays so."""

    def is_here(self, slots: Slots) -> Flags:
        """Which slots have an answer, of any shape."""

    def store(self, drawn: DrawnColumns, read: ReadQuestions) -> int:
        """Keep answers, one a slot, where their slots are free; gives how many were.

        `read` has their questions that are multiple choice.
        """

    def refuse(self, refused: Sequence[tuple[Sequence[int], str]]) -> None:
        """Note that the slots of some requests will never be filled, and why."""

    def refusals(self, slots: Sequence[int]) -> Mapping[int, str]:
        """Those of these slots that were refused since the plan was written, and why."""

    def refresh(self) -> None:
        """All is taken in: what others have filled meanwhile is known from now on."""


class DatabaseSink:
    """The slots of one project, filled in short transactions."""

    def __init__(self, project: OpenProject, store: ResponseStore, since: str) -> None:
        """`since`: when the plan was written, as UTC text."""
        self._connection, self._store, self._since = project.connection, store, since
        self._grids = _read_drawn(project.connection, store)
        self._written = 0

    def is_here(self, slots: Slots) -> Flags:
        """As `AnswerSink`; what others have filled meanwhile may be missing in it."""
        return self._grids.at(db.label_grids.DRAWN, slots) > 0

    def store(self, drawn: DrawnColumns, read: ReadQuestions) -> int:
        """As `AnswerSink`, in one transaction."""
        with write_unchecked(self._connection):
            fresh = self._store.store_columns(drawn, read)
        ones = np.ones(drawn.slots.size, np.uint8)
        self._grids.set(db.label_grids.DRAWN, drawn.slots, ones)
        self._written += 1
        if not self._written % FOLD_EVERY:
            db.label_grids.fold_if_due(self._connection)
        return fresh

    def refuse(self, refused: Sequence[tuple[Sequence[int], str]]) -> None:
        """As `AnswerSink`, in one transaction."""
        with write_transaction(self._connection):
            for slots, reason in refused:
                self._store.fail(slots, reason)

    def refusals(self, slots: Sequence[int]) -> Mapping[int, str]:
        """As `AnswerSink`."""
        return db.failures.failures_since(self._connection, slots, self._since)

    def refresh(self) -> None:
        """As `AnswerSink`; folds what was written."""
        db.label_grids.fold_if_due(self._connection)
        self._grids = _read_drawn(self._connection, self._store)


def _read_drawn(connection: sqlite3.Connection, store: ResponseStore) -> LabelMatrix:
    return db.label_grids.load_drawn(connection, set(store.settings.values()))
