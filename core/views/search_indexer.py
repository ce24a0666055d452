"""Keeping the search index up to date beside everything else, in a thread of its own."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import db.connection
from core.errors import LostkeysError
from core.project import OpenProject
from core.views import fact_search

REST = 10.0
"""Seconds between two rounds: while answers keep coming, each round takes in many of them."""


class Indexer:
    """Indexes one database; call `wake` whenever something may have been written to it."""

    def __init__(self, path: Path, told: Callable[[], None], rest: float = REST) -> None:
        """`told` is called from the thread after each step and each round."""
        self.path = path
        self._told = told
        self._rest = rest
        self._share: float | None = None
        self._stopping = threading.Event()
        self._awake = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def share(self) -> float | None:
        """How much of what was new is indexed, 0 to 1; None between rounds."""
        return self._share

    def wake(self) -> None:
        """Index what is new, now or after the rest; begins anew where trouble has ended it."""
        self._awake.set()
        if not self._is_alive and not self._stopping.is_set():
            self._thread = threading.Thread(target=self._work, name="indexer", daemon=True)
            self._thread.start()

    def close(self, seconds: float = 3.0) -> bool:
        """Stop after the step at hand; gives whether it ended in time."""
        self._stopping.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join(seconds)
        return not self._is_alive

    @property
    def _is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        while self._awake.wait() and not self._stopping.is_set():
            self._awake.clear()
            try:
                self._round()
            except (LostkeysError, sqlite3.Error, OSError):
                # Searching goes on without: it reads what is indexed, and says that it is not all.
                return
            finally:
                self._share = None
                self._told()
            self._stopping.wait(self._rest)

    def _round(self) -> None:
        with (
            OpenProject(self.path, "write", counts=True) as project,
            closing(fact_search.catch_up(project)) as steps,
        ):
            db.connection.keep_few_pages(project.connection)
            for step in steps:
                self._share = step.done / step.total
                self._told()
                if self._stopping.is_set():
                    return
