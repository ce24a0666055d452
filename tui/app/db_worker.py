"""The db worker: the one thread that owns the session and does all reading and writing.

Whoever asks gives a key; a newer ask with the same key replaces an older one, whether that waits,
runs (it is interrupted) or has been answered but not been taken in yet. Writes have no key and
are never dropped. Answers and errors go back as `DbResult`s, to be taken in by the asker's thread.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from core.errors import LostkeysError

if TYPE_CHECKING:
    from core.views.session import Session


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
