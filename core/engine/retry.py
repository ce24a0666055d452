"""What to do about a request that failed: which wait, how many tries, when to stop.

Times are seconds of one monotonic clock, given by the caller.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import ProviderError
from core.providers.base import TransientError

TOO_MANY_REQUESTS = 429
CROWDED = frozenset({TOO_MANY_REQUESTS, 503, 529})
"""Statuses by which servers say that they have too much to do."""


class OutageError(ProviderError):
    """A server has brought nothing for a long time: the job stops, and can go on later."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How patient an engine is.

    tries: requests in vain before an item has failed for good. refusals: the same for requests
    that the server would not look at (429), which is rarely the item's fault. first_wait and
    longest_wait: seconds between tries, doubled each time and shortened at random. in_a_row:
    requests in vain, whatever they were for, before the channel pauses; as many that were refused
    for good end it. longest_pause: seconds between single requests then. patience: seconds
    without an answer before the job stops; first_patience: where there has never been one.
    """

    tries: int = 10
    refusals: int = 40
    first_wait: float = 0.5
    longest_wait: float = 30.0
    in_a_row: int = 16
    longest_pause: float = 60.0
    patience: float = 900.0
    first_patience: float = 120.0

    def wait(self, attempt: int) -> float:
        """Seconds to wait after this many tries (from 1)."""
        return self._double_wait(attempt, self.longest_wait)

    def pause(self, attempt: int) -> float:
        """Seconds that a channel pauses for the `attempt`th time (from 1) without an answer."""
        return self._double_wait(attempt + 1, self.longest_pause)

    def _double_wait(self, attempt: int, longest: float) -> float:
        wait: float = min(longest, self.first_wait * 2 ** min(attempt - 1, 30))
        return wait * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)


RETRY = Retry()


def is_refused(error: TransientError) -> bool:
    """Whether the server did not look at the request because there were too many (429)."""
    return _status(error) == TOO_MANY_REQUESTS


def is_crowded(error: TransientError) -> bool:
    """Whether the server had too much to do (429, 503, no answer in time)."""
    return (
        error.retry_after is not None
        or _status(error) in CROWDED
        or any(isinstance(cause, TimeoutError) for cause in _causes(error))
    )


def _status(error: BaseException) -> int | None:
    """The HTTP status behind an error; SDKs call it `status_code` or `code`, aiohttp `status`."""
    for cause in _causes(error):
        for name in ("status", "status_code", "code"):
            status = getattr(cause, name, None)
            if isinstance(status, int):
                return status
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What led to an error, itself first. Providers hide it from tracebacks, as it may hold keys.

    It is still known as the context in which the error was raised.
    """
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


class Breaker:
    """Pauses a channel that fails too often in a row, and lets single requests through to try.

    After each one in vain it pauses for longer; the first that is answered opens the channel again.
    """

    def __init__(self, retry: Retry) -> None:
        self._retry = retry
        self._failures = 0  # in a row
        self._denials = 0  # in a row
        self._pauses = 0  # without an answer between
        self._since = -math.inf  # when the first of them failed
        self._answered = False  # ever
        self._until = -math.inf
        self._probing = False

    @property
    def has_answered(self) -> bool:
        """Whether there ever was an answer."""
        return self._answered

    @property
    def is_open(self) -> bool:
        """Whether single requests are all that is let through."""
        return self._failures >= self._retry.in_a_row

    def wait(self, now: float) -> float:
        """Seconds until a request may be sent; infinite while one is out to try."""
        if self.is_open and self._probing:
            return math.inf
        return max(0.0, self._until - now)

    def begin(self) -> None:
        """A request is sent."""
        self._probing = self.is_open

    def note_answer(self, now: float) -> float | None:
        """A request was answered; gives the seconds without answers if the channel was paused."""
        away = now - self._since if self.is_open else None
        self._failures = self._denials = self._pauses = 0
        self._answered, self._probing = True, False
        if away is not None:
            self._until = -math.inf
        return away

    def note_denial(self) -> bool:
        """A request was refused for good; gives whether nothing more is to be asked.

        One refusal among answers may be that of a proxy, or of one server of many, and says
        nothing of the others; many in a row do, and so does one before any answer.
        """
        self._denials += 1
        return not self._answered or self._denials >= self._retry.in_a_row

    def note_failure(
        self, now: float, refused: bool = False, asked: float | None = None
    ) -> float | None:
        """A request was in vain; gives the seconds of the pause if one begins now.

        `refused`: the server wants fewer requests; `asked`: it says for how many seconds, which is
        at the least what is waited. What was sent before a pause and fails in it does not make it
        longer, unless the server asks for it.
        """
        if not self._failures:
            self._since = now
        self._failures += 1
        pause, pauses = asked, self._until > now
        if not pauses and (self.is_open or (refused and asked is None)):
            self._pauses += 1
            pause = max(asked or 0.0, self._retry.pause(self._pauses))
        if pause is None or now + pause <= self._until:
            return None
        is_news = not pauses or now + pause - self._until > pause / 2
        self._until, self._probing = now + pause, False
        return pause if is_news else None

    def is_hopeless(self, now: float, asked: float | None = None) -> bool:
        """Whether all has been in vain for so long that the job is to stop.

        Or will have been, once the seconds are over that the server asks for.
        """
        patience = self._retry.patience if self._answered else self._retry.first_patience
        return self._failures > 0 and now + (asked or 0.0) - self._since > patience
