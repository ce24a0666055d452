"""Gemini, through Google's SDK."""

import logging
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from core.errors import ProviderError
from core.providers import gemini_errors, gemini_format, gemini_models, provider_errors
from core.providers.base import (
    Exchange,
    Provider,
    Reply,
    Request,
    SchemaRefusedError,
    TransientError,
    UnanswerableError,
    answered_reply,
    note_request,
)
from core.providers.body_limits import bounded_response, limit_body, longest_answer
from core.providers.model_names import GEMINI_ADDRESS
from core.providers.openai_compatible import LOOPBACK
from core.providers.openai_format import FormatError, drop_false_counts
from core.providers.provider_errors import load_censored, remove_key

if TYPE_CHECKING:
    import aiohttp
    from google import genai
    from google.genai import types

_sent: ContextVar[list[bytes]] = ContextVar("sent")
"""The body of the request under way: the SDK does not show what it writes."""

API_VERSION = "v1beta"
"""The SDK's own default lacks models that are out for trial, and the names ending in -latest."""

JSON = "application/json"
"""What an answer that is held to a schema is."""

Way = Mapping[str, Any] | None
"""A thinking configuration; None for a model without a reasoning mode."""


class Gemini(Provider):
    """One model of Google's Gemini API.

    Beyond what `gemini_models` knows, two things are found out by trying, and remembered: whether
    the model gives several candidates, and the lowest thinking that it takes.
    `Request.options` may hold `thinking` (bool; off if absent), the two configurations of
    `GeminiModel.options`, which else follow from the model's name, and `search` (bool): the model
    may then search with Google, and what it cites is in `Draw.sources`.
    The constructor imports the SDK, which takes a second: not for an event loop.
    """

    def __init__(
        self,
        model: str,
        api_key: str,
        *,
        base_url: str = GEMINI_ADDRESS,
        timeout: float = 600.0,
    ) -> None:
        import google.genai  # noqa: F401

        # It would say on the terminal that another variable's key is used: it is not.
        logging.getLogger("google_genai").setLevel(logging.ERROR)
        self._model, self._key = model, api_key
        self._base_url, self._timeout = base_url, timeout
        self._options = gemini_models.look_up(model).options
        self._single = False
        self._lowest = 0
        self._session: aiohttp.ClientSession | None = None
        self._client: genai.Client | None = None

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`. Fewer draws than asked for may come back.

        A blocked prompt is an `UnanswerableError`: the model was never asked. An answer that was
        withheld is a draw, empty and with the finish `content_filter`.
        """
        ways = self._ways(request)
        while True:
            candidates = 1 if self._single else request.n
            way = min(self._lowest, len(ways) - 1)
            sent: list[bytes] = []
            _sent.set(sent)
            try:
                with limit_body(_longest_answer(request, ways[way])):
                    body = await self._send_again(request, candidates, ways[way])
            except gemini_errors.kinds() as error:
                refused = gemini_errors.find_refused_setting(error)
                if refused == "candidates" and candidates > 1:
                    self._single = True
                elif refused == "thinking" and way + 1 < len(ways):
                    self._lowest = max(self._lowest, way + 1)
                else:
                    # Not "from error": what the service says may hold the key.
                    failure = self._failure(error)
                    if request.schema is not None and gemini_errors.refuses_schema(error):
                        raise SchemaRefusedError(str(failure)) from None
                    raise failure from None
            else:
                reply = self._keep_unbiased(self._read_reply(body), candidates)
                exchange = Exchange(
                    remove_key(b"".join(sent), self._key), remove_key(body, self._key)
                )
                return replace(self._keep_answered(request, reply), exchanges=(exchange,))

    async def close(self) -> None:
        """Give back the connections."""
        client, session = self._client, self._session
        self._client = self._session = None
        if client is not None:
            await client.aio.aclose()
            client.close()
        if session is not None:
            await session.close()

    def _ways(self, request: Request) -> Sequence[Way]:
        """Thinking configurations to ask with, the next one where the model refuses the first."""
        options: dict[str, Any] = {**self._options, **request.options}
        if options.get("thinking"):
            return [options.get("thinking_on")]
        return options.get("thinking_off") or [None]

    def _keep_unbiased(self, reply: Reply, candidates: int) -> Reply:
        """The reply, but only its first draw if there are fewer than the candidates asked for.

        The service may have left out those that were alike, and what is left would be no sample.
        From then on each answer is asked for by itself.
        """
        if not 0 < len(reply.draws) < candidates:
            return reply
        self._single = True
        return replace(reply, draws=reply.draws[:1])

    def _keep_answered(self, request: Request, reply: Reply) -> Reply:
        """The reply without counts that cannot be; a `TransientError` where no answer came."""
        return answered_reply(drop_false_counts(request, reply), self._line)

    async def _send_again(self, request: Request, candidates: int, way: Way) -> bytes:
        try:
            return await self._send(request, candidates, way)
        except gemini_errors.kinds() as error:
            if not provider_errors.was_dropped(error):
                raise
            # The server had closed a kept-alive connection: a new one will do.
            _sent.get().clear()
            return await self._send(request, candidates, way)

    async def _send(self, request: Request, candidates: int, way: Way) -> bytes:
        """The body of the answer, read by ourselves: its texts must come out to the letter."""
        from google.genai import types

        if request.messages is None:
            raise ValueError("Gemini has no endpoint for raw completions")
        for message in request.messages:
            message.content.encode()  # the SDK would send half a surrogate pair as it is
        system = [m.content for m in request.messages if m.role == "system"]
        turns = [m for m in request.messages if m.role != "system"]
        note_request()
        answer = await self._open_client().aio.models.generate_content(
            model=self._model,
            contents=[
                types.Content(
                    role="model" if turn.role == "assistant" else "user",
                    parts=[types.Part(text=turn.content)],
                )
                for turn in turns
            ],
            config=types.GenerateContentConfig(
                system_instruction="\n\n".join(system) or None,
                candidate_count=candidates if candidates > 1 else None,
                max_output_tokens=request.max_tokens + gemini_models.room(way),
                temperature=request.temperature,
                top_p=request.top_p,
                thinking_config=types.ThinkingConfig(**way) if way else None,
                tools=_tools(request),
                response_mime_type=None if request.schema is None else JSON,
                response_json_schema=request.schema,
                automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
                automatic_continuation=False,
                should_return_http_response=True,
            ),
        )
        assert answer.sdk_http_response is not None
        return (answer.sdk_http_response.body or "").encode()

    def _open_client(self) -> "genai.Client":
        """The client, made with the first request: its session belongs to the event loop.

        The session is our own so that the SDK can follow no redirect with the key, and everything
        that it would look up in the environment is given: the service, the address, the mode.
        """
        import aiohttp
        from google import genai
        from google.genai import client, types

        if self._session is None:
            watch = aiohttp.TraceConfig()
            watch.on_request_chunk_sent.append(_note_sent)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                trust_env=urlsplit(self._base_url).hostname not in LOOPBACK,
                trace_configs=[watch],
                response_class=bounded_response(),
            )
        if self._client is None:
            self._client = genai.Client(
                enterprise=False,
                api_key=self._key,
                debug_config=client.DebugConfig(
                    client_mode=None, replays_directory=None, replay_id=None
                ),
                http_options=types.HttpOptions(
                    base_url=self._base_url,
                    api_version=API_VERSION,
                    timeout=round(max(self._timeout, self.deadline.timeout or 0.0) * 1000),
                    retry_options=types.HttpRetryOptions(attempts=1),
                    aiohttp_client=self._session,
                    async_client_args={"allow_redirects": False},
                ),
            )
        return self._client

    def _read_reply(self, body: bytes) -> Reply:
        try:
            return gemini_format.reply(load_censored(body, self._key))
        except gemini_format.BlockedError as error:
            raise UnanswerableError(self._line(str(error))) from error
        except FormatError as error:
            raise TransientError(self._line(str(error))) from error
        except (ValueError, RecursionError) as error:
            raise TransientError(self._line("the answer is not JSON")) from error

    def _failure(self, error: Exception) -> ProviderError:
        kind, said, wait = gemini_errors.diagnose(error)
        line = self._line(said)
        return TransientError(line, wait) if kind is TransientError else kind(line)

    def _line(self, said: str) -> str:
        return provider_errors.one_line(f"gemini:{self._model}", said, self._key)


def _longest_answer(request: Request, way: Way) -> int:
    """Bytes that the answer to a request may have."""
    return longest_answer(request, request.max_tokens + gemini_models.room(way))


def _tools(request: Request) -> "types.ToolListUnion | None":
    from google.genai import types

    return (
        [types.Tool(google_search=types.GoogleSearch())] if request.options.get("search") else None
    )


async def _note_sent(session: object, context: object, chunk: Any) -> None:
    _sent.get([]).append(chunk.chunk)
