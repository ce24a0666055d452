"""How long the body of an answer may be: read no further than its token limit lets it be.

A server that never ends its body, or packs gigabytes into kilobytes, would else fill the memory.
Counted are bytes as they are unpacked; both clients unpack piece by piece.
"""

import functools
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from core.providers.base import Request

if TYPE_CHECKING:
    import aiohttp
    import httpx2

LONGEST = 2**25
"""Bytes that any body may have, but for a file of results."""

LONGEST_FILE = 2**30
"""Bytes that a file of results may have."""

LONGEST_ERROR = 2**16
"""Bytes that are read of an error: its first lines say what it is."""

BASE, EACH = 2**18, 2**16
"""Bytes beside the texts: of an answer's envelope, and of each choice in it."""

TOKEN = 128
"""Bytes that a token may have, escaped: a run of spaces is one token, too."""

LINE, LINE_TOKEN = 2**13, 32
"""The same in a file of many answers: bytes of a line beside its text, and of a token in it."""

ESCAPED = 8
"""Bytes of an answer for each byte of a request that a server may repeat in it."""

SEARCHED = 2**20
"""Bytes that what a search has found may have."""

PER_ASKED = 512
"""Bytes about a byte of a request that asks for numbers: a token's name, id and value."""

PIECE = 2**16
SHOWN = 300
"""Bytes that are shown of an error that is too long."""


class LongBodyError(OSError):
    """A body was longer than it may be; the rest of it was not read."""


class LongFileError(LongBodyError):
    """The same of a file of results: it is no shorter when it is fetched again."""


_limit: ContextVar[tuple[int, type[LongBodyError]]] = ContextVar(
    "limit", default=(LONGEST, LongBodyError)
)


def longest_answer(request: Request, tokens: int) -> int:
    """Bytes that the answer to a request may have, whose answers have so many tokens at most."""
    asked = [message.content for message in request.messages or ()] + [request.text or ""]
    repeated = ESCAPED * sum(map(len, asked))
    found = SEARCHED if request.options.get("search") else 0
    return min(LONGEST, BASE + repeated + found + request.n * (EACH + TOKEN * tokens))


def longest_numbers(asked: int) -> int:
    """Bytes that an answer of numbers may have to a request of so many bytes."""
    return min(LONGEST, 2**22 + PER_ASKED * asked)


def longest_result(request: Request) -> int:
    """Bytes that the answer to a request may add to a file of many."""
    return request.n * (LINE + LINE_TOKEN * (request.max_tokens + request.thinking_room))


@contextmanager
def limit_body(most: int, error: type[LongBodyError] = LongBodyError) -> Iterator[None]:
    """Read no more than so many bytes of each body until the end of the block.

    It holds in this task and in those that it starts; `error` is what a longer body raises.
    """
    token = _limit.set((most, error))
    try:
        yield
    finally:
        _limit.reset(token)


async def read_body(pieces: AsyncIterator[bytes], status: int) -> tuple[bytes, bool]:
    """A body in pieces, and whether that is all of it: an error is cut where it is too long.

    Raises `LongBodyError` for any other body that is longer than the limit.
    """
    is_error = status >= 300
    most, kind = _limit.get()
    most = min(most, LONGEST_ERROR) if is_error else most
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > most:
            if is_error:
                return bytes(body[:most]), False
            raise kind(
                f"the answer is longer than {most / 1e6:,.1f} MB, which is more than was asked "
                "for: it is not read to its end"
            )
    return bytes(body), True


@functools.cache
def bounded_client() -> "type[httpx2.AsyncClient]":
    """The SDK's client for OpenAI's format, with the limit."""
    import httpx2
    import openai

    class BoundedClient(openai.DefaultAioHttpClient):
        """Reads bodies by itself, as far as they may go."""

        async def send(
            self, request: httpx2.Request, *, stream: bool = False, **options: Any
        ) -> httpx2.Response:
            response = await super().send(request, stream=True, **options)
            if stream:
                return response
            try:
                async with aclosing(response.aiter_bytes()) as pieces:
                    body, _ = await read_body(pieces, response.status_code)
            finally:
                await response.aclose()
            # The body is unpacked; its length is that of what is read.
            unpacked = [
                (name, value)
                for name, value in response.headers.multi_items()
                if name not in ("content-encoding", "content-length", "transfer-encoding")
            ]
            return httpx2.Response(
                response.status_code,
                headers=unpacked,
                content=body,
                request=response.request,
                extensions={
                    name: value
                    for name, value in response.extensions.items()
                    if name in ("http_version", "reason_phrase")
                },
            )

    return BoundedClient


@functools.cache
def bounded_response() -> "type[aiohttp.ClientResponse]":
    """The class of responses of aiohttp, with the limit; all its readers begin with `read`."""
    import aiohttp

    class BoundedResponse(aiohttp.ClientResponse):
        """Reads its body as far as it may go."""

        async def read(self) -> bytes:
            if self._body is None:
                try:
                    pieces = self.content.iter_chunked(PIECE)
                    body, is_whole = await read_body(aiter(pieces), self.status)
                except BaseException:
                    self.close()
                    raise
                self._body = body
                if not is_whole:  # the SDK wants JSON
                    said = body[:SHOWN].decode(errors="replace")
                    self._body = json.dumps({"error": {"message": said}}).encode()
                    self.close()
            return self._body

    return BoundedResponse
