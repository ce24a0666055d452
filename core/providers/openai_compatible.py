"""Any server that speaks OpenAI's wire format, through OpenAI's SDK."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.providers import trouble, wire
from core.providers.base import Provider, Reply, Request, TransientError

if TYPE_CHECKING:
    import httpx2

LOOPBACK = ("127.0.0.1", "::1", "localhost")

FOREIGN_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "x-stainless-raw-response",  # the SDK's note to itself that we read the body
    }
)
"""All that a host other than OpenAI's is sent. The SDK would add what the environment holds for
OpenAI (organization, project, custom headers) and a description of this machine."""


class OpenAICompatible(Provider):
    """One model at one address.

    model, base_url: as in the model's name. api_key: None where the server asks for none.
    own_host: whether this is OpenAI itself, which calls the token limit by its newer name.
    timeout: seconds to wait for an answer.
    The constructor imports the SDK, which takes half a second: not for an event loop.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        api_key: str | None = None,
        *,
        own_host: bool = False,
        timeout: float = 600.0,
    ) -> None:
        import openai

        self._model = model
        self._key = api_key
        self._where = f"{model} at {base_url}"
        self._limit = "max_completion_tokens" if own_host else "max_tokens"
        key = api_key or "none"  # the SDK does not do without
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=openai.Timeout(timeout, connect=10.0),
            default_headers={"Authorization": f"Bearer {key}"},
            http_client=openai.DefaultAioHttpClient(
                trust_env=urlsplit(base_url).hostname not in LOOPBACK,
                follow_redirects=False,
                event_hooks={} if own_host else {"request": [_drop_foreign_headers]},
            ),
        )
        self._chat = self._client.chat.completions.with_raw_response
        self._text = self._client.completions.with_raw_response

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`. Fewer draws than asked for come back as they are."""
        async with self._translated():
            try:
                body = await self._send(request)
            except trouble.kinds() as error:
                if not trouble.was_dropped(error):
                    raise
                # The server had closed a kept-alive connection: a new one will do.
                body = await self._send(request)
        try:
            return wire.reply(json.loads(body))
        except wire.FormatError as error:
            raise TransientError(self._line(str(error))) from error
        except ValueError as error:
            raise TransientError(self._line("the answer is not JSON")) from error

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.close()

    async def _send(self, request: Request) -> bytes:
        """The body of the answer, read by ourselves: its texts must come out to the letter."""
        sampling: dict[str, Any] = {
            "model": self._model,
            "n": request.n,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "extra_body": dict(request.options),
        }
        if request.messages is not None:
            messages: Any = [{"role": m.role, "content": m.content} for m in request.messages]
            sampling[self._limit] = request.max_tokens
            answer = await self._chat.create(messages=messages, **sampling)
        else:
            assert request.text is not None
            sampling["max_tokens"] = request.max_tokens
            answer = await self._text.create(prompt=request.text, **sampling)
        return bytes(answer.content)

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        """Turn whatever SDK and transport raise into the two errors that a provider may raise."""
        try:
            yield
        except trouble.kinds() as error:
            kind, said, wait = trouble.diagnose(error)
            if kind is TransientError:
                raise TransientError(self._line(said), wait) from error
            raise kind(self._line(said)) from error

    def _line(self, said: str) -> str:
        """One line, printable, without the key even where the server repeats it."""
        line = " ".join(f"{self._where}: {said}".split())
        if self._key:
            line = line.replace(self._key, "***")
        return "".join(char if char.isprintable() else "?" for char in line)[:300]


async def _drop_foreign_headers(request: "httpx2.Request") -> None:
    for name in set(request.headers) - FOREIGN_HEADERS:
        del request.headers[name]
