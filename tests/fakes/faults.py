"""What can go wrong with any service: a fault takes the place of the answer to one request."""

import asyncio
import itertools
import zlib
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from aiohttp import web

from tests.fakes.service import Call, Change, Fault

HTML = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


async def busy(call: Call) -> web.StreamResponse:
    """429 that does not say how long to wait."""
    return call.fake.failure(429, "Rate limit reached")


def busy_for(seconds: float) -> Fault:
    """429 with the seconds to wait."""

    async def busy_for_a_while(call: Call) -> web.StreamResponse:
        return call.fake.failure(429, "Rate limit reached", Retry_After=str(seconds))

    return busy_for_a_while


def busy_until(seconds: float) -> Fault:
    """429 with the time at which to come again (whole seconds, as HTTP has them)."""

    async def busy_until_a_time(call: Call) -> web.StreamResponse:
        when = datetime.now(UTC) + timedelta(seconds=seconds)
        return call.fake.failure(
            429, "Rate limit reached", Retry_After=format_datetime(when, usegmt=True)
        )

    return busy_until_a_time


async def crash(call: Call) -> web.StreamResponse:
    return call.fake.failure(500, "The server had an error while processing your request")


async def overloaded(call: Call) -> web.StreamResponse:
    return call.fake.failure(503, "The model is overloaded")


def burst(fault: Fault, length: int) -> Fault:
    """This fault, and for the requests that come next as well: so many in all."""

    async def one_of_a_burst(call: Call) -> web.StreamResponse:
        call.fake.coming.extend(itertools.repeat(fault, length - 1))
        return await fault(call)

    return one_of_a_burst


async def reset(call: Call) -> web.StreamResponse:
    """The connection is reset before anything is done."""
    assert call.request.transport is not None
    call.request.transport.abort()
    return web.Response()


async def lost(call: Call) -> web.StreamResponse:
    """What was asked for is done, but the connection is reset before the answer is sent."""
    if not call.asks:
        await call.answer()
    return await reset(call)


async def break_off(call: Call) -> web.StreamResponse:
    """The connection ends in the middle of the body."""
    body = await call.unsent()
    reply = web.StreamResponse(headers={"Content-Length": str(len(body) + 1)})
    reply.content_type = "application/json"
    await reply.prepare(call.request)
    await reply.write(body[: len(body) // 2])
    assert call.request.transport is not None
    call.request.transport.close()
    return reply


async def truncated(call: Call) -> web.StreamResponse:
    """A response that is whole for HTTP, with half of the JSON."""
    body = await call.unsent()
    return web.Response(body=body[: len(body) // 2], content_type="application/json")


async def html(call: Call) -> web.StreamResponse:
    """A page in place of an answer, with status 200."""
    return web.Response(text=HTML, content_type="text/html")


async def gateway(call: Call) -> web.StreamResponse:
    """A page in place of an answer, with status 502."""
    return web.Response(status=502, text=HTML, content_type="text/html")


async def nothing(call: Call) -> web.StreamResponse:
    """An empty body with status 200."""
    return web.Response(body=b"", content_type="application/json")


async def spent(call: Call) -> web.StreamResponse:
    """The quota is spent."""
    return call.fake.no_quota()


async def stall(call: Call) -> web.StreamResponse:
    """Headers and half of the body; then nothing, until the client goes away."""
    body = await call.unsent()
    reply = web.StreamResponse(headers={"Content-Length": str(len(body) + 1)})
    reply.content_type = "application/json"
    await reply.prepare(call.request)
    await reply.write(body[: len(body) // 2])
    transport = call.request.transport
    while transport is not None and not transport.is_closing():
        await asyncio.sleep(0.01)
    return reply


def endless(status: int = 200, begin: bytes = b'{"choices": [{"text": "') -> Fault:
    """A body that never ends; `faults` of the fake count its pieces of 64 kB."""

    async def endless_body(call: Call) -> web.StreamResponse:
        reply = web.StreamResponse(status=status)
        reply.content_type = "application/json"
        await reply.prepare(call.request)
        with suppress(ConnectionError):
            await reply.write(begin)
            while True:
                await reply.write(b"a" * 2**16)
                call.fake.faults["pieces"] += 1
        return reply

    return endless_body


def packed(megabytes: int, coding: str = "gzip", status: int = 200) -> Fault:
    """A body of so many megabytes of one letter, packed into kilobytes."""
    bits = {"gzip": 31, "deflate": 15}[coding]

    async def packed_body(call: Call) -> web.StreamResponse:
        packer = zlib.compressobj(9, zlib.DEFLATED, bits)
        parts = [packer.compress(b'{"choices": [{"text": "')]
        parts += [packer.compress(b"a" * 2**20) for _ in range(megabytes)]
        body = b"".join([*parts, packer.compress(b'"}]}'), packer.flush()])
        headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
        return web.Response(status=status, body=body, headers=headers)

    return packed_body


def late(seconds: float) -> Fault:
    """A right answer that takes its time."""

    async def late_answer(call: Call) -> web.StreamResponse:
        await asyncio.sleep(seconds)
        return await call.answer()

    return late_answer


def drip(seconds: float, pieces: int = 5) -> Fault:
    """A right answer that comes in small pieces over so many seconds."""

    async def dripping(call: Call) -> web.StreamResponse:
        whole = await call.answer()
        body = whole.body if isinstance(whole.body, bytes) else b""
        reply = web.StreamResponse(
            status=whole.status, headers={"Content-Type": whole.content_type}
        )
        await reply.prepare(call.request)
        size = len(body) // pieces + 1
        for start in range(0, len(body), size):
            await reply.write(body[start : start + size])
            await asyncio.sleep(seconds / pieces)
        await reply.write_eof()
        return reply

    return dripping


def changed(change: Change) -> Fault:
    """An answer with something wrong in it."""

    async def wrong(call: Call) -> web.StreamResponse:
        return call.fake.send(call.body, change(call.fake.normal(call.body)))

    wrong.__name__ = getattr(change, "__name__", "changed")
    return wrong


PASSING: tuple[Fault, ...] = (
    busy,
    busy_for(0.01),
    busy_until(0.0),
    crash,
    overloaded,
    burst(crash, 3),
    burst(overloaded, 3),
    reset,
    break_off,
    truncated,
    html,
    gateway,
    nothing,
)
"""Faults after which another try is worth its while."""
