"""What the engine works on: items that a model is asked for, and what is done with the replies."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from core.providers.base import Reply, Request


class Item(Protocol):
    """One request and what it is for. Its `request.n` says how many things of its stage it brings.

    `stage` is the name of the stage that counts it, `lane` the model that is asked (a key of the
    engine's lanes).
    """

    @property
    def stage(self) -> str:
        """The stage that counts it."""

    @property
    def lane(self) -> str:
        """The lane it is asked in."""

    @property
    def request(self) -> Request:
        """What is asked."""


ItemT = TypeVar("ItemT", bound=Item)


class Work(Protocol[ItemT]):
    """A source of items that takes in their replies.

    All methods run in the one thread that owns the database connection. What is waiting is asked
    of the database and never kept as a list.
    """

    def next(self, most: int) -> Sequence[ItemT] | None:
        """Up to about `most` items that nobody else is busy with, claimed for this engine.

        Empty: others hold what is left, ask again later. None: nothing is left. Called outside
        of any transaction.
        """

    def take(self, item: ItemT, reply: Reply) -> Sequence[ItemT]:
        """Write down what came; gives what is to be asked next because of it.

        That is the rest where fewer draws came than were asked for, the next round, or nothing.
        Called inside a transaction that the engine commits before the item counts as done.
        """

    def fail(self, item: ItemT, reason: str) -> Sequence[ItemT]:
        """Write down that an item failed for good; gives what is to be asked next because of it.

        Called inside a transaction.
        """
