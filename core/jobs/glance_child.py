"""A program that looks at files before they are imported, so that no file can end or hold ours.

It is started by the first look and waits for the next one. A look that goes on for too long, or
that nobody waits for, ends it; so does a file that takes more memory than a look may.
"""

import asyncio
import atexit
import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import LostkeysError
from core.jobs.import_job import Glance, expand_files, look_at_files
from core.settings.process_limits import limit_process
from core.specs.file_specs import ImportWords
from core.transfer.file_formats import AUTO

SECONDS = 10
"""How long a look may take: longer than anybody waits for it."""

MEMORY = 2**32
"""Bytes that a look may take."""

NO_LIMIT = 10**9
"""Seconds of a processor that the program may have: each look has its own limit."""

PROGRAM = "from core.jobs.glance_child import serve; serve()"


def glance(
    path: Path,
    file: Path,
    format: str = AUTO,  # noqa: A002
    words: ImportWords | None = None,
    unwanted: threading.Event | None = None,
) -> Glance:
    """What importing a file, or all that fit one name, would do to the database at `path`.

    Nothing is written. Without a rehearsal where that takes too long. `unwanted` is set where
    nobody waits for the look. Raises as `look_at_files` does, and `LostkeysError` for a file that
    ends what looks at it.
    """
    found = _LOOKER.ask(file, (path, file, format, words), unwanted or threading.Event())
    if isinstance(found, BaseException):
        raise found
    return found


def prepare_glance() -> None:
    """Have the program that looks at files loaded before the first look."""
    with contextlib.suppress(EOFError, OSError):
        _LOOKER.prepare()


def stop_glance(unwanted: threading.Event) -> None:
    """End the look for which this is set then, whether it goes on or waits for others."""
    _LOOKER.stop(unwanted)


async def glance_beside(
    path: Path,
    file: Path,
    format: str = AUTO,  # noqa: A002
    words: ImportWords | None = None,
) -> Glance:
    """The same beside all else that is going on; a look that is cancelled ends at once."""
    unwanted = threading.Event()
    try:
        return await asyncio.to_thread(glance, path, file, format, words, unwanted)
    except asyncio.CancelledError:
        stop_glance(unwanted)
        raise


class _Looker:
    """The child, one for this program, and the look that goes on. Looks wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self.unwanted: threading.Event | None = None
        """That of the look that goes on."""
        self._late = False

    def ask(
        self, file: Path, question: tuple[Any, ...], unwanted: threading.Event
    ) -> Glance | BaseException:
        with self._lock:
            self.unwanted, self._late = unwanted, False
            try:
                if unwanted.is_set():
                    return LostkeysError(f"{file}: nobody waits for what it is")
                return self._send(question)
            except (EOFError, OSError, pickle.UnpicklingError):
                self._drop()
                if self._late:
                    size = sum(one.stat().st_size for one in expand_files(file))
                    return Glance("file", size, False, None)
                raise LostkeysError(
                    f"{file}: cannot be looked at, it takes more than {MEMORY >> 30} GiB or breaks "
                    "what reads it: mend the file, or write it again"
                ) from None
            finally:
                self.unwanted = None

    def prepare(self) -> None:
        with self._lock:
            self._open()

    def stop(self, unwanted: threading.Event) -> None:
        unwanted.set()
        if self.unwanted is unwanted:
            self._kill()

    def close(self) -> None:
        """End the child, whatever it does."""
        self._kill()
        with self._lock:
            self._drop()

    def _send(self, question: tuple[Any, ...]) -> Glance | BaseException:
        child = self._open()
        assert child.stdin is not None
        assert child.stdout is not None
        pickle.dump((os.getcwd(), dict(os.environ), question), child.stdin)  # noqa: PTH109
        child.stdin.flush()
        timer = threading.Timer(SECONDS, self._end_late)
        timer.daemon = True
        timer.start()
        try:
            found: Glance | BaseException = pickle.load(child.stdout)  # noqa: S301 (our own)
            return found
        finally:
            timer.cancel()

    def _open(self) -> subprocess.Popen[bytes]:
        """The child that waits, or a new one, once it has loaded what looks take."""
        if self._child is None or self._owner != os.getpid() or self._child.poll() is not None:
            self._drop()
            self._owner = os.getpid()
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            assert self._child.stdout is not None
            pickle.load(self._child.stdout)  # noqa: S301
        return self._child

    def _end_late(self) -> None:
        self._late = True
        self._kill()

    def _kill(self) -> None:
        """End the child and what it has started."""
        child = self._child
        if child is not None and self._owner == os.getpid() and child.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)

    def _drop(self) -> None:
        self._kill()
        child, self._child = self._child, None
        if child is not None and self._owner == os.getpid():
            for pipe in (child.stdin, child.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            child.wait()


_LOOKER = _Looker()
atexit.register(_LOOKER.close)


def serve() -> None:
    """Look at what comes on standard input until that ends; what is found goes out as a pickle."""
    into, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limit_process(MEMORY, NO_LIMIT)
    os.nice(5)
    _answer(out, None)
    while True:
        try:
            folder, environment, question = pickle.load(into)  # noqa: S301
        except EOFError:
            return
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        try:
            found: object = look_at_files(*question)
        except MemoryError:
            return
        except Exception as error:
            found = error
        _answer(out, found)


def _answer(out: BinaryIO, found: object) -> None:
    try:
        content = pickle.dumps(found)
        pickle.loads(content)  # noqa: S301
    except Exception:  # an error that cannot be sent as it is
        content = pickle.dumps(RuntimeError(repr(found)))
    out.write(content)
    out.flush()
