"""What went wrong with a request to an OpenAI-compatible server, and whether to try again.

What holds for any server (`was_dropped`, `retry_after`, `connection`, `redirect`, `read_message`,
`one_line`) is shared.
"""

import email.utils
import html
import json
import math
import re
import socket
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.batch_service import LongResultsError
from core.providers.body_limits import LongFileError
from core.providers.openai_format import message

if TYPE_CHECKING:
    import aiohttp
    import openai

HIDDEN = "***"

SECRET_LENGTH = 16
"""From this length on a text is a secret by itself: no answer holds it by chance."""

WORD_LENGTH = 6
"""From this length on a key is censored in answers where it is a word of its own. A shorter one is
the `none` or `EMPTY` that local servers are given for a key."""

TRANSIENT = (408, 409, 425, 429)
FATAL_HINTS = {
    403: "the key may not use this model",
    404: "no such model or no such address",
    407: "a proxy wants to know who asks: put user and password into HTTPS_PROXY",
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

SCHEMA = re.compile(r"response.?format|schema|structured.?output|guided|grammar", re.IGNORECASE)
"""What servers write where they do not take the schema of a reply."""

PAGE = re.compile(r"\s*<(!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
LONGEST_TITLE = 80

USER = re.compile(r"^((?:[a-z][a-z0-9+.-]*:)?[/\\\\]{2,})[^/\\\\]*@", re.IGNORECASE)
"""The user and password with which an address begins."""

LONGEST_TARGET = 120
"""Characters of a redirect's address that are shown."""

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
    if isinstance(error, ValueError) and not isinstance(error, ssl.SSLError):
        return FatalError, f"the request cannot be written: {error}", None
    return connection(error, isinstance(error, openai.APITimeoutError))


def find_refused_parameter(error: Exception) -> str | None:
    """The parameter that the model does not take, if the error says so."""
    import openai

    if isinstance(error, openai.BadRequestError) and error.code in UNSUPPORTED:
        return error.param
    return None


def refuses_schema(error: Exception) -> bool:
    """Whether the server does not take the schema of a reply: it names the field, or its parts."""
    import openai

    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 404, 422):
        return False
    said = message(error.body) if error.body else ""
    return bool(SCHEMA.search(f"{error.param or ''} {said}"))


def is_too_much(error: Exception) -> bool:
    """Whether the token limit may be more than the model's context holds."""
    import openai

    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 413, 422):
        return False
    said = message(error.body) if error.body else ""
    return find_refused_parameter(error) is None and bool(
        _is_too_long(error) or TOO_MUCH.search(said)
    )


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
    if 300 <= status < 400:
        return redirect(status, error.response.headers)
    said = f"HTTP {status} {read_message(error.body)}"
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


def connection(error: Exception, timed_out: bool) -> Diagnosis:
    """Sort a request that brought no answer; `timed_out` is what the SDK says of it.

    The SDK's aiohttp transport reports all that goes wrong with a connection as a timeout: the
    cause is asked first.
    """
    import aiohttp

    root = _root(error)
    if isinstance(root, LongFileError):
        return LongResultsError, str(root), None
    if isinstance(root, ssl.SSLCertVerificationError):
        return FatalError, _certificate(root), None
    if isinstance(root, aiohttp.ClientHttpProxyError):
        return _proxy(root)
    if was_dropped(error):
        said = "the server closed the connection without an answer"
    elif isinstance(root, ConnectionRefusedError):
        said = "nothing listens at this address"
    elif isinstance(root, socket.gaierror):
        said = f"the host is not found ({root.strerror}): check its name and the network"
    elif isinstance(root, ssl.SSLError):
        said = f"no secure connection ({_reason(root)}): is it a server for https?"
    elif timed_out:
        said = "no answer in time"
    else:
        said = str(root) or type(root).__name__
    if _has(error, aiohttp.ClientProxyConnectionError):
        said = f"the proxy that HTTPS_PROXY or HTTP_PROXY names cannot be reached: {said}"
    return TransientError, said, None


def _certificate(error: ssl.SSLCertVerificationError) -> str:
    said = error.verify_message or _reason(error)
    return (
        f"the server's certificate is not trusted ({said.rstrip('.')}): check the address, or name "
        "a file with the certificate of its authority in SSL_CERT_FILE"
    )


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or "the handshake failed").replace("_", " ").lower()


def _proxy(error: "aiohttp.ClientHttpProxyError") -> Diagnosis:
    """A proxy that does not let a connection through. Its address may hold a password."""
    if error.status in FATAL_HINTS:
        hint = FATAL_HINTS[407] if error.status == 407 else "the proxy lets nobody through"
        return FatalError, f"{hint} (HTTP {error.status} from the proxy)", None
    return TransientError, f"HTTP {error.status} from the proxy {error.message}", None


def redirect(status: int, headers: Mapping[str, str]) -> Diagnosis:
    """A redirect, which is never followed: where it points, without what may be secret in it."""
    target = _target(headers.get("location", ""))
    said = f"HTTP {status}, a redirect to {target or 'no address'}"
    advice = "it is not followed, as the key would go along; check the model's address"
    return FatalError, f"{said}: {advice}", None


def _target(location: str) -> str:
    """An address as it was written, without user, password, query and fragment."""
    written = re.split(r"[?#]", location.strip(), maxsplit=1)[0]
    shown = USER.sub(r"\1", written)
    return shown if len(shown) <= LONGEST_TARGET else f"{shown[:LONGEST_TARGET]}..."


def read_message(body: object) -> str:
    """What the body of an error says; of a page, as proxies send it, the title."""
    said = message(body) if body else ""
    if not PAGE.match(said):
        return said
    title = TITLE.search(said)
    shown = " ".join(html.unescape(title[1]).split())[:LONGEST_TITLE] if title else ""
    return f"with a page: {shown}" if shown else "with a page in place of an answer"


def one_line(where: str, said: str, key: str | None) -> str:
    """An error for a person: printable, without the key even where the server repeats it.

    A short key goes only where it stands alone: the `x` of a local server is part of many words.
    """
    line = hide_key(" ".join(f"{where}: {said}".split()), key)
    return "".join(char if char.isprintable() else "?" for char in line)[:300]


def hide_key(text: str, key: str | None) -> str:
    """A text without the key: wherever it stands where it is a secret, else as a whole word."""
    if not key:
        return text
    if len(key) >= SECRET_LENGTH:
        return text.replace(key, HIDDEN)
    return re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", HIDDEN, text)


def _root(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _has(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether something of this kind is among the causes of an error, itself included."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__
    return error is not None


def remove_key(body: bytes, key: str | None) -> bytes:
    """What went over the wire, without the key however it is written in JSON."""
    if not key:
        return body
    written = json.dumps(key)[1:-1]
    for form in {key, written, written.replace("/", "\\/")}:
        body = body.replace(form.encode(), HIDDEN.encode())
    return body


def censor_key(body: bytes, key: str | None) -> bytes:
    """A body that answers are read from: without a key that is a secret, else to the letter."""
    return remove_key(body, key) if key and len(key) >= SECRET_LENGTH else body


def load_censored(body: bytes, key: str | None) -> Any:
    """What a body says, its texts without the key (names of fields may be any word).

    Raises `ValueError` and `RecursionError` for what is not JSON.
    """
    document = json.loads(censor_key(body, key))
    if key and WORD_LENGTH <= len(key) < SECRET_LENGTH:
        return _hide_in(document, key)
    return document


def _hide_in(value: Any, key: str) -> Any:
    if isinstance(value, str):
        return hide_key(value, key)
    if isinstance(value, list):
        return [_hide_in(one, key) for one in value]
    if isinstance(value, dict):
        return {name: _hide_in(one, key) for name, one in value.items()}
    return value
