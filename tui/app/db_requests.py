"""What the app does with the db worker: asks, takes answers in, and says what came of it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from textual.message import Message
from textual.timer import Timer

from core.errors import LostkeysError, ProgramError
from tui.app.db_worker import DbRequest, DbResult, DbWorker
from tui.app.key_queue import KeyedApp
from tui.text.line import Line

if TYPE_CHECKING:
    from core.views.session import Session

T = TypeVar("T")

SAYING = 6.0
"""Seconds for which a message stands in the status line."""

WAITING, WAITS = 1.0, 12.0
"""Seconds after which it is said that a write waits, and for which that stands."""


class ResultArrived(Message):
    """The db worker has an answer."""

    def __init__(self, worker: DbWorker, answer: DbResult) -> None:
        super().__init__()
        self.worker, self.answer = worker, answer


class RefusedWrites(NamedTuple):
    """How much could not be written since a person has seen that, and why the last of it."""

    number: int
    error: LostkeysError


class AskingApp(KeyedApp):
    """An app on one database that is read and written by a db worker."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.ends_at_faults = False
        """Whether a fault of the program ends it, so that its traceback is seen."""
        self.trouble: LostkeysError | None = None
        """Why the database cannot be read at the moment."""
        self.said: Line | None = None
        """What just happened, for the status line."""
        self.refused_writes: RefusedWrites | None = None
        """What could not be written; it stands in the status line until it has been seen."""
        self.unwritten = False
        """Whether something that was to be written could not be, and nobody has been told."""
        self._db_worker: DbWorker | None = None
        self._aside: DbWorker | None = None
        """A second one, with a session of its own, for what would hold up the first for long."""
        self._saying: Timer | None = None

    # What others call

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
        self._put(DbRequest(key, work, then, failed or self.report, patient))

    def write(
        self,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: Callable[[LostkeysError], None] | None = None,
    ) -> None:
        """Have something written; never dropped. A `failed` of one's own ends in `refuse`."""
        ask = DbRequest(None, work, then, failed or self.refuse)
        self._put(ask)
        self.set_timer(WAITING, partial(self._say_waiting, ask))

    def ask_aside(
        self,
        key: str,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: Callable[[LostkeysError], None] | None = None,
    ) -> None:
        """Have computed what takes long, while all else goes on; the session is not open yet."""
        self._put_aside(DbRequest(key, work, then, failed or self.report))

    def write_aside(self, work: "Callable[[Session], T]", then: Callable[[T], None]) -> None:
        """Have something written that is no part of the database and takes long; never dropped."""
        self._put_aside(DbRequest(None, work, then, self.report))

    def say(self, words: str | Line, seconds: float = SAYING, role: str = "ink") -> None:
        """Say in the status line what just happened."""
        self.said = Line(words, role) if isinstance(words, str) else words
        if self._saying is not None:
            self._saying.stop()
        self._saying = self.set_timer(seconds, self._said_enough)
        self.settle_frame()

    def say_dropped(self, count: int) -> None:
        """Say that so many keys are forgotten: what they were meant for was not there."""
        self.say(f"{count:,} {'key' if count == 1 else 'keys'} dropped, too early")

    def report(self, error: LostkeysError) -> None:
        """Say in the status line what went wrong."""
        self.say(str(error), role="label-i")

    def refuse(self, error: LostkeysError) -> None:
        """Say that something could not be written, until a person has seen it."""
        before = self.refused_writes
        self.refused_writes = RefusedWrites(1 if before is None else before.number + 1, error)
        self._said_enough()

    def take_as_seen(self) -> None:
        """Forget what could not be written, if that stands in the status line."""
        if self.said is None and self.trouble is None and self.refused_writes is not None:
            self.refused_writes = None
            self.settle_frame()

    def settle_frame(self) -> None:
        """Let top bar, status line and key line show what has changed."""

    # The db worker

    def open_db_worker(self, path: Path) -> None:
        """Work on a database, which need not be there."""
        self.close_db_worker()
        self.path = path
        self.trouble = self.said = None
        self._db_worker = DbWorker(partial(_session, path), self._take)

    def close_db_worker(self) -> bool:
        """End the db worker after what it still has to write; gives whether it ended in time."""
        workers = [worker for worker in (self._db_worker, self._aside) if worker is not None]
        self._db_worker = self._aside = None
        ended = [worker.close() for worker in workers]
        self.unwritten = self.unwritten or any(worker.is_unwritten() for worker in workers)
        return all(ended)

    def _take(self, worker: DbWorker, answer: DbResult) -> None:
        self.post_message(ResultArrived(worker, answer))

    def _put(self, ask: DbRequest) -> None:
        if self._db_worker is not None:
            self._db_worker.ask(ask)

    def _put_aside(self, ask: DbRequest) -> None:
        if self._db_worker is None:
            return
        if self._aside is None:
            self._aside = DbWorker(partial(_session, self.path), self._take)
        self._aside.ask(ask)

    def on_result_arrived(self, message: ResultArrived) -> None:
        """Hand an answer to who asked for it, unless that is no longer wanted."""
        ask, error = message.answer.ask, message.answer.error
        if not self.is_running:  # the screens are being taken down
            return
        if message.worker not in (self._db_worker, self._aside) or not message.worker.current(ask):
            return
        if error is None:
            ask.then(message.answer.value)
        elif isinstance(error, LostkeysError):
            ask.failed(error)
        elif self.ends_at_faults:
            raise error
        else:
            ask.failed(_told(error))

    def _say_waiting(self, ask: DbRequest) -> None:
        if self._db_worker is not None and self._db_worker.is_unwritten(ask):
            self.say("not written yet: waiting for the database", WAITS, "label-p")

    def _said_enough(self) -> None:
        self.said = None
        self.settle_frame()


def _told(error: Exception) -> LostkeysError:
    """An unexpected error for people: of the file or the system, else a fault of the program."""
    from core.project import explain

    known = explain(error)
    return known or LostkeysError(
        f"{ProgramError(error)}; start it again with --debug and report what it prints"
    )


def _session(path: Path) -> "Session":
    from core.views.session import Session

    return Session(path)
