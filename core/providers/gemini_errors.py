"""What went wrong with a request to Gemini, and whether to try again."""

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from core.providers import provider_errors
from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.model_names import GEMINI_KEY

if TYPE_CHECKING:
    from google.genai import errors

CANCELLED = 499
"""Google's status for a request given up on its way."""

KEY_REFUSED = {"API_KEY_INVALID", "API_KEY_EXPIRED", "API_KEY_MISSING"}
"""Reasons given with status 400 for what is 401 elsewhere."""

TOO_LONG = re.compile(r"token count.*exceeds|exceeds.*token", re.IGNORECASE)


def kinds() -> tuple[type[Exception], ...]:
    """All that a request may raise; whatever else comes is a mistake of ours."""
    import aiohttp
    from google.genai import errors

    # ImportError: the SDK looks for the HTTP client that an environment variable asks for.
    return errors.APIError, aiohttp.ClientError, OSError, ValueError, ImportError


def find_refused_setting(error: Exception) -> Literal["candidates", "thinking"] | None:
    """Which of our settings the model does not take, if the error says so.

    There is no code for it, only text that differs from model to model.
    """
    from google.genai import errors

    if not isinstance(error, errors.APIError) or error.code != 400:
        return None
    said = _read_message(error).casefold()
    return "candidates" if "candidate" in said else "thinking" if "think" in said else None


def refuses_schema(error: Exception) -> bool:
    """Whether the service does not take the schema of a reply."""
    from google.genai import errors

    known = isinstance(error, errors.APIError) and error.code in (400, 404, 422)
    return known and bool(provider_errors.SCHEMA.search(_read_message(error)))


def diagnose(error: Exception) -> provider_errors.Diagnosis:
    """Sort what the SDK or its transport raised."""
    from google.genai import errors

    if isinstance(error, errors.APIError):
        return _status(error)
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return TransientError, "the answer is not JSON", None
    if isinstance(error, ValueError) and not isinstance(error, ssl.SSLError):
        return FatalError, f"the request cannot be written: {error}", None
    if isinstance(error, ImportError):
        return FatalError, str(error), None
    return provider_errors.connection(error, isinstance(error, TimeoutError))


def _status(error: "errors.APIError") -> provider_errors.Diagnosis:
    status = error.code
    if 300 <= status < 400:
        return provider_errors.redirect(status, _headers(error))
    said = f"HTTP {status} {_read_message(error)}"
    if status == 401 or _is_key_refused(error):
        # What the service says here may hold a part of the key.
        return FatalError, f"HTTP {status}, the key in {GEMINI_KEY} was refused", None
    if status == 429 and _is_day_spent(error):
        return (
            FatalError,
            f"the day's quota is spent, the same command goes on later ({said})",
            None,
        )
    passing = status in provider_errors.TRANSIENT or status == CANCELLED
    if passing or (status >= 500 and status not in provider_errors.FATAL_HINTS):
        return TransientError, said, _wait(error)
    if status == 400 and TOO_LONG.search(said):
        return UnanswerableError, f"the prompt is too long for the model ({said})", None
    hint = {
        400: "it does not take this way of thinking"
        if find_refused_setting(error) == "thinking"
        else None,
        403: f"the key in {GEMINI_KEY} may not use this model",
        404: "no such model",
    }.get(status, provider_errors.FATAL_HINTS.get(status))
    return FatalError, f"{hint} ({said})" if hint else said, None


def _read_message(error: Exception) -> str:
    return provider_errors.read_message(_envelope(error))


def _headers(error: "errors.APIError") -> Mapping[str, str]:
    return getattr(error.response, "headers", None) or {}


def _envelope(error: Exception) -> Any:
    """The `error` of the answer's body, or the body itself where there is none."""
    body = getattr(error, "details", None)
    return body.get("error", body) if isinstance(body, dict) else body


def _entries(error: Exception, kind: str) -> Iterator[Mapping[str, Any]]:
    """The details of one type, such as `RetryInfo`."""
    body = _envelope(error)
    details = body.get("details") if isinstance(body, dict) else None
    for entry in details if isinstance(details, list) else []:
        if isinstance(entry, dict) and str(entry.get("@type")).endswith(f"google.rpc.{kind}"):
            yield entry


def _is_key_refused(error: Exception) -> bool:
    return any(entry.get("reason") in KEY_REFUSED for entry in _entries(error, "ErrorInfo"))


def _is_day_spent(error: Exception) -> bool:
    """Whether the quota of a day is used up: the wait that comes with it is of no use."""
    for entry in _entries(error, "QuotaFailure"):
        violations = entry.get("violations")
        for violation in violations if isinstance(violations, list) else []:
            if isinstance(violation, dict) and "PerDay" in str(violation.get("quotaId")):
                return True
    return False


def _wait(error: "errors.APIError") -> float | None:
    """Seconds that the service asked to wait: in the details, in a header, the longer of both."""
    waits = [provider_errors.retry_after(_headers(error))]
    for entry in _entries(error, "RetryInfo"):
        seconds = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(entry.get("retryDelay")))
        waits.append(float(seconds[1]) if seconds else None)
    return max(filter(None, waits), default=None)
