"""Logs of all tools behind one interface, and their samples as rows that can land.

A log is read once, from its start to its end, into columns (`LogColumns`): so a broken one lands
nothing, and what only the end of a log tells (whether a scorer counts something, whether the model
was thinking) is known before the first row lands.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from core.errors import LostkeysError
from core.exchange.log_samples import BadSample, LogHead, LogSample, SampleColumns
from core.settings.compression import plain_path

FAILURES = frozenset(
    ("error", "network_error", "server_error", "insufficient_system_resource", "abort", "aborted")
)
"""Finish reasons of a service that failed within an answer."""

CUT_OFF = "mend the file, or write it again if it was cut off"


@dataclass(frozen=True, slots=True)
class LogPart:
    """The bytes of a file of lines that are read, and how many lines stand before them."""

    start: int = 0
    end: int | None = None
    lines: int = 0


class LogReader(ABC):
    """One log. `unit` says what numbers its rows; `head` is whole after `samples`.

    Of one that `has_lines`, `part` says what is read, and `last_line` how far that has come.
    """

    unit: ClassVar[str] = "row"

    def __init__(self, path: Path, prefix: str | None = None) -> None:
        """`prefix` stands before the `/` of a fact's id, in place of the task's name.

        `plain` is the path without the ending of a compressed file.
        """
        self.path = path
        self.plain = plain_path(path)
        self.prefix = prefix
        self.head = LogHead()
        self.part = LogPart()
        self.last_line = 0

    @property
    def has_lines(self) -> bool:
        """Whether each row is a line of the file, and says the same whatever stands before it."""
        return False

    @abstractmethod
    def samples(self) -> Iterator[LogSample | BadSample | SampleColumns]:
        """The samples in their order, one by one or as columns.

        Raises `LostkeysError` where the log is broken.
        """

    def read_error(self, what: str, where: str = "", remedy: str = CUT_OFF) -> LostkeysError:
        """The error for a log that cannot be read to its end; `where` as in `line 3`."""
        place = f"{self.path}, {where}" if where else str(self.path)
        return LostkeysError(f"{place}: {what}: {remedy}")


def is_failure(finish: Any) -> bool:
    """Return whether a finish reason says that the service failed, and no answer was finished."""
    return isinstance(finish, str) and finish.strip().lower() in FAILURES


def text_of(value: Any) -> str | None:
    """A text out of a log; None where it is another value."""
    return value if isinstance(value, str) else None


def mapping_of(value: Any) -> Mapping[str, Any]:
    """An object out of a log; empty where it is another value."""
    return value if isinstance(value, dict) else {}
