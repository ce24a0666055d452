"""A server on loopback that speaks Gemini's wire format, and can be told to misbehave."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]

RPC = "type.googleapis.com/google.rpc."


class FakeGemini:
    """Answers each request by the next of `answers`, and normally once they are used up.

    `bodies`, `paths` (with the query) and `headers` are what was asked. `multiple`: whether
    several candidates are given; `refused`: thinking configurations answered with status 400.
    """

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.connections: set[int] = set()
        self.multiple = True
        self.refused: list[dict[str, Any]] = []
        self.address = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """One request."""
        body = camel(await request.json())
        self.bodies.append(body)
        self.paths.append(request.path_qs)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.connections.add(id(request.transport))
        if self.answers:
            return await self.answers.pop(0)(request)
        config = body["generationConfig"]
        if not self.multiple and config.get("candidateCount", 1) > 1:
            return failure(400, "Multiple candidates is not enabled for this model")
        if config.get("thinkingConfig") in self.refused:
            return failure(400, "Thinking level MINIMAL is not supported for this model.")
        return web.json_response(self.normal(body))

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """As many candidates as are wanted, with thoughts where they are asked for."""
        config = body["generationConfig"]
        count = config.get("candidateCount", 1)
        thoughts = bool(config.get("thinkingConfig", {}).get("includeThoughts"))
        texts = [f" answer {len(self.bodies)}.{number}\n" for number in range(count)]
        return answer(*(candidate(text, "Hm." if thoughts else None) for text in texts))

    def then(self, status: int, body: object = None, **headers: str) -> None:
        """Answer the next request in this way; text goes out as it is, anything else as JSON."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def reply(request: web.Request) -> web.StreamResponse:
            if isinstance(body, str):
                return web.Response(status=status, text=body, headers=named)
            return web.json_response(body, status=status, headers=named)

        self.answers.append(reply)

    def then_fail(self, status: int, message: str, *details: dict[str, Any]) -> None:
        """Answer the next request with an error as the service writes it."""
        self.then(status, envelope(status, message, *details))


def camel(value: Any) -> Any:
    """The same with names in camel case: the service takes both spellings, the SDK sends both."""
    if isinstance(value, list):
        return [camel(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"_([a-z])", lambda found: found[1].upper(), name): camel(one)
        for name, one in value.items()
    }


def candidate(text: str, thought: str | None = None, finish: str = "STOP") -> dict[str, Any]:
    parts = [{"text": text}]
    if thought is not None:
        parts = [{"text": thought, "thought": True}, *parts]  # type: ignore[dict-item]
    return {"content": {"parts": parts, "role": "model"}, "finishReason": finish, "index": 0}


def answer(*candidates: dict[str, Any], thoughts: int | None = None) -> dict[str, Any]:
    thought = any("thought" in part for one in candidates for part in one["content"]["parts"])
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 12, "totalTokenCount": 19}
    if thought or thoughts is not None:
        usage["thoughtsTokenCount"] = 5 if thoughts is None else thoughts
    return {"candidates": list(candidates), "usageMetadata": usage, "modelVersion": "fake"}


def failure(status: int, message: str, *details: dict[str, Any]) -> web.Response:
    return web.json_response(envelope(status, message, *details), status=status)


STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def envelope(status: int, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    """An error; each detail's `kind` becomes its `@type`."""
    error: dict[str, Any] = {"code": status, "message": message}
    error["status"] = STATUSES.get(status, "UNKNOWN")
    if details:
        error["details"] = [
            {"@type": RPC + one["kind"]} | {key: one[key] for key in one if key != "kind"}
            for one in details
        ]
    return {"error": error}


@asynccontextmanager
async def serving(server: FakeGemini | None = None) -> AsyncIterator[FakeGemini]:
    """The server, listening."""
    server = server or FakeGemini()
    app = web.Application()
    app.router.add_post("/v1beta/models/{model}:generateContent", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
