"""What the engine works on: items that a model is asked for, and what is done with the replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from core.providers.base import Reply, Request


class WorkItem(Protocol):
    """One request and what it is for."""

    @property
    def stage(self) -> str:
        """The stage that counts it."""

    @property
    def channel(self) -> str:
        """The model that is asked (a key of the engine's channels)."""

    @property
    def request(self) -> Request:
        """What is asked."""

    @property
    def things(self) -> int:
        """How many things of its stage it stands for, such as answers or labels."""


ItemT = TypeVar("ItemT", bound=WorkItem)


@dataclass(frozen=True, slots=True)
class StageDelta:
    """What became of things of another stage because of an item: so many more wait, or are over.

    `reason` is why they were dropped.
    """

    stage: str
    waiting: int = 0
    done: int = 0
    dropped: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ItemResult(Generic[ItemT]):
    """What became of an item's things; those neither done, dropped nor failed wait again.

    `further` is what is to be asked next because of it: the rest where fewer draws came than were
    asked for, the next round, what follows in another stage, or nothing. `reason` is why things
    failed or were dropped, for people. `also` is what it means for other stages.
    """

    further: Sequence[ItemT] = ()
    done: int = 0
    failed: int = 0
    reason: str = ""
    dropped: int = 0
    also: Sequence[StageDelta] = ()


class WorkSource(Protocol[ItemT]):
    """A source of items that takes in their replies.

    All methods run in the one thread that owns the database connection. What is waiting is asked
    of the database and never kept as a list. `take_all` and `fail` are called inside a transaction
    that the engine commits before anything of them counts, and again for the same items where it
    had to be undone because of another.
    """

    def next(self, most: int) -> Sequence[ItemT] | None:
        """Up to about `most` items that nobody else is busy with, claimed for this engine.

        Empty: others hold what is left, ask again later. None: nothing is left. Called outside
        of any transaction.
        """

    def take_all(self, replies: Sequence[tuple[ItemT, Reply]]) -> Sequence[ItemResult[ItemT]]:
        """Write down what came; gives what became of each item, in the same order."""

    def fail(self, item: ItemT, reason: str, refused: bool) -> ItemResult[ItemT]:
        """Write down that an item failed for good.

        `refused`: it is one that can never be answered (`UnanswerableError`).
        """
