"""Databases under a passing name: half made, and left over where their program was killed.

Whoever makes one holds a lock on it, which the system takes back when the program ends, however
it ends. A draft that nobody holds is left over. The name of a database that is being made or
upgraded is held in the same way, by a file beside it.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep, time_ns

_NAME = re.compile(
    r"\.(?P<target>.+)\.(\d{15,}\.part(?P<log>-wal|-shm|-journal)?|upgrade)", re.DOTALL
)
"""A draft, a log of one, or what holds a name. The number of a draft is the time in nanoseconds:
no process id is so long."""

LOGS = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database while it is open."""

POLL_SECONDS = 0.05
"""How often a program that waits for a name tries to take it."""


def remove(path: Path) -> None:
    """Delete a database that nobody has open, with its logs."""
    for suffix in ("", *LOGS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def hold_draft(target: Path) -> Iterator[Path]:
    """An empty draft of a database, held while it is made; deleted unless it was renamed."""
    draft, file = _make(target)
    try:
        yield draft
    finally:
        remove(draft)
        os.close(file)  # last: closing it takes the locks of SQLite on the same file back


@contextmanager
def hold_name(path: Path, seconds: float) -> Iterator[None]:
    """Make or upgrade the database of this name: one program at a time, the others wait.

    Raises `TimeoutError` after `seconds`, `OSError` where the folder cannot be written. Where the
    file system has no such locks, nothing is held.
    """
    lock, last = _lock_of(path), monotonic() + seconds
    while True:
        file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            if monotonic() > last:
                raise TimeoutError from None
            sleep(POLL_SECONDS)
            continue
        except OSError:
            break
        if os.fstat(file).st_nlink:
            break
        os.close(file)  # deleted by whoever held it before
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(file)


def is_name_held(path: Path) -> bool:
    """Whether another program is making or upgrading the database of this name."""
    return _lock_of(path).exists() and not _take(_lock_of(path), delete=False)


def _lock_of(path: Path) -> Path:
    real = path.resolve()
    return real.with_name(f".{real.name}.upgrade")


def name_draft(draft: Path, target: Path) -> None:
    """Give a whole draft its name. Raises `FileExistsError` where anything lies there already.

    Nothing is written over, and no symbolic link is followed. A write-ahead log without its
    database counts: SQLite would play it back into the draft.
    """
    if os.path.lexists(f"{target}-wal"):
        raise FileExistsError
    try:
        os.link(draft, target)
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError:  # a file system without links: an empty file takes the name in one step
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        draft.replace(target)
    else:
        draft.unlink()
    sync(target.parent)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


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
