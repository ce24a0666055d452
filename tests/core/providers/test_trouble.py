"""What goes wrong with any service: which error it becomes, and what a person reads."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from core.providers import provider_errors
from core.providers.base import FatalError, Provider, Reply, Request, TransientError
from core.providers.gemini import Gemini
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.fakes import faults, gemini_server, openai_server
from tests.fakes.service import Fake
from tests.patience import PATIENCE

KEY = "sk-very-secret-0123456789"
ASK = Request(1, 32, 1.0, 1.0, messages=(Message("user", "Who?"),))


@dataclass(frozen=True)
class Service:
    """One kind of service: its fake, the way to it, how its lines begin, answers in no form."""

    serving: Callable[[], Any]
    open: Callable[..., Provider]
    """From the fake's address and the seconds to wait."""
    where: str
    garbage: tuple[str, ...]


def open_openai(address: str, timeout: float = PATIENCE) -> Provider:
    return OpenAICompatible("m", f"{address}/v1", KEY, timeout=timeout)


def open_gemini(address: str, timeout: float = PATIENCE) -> Provider:
    return Gemini("gemini-2.5-flash", KEY, base_url=address, timeout=timeout)


GARBAGE = ("<html>busy</html>", "", "[]", '"text"', '{"error": {"message": "upstream is down"}}')
OPENAI = Service(
    openai_server.serving,
    open_openai,
    "m at http://127.0.0.1:",
    (
        *GARBAGE,
        '{"choices": [{"message": {"content": "cut o',
        '{"choices": 3}',
        '{"choices": ["text"]}',
        '{"choices": [{"text": 3}]}',
        '{"choices": [{"nothing": ""}]}',
        '{"choices": [{"message": {"content": ["text"]}}]}',
        '{"choices": [{"message": {"content": [{"type": "text"}]}}]}',
    ),
)
GEMINI = Service(
    gemini_server.serving,
    open_gemini,
    "gemini:gemini-2.5-flash: ",
    (
        *GARBAGE,
        '{"candidates": [{"content": {"parts": [{"te',
        '{"candidates": 3}',
        '{"candidates": ["text"]}',
        '{"candidates": [{"content": "text"}]}',
        '{"candidates": [{"content": {"parts": ["text"]}}]}',
        '{"candidates": [{"content": {"parts": [{"text": 3}]}}]}',
        '{"candidates": [{"finishReason": []}]}',
        '{"candidates": [{}], "usageMetadata": 3}',
    ),
)


@dataclass(frozen=True)
class Asked:
    """A fake service and the provider that asks it."""

    service: Service
    fake: Fake
    provider: Provider

    async def draw(self) -> Reply:
        return await self.provider.draw(ASK)

    def then_fail(self, status: int, said: str, **headers: str) -> None:
        """Answer the next request with an error as the service writes it."""

        async def fail(request: web.Request) -> web.StreamResponse:
            return self.fake.failure(status, said, **headers)

        self.fake.answers.append(fail)

    async def trouble(self, kind: type[Exception], match: str | None = None) -> Exception:
        """The error of a request: one printable line with the address, without the key."""
        with pytest.raises(kind, match=match) as caught:
            await self.draw()
        assert_one_line(caught.value, self.service.where)
        assert caught.value.__cause__ is None or KEY not in str(caught.value.__cause__)
        return caught.value


def assert_one_line(error: Exception, where: str) -> None:
    line = str(error)
    assert line.isprintable()
    assert line.startswith(where)
    assert len(line) <= 300
    assert KEY not in line
    assert KEY not in repr(error)


@pytest.fixture(params=[OPENAI, GEMINI], ids=["openai", "gemini"])
async def asked(request: pytest.FixtureRequest) -> AsyncIterator[Asked]:
    service: Service = request.param
    async with service.serving() as fake:
        provider = service.open(fake.address)
        yield Asked(service, fake, provider)
        await provider.close()


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
async def test_statuses_that_pass(asked: Asked, status: int) -> None:
    asked.then_fail(status, f"busy,\nsays {KEY}")
    error = await asked.trouble(TransientError, rf"HTTP {status} busy, says \*\*\*")
    assert isinstance(error, TransientError)
    assert error.retry_after is None
    assert len(asked.fake.bodies) == 1, "retrying is the engine's"


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404, 422, 501])
async def test_statuses_that_stay(asked: Asked, status: int) -> None:
    asked.then_fail(status, f"no, says\x1b[31m {KEY}", Location=asked.fake.address)
    await asked.trouble(FatalError, f"HTTP {status}")
    assert len(asked.fake.bodies) == 1


@pytest.mark.parametrize(
    ("key", "said", "shown"),
    [
        ("k", "Name or service not known: check k", "Name or service not known: check ***"),
        ("none", "nonexistent: key 'none'", "nonexistent: key '***'"),
        ("sk-0123456789abcdef", "xsk-0123456789abcdefx", "x***x"),
    ],
)
def test_a_short_key_leaves_words_whole(key: str, said: str, shown: str) -> None:
    assert provider_errors.one_line("m", said, key) == f"m: {shown}"


async def test_the_cause_is_not_shown_with_the_key(asked: Asked) -> None:
    asked.then_fail(403, f"Consumer 'api_key:{KEY}' has been suspended.")
    error = await asked.trouble(FatalError)
    assert error.__cause__ is None
    assert error.__suppress_context__


@pytest.mark.parametrize(
    "body", ["<html>" + "x" * 5000, "", [], ["a"], {"detail": "what"}, {"error": "text"}, None, 3]
)
async def test_an_error_may_have_any_body(asked: Asked, body: object) -> None:
    asked.fake.then(400, body)
    await asked.trouble(FatalError, "HTTP 400")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("0", None), ("-3", None), ("soon", None), ("nan", None)],
)
async def test_the_wait_in_seconds(asked: Asked, value: str, seconds: float | None) -> None:
    asked.then_fail(429, "slowly", Retry_After=value)
    error = await asked.trouble(TransientError)
    assert isinstance(error, TransientError)
    assert error.retry_after == seconds


async def test_a_date_counts_from_the_servers_own_clock(asked: Asked) -> None:
    theirs = datetime(2031, 5, 1, tzinfo=UTC)
    until = format_datetime(theirs + timedelta(seconds=90), usegmt=True)
    asked.then_fail(503, "later", Retry_After=until, Date=format_datetime(theirs, usegmt=True))
    error = await asked.trouble(TransientError)
    assert isinstance(error, TransientError)
    assert error.retry_after == 90


async def test_the_wait_as_a_date(asked: Asked) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    asked.then_fail(503, "later", Retry_After=date)
    error = await asked.trouble(TransientError)
    assert isinstance(error, TransientError)
    assert error.retry_after is not None
    assert 3000 < error.retry_after <= 3600


@pytest.mark.slow
@pytest.mark.parametrize("number", range(max(len(OPENAI.garbage), len(GEMINI.garbage))))
async def test_an_answer_in_no_known_form_may_be_tried_again(asked: Asked, number: int) -> None:
    asked.fake.then(200, asked.service.garbage[number % len(asked.service.garbage)])
    await asked.trouble(TransientError)
    assert len((await asked.draw()).draws) == 1


DEEP = pytest.param(b"[" * 200_000, id="deep")


@pytest.mark.parametrize("body", [b'{"error": {"mess', b'{"error": "\xff\xfe"}', DEEP])
async def test_bytes_that_are_no_json_may_be_tried_again(asked: Asked, body: bytes) -> None:
    async def garbage(request: web.Request) -> web.StreamResponse:
        return web.Response(status=200, body=body, content_type="application/json")

    asked.fake.answers.append(garbage)
    await asked.trouble(TransientError, "not JSON")


async def test_a_dropped_connection_is_tried_again_at_once(asked: Asked) -> None:
    await asked.draw()
    asked.fake.coming.append(faults.reset)
    assert len((await asked.draw()).draws) == 1
    assert len(asked.fake.bodies) == 3
    assert len(asked.fake.connections) == 2


async def test_a_connection_dropped_twice_is_the_engines(asked: Asked) -> None:
    asked.fake.coming.extend([faults.reset] * 2)
    await asked.trouble(TransientError, "closed the connection")
    assert len(asked.fake.bodies) == 2


async def test_an_answer_that_breaks_off(asked: Asked) -> None:
    asked.fake.coming.extend([faults.break_off] * 2)
    await asked.trouble(TransientError)


async def test_a_server_that_never_answers(asked: Asked) -> None:
    released = asyncio.Event()

    async def never(request: web.Request) -> web.StreamResponse:
        await released.wait()
        return web.Response()

    asked.fake.answers.append(never)
    hasty = Asked(asked.service, asked.fake, asked.service.open(asked.fake.address, 0.2))
    await hasty.trouble(TransientError, "no answer in time")
    await hasty.provider.close()
    released.set()
    assert len(asked.fake.bodies) == 1, "a slow server is not asked twice"


@pytest.mark.parametrize("service", [OPENAI, GEMINI], ids=["openai", "gemini"])
async def test_nobody_listens(service: Service, unused_tcp_port: int) -> None:
    provider = service.open(f"http://127.0.0.1:{unused_tcp_port}")
    with pytest.raises(TransientError, match="nothing listens") as caught:
        await provider.draw(ASK)
    await provider.close()
    assert_one_line(caught.value, service.where)


async def speak_no_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer as some other kind of server would."""
    await reader.read(1)
    writer.write(b"220 mail.example ready\r\n\r\n")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize("service", [OPENAI, GEMINI], ids=["openai", "gemini"])
async def test_a_server_that_speaks_no_http(service: Service) -> None:
    server = await asyncio.start_server(speak_no_http, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    provider = service.open(f"http://127.0.0.1:{port}")
    with pytest.raises(TransientError) as caught:
        await provider.draw(ASK)
    await provider.close()
    server.close()
    await server.wait_closed()
    assert_one_line(caught.value, service.where)


async def test_text_that_is_not_unicode_is_refused(asked: Asked) -> None:
    half = Request(1, 8, 1.0, 1.0, messages=(Message("user", "half \ud83d"),))
    with pytest.raises(FatalError, match="cannot be written") as caught:
        await asked.provider.draw(half)
    assert_one_line(caught.value, asked.service.where)
    assert asked.fake.bodies == []
