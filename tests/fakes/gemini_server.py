"""A server on loopback that speaks Gemini's wire format, and can be told to misbehave.

As a program: `python -m tests.fakes.gemini_server --port 0 --seed 1 --fault-share 0.3 --log FILE`.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.fakes.faults import PASSING, changed
from tests.fakes.gemini_batches import Batches
from tests.fakes.process import serve
from tests.fakes.service import Call, Fake, Fault, listening

RPC = "type.googleapis.com/google.rpc."


class FakeGemini(Fake):
    """`generateContent`, models, files and batches.

    Names in `bodies` are in camel case, whatever they were sent in. `multiple`: whether several
    candidates are given; `refused`: thinking configurations answered with status 400.
    """

    def __init__(
        self, *, unique: bool = False, seed: int | None = None, log: Path | None = None
    ) -> None:
        super().__init__(unique=unique, seed=seed, log=log)
        self.multiple = True
        self.refused: list[dict[str, Any]] = []
        self.batches = Batches(self)

    def routes(self) -> Iterator[tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]]:
        yield "POST", "/v1beta/models/{model}:generateContent", True, self.answered
        yield "GET", "/v1beta/models", False, self._listed
        yield from self.batches.routes()

    def read(self, body: dict[str, Any]) -> dict[str, Any]:
        named: dict[str, Any] = camel(body)
        return named

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """As many candidates as are wanted, with thoughts where they are asked for."""
        prompt, thinking = self.prompt(body), config(body).get("thinkingConfig", {})
        thought = "Hm." if thinking.get("includeThoughts") else None
        texts = [self.text(prompt, index) for index in range(self.wanted(body))]
        return answer(*(candidate(text, thought) for text in texts))

    def plain(self, index: int) -> str:
        return f" answer {len(self.bodies)}.{index}\n"

    def prompt(self, body: dict[str, Any]) -> str:
        turns = [body.get("systemInstruction", {}), *body.get("contents", [])]
        return "\n".join(part["text"] for turn in turns for part in turn.get("parts", []))

    def wanted(self, body: dict[str, Any]) -> int:
        return int(config(body).get("candidateCount", 1))

    def texts(self, document: dict[str, Any]) -> list[str]:
        return [
            "".join(part["text"] for part in one["content"]["parts"] if not part.get("thought"))
            for one in document.get("candidates", [])
            if "parts" in one.get("content", {})
        ]

    def failure(self, status: int, said: str, **headers: str) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(envelope(status, said), status=status, headers=named)

    def no_quota(self) -> web.Response:
        violations = [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]
        return failure(429, "Quota exceeded", {"kind": "QuotaFailure", "violations": violations})

    def refusal(self, call: Call) -> web.Response | None:
        if self.key is not None and call.request.headers.get("x-goog-api-key") != self.key:
            info = {"kind": "ErrorInfo", "reason": "API_KEY_INVALID"}
            return failure(400, "API key not valid. Please pass a valid API key.", info)
        model = call.request.match_info.get("model")
        if model and self.models is not None and model not in self.models:
            return failure(404, f"models/{model} is not found for API version v1beta")
        error = self.mistake(call.body) if call.asks else None
        return web.json_response(error, status=400) if error else None

    def mistake(self, body: dict[str, Any]) -> dict[str, Any] | None:
        """The error for what the model does not take."""
        if not self.multiple and self.wanted(body) > 1:
            return envelope(400, "Multiple candidates is not enabled for this model")
        if config(body).get("thinkingConfig") in self.refused:
            return envelope(400, "Thinking level MINIMAL is not supported for this model.")
        return None

    def then_fail(self, status: int, message: str, *details: dict[str, Any]) -> None:
        """Answer the next request with an error as the service writes it."""
        self.then(status, envelope(status, message, *details))

    async def _listed(self, call: Call) -> web.Response:
        names = sorted(self.models or {"m"})
        return web.json_response({"models": [{"name": f"models/{name}"} for name in names]})


def config(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body.get("generationConfig", {})
    return found


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


def sends_fewer(document: dict[str, Any]) -> dict[str, Any]:
    candidates = document["candidates"]
    return document | {"candidates": candidates[: -len(candidates) // 2]}


def sends_none(document: dict[str, Any]) -> dict[str, Any]:
    return document | {"candidates": []}


def withheld(document: dict[str, Any]) -> dict[str, Any]:
    """The safety filter took the answers away."""
    for one in document["candidates"]:
        one["content"], one["finishReason"] = {}, "SAFETY"
    return document


def breaks(document: dict[str, Any]) -> dict[str, Any]:
    """The service failed while it wrote: what is there is no sample."""
    for one in document["candidates"]:
        one["finishReason"] = "OTHER"
    return document


def counts_thoughts(document: dict[str, Any]) -> dict[str, Any]:
    """Thoughts that are hidden: their tokens are counted, but none is shown."""
    return document | {"usageMetadata": document["usageMetadata"] | {"thoughtsTokenCount": 64}}


ALL_FAULTS: tuple[Fault, ...] = (
    *PASSING,
    *map(changed, (sends_fewer, sends_none, withheld, breaks, counts_thoughts)),
)
"""Everything the service does wrong that still lets a run come to its end."""


@asynccontextmanager
async def serving(server: FakeGemini | None = None) -> AsyncIterator[FakeGemini]:
    """The server, listening."""
    server = server or FakeGemini()
    async with listening(server):
        yield server


if __name__ == "__main__":
    serve(FakeGemini, ALL_FAULTS)
