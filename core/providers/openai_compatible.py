"""Any server that speaks OpenAI's wire format, through OpenAI's SDK."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.providers import (
    body_limits,
    most_answers,
    openai_format,
    openai_search,
    provider_errors,
)
from core.providers.base import (
    Exchange,
    Provider,
    Reply,
    Request,
    SchemaRefusedError,
    TransientError,
    answered_reply,
    note_request,
)
from core.providers.provider_errors import load_censored, remove_key

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
    }
)
"""All that a host other than OpenAI's is sent. The SDK would add what the environment holds for
OpenAI (organization, project, custom headers) and a description of this machine."""

DEFAULTS = {"temperature": 1.0, "top_p": 1.0}
"""What a service does by itself: reasoning models that refuse to be told are not told."""

OK = 200
"""The status that a broken answer came with."""

LEAST_ROOM = 1_024
"""Tokens for thoughts below which a context is too small to think in."""


class OpenAICompatible(Provider):
    """One model at one address.

    own_host: whether this is OpenAI itself, which calls the token limit by its newer name.
    timeout: seconds without a byte; None: as many as the deadline gives.
    With `search` (bool) in `Request.options` the model may search the web, and what it cites is in
    `Draw.sources`.
    Some things a server refuses and need not be told; that is found out by trying, and kept to.
    The constructor imports the SDK, which takes half a second: not for an event loop.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        api_key: str | None = None,
        *,
        own_host: bool = False,
        timeout: float | None = None,
    ) -> None:
        import httpx2
        import openai

        self._model = model
        self._key = api_key
        self._where = f"{model} at {base_url}"
        self._root = base_url.removesuffix("/v1")
        self._limit = "max_completion_tokens" if own_host else "max_tokens"
        self._strict = own_host
        self._left_out: dict[str, None] = {}
        self._room: int | None = None
        self._most: int | None = None
        self._response = httpx2.Response
        key = api_key or "none"  # the SDK does not do without
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=openai.Timeout(timeout, connect=10.0),
            default_headers={"Authorization": f"Bearer {key}"},
            http_client=body_limits.bounded_client()(
                trust_env=urlsplit(base_url).hostname not in LOOPBACK,
                verify=httpx2.create_ssl_context(),  # with SSL_CERT_FILE, for this machine too
                follow_redirects=False,
                event_hooks={} if own_host else {"request": [_drop_foreign_headers]},
            ),
        )

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`. Fewer draws than asked for come back as they are."""
        async with self._translate_errors(request.schema is not None):
            with body_limits.limit_body(self._longest_answer(request)):
                sent, received = await self._send_accepted(request)
        try:
            reply = _read_reply(load_censored(received, self._key), request)
        except openai_format.FormatError as error:
            raise TransientError(self._line(str(error)), status=OK) from error
        except (ValueError, RecursionError) as error:
            raise TransientError(self._line("the answer is not JSON"), status=OK) from error
        exchange = Exchange(remove_key(sent, self._key), remove_key(received, self._key))
        counted = openai_format.drop_false_counts(request, reply)
        return replace(answered_reply(counted, self._line), exchanges=(exchange,))

    async def exchange(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """What a server says at another path: to a body, or (None) when it is read.

        `path` goes on from the address, or, with a `/` before it, from the server's root. Raises
        as `draw`; a `TransientError` for what is not JSON.
        """
        async with self._translate_errors():
            content = None
            if body is not None:
                content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
            where = f"{self._root}{path}" if path.startswith("/") else f"/{path}"
            with body_limits.limit_body(body_limits.longest_numbers(len(content or b""))):
                received = await self._send_again(where, content)
        try:
            return load_censored(received, self._key)
        except (ValueError, RecursionError) as error:
            raise TransientError(self._line("the answer is not JSON"), status=OK) from error

    @property
    def remarks(self) -> tuple[str, ...]:
        """What this server did not take."""
        left = (f"{name} is refused and left out: 1 is what it does" for name in self._left_out)
        room = () if self._room is None else (f"thoughts get {self._room:,} tokens, not more",)
        return (*left, *room)

    @property
    def most_answers(self) -> int | None:
        """By what was refused and what was then taken."""
        return self._most

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.close()

    async def _send_accepted(self, request: Request) -> tuple[bytes, bytes]:
        """The bodies as sent and received, once the server takes the request."""
        refused = False
        while True:
            request, room = self._limit_draws(request), self._room
            content = self._write_body(request)
            try:
                received = await self._send_again(_path(request), content)
            except provider_errors.kinds() as error:
                fewer = most_answers.after_refusal(error, request.n)
                if fewer is not None:
                    request, refused = _keep_first(request, fewer), True
                # Others may have found it out meanwhile.
                elif not self._yields(request, error, room) and content == self._write_body(
                    request
                ):
                    raise
            else:
                if refused:
                    self._most = min(request.n, self._most or request.n)
                return content, received

    def _longest_answer(self, request: Request) -> int:
        """Bytes that the answer to a request may have."""
        tokens = request.max_tokens + request.thinking_room
        return body_limits.longest_answer(request, tokens)

    def _limit_draws(self, request: Request) -> Request:
        """The request for no more answers than the server gives."""
        if self._most is None or request.n <= self._most:
            return request
        return _keep_first(request, self._most)

    def _yields(self, request: Request, error: Exception, room: int | None) -> bool:
        """Whether another try without what was refused may succeed; it is then left out.

        room: the most for thoughts when it was sent.
        """
        refused = provider_errors.find_refused_parameter(error)
        if refused == "max_tokens" and request.messages and self._limit == refused:
            self._limit = "max_completion_tokens"
        elif refused in DEFAULTS and refused not in self._left_out:
            if getattr(request, refused) != DEFAULTS[refused]:
                return False
            self._left_out[refused] = None
        elif provider_errors.is_too_much(error):
            wanted = openai_format.thinking_room(request)
            half = (wanted if room is None else min(wanted, room)) // 2
            if half < LEAST_ROOM:
                return False
            self._room = half if self._room is None else min(half, self._room)
        else:
            return False
        return True

    def _write_body(self, request: Request) -> bytes:
        request = self._limit_draws(request)
        if openai_search.is_wanted(request):
            body = openai_search.body(self._model, request, self._left_out)
        else:
            body = openai_format.body(
                self._model,
                request,
                limit=self._limit,
                room=self._room,
                left_out=self._left_out,
                strict=self._strict,
            )
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()

    async def _send_again(self, path: str, content: bytes | None) -> bytes:
        try:
            return await self._send(path, content)
        except provider_errors.kinds() as error:
            if not provider_errors.was_dropped(error):
                raise
            # The server had closed a kept-alive connection: a new one will do.
            return await self._send(path, content)

    async def _send(self, path: str, content: bytes | None) -> bytes:
        """The body of the answer, read by ourselves: its texts must come out to the letter.

        Bytes in and out spare half of what the SDK's typed methods take.
        """
        note_request()
        if content is None:
            answer = await self._client.get(path, cast_to=self._response)
        else:
            answer = await self._client.post(path, cast_to=self._response, content=content)
        return answer.content

    @asynccontextmanager
    async def _translate_errors(self, with_schema: bool = False) -> AsyncIterator[None]:
        """Turn whatever SDK and transport raise into the errors that a provider may raise.

        with_schema: whether a schema was sent along, which may be what is refused.
        """
        try:
            yield
        except provider_errors.kinds() as error:
            kind, said, wait = provider_errors.diagnose(error)
            status = getattr(error, "status_code", None)
            # Not "from error": what the server says may hold the key.
            if with_schema and provider_errors.refuses_schema(error):
                raise SchemaRefusedError(self._line(said), status=status) from None
            if kind is TransientError:
                raise TransientError(self._line(said), wait, status) from None
            raise kind(self._line(said), status=status) from None

    @asynccontextmanager
    async def _translate_sdk_errors(self) -> AsyncIterator[None]:
        """Turn what the SDK raises, for whatever the service answers, into a provider's errors."""
        async with self._translate_errors():
            try:
                yield
            except (AttributeError, TypeError, ValueError) as error:
                # The SDK gives a page as text, and passes on what it cannot decode.
                said = self._line("the service's answer is not as it should be")
                raise TransientError(said) from error

    def _line(self, said: str) -> str:
        return provider_errors.one_line(self._where, said, self._key)


def _path(request: Request) -> str:
    if openai_search.is_wanted(request):
        return openai_search.PATH
    return "/completions" if request.messages is None else "/chat/completions"


def _read_reply(document: object, request: Request) -> Reply:
    if openai_search.is_wanted(request):
        return openai_search.reply(document)
    return openai_format.reply(document, request.messages is None)


def _keep_first(request: Request, count: int) -> Request:
    """The same for the first of its samples."""
    return replace(request, n=count, samples=request.samples[:count])


async def _drop_foreign_headers(request: "httpx2.Request") -> None:
    for name in set(request.headers) - FOREIGN_HEADERS:
        del request.headers[name]
