"""Responses that break on the wire: at any byte, in two segments, in broken chunks, byte by byte.

What is broken is a fake's own answer. The bytes are written by ourselves, header and all.
"""

import asyncio
from collections.abc import Callable, Sequence
from enum import Enum, StrEnum, auto
from typing import Any

from aiohttp import web

from tests.fakes.service import Call

SEGMENT = 0.003
"""Seconds between two segments."""

WATCH = 0.2
"""Seconds between two looks at whether the client has gone."""

BROKEN_CHUNK = b"zz\r\n"

UNSENT = {"content-type", "content-length", "transfer-encoding", "connection", "date", "server"}
"""Headers that are written by ourselves, or that nobody needs."""


class Framing(StrEnum):
    """How a client is told where a body ends."""

    LENGTH = "content length"
    CHUNKED = "chunks"
    CLOSING = "end of the connection"


class Way(StrEnum):
    """What becomes of a response that is broken at a byte."""

    KEPT = "the rest in a second segment, the connection is kept"
    CLOSED = "the rest in a second segment, then closed"
    CUT = "closed, without the rest"
    STALLED = "nothing more"
    CHUNK = "a broken chunk in a second segment"
    CHUNK_CLOSED = "a broken chunk in a second segment, then closed"


class End(Enum):
    """What becomes of a connection."""

    KEEP = auto()
    CLOSE = auto()
    STALL = auto()


class Pieces(web.StreamResponse):
    """Bytes as they are to be on the wire, piece by piece, `pause` seconds after each."""

    def __init__(self, pieces: Sequence[bytes], end: End, pause: float = SEGMENT) -> None:
        super().__init__()
        self._pieces, self._end, self._pause = pieces, end, pause

    @property
    def keep_alive(self) -> bool:
        return self._end is End.KEEP

    async def prepare(self, request: web.BaseRequest) -> None:
        transport = request.transport
        for piece in self._pieces:
            if transport is None or transport.is_closing():
                return
            transport.write(piece)
            await asyncio.sleep(self._pause)
        if self._end is End.CLOSE and transport is not None:
            transport.close()
        while self._end is End.STALL and transport is not None and not transport.is_closing():
            await asyncio.sleep(WATCH)

    async def write_eof(self, data: Any = b"") -> None:
        return


class Breaks:
    """A fault that breaks responses at every byte, one after the other.

    It does so in each of some ways, or (`in_turn`) in the next of them from byte to byte.
    `through`: no more is left to break; answers go out whole then. `fits` as with `Fake.when`:
    only the first response to each prompt is broken. `broken` counts.
    """

    __name__ = "broken on the wire"

    def __init__(
        self,
        framing: Framing = Framing.LENGTH,
        ways: Sequence[Way] = tuple(Way),
        in_turn: bool = False,
    ) -> None:
        self.framing, self.ways, self.in_turn = framing, ways, in_turn
        self.broken = 0
        self.through = False
        self._seen = set[str]()

    def fits(self, call: Call) -> bool:
        """Whether a model is asked this for the first time."""
        prompt = call.fake.prompt(call.body)
        new = call.asks and prompt not in self._seen
        self._seen.add(prompt)
        return new and not self.through

    async def __call__(self, call: Call) -> web.StreamResponse:
        whole = await call.answer()
        response = on_the_wire(whole, self.framing)
        at, way = divmod(self.broken, len(self.ways))
        at = self.broken if self.in_turn else at
        if at > len(response):
            self.through = True
            return whole
        self.broken += 1
        return broken(response, at, self.ways[way])


def broken(response: bytes, at: int, way: Way) -> Pieces:
    """A response broken at a byte in a way."""
    first, rest = response[:at], response[at:]
    pieces = {
        Way.KEPT: ([first, rest], End.KEEP),
        Way.CLOSED: ([first, rest], End.CLOSE),
        Way.CUT: ([first], End.CLOSE),
        Way.STALLED: ([first], End.STALL),
        Way.CHUNK: ([first, BROKEN_CHUNK], End.STALL),
        Way.CHUNK_CLOSED: ([first, BROKEN_CHUNK], End.CLOSE),
    }
    found, end = pieces[way]
    if b"connection: close" in response[: response.index(b"\r\n\r\n")] and end is End.KEEP:
        end = End.CLOSE
    return Pieces(found, end)


def byte_by_byte(pause: float, framing: Framing = Framing.LENGTH) -> Callable[[Call], Any]:
    """A fault: each byte is a segment, so many seconds after the one before."""

    async def dripping_bytes(call: Call) -> web.StreamResponse:
        response = on_the_wire(await call.answer(), framing)
        return Pieces([bytes([byte]) for byte in response], End.KEEP, pause)

    return dripping_bytes


def followed_by(more: bytes, at_once: bool = False) -> Callable[[Call], Any]:
    """A fault: a right answer, and bytes behind it that nobody asked for.

    They come in a segment of their own, or (`at_once`) in that of the answer.
    """

    async def with_more(call: Call) -> web.StreamResponse:
        response = on_the_wire(await call.answer(), Framing.LENGTH)
        return Pieces([response + more] if at_once else [response, more], End.KEEP)

    return with_more


def on_the_wire(answer: web.Response, framing: Framing) -> bytes:
    """An answer as bytes: status, headers, body."""
    body = answer.body if isinstance(answer.body, bytes) else b""
    head = [f"HTTP/1.1 {answer.status} {answer.reason}", f"content-type: {answer.content_type}"]
    sent = [(name, value) for name, value in answer.headers.items() if name.lower() not in UNSENT]
    head += [f"{name}: {value}" for name, value in sent]
    if framing is Framing.LENGTH:
        head.append(f"content-length: {len(body)}")
    elif framing is Framing.CHUNKED:
        head.append("transfer-encoding: chunked")
        half = len(body) // 2
        body = b"".join(_chunk(part) for part in (body[:half], body[half:]) if part) + _chunk(b"")
    else:
        head.append("connection: close")
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def _chunk(part: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(part), part)
