"""What the app asks the db worker and has it write, and what becomes of the answers."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from textual.message import Message

from core.errors import LostkeysError, ProgramError

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.app.app import LostkeysApp


# The db worker: the one thread that owns the session and does all reading and writing.
#
# Whoever asks gives a key; a newer ask with the same key replaces an older one, whether that waits,
# runs (it is interrupted) or has been answered but not been taken in yet. Writes have no key and
# are never dropped. Answers and errors go back as `DbResult`s, to be taken in by the asker's
# thread.


@dataclass(eq=False, slots=True)
class DbRequest:
    """Something to be done; `key` is None for what must not be dropped."""

    key: str | None
    work: "Callable[[Session], Any]"
    then: Callable[[Any], None]
    failed: Callable[[LostkeysError], None]
    patient: bool = False


class DbResult(NamedTuple):
    """What came of an ask: a value, or what went wrong."""

    ask: DbRequest
    value: Any = None
    error: Exception | None = None


class DbWorker:
    """A queue of asks and the thread that works through it; the session lives in that thread."""

    def __init__(
        self, make: "Callable[[], Session]", post: "Callable[[DbWorker, DbResult], object]"
    ) -> None:
        """`make` gives the session (in the thread); `post` takes answers, from that thread."""
        self._make = make
        self._post = post
        self._waiting: deque[DbRequest] = deque()
        self._newest: dict[str, DbRequest] = {}
        self._running: DbRequest | None = None
        self._session: Session | None = None
        self._closing = False
        self._interrupted = False
        self._unwritten: set[DbRequest] = set()
        self._bell = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="db worker", daemon=True)
        self._thread.start()

    def ask(self, ask: DbRequest) -> None:
        """Put an ask into the queue; older ones with its key are dropped or interrupted."""
        with self._bell:
            if self._closing:
                return
            if ask.key is not None:
                self._waiting = deque(one for one in self._waiting if one.key != ask.key)
                self._newest[ask.key] = ask
            else:
                self._unwritten.add(ask)
            self._waiting.append(ask)
            if self._in_the_way(ask):
                self._interrupt()
            self._bell.notify()

    def current(self, ask: DbRequest) -> bool:
        """Whether no newer ask with the same key has been made."""
        return ask.key is None or self._newest.get(ask.key) is ask

    def is_unwritten(self, ask: DbRequest | None = None) -> bool:
        """Whether something is still to be written (this, or anything), or never could be."""
        return bool(self._unwritten) if ask is None else ask in self._unwritten

    def close(self, seconds: float = 3.0) -> bool:
        """Finish what writes, drop what reads, and end; gives whether it ended in time."""
        with self._bell:
            self._closing = True
            self._waiting = deque(one for one in self._waiting if one.key is None)
            if self._running is not None and self._running.key is not None:
                self._interrupt()
            self._bell.notify()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    # The thread

    def _work(self) -> None:
        while (ask := self._next()) is not None:
            answer = self._run_request(ask)
            with self._bell:
                self._running = None
                if answer.error is None or not self._closing:  # else nobody hears of the error
                    self._unwritten.discard(ask)
                gave_way = answer.error is not None and self._interrupted
                if gave_way and ask.patient and self.current(ask) and not self._closing:
                    self._waiting.append(ask)
                    continue
            if not gave_way or ask.key is None:
                self._post(self, answer)
        if self._session is not None:
            self._session.close()

    def _next(self) -> DbRequest | None:
        """Wait for something to do: writes first, patient asks last; None at the end."""
        with self._bell:
            while not self._waiting and not self._closing:
                self._bell.wait()
            if not self._waiting:
                return None
            first = min(self._waiting, key=lambda ask: (ask.key is not None, ask.patient))
            self._waiting.remove(first)
            self._running, self._interrupted = first, False
            return first

    def _run_request(self, ask: DbRequest) -> DbResult:
        try:
            if self._session is None:
                self._session = self._make()
            return DbResult(ask, ask.work(self._session))
        except Exception as error:  # it travels to the thread that asked, and is raised there
            return DbResult(ask, error=error)

    # With the bell held

    def _in_the_way(self, ask: DbRequest) -> bool:
        running = self._running
        if running is None or running.key is None:
            return False
        return running.patient or running.key == ask.key

    def _interrupt(self) -> None:
        self._interrupted = True
        if self._session is not None:
            self._session.interrupt()


T = TypeVar("T")

WAITING, WAITS = 1.0, 12.0
"""Seconds after which it is said that a write waits, and for which that stands."""


class ResultArrived(Message):
    """The db worker has an answer."""

    def __init__(self, worker: DbWorker, answer: DbResult) -> None:
        super().__init__()
        self.worker, self.answer = worker, answer


class DbRequests:
    """Asks and writes on one database, handed to a db worker; each answer to who has asked."""

    def __init__(self, app: "LostkeysApp", path: Path) -> None:
        self._app = app
        self.path = path
        self.ends_at_faults = False
        """Whether a fault of the program ends it, so that its traceback is seen."""
        self.unwritten = False
        """Whether something that was to be written could not be, and nobody has been told."""
        self._written: deque[tuple[float, DbRequest]] = deque()
        """What was to be written, and when it has waited for long."""
        self._opening: DbRequest | None = None
        """What was asked for last to open a dialog with."""
        self._worker: DbWorker | None = None
        self._second: DbWorker | None = None
        """One with a session of its own, for what would hold up the first for long."""

    def ask(
        self,
        key: str,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: Callable[[LostkeysError], None] | None = None,
        patient: bool = False,
    ) -> None:
        """Have something read; `then` gets it unless a newer ask with the same key was made.

        Patient asks (searching all answers) wait for all others, and make way for them.
        """
        self._put(DbRequest(key, work, then, failed or self._app.report, patient))

    def write(
        self,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: Callable[[LostkeysError], None] | None = None,
    ) -> None:
        """Have something written; never dropped. A `failed` of one's own ends in `refuse`."""
        ask = DbRequest(None, work, then, failed or self._app.refuse)
        self._put(ask)
        self._written.append((time.monotonic() + WAITING, ask))

    def poll(self) -> None:
        """Say so where something waits for long to be written."""
        while self._written and self._written[0][0] <= time.monotonic():
            _, ask = self._written.popleft()
            if self._worker is not None and self._worker.is_unwritten(ask):
                said = "not written yet: waiting for the database"
                self._app.say(said, WAITS, "label-p", everywhere=True)

    def ask_background(
        self,
        key: str,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: Callable[[LostkeysError], None] | None = None,
    ) -> None:
        """Have computed what takes long, while all else goes on; the session is not open yet."""
        self._put_aside(DbRequest(key, work, then, failed or self._app.report))

    def ask_dialog(
        self,
        key: str | None,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        aside: bool = False,
    ) -> None:
        """Have read what a dialog opens with; keys wait until `then` has opened it.

        Without a key something is written first, which is never dropped. `aside`: the session need
        not be open for it.
        """

        def open_dialog(found: T) -> None:
            self._opening = None
            then(found)

        def fail(error: LostkeysError) -> None:
            self._opening = None
            self._app.report(error)

        self._opening = DbRequest(key, work, open_dialog, fail)
        (self._put_aside if aside else self._put)(self._opening)

    @property
    def opens_dialog(self) -> bool:
        """Whether a dialog opens as soon as something has been read."""
        asked = self._opening
        return asked is not None and any(worker.current(asked) for worker in self.workers)

    def write_background(self, work: "Callable[[Session], T]", then: Callable[[T], None]) -> None:
        """Have something written that is no part of the database and takes long; never dropped."""
        self._put_aside(DbRequest(None, work, then, self._app.report))

    # The db worker

    @property
    def workers(self) -> list[DbWorker]:
        """Those at work on the open database."""
        return [worker for worker in (self._worker, self._second) if worker is not None]

    def open(self, path: Path) -> None:
        """Work on a database, which need not be there."""
        self.close()
        self.path = path
        self._worker = DbWorker(partial(_session, path), self._take)

    def close(self) -> bool:
        """End the db worker after what it still has to write; gives whether it ended in time."""
        workers = self.workers
        self._worker = self._second = None
        ended = [worker.close() for worker in workers]
        self.unwritten = self.unwritten or any(worker.is_unwritten() for worker in workers)
        return all(ended)

    def _take(self, worker: DbWorker, answer: DbResult) -> None:
        self._app.post_message(ResultArrived(worker, answer))

    def _put(self, ask: DbRequest) -> None:
        if self._worker is not None:
            self._worker.ask(ask)

    def _put_aside(self, ask: DbRequest) -> None:
        if self._worker is None:
            return
        if self._second is None:
            self._second = DbWorker(partial(_session, self.path), self._take)
        self._second.ask(ask)

    def take(self, message: ResultArrived) -> None:
        """Hand an answer to who asked for it, unless that is no longer wanted."""
        ask, error = message.answer.ask, message.answer.error
        if not self._app.is_running:  # the screens are being taken down
            return
        if message.worker not in self.workers or not message.worker.current(ask):
            return
        if error is None:
            ask.then(message.answer.value)
        elif isinstance(error, LostkeysError):
            ask.failed(error)
        elif self.ends_at_faults:
            raise error
        else:
            ask.failed(_explain_error(error))


def _explain_error(error: Exception) -> LostkeysError:
    """An unexpected error for people: of the file or the system, else a fault of the program."""
    from core.project import explain

    known = explain(error)
    return known or LostkeysError(
        f"{ProgramError(error)}; start it again with --debug and report what it prints"
    )


def _session(path: Path) -> "Session":
    from core.views.session import Session

    return Session(path)
