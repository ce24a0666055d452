"""The search index of the open database, which grows while people read."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from core.views.search_indexer import Indexer
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp

INDEX_AFTER = 0.5
"""Seconds from a new snapshot to indexing it: what is on screen comes first."""

PATIENCE = 3.0
"""Seconds that indexing gets to stop before the program goes on without it."""


class IndexChanged(Message):
    """The search index is further than it was."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest state matters."""
        return isinstance(message, IndexChanged)


class IndexController:
    """Has texts indexed that have come since, in a thread of its own."""

    def __init__(self, app: "LostkeysApp") -> None:
        self._app = app
        self._indexer: Indexer | None = None
        self._texts: object = None
        self._answers: Mapping[str, int] = {}

    @property
    def share(self) -> float | None:
        """How much of what is new can be found already, 0 to 1; None where nothing is new."""
        return self._indexer.share if self._indexer is not None else None

    def take(self, snapshot: "Snapshot", answers: Mapping[str, int]) -> None:
        """Have new texts of a snapshot indexed; `answers` are counted by model."""
        if snapshot.index.questions is not self._texts or answers != self._answers:
            self._texts, self._answers = snapshot.index.questions, answers
            if len(snapshot.index):
                self._app.set_timer(INDEX_AFTER, self._index)

    def stop(self) -> None:
        """Index nothing any more."""
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            indexer.close(PATIENCE)

    def _index(self) -> None:
        if self._indexer is None:
            from core.views.search_indexer import Indexer

            self._indexer = Indexer(self._app.path, self._tell)
        self._indexer.wake()

    def _tell(self) -> None:
        self._app.post_message(IndexChanged())
