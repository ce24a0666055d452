"""What went wrong with a request to an OpenAI-compatible server, and whether to try again.

What holds for any server (`was_dropped`, `retry_after`, `connection`, `one_line`) is shared.
"""

import email.utils
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.wire import message

if TYPE_CHECKING:
    import openai

TRANSIENT = (408, 409, 425, 429)
FATAL_HINTS = {
    403: "the key may not use this model",
    404: "no such model or no such address",
    501: "the server cannot do this",
}

TOO_LONG = {"context_length_exceeded", "exceed_context_size_error"}
"""Codes and types by which servers say that a prompt does not fit the model's context."""

UNSUPPORTED = {"unsupported_parameter", "unsupported_value"}
"""Codes by which OpenAI says that a model does not take a parameter, or not this value of it."""

CONTEXT = re.compile(r"(maximum|model's) context (length|window|size)", re.IGNORECASE)
TOO_MUCH = re.compile(
    r"max_(completion_)?tokens|context (length|size|window)|token count", re.IGNORECASE
)
"""What servers write with status 400 when the prompt, or prompt and limit, do not fit."""

Diagnosis = tuple[
    type[TransientError] | type[FatalError] | type[UnanswerableError], str, float | None
]
"""Which error it is, what to say, and the seconds that the server asked to wait."""


def kinds() -> tuple[type[Exception], ...]:
    """All that a request may raise; whatever else comes is a mistake of ours.

    The aiohttp transport lets some of its own errors pass unchanged.
    """
    import aiohttp
    import openai

    return openai.OpenAIError, aiohttp.ClientError, OSError, ValueError


def was_dropped(error: Exception) -> bool:
    """Whether the connection was closed by the server before it answered.

    The SDK's aiohttp transport reports that as a timeout; only the cause tells.
    """
    import aiohttp

    root = _root(error)
    return isinstance(
        root, aiohttp.ServerDisconnectedError | ConnectionResetError | BrokenPipeError
    )


def diagnose(error: Exception) -> Diagnosis:
    """Sort what the SDK or its transport raised."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APIConnectionError):
        timed_out = isinstance(error, openai.APITimeoutError)
        return TransientError, connection(error, timed_out), None
    if isinstance(error, ValueError):
        return FatalError, f"the request cannot be written: {error}", None
    return TransientError, str(error) or type(error).__name__, None


def refused(error: Exception) -> str | None:
    """The parameter that the model does not take, if the error says so."""
    import openai

    if isinstance(error, openai.BadRequestError) and error.code in UNSUPPORTED:
        return error.param
    return None


def is_too_much(error: Exception) -> bool:
    """Whether the token limit may be more than the model's context holds."""
    import openai

    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 413, 422):
        return False
    said = message(error.body) if error.body else ""
    return refused(error) is None and bool(_is_too_long(error) or TOO_MUCH.search(said))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by the header `Retry-After`: a number or a date (RFC 9110, 10.2.3).

    A date counts from the server's own `Date`, as the clock of this machine may be wrong. None
    where it says nothing that could be waited for: the caller's own patience decides then.
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        until, now = _date(value), _date(headers.get("date", "")) or datetime.now(UTC)
        seconds = (until - now).total_seconds() if until is not None else 0.0
    return seconds if seconds > 0 and math.isfinite(seconds) else None


def _date(text: str) -> datetime | None:
    """A date as HTTP writes it; None for what is none."""
    try:
        date = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return date.replace(tzinfo=date.tzinfo or UTC)


def _status(error: "openai.APIStatusError") -> Diagnosis:
    status = error.status_code
    said = f"HTTP {status} {message(error.body) if error.body else ''}"
    if status == 401:
        # What the server says here may hold a part of the key.
        return FatalError, "HTTP 401, the key was refused or is missing", None
    if status == 429 and error.code == "insufficient_quota":
        return FatalError, said, None
    if status in TRANSIENT or (status >= 500 and status not in FATAL_HINTS):
        return TransientError, said, retry_after(error.response.headers)
    if _is_too_long(error):
        return UnanswerableError, f"the prompt is too long for the model ({said})", None
    hint = FATAL_HINTS.get(status)
    return FatalError, f"{hint} ({said})" if hint else said, None


def _is_too_long(error: "openai.APIStatusError") -> bool:
    """Whether the prompt does not fit: by its code, or, with vLLM and SGLang, by its text."""
    if {error.code, error.type} & TOO_LONG:
        return True
    said = message(error.body) if error.body else ""
    return error.status_code == 400 and bool(CONTEXT.search(said))


def connection(error: Exception, timed_out: bool) -> str:
    """What to say of a request that brought no answer; `timed_out` is what the SDK says of it."""
    root = _root(error)
    if was_dropped(error):
        return "the server closed the connection without an answer"
    if isinstance(root, ConnectionRefusedError):
        return "nothing listens at this address"
    if timed_out:
        return "no answer in time"
    return str(root) or type(root).__name__


def one_line(where: str, said: str, key: str | None) -> str:
    """An error for a person: printable, without the key even where the server repeats it."""
    line = " ".join(f"{where}: {said}".split())
    if key:
        line = line.replace(key, "***")
    return "".join(char if char.isprintable() else "?" for char in line)[:300]


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error
