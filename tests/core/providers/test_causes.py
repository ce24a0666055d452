"""Causes told truly: what a person reads where no answer came, and what to do about it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.providers.base import Draw, FatalError, Provider, Reply, TransientError
from core.providers.openai_format import drop_false_counts
from tests.core.providers.test_trouble import (
    ASK,
    GEMINI,
    KEY,
    OPENAI,
    Asked,
    Service,
    assert_one_line,
)
from tests.fakes import openai_server
from tests.fakes.faults import changed

CERTIFICATE = Path(openai_server.__file__).with_name("self_signed.pem")
UNKNOWN = "no-such-host.invalid"
PAGE = (
    "<!DOCTYPE html><html><head><title>Access\n denied &amp; logged</title></head><body>no</body>"
)

both = pytest.mark.parametrize("service", [OPENAI, GEMINI], ids=["openai", "gemini"])


@pytest.fixture(params=[OPENAI, GEMINI], ids=["openai", "gemini"])
async def asked(request: pytest.FixtureRequest) -> AsyncIterator[Asked]:
    service: Service = request.param
    async with service.serving() as fake:
        provider = service.open(fake.address)
        yield Asked(service, fake, provider)
        await provider.close()


async def line_of(provider: Provider, service: Service, kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        await provider.draw(ASK)
    await provider.close()
    assert_one_line(caught.value, service.where.partition("http:")[0])
    return str(caught.value)


@asynccontextmanager
async def answering(said: bytes, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that says this to whatever begins with a head; gives its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def self_signed() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


@both
async def test_a_certificate_that_nobody_vouches_for(service: Service) -> None:
    async with answering(b"", self_signed()) as port:
        line = await line_of(service.open(f"https://127.0.0.1:{port}"), service, FatalError)
    assert "the server's certificate is not trusted (self-signed certificate)" in line
    assert line.endswith("SSL_CERT_FILE")


@both
async def test_a_certificate_that_the_user_vouches_for(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    busy = b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"
    async with answering(busy, self_signed()) as port:
        line = await line_of(service.open(f"https://127.0.0.1:{port}"), service, TransientError)
    assert "HTTP 503" in line


@both
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_host_that_does_not_exist(service: Service, scheme: str) -> None:
    line = await line_of(service.open(f"{scheme}://{UNKNOWN}"), service, TransientError)
    assert "the host is not found (" in line
    assert line.endswith("check its name and the network")


@both
async def test_a_server_without_tls(service: Service) -> None:
    async with service.serving() as fake:
        address = fake.address.replace("http:", "https:")
        line = await line_of(service.open(address), service, TransientError)
    assert "no secure connection (wrong version number)" in line


@both
@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (407, FatalError, "put user and password into HTTPS_PROXY (HTTP 407 from the proxy)"),
        (403, FatalError, "the proxy lets nobody through (HTTP 403 from the proxy)"),
        (502, TransientError, "HTTP 502 from the proxy"),
    ],
)
async def test_a_proxy_that_refuses(
    service: Service,
    status: int,
    kind: type[Exception],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with answering(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()) as port:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        line = await line_of(service.open(f"https://{UNKNOWN}"), service, kind)
    assert said in line


@both
async def test_a_proxy_that_is_not_there(
    service: Service, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{unused_tcp_port}")
    line = await line_of(service.open(f"https://{UNKNOWN}"), service, TransientError)
    assert "the proxy that HTTPS_PROXY or HTTP_PROXY names cannot be reached" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("location", "shown"),
    [
        (
            f"https://me:pw@login.example:8443/sso?token={KEY}#x",
            "https://login.example:8443/sso: it",
        ),
        (f"https://h.example/{KEY}/v1", "https://h.example/***/v1: it"),
        ("/v2/chat/completions", "a redirect to /v2/chat/completions: it"),
        ("https://h.example/" + "x" * 500, "xxx...: it"),
        ("HTTP://H.example/V1/%7Eme", "a redirect to HTTP://H.example/V1/%7Eme: it"),
        ("//h.example/v1", "a redirect to //h.example/v1: it"),
        ("http://me:pw@[bad/x", "a redirect to http://[bad/x: it"),
        ("", "a redirect to no address: it"),
    ],
)
async def test_a_redirect_says_where_it_points(asked: Asked, location: str, shown: str) -> None:
    asked.fake.then(307, PAGE, Location=location)
    line = str(await asked.trouble(FatalError, "HTTP 307, a redirect to "))
    assert shown in line
    assert "pw" not in line
    assert "token" not in line
    assert line.endswith("it is not followed, as the key would go along; check the model's address")


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "was refused"),
        (403, "may not use this model (HTTP 403 with a page: Access denied & logged)"),
        (407, "put user and password into HTTPS_PROXY (HTTP 407 with a page: Access denied"),
        (404, "no such model"),
    ],
)
async def test_a_page_in_place_of_an_error_keeps_our_hint(
    asked: Asked, status: int, hint: str
) -> None:
    asked.fake.then(status, PAGE)
    assert hint in str(await asked.trouble(FatalError))


MUCH = 10**11


def with_usage(usage: dict[str, object], document: dict[str, Any]) -> dict[str, Any]:
    """An answer of either service with these counts of tokens."""
    names = {"usageMetadata": ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")}
    names["usage"] = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
    kind = "usage" if "usage" in document else "usageMetadata"
    return document | {kind: dict(zip(names[kind], usage.values(), strict=True))}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("usage", "kept"),
    [
        ({"in": MUCH, "out": MUCH, "thought": MUCH}, (None, None, None)),
        ({"in": -7, "out": -12, "thought": -1}, (None, None, None)),
        ({"in": "7", "out": "12", "thought": [3]}, (None, None, None)),
        ({"in": 7, "out": MUCH, "thought": 0}, (7, None, 0)),
        ({"in": MUCH, "out": 12, "thought": 5}, (None, 12, 5)),
        ({"in": 20_000, "out": 60_000, "thought": 50_000}, (20_000, 60_000, 50_000)),
    ],
)
async def test_counts_that_cannot_be_are_not_believed(
    asked: Asked, usage: dict[str, object], kept: tuple[int | None, ...]
) -> None:
    asked.fake.coming.append(changed(partial(with_usage, usage)))
    reply = await asked.draw()
    out = kept[1]
    if asked.service is GEMINI and out is not None:
        out += kept[2] or 0  # thoughts are counted apart there
    assert (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens) == (
        kept[0],
        out,
        kept[2],
    )
    assert [draw.reasoning_tokens for draw in reply.draws] == [kept[2]]


def test_a_search_may_read_many_pages() -> None:
    reply = Reply((Draw("yes"),), 900_000, 12)
    assert drop_false_counts(replace(ASK, options={"search": True}), reply).input_tokens == 900_000
    assert drop_false_counts(ASK, reply).input_tokens is None
