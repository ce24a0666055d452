"""What the engine works on: items that a model is asked for, and what is done with the replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, runtime_checkable

from core.providers.base import Reply, Request


class Item(Protocol):
    """One request and what it is for.

    Its `request.n` says how many things of its stage it brings, but for a `Bundle`.
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
ItemC = TypeVar("ItemC", bound=Item, contravariant=True)


@runtime_checkable
class Bundle(Protocol):
    """An item of which one draw brings several things of its stage, such as labels."""

    @property
    def things(self) -> int:
        """How many they are."""


def things(item: Item, draws: int | None = None) -> int:
    """How many things of its stage an item brings; `draws` of it where that is fewer."""
    if isinstance(item, Bundle):
        return item.things
    return item.request.n if draws is None else draws


@dataclass(frozen=True, slots=True)
class Came:
    """What became of the things of a `Bundle`; those neither done nor failed wait again."""

    done: int
    failed: int = 0
    reason: str = ""


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
        Called inside a transaction that the engine commits before the item counts as done, and
        again where that had to be undone because of another item.
        """

    def fail(self, item: ItemT, reason: str) -> Sequence[ItemT]:
        """Write down that an item failed for good; gives what is to be asked next because of it.

        Called inside a transaction.
        """


@runtime_checkable
class TakesMany(Protocol[ItemT]):
    """What a work may have besides: taking in many replies for little more than the cost of one."""

    def take_all(self, replies: Sequence[tuple[ItemT, Reply]]) -> Sequence[Sequence[ItemT]]:
        """As `take` for each, in one call."""


@runtime_checkable
class TakesRefusals(Protocol[ItemT]):
    """What a work may have besides: telling items that can never be answered from failed ones."""

    def refuse(self, item: ItemT, reason: str) -> Sequence[ItemT]:
        """As `fail`, for an item that was refused (`UnanswerableError`)."""


@runtime_checkable
class CountsBundles(Protocol[ItemC]):
    """What a work of bundles has besides."""

    def came(self, item: ItemC) -> Came:
        """What the last `take`, `fail` or `refuse` of an item came to. Any thread, once each."""
