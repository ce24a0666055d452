"""Databases under a passing name: half made, and left over where their program was killed.

Whoever makes one holds a lock on it, which the system takes back when the program ends, however
it ends. A draft that nobody holds is left over.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time_ns

from db.connection import remove

_NAME = re.compile(r"\.(?P<target>.+)\.\d{15,}\.part(?P<log>-wal|-shm)?", re.DOTALL)
"""A draft, or a log of one. Its number is the time in nanoseconds: no process id is so long."""


@contextmanager
def hold_draft(target: Path) -> Iterator[Path]:
    """An empty draft of a database, held while it is made; deleted unless it was renamed."""
    draft, file = _make(target)
    try:
        yield draft
    finally:
        remove(draft)
        os.close(file)  # last: closing it takes the locks of SQLite on the same file back


def find_drafts(folder: Path, target: str | None = None) -> list[Path]:
    """The drafts in a folder (or those of one database there) that nobody is making."""
    return [draft for draft in _drafts(folder, target) if _take(draft, delete=False)]


def clear(folder: Path, target: str | None = None) -> list[Path]:
    """Delete the drafts that nobody is making; gives which they were."""
    return [draft for draft in _drafts(folder, target) if _take(draft, delete=True)]


def _make(target: Path) -> tuple[Path, int]:
    while True:
        draft = target.with_name(f".{target.name}.{time_ns()}.part")
        file = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:
            return draft, file
        os.close(file)  # deleted as left over in the moment before it was held


def _drafts(folder: Path, target: str | None) -> list[Path]:
    names = [found for file in folder.iterdir() if (found := _NAME.fullmatch(file.name))]
    of_target = [one for one in names if target in (None, one["target"])]
    return sorted({folder / one[0].removesuffix(one["log"] or "") for one in of_target})


def _take(draft: Path, delete: bool) -> bool:
    """Hold a draft for a moment, and delete it then; gives whether nobody else holds it."""
    file = None
    try:
        file = os.open(draft, os.O_RDWR)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        pass  # only logs of it are left
    except OSError:  # held, or another's
        if file is not None:
            os.close(file)
        return False
    try:
        if delete:
            remove(draft)
        return True
    finally:
        if file is not None:
            os.close(file)
