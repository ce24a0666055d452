"""Which files this program has open as databases: SQLite alone may open these.

To close an ordinary file is to lose every lock that the same program holds on it (POSIX), so who
reads such a file beside SQLite, if only its first bytes, lets other programs write into it amid
a transaction. What replaces such a file takes the database away from under its connections.
"""

from pathlib import Path

from core.errors import LostkeysError

_OPENED: dict[Path, tuple[int, int]] = {}
"""Files that were opened, as device and number; one that is gone or another since is none."""


def note(path: Path) -> None:
    """Remember that SQLite has a file open."""
    real = path.resolve()
    if (identity := identify_file(real)) is not None:
        _OPENED[real] = identity


def is_open(path: Path) -> bool:
    """Whether a path names a database that this program has opened."""
    identity = identify_file(path)
    return identity in _OPENED.values() and any(
        known == identity and identify_file(opened) == identity
        for opened, known in [*_OPENED.items()]
    )


def refuse_open(path: Path) -> None:
    """Raise `LostkeysError` for a database that this program has opened."""
    if is_open(path):
        raise LostkeysError(f"{path} is the open database itself: name another file")


def identify_file(path: Path | None) -> tuple[int, int] | None:
    """A file as the system knows it, whatever it is called; None where there is none."""
    try:
        found = path.stat() if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)
