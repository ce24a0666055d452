"""What goes wrong with a database file, in one line that says what to do."""

import sqlite3
from pathlib import Path

from core.errors import LostkeysError


class DatabaseError(LostkeysError):
    """The database cannot be opened, read or written."""


class StoredValueError(DatabaseError):
    """The database holds a value that Lostkeys never writes.

    `kind` says what it should be, `shown` how it begins.
    """

    def __init__(self, kind: str, shown: object, path: Path | str = "the database") -> None:
        super().__init__(
            f"{path} holds what cannot be read ({kind}: {shown}): `lostkeys doctor` looks into it"
        )
        self.kind = kind
        self.shown = str(shown)


_ADVICE = (
    ("locked", "is locked by another program: close it there, or try again in a moment"),
    ("full", "cannot grow, the disk is full: free some space and start again, nothing is lost"),
    ("readonly", "cannot be written: check the permissions of the file and its folder"),
    ("read-only", "cannot be written: check the permissions of the file and its folder"),
    ("not a database", "is not a database: check the name, or give another with --db"),
    ("malformed", "is damaged: restore a copy, or save what can be read with `.recover`"),
    ("unable to open", "cannot be opened: check the folder and its permissions"),
    (
        "disk i/o",
        "cannot be read or written (disk error): is the disk well, and not full?",
    ),
    ("could not decode", "is damaged, some of its text is not Unicode: restore a copy"),
    ("no such table", "has lost a table: restore a copy"),
)


OF_THE_FILE = (sqlite3.Error, StoredValueError)
"""What reading and writing raises where the file is at fault; `explain` names the file."""


def explain(error: sqlite3.Error | StoredValueError, path: Path | str) -> DatabaseError:
    """Turn an error of SQLite, or a value it cannot check, into one line naming the file."""
    if isinstance(error, StoredValueError):
        return StoredValueError(error.kind, error.shown, path)
    text = str(error).lower()
    for sign, advice in _ADVICE:
        if sign in text:
            return DatabaseError(f"{path} {advice}")
    return DatabaseError(f"{path}: {error}")
