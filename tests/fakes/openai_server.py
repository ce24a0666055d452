"""A server on loopback that speaks OpenAI's wire format, and can be told to misbehave.

As a program: `python -m tests.fakes.openai_server --port 0 --seed 1 --fault-share 0.3 --log FILE`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.fakes import openai_changes as changes
from tests.fakes.faults import PASSING, changed
from tests.fakes.openai_batches import Batches
from tests.fakes.openai_schemas import REFUSALS, SchemaWay, schema_of, shape_choice
from tests.fakes.openai_search import answer_after_search, texts_of
from tests.fakes.openai_tuning import Tunings
from tests.fakes.process import serve
from tests.fakes.service import Call, Fake, Fault, listening

ALL_FAULTS: tuple[Fault, ...] = (
    *PASSING,
    *map(
        changed,
        (
            changes.sends_one,
            changes.sends_fewer,
            changes.sends_none,
            changes.sends_one_more,
            changes.says_an_error,
            changes.counts_reasoning,
            changes.reasons,
            changes.no_usage,
            changes.filtered,
        ),
    ),
)
"""Everything a server does wrong that still lets a run come to its end."""

KINDS = {401: "invalid_request_error", 429: "requests", 500: "server_error", 503: "server_error"}
CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


NO_TEMPLATE = (
    "As of transformers v4.44, default chat template is no longer allowed, so you must provide a "
    "chat template if the tokenizer does not define one."
)
"""What vLLM says to a chat with a base model."""

SERIES = {"h": " i j", "7,": " 8, 9", "Wednesday,": " Thursday, "}
"""How texts that end so go on."""


class FakeOpenAI(Fake):
    """Chat completions, completions, responses after a search, models, files, batches, tuning.

    `templates`: what is put around the text of a raw completion, as Ollama does, is counted with
    it. `has_chat` False: a base model without a chat template, as behind vLLM. `counts` False:
    the tokens of raw prompts are counted as 0. `schemas`: what it makes of a schema of the reply.
    `most`: more answers to a request are refused with
    the words of `says_most`.
    """

    def __init__(
        self, *, unique: bool = False, seed: int | None = None, log: Path | None = None
    ) -> None:
        super().__init__(unique=unique, seed=seed, log=log)
        self.templates, self.has_chat, self.counts = True, True, True
        self.schemas: SchemaWay = "ignores"
        self.most: int | None = None
        self.says_most: object = "1 <= value <= 4"
        self.batches = Batches(self)
        self.tunings = Tunings(self)

    def asked_at(self, endpoint: str) -> list[dict[str, Any]]:
        """The bodies that an endpoint (`completions`, `chat/completions`) was sent."""
        pairs = zip(self.paths, self.bodies, strict=True)
        return [body for path, body in pairs if path == f"/v1/{endpoint}"]

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def routes(self) -> Iterator[tuple[str, str, bool, Callable[[Call], Awaitable[web.Response]]]]:
        yield "POST", "/v1/chat/completions", True, self.answered
        yield "POST", "/v1/completions", True, self.answered
        yield "POST", "/v1/responses", True, self.answered
        yield "GET", "/v1/models", False, self._listed
        yield from self.batches.routes()
        yield from self.tunings.routes()

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """As many answers as are wanted, in the form in which they are."""
        prompt = self.prompt(body)
        if "input" in body:
            return answer_after_search(self.text(prompt, 0))
        texts = [self.text(prompt, index) for index in range(self.wanted(body))]
        choices = [
            {
                "index": index,
                "finish_reason": "stop",
                **(
                    {"message": {"role": "assistant", "content": text}}
                    if "messages" in body
                    else {"text": text}
                ),
            }
            for index, text in enumerate(texts)
        ]
        if schema_of(body) is not None:
            choices = [shape_choice(self.schemas, one, schema_of(body)) for one in choices]
        return {"choices": choices, "usage": self._usage(body)}

    def text(self, prompt: str, index: int) -> str:
        """A base model goes on with a series."""
        if not self.templates:
            for end, item in SERIES.items():
                if prompt.endswith(end):
                    return item
        return super().text(prompt, index)

    def _usage(self, body: dict[str, Any]) -> dict[str, int]:
        """A word is a token, after one that begins a text; a template has six more."""
        counted = 7 if "prompt" not in body or self.templates else 1 + len(body["prompt"].split())
        into = counted if self.counts or "prompt" not in body else 0
        return {"prompt_tokens": into, "completion_tokens": 12}

    def prompt(self, body: dict[str, Any]) -> str:
        messages = body.get("messages") or body.get("input")
        if messages is None:
            return str(body.get("prompt", ""))
        return "\n".join(str(message["content"]) for message in messages)

    def wanted(self, body: dict[str, Any]) -> int:
        return int(body.get("n") or 1)

    def texts(self, document: dict[str, Any]) -> list[str]:
        if "output" in document:
            return texts_of(document)
        return [
            (choice["message"]["content"] if "message" in choice else choice["text"]) or ""
            for choice in document.get("choices", [])
        ]

    def failure(
        self, status: int, said: str, code: str | None = None, **headers: str
    ) -> web.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(error(status, said, code), status=status, headers=named)

    def no_quota(self) -> web.Response:
        return self.failure(429, "You exceeded your current quota", "insufficient_quota")

    def refusal(self, call: Call) -> web.Response | None:
        given = call.request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.key is not None and given != self.key:
            return self.failure(401, f"Incorrect API key provided: {given}")
        if not self.has_chat and call.path == "/v1/chat/completions":
            return self.failure(400, NO_TEMPLATE)
        if call.asks and self.most is not None and self.wanted(call.body) > self.most:
            return web.json_response({"error": {"message": self.says_most}}, status=400)
        status = REFUSALS.get(self.schemas)
        if call.asks and status is not None and schema_of(call.body) is not None:
            return self.failure(status, "response_format of type json_schema is not supported")
        model = call.body.get("model")
        if call.asks and self.models is not None and model not in self.models:
            return self.failure(404, f"The model `{model}` does not exist")
        return None

    async def _listed(self, call: Call) -> web.Response:
        names = sorted(self.models or {"m"})
        data = [{"id": name, "object": "model", "owned_by": "nobody"} for name in names]
        return web.json_response({"object": "list", "data": data})


def error(status: int, said: str, code: str | None = None) -> dict[str, Any]:
    """An error's body."""
    kind = code if code == "insufficient_quota" else KINDS.get(status, "invalid_request_error")
    return {
        "error": {
            "message": said,
            "type": kind,
            "param": None,
            "code": code or CODES.get(status),
        }
    }


@asynccontextmanager
async def serving(server: FakeOpenAI | None = None) -> AsyncIterator[FakeOpenAI]:
    """The server, listening."""
    server = server or FakeOpenAI()
    async with listening(server):
        yield server


if __name__ == "__main__":
    serve(FakeOpenAI, ALL_FAULTS)
