"""Where collected answers land: the slots of a database."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

import db.label_grids
import db.responses
from core.project import Project
from core.providers.base import Draw
from core.sampling.requests import SampleRequest
from core.sampling.response_store import ResponseStore
from db.connection import writing
from db.label_grids import LabelMatrix

Slots = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FOLD_EVERY = 50
"""Transactions between two looks at whether the label grids are to be folded."""


class AnswerSink(Protocol):
    """Takes answers in, each slot once. What it says is here stays so."""

    def is_here(self, slots: Slots) -> Flags:
        """Which slots have an answer, of any shape."""

    def store(self, answered: Sequence[tuple[SampleRequest, Sequence[Draw]]]) -> int:
        """Keep answers in those of their slots that are free; gives how many were."""

    def refuse(self, refused: Sequence[tuple[SampleRequest, str]]) -> None:
        """Note that requests will never be answered, and why."""

    def refusals(self, slots: Sequence[int]) -> Mapping[int, str]:
        """Those of these slots that were refused since the plan was written, and why."""

    def refresh(self) -> None:
        """All is taken in: what others have filled meanwhile is known from now on."""


class DatabaseSink:
    """The slots of one project, filled in short transactions."""

    def __init__(self, project: Project, store: ResponseStore, since: str) -> None:
        """`since`: when the plan was written, as UTC text."""
        self._connection, self._store, self._since = project.connection, store, since
        self._grids = _read(project.connection, store)
        self._written = 0

    def is_here(self, slots: Slots) -> Flags:
        """As `AnswerSink`; what others have filled meanwhile may be missing in it."""
        return self._grids.at(db.label_grids.DRAWN, slots) > 0

    def store(self, answered: Sequence[tuple[SampleRequest, Sequence[Draw]]]) -> int:
        """As `AnswerSink`, in one transaction."""
        with writing(self._connection):
            stored = self._store.store(answered)
        slots = np.array(list(stored.rows), np.int64)
        self._grids.set(db.label_grids.DRAWN, slots, np.ones(slots.size, np.uint8))
        self._written += 1
        if not self._written % FOLD_EVERY:
            db.label_grids.fold_if_due(self._connection)
        return stored.fresh

    def refuse(self, refused: Sequence[tuple[SampleRequest, str]]) -> None:
        """As `AnswerSink`, in one transaction."""
        with writing(self._connection):
            for ask, reason in refused:
                self._store.fail(ask, reason)

    def refusals(self, slots: Sequence[int]) -> Mapping[int, str]:
        """As `AnswerSink`."""
        return db.responses.failures_since(self._connection, slots, self._since)

    def refresh(self) -> None:
        """As `AnswerSink`; folds what was written."""
        db.label_grids.fold_if_due(self._connection)
        self._grids = _read(self._connection, self._store)


def _read(connection: sqlite3.Connection, store: ResponseStore) -> LabelMatrix:
    return db.label_grids.load_drawn(connection, set(store.settings.values()))
