"""Services that work on many requests at once, in their own time and for less money.

A service takes a file of requests, each with a key, and gives back a file of results. Nothing
else is promised: not the order, not that each request has a result, not when it is done.
"""

from abc import abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from core.providers.base import FatalError, Provider, Reply, Request

T = TypeVar("T")

CALL = 600.0
"""Seconds for anything that is asked of a service."""

SLOWEST = 100_000
"""Bytes that go up or down in a second, at the least."""

ANSWER = 20_000
"""Bytes that the results of one request may have."""

Results = Mapping[str, Sequence[bytes]]
"""What came for each key, as the service wrote it."""


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """Where a batch is. `done` counts lines that are through, as far as the service says so.

    `ended`: there are results, perhaps not for all requests (it may have expired or been
    cancelled, as `reason` says). `failed`: there are none, and why; `passing` if the same may well
    be taken later, or in smaller batches.
    """

    state: Literal["working", "ended", "failed"]
    done: int = 0
    reason: str = ""
    passing: bool = False


class NoBatchServiceError(FatalError):
    """A host that takes no batches: none can be out there."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"no batch service at {host}: `lostkeys requests` writes files for other engines"
        )


class LongResultsError(FatalError):
    """A file of results is longer than answers to its requests can be: nothing of it is read."""


class BatchService(Provider):
    """A model whose provider takes batches as well as single requests.

    All methods raise `TransientError` where another try may succeed and `FatalError` where none
    can, as `Provider.draw` does.
    """

    most_lines: int
    """Lines that one batch may have."""

    most_bytes: int
    """Bytes that one batch may have."""

    async def call(self, called: Coroutine[Any, Any, T], size: int = 0) -> T:
        """What another of these methods gives, which sends or fetches so many bytes.

        Raises what it raises, and `TransientError` where it is given up after too long.
        """
        return await self._within((self.deadline.timeout or CALL) + size / SLOWEST, called)

    @abstractmethod
    def kind(self, request: Request) -> str:
        """Requests of different kinds cannot be in one batch."""

    @abstractmethod
    def lines(self, key: str, request: Request) -> Sequence[bytes]:
        """A request as lines of a batch, each with its line end.

        Raises `UnanswerableError` for what cannot be written.
        """

    @abstractmethod
    async def submit(self, token: str, kind: str, lines: Sequence[bytes]) -> str:
        """Hand in a batch; gives the service's name for it.

        After a `TransientError` nobody knows whether it was taken: `find` tells.
        """

    @abstractmethod
    async def find(self, token: str) -> str | None:
        """The service's name for the batch that was handed in with this token, None without."""

    @abstractmethod
    async def get_status(self, name: str) -> BatchStatus:
        """Where a batch is."""

    @abstractmethod
    async def results(self, name: str) -> Results:
        """What came of a batch that has ended."""

    @abstractmethod
    def read_reply(self, request: Request, lines: Sequence[bytes]) -> Reply:
        """The reply in what came for a request.

        Raises `TransientError`, `UnanswerableError` or `FatalError` as `Provider.draw` would have,
        `TransientError` where nothing came.
        """

    @abstractmethod
    async def cancel(self, name: str) -> None:
        """Have a batch end early; one that has ended stays as it is."""
