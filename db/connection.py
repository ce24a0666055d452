"""The one place where database files are opened.

Every connection has foreign keys on, a busy timeout, an untrusted schema and, where the file
can be written, write-ahead logging. Writers open short immediate transactions with
`write_transaction`.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path
from shutil import disk_usage
from typing import Literal

from db import draft_files, open_files
from db.open_files import identify_file
from db.project_values import identify, value
from db.sqlite_errors import DatabaseError, explain

APPLICATION_ID = 0x4C6B7973
"""`Lkys` in the file's header: tells our files from those of other programs."""

NEWEST_SCHEMA = 17
"""How many migrations this program knows; a file's own number is its `user_version`."""

VIEWS = frozenset({"v_responses", "v_labels", "v_disagreements"})

BUSY_SECONDS = 10.0
"""How long a statement waits for another program's write before it gives up."""

PAGE_CACHE_KIB = 65_536
"""Pages that a writer keeps: the inner nodes of a file with millions of responses fit in it."""

FEW_PAGES_KIB = 8_192
"""Pages that a writer keeps which holds little memory, as one beside the screens does."""

PAGE_BYTES = 8192
"""Twice SQLite's own: less room lost at page ends, and label grids are read in fewer pieces."""

COUNTS_OF = "counts_of"
"""The project's value that says of which lake a file holds counts (`db.lake_label_counts`)."""
SYNCHRONOUS = "FULL"
"""What a commit waits for: with this it is on the disk, and a power cut loses nothing."""

LOG_PAGES, RELAXED_LOG_PAGES = 1_000, 8_192
"""Pages in the write-ahead log from which on they are copied into the file: SQLite's own number,
and 64 MB for imports."""

Mode = Literal["read", "write", "create"]


def connect(path: Path, mode: Mode, counts: bool = False) -> sqlite3.Connection:
    """Open a project's database.

    `read` and `write` need the file, `create` makes it where it is absent. An older schema is
    brought up to date first; beyond that `read` changes nothing. One with counts of a
    lake instead of its answers is opened with `counts` alone. Raises `DatabaseError`.
    """
    if path.is_dir():
        raise DatabaseError(f"{path} is a folder: name a database file with --db")
    if path.exists() and not path.is_file():
        raise DatabaseError(f"{path} is not a regular file: name a database file with --db")
    if mode != "create" and not _has_content(path):
        fault = "is empty" if path.exists() else "does not exist"
        raise DatabaseError(f"{path} {fault}: import facts first, or name another with --db")
    try:
        connection = _connect(path, mode)
        if not counts:
            _check_answers(connection, path)
    except TimeoutError as error:
        raise _being_upgraded(path) from error
    except OSError as error:
        raise DatabaseError(
            f"{path} cannot be made or upgraded ({error.strerror}): check the room in its folder "
            "and its permissions"
        ) from error
    except sqlite3.OperationalError as error:
        if "locked" in str(error) and draft_files.is_name_held(path):
            raise _being_upgraded(path) from error
        raise explain(error, path) from error
    except sqlite3.Error as error:
        raise explain(error, path) from error
    return connection


def _being_upgraded(path: Path) -> DatabaseError:
    return DatabaseError(
        f"{path} is being upgraded by another program: wait until that is done, then try again"
    )


def _check_answers(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that holds counts of answers instead of the answers."""
    if value(connection, COUNTS_OF) is not None:
        connection.close()
        raise DatabaseError(
            f"{path} holds counts of a lake, and this needs its answers: take them in by "
            "`lostkeys --db NEW.db import LAKE --format lake`, or work in the lake"
        )


def _connect(path: Path, mode: Mode) -> sqlite3.Connection:
    if mode == "create" and not _has_content(path):
        return _create(path)
    connection = _open(path, mode)
    try:
        version = _check_ours(connection, path)
        if version < NEWEST_SCHEMA:
            connection.close()
            _upgrade(path, version)
            connection = _open(path, mode)
    except BaseException:
        connection.close()
        raise
    return connection


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _open(path: Path, mode: Mode) -> sqlite3.Connection:
    # A reader changes nothing (`query_only`), but only one that could takes its log files away
    # when it closes.
    options = "mode=rwc" if mode == "create" else "mode=rw"
    if mode == "read" and _cannot_share(path):
        options += "&immutable=1"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        if mode == "read":  # with SQLite's own 2 MB of pages: label grids come by once
            connection.execute("PRAGMA query_only = ON")
        else:
            connection.execute(f"PRAGMA cache_size = -{PAGE_CACHE_KIB}")
            connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    except BaseException:
        connection.close()
        raise
    open_files.note(path)
    return connection


def _cannot_share(path: Path) -> bool:
    """Whether a reader can make no shared-memory file here and needs none: nothing is pending."""
    if _log_of(path).exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as trial:
            trial.execute("PRAGMA schema_version")  # reads, but no table of the schema
    except sqlite3.OperationalError as error:
        return "unable to open" in str(error) or "readonly" in str(error)
    except sqlite3.DatabaseError:
        return False
    return False


def _check_ours(connection: sqlite3.Connection, path: Path) -> int:
    """The file's schema number; refuses what this program did not write or cannot know."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION_ID:
        raise DatabaseError(f"{path} belongs to another program: name another file with --db")
    version = _read_version(connection)
    if version > NEWEST_SCHEMA:
        raise DatabaseError(
            f"{path} was written by a newer Lostkeys (schema {version}, "
            f"this one knows {NEWEST_SCHEMA}): update Lostkeys"
        )
    foreign = [
        f"{kind} {name}"
        for kind, name in connection.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
        )
        if kind == "trigger" or name not in VIEWS
    ]
    if foreign:
        raise DatabaseError(
            f"{path} holds a {foreign[0]} that Lostkeys did not make and will not run: drop it"
        )
    return version


def _create(path: Path) -> sqlite3.Connection:
    """Make a database under a passing name, so that no half-made file bears the real one."""
    if not path.parent.is_dir():
        raise DatabaseError(f"{path.parent} is not a folder: make it first, or choose another")
    with draft_files.hold_name(path, BUSY_SECONDS):
        if not _has_content(path):
            _make(path.resolve())
    return _open(path, "write")


def _make(path: Path) -> None:
    log = _log_of(path)
    if _has_content(log):  # SQLite would play it back into the new file
        raise DatabaseError(f"{log} is left of a database that is gone: delete it first")
    draft = path.with_name(f".{path.name}.{time.monotonic_ns()}.new")
    for left in path.parent.glob(f".{escape(path.name)}.*.new*"):  # of a program that was killed
        left.unlink()
    try:
        with closing(_open(draft, "create")) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            _migrate(connection)
            identify(connection)
        try:
            draft_files.name_draft(draft, path)
        except FileExistsError:
            if not _has_content(path):
                draft.replace(path)
    finally:
        draft_files.remove(draft)


def _log_of(path: Path) -> Path:
    """The write-ahead log of a database: SQLite keeps it beside what a symbolic link names."""
    return Path(f"{path.resolve()}-wal")


def copy(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the whole database as it stands to a new file, by SQLite. Raises `DatabaseError`."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    size = pages * connection.execute("PRAGMA page_size").fetchone()[0]
    if disk_usage(path.parent).free < 2 * size:
        source = connection.execute("PRAGMA database_list").fetchone()[2]
        raise DatabaseError(
            f"{source} needs {2 * size:,} free bytes in {path.parent} for a copy: make room"
        )
    with closing(sqlite3.connect(path)) as target:
        target.execute("PRAGMA journal_mode = OFF")
        target.execute("PRAGMA synchronous = OFF")
        connection.backup(target)


def _upgrade(path: Path, version: int) -> None:
    """Back the file up beside itself, then migrate it while nobody else can use it.

    SQLite alone opens the file meanwhile: to close an ordinary file is to lose all locks that this
    program's connections hold on it, and a second program would upgrade amid the first one.
    """
    with draft_files.hold_name(path, BUSY_SECONDS), closing(_open(path, "write")) as connection:
        if _read_version(connection) != version:
            return  # another program was first
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")  # what is locked stays so until the connection is closed
        if _read_version(connection) == version:
            _back_up(connection, path.resolve(), version)
            _migrate(connection)


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Copy the file to the next free name beside it; only a whole copy bears it."""
    first = path.with_name(f"{path.name}.schema{version}.backup")
    draft_files.clear(path.parent, first.name)
    with draft_files.hold_draft(first) as draft:
        copy(connection, draft)
        draft.chmod(path.stat().st_mode)
        draft_files.sync(draft)
        for number in count(1):
            between = f".{number}" if number > 1 else ""
            target = path.with_name(f"{path.name}.schema{version}{between}.backup")
            with suppress(FileExistsError):
                draft_files.name_draft(draft, target)
                return


def _read_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _migrate(connection: sqlite3.Connection) -> None:
    from db.schema import migrate

    connection.execute("BEGIN EXCLUSIVE")
    try:
        migrate(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {NEWEST_SCHEMA}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def write_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One short write transaction that takes the lock at once; undone if anything fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def undo_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    """A part of the transaction that is open; undone alone if anything in it fails."""
    connection.execute("SAVEPOINT part")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK TO part")
        raise
    finally:
        if connection.in_transaction:
            connection.execute("RELEASE part")


@contextmanager
def relax_sync(connection: sqlite3.Connection) -> Iterator[None]:
    """Write without waiting for the disk at each commit: for imports, which can be repeated.

    What is written goes from the log into the file in larger pieces, too: a page that changes
    often is copied fewer times.
    """
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {RELAXED_LOG_PAGES}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")


@contextmanager
def read_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One consistent view of the file; part of the transaction that is open, if one is."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def keep_few_pages(connection: sqlite3.Connection) -> None:
    """Hold little memory: for a writer that comes by every page once."""
    connection.execute(f"PRAGMA cache_size = -{FEW_PAGES_KIB}")


def read_data_version(connection: sqlite3.Connection) -> int:
    """A number that is another one as soon as any other connection has committed anything.

    It says nothing of what the connection itself writes.
    """
    number: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return number


class Presence:
    """The file of a connection as it was when this was made, which is to be soon after opening."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        file = connection.execute("PRAGMA database_list").fetchone()[2]
        self._path = Path(file) if file else None
        self._identity = identify_file(self._path)

    def check(self) -> None:
        """Raise `DatabaseError` where the file was removed or replaced since."""
        if identify_file(self._path) != self._identity:
            raise DatabaseError(
                f"{self._path} was removed or replaced while the job ran: nothing more is written; "
                "put the file back and start again"
            )
