"""A server on loopback that speaks OpenAI's wire format, and can be told to misbehave."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class FakeServer:
    """Answers each request by the next of `answers`, and normally once they are used up.

    `bodies` and `headers` are what was asked, `connections` over how many connections.
    """

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.connections: set[int] = set()
        self.base_url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One request."""
        self.bodies.append(await request.json())
        self.paths.append(request.path)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.connections.add(id(request.transport))
        if self.answers:
            return await self.answers.pop(0)(request)
        return web.json_response(self.normal())

    def normal(self) -> dict[str, Any]:
        """As many answers as the last request wants, in the form that its path wants."""
        chat = self.paths[-1].endswith("/chat/completions")
        choices = [
            {
                "index": index,
                "finish_reason": "stop",
                **({"message": {"role": "assistant", "content": text}} if chat else {"text": text}),
            }
            for index, text in enumerate(
                f" answer {number}\n" for number in range(self.bodies[-1]["n"])
            )
        ]
        return {"choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 12}}

    def then(self, status: int, body: object = None, **headers: str) -> None:
        """Answer the next request in this way; text goes out as it is, anything else as JSON."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def answer(request: web.Request) -> web.StreamResponse:
            if isinstance(body, str):
                return web.Response(status=status, text=body, headers=named)
            return web.json_response(body, status=status, headers=named)

        self.answers.append(answer)


@pytest.fixture
async def fake() -> AsyncIterator[FakeServer]:
    """The server, listening."""
    server = FakeServer()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.handle)
    app.router.add_post("/v1/completions", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield server
    await runner.cleanup()
