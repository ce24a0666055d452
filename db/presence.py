"""Whether a database's file is still the one that was opened.

A file that is removed or replaced is written on by whoever has it open, but nobody ever finds what
is written there.
"""

import sqlite3
from pathlib import Path

from db.sqlite_errors import DatabaseError


class Presence:
    """The file of a connection as it was when this was made, which is to be soon after opening."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        file = connection.execute("PRAGMA database_list").fetchone()[2]
        self._path = Path(file) if file else None
        self._identity = _identity(self._path)

    def check(self) -> None:
        """Raise `DatabaseError` where the file was removed or replaced since."""
        if _identity(self._path) != self._identity:
            raise DatabaseError(
                f"{self._path} was removed or replaced while the job ran: nothing more is written; "
                "put the file back and start again"
            )


def _identity(path: Path | None) -> tuple[int, int] | None:
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)
