"""Gemini's batches: a file of requests (JSONL) in, a file of results out.

https://ai.google.dev/gemini-api/docs/batch-api; what the SDK's types leave out (the flat
configuration of the SDK is not that of the file) follows the REST reference of generateContent.
"""

import io
import json
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from core.errors import ProviderError
from core.providers import gemini_errors, gemini_format, gemini_models
from core.providers.base import (
    Exchange,
    FatalError,
    Reply,
    Request,
    SchemaRefusedError,
    TransientError,
    UnanswerableError,
)
from core.providers.batch_service import BatchService, BatchStatus, Results
from core.providers.gemini import JSON, Gemini, Way
from core.providers.openai_format import FormatError
from core.providers.provider_errors import censor_key, load_censored, remove_key

if TYPE_CHECKING:
    from google.genai import types

ENDED = {
    "JOB_STATE_SUCCEEDED": "",
    "JOB_STATE_PARTIALLY_SUCCEEDED": "",
    "JOB_STATE_EXPIRED": "it was not done within 48 hours",
    "JOB_STATE_CANCELLED": "it was cancelled",
}
"""States after which there may be results, and what they say of those that are missing."""

LISTED = 100
"""Batches on one page of their list."""


class GeminiBatches(Gemini, BatchService):
    """One model of Google's Gemini API, by single requests and by batches.

    Each answer is asked for by itself: several candidates come without those that are alike, and
    a refusal to give several would cost a whole round.
    """

    most_lines = 100_000
    most_bytes = 1_900_000_000  # the service takes 2 GB

    def kind(self, request: Request) -> str:
        """All requests may be in one batch."""
        return ""

    def lines(self, key: str, request: Request) -> Sequence[bytes]:
        """A line for each answer, with `.0`, `.1`, ... behind the key."""
        try:
            body = json.dumps(self._body(request), ensure_ascii=False, allow_nan=False).encode()
        except ValueError as error:
            said = self._line(f"the request cannot be written: {error}")
            raise UnanswerableError(said) from error
        return [
            b'{"key": %s, "request": %s}\n' % (json.dumps(f"{key}.{number}").encode(), body)
            for number in range(request.n)
        ]

    async def submit(self, token: str, kind: str, lines: Sequence[bytes]) -> str:
        """Upload the file and make a batch of it."""
        from google.genai import types

        async with self._translate_errors():
            client = self._open_client().aio
            file = await client.files.upload(
                file=io.BytesIO(b"".join(lines)),
                config=types.UploadFileConfig(mime_type="application/jsonl", display_name=token),
            )
            batch = await client.batches.create(
                model=self._model,
                src=file.name or "",
                config=types.CreateBatchJobConfig(display_name=token),
            )
        if not batch.name:
            raise TransientError(self._line("the service gave the batch no name"))
        return batch.name

    async def find(self, token: str) -> str | None:
        """Look through the list of batches."""
        from google.genai import types

        async with self._translate_errors():
            config = types.ListBatchJobsConfig(page_size=LISTED)
            async for batch in await self._open_client().aio.batches.list(config=config):
                if batch.display_name == token:
                    return batch.name
        return None

    async def get_status(self, name: str) -> BatchStatus:
        """By the state of the batch; a success without its file is not quite there yet."""
        batch = await self._get(name)
        state = batch.state.name if batch.state else ""
        if state == "JOB_STATE_FAILED":
            said = (batch.error and batch.error.message) or "it gives no reason"
            return BatchStatus("failed", 0, self._line(f"the batch failed: {said}"))
        if state not in ENDED or (not ENDED[state] and _file(batch) is None):
            return BatchStatus("working")
        return BatchStatus("ended", 0, ENDED[state])

    async def results(self, name: str) -> Results:
        """The lines of the file, those of one request together."""
        file = _file(await self._get(name))
        if file is None:
            return {}
        async with self._translate_errors():
            content = await self._open_client().aio.files.download(file=file)
        found: dict[str, list[bytes]] = {}
        for line in censor_key(content, self._key).splitlines():
            found.setdefault(self._key_in(line).rpartition(".")[0], []).append(line)
        return found

    def read_reply(self, request: Request, lines: Sequence[bytes]) -> Reply:
        """The answers of all lines together; errors only where there is no answer at all."""
        replies, errors = list[Reply](), list[ProviderError]()
        for line in lines:
            try:
                replies.append(self._one(request, load_censored(line, self._key)))
            except ProviderError as error:
                errors.append(error)
        if errors and not replies:
            raise errors[0]
        if not replies:
            raise TransientError(self._line("the batch ended without an answer to this request"))
        sent = json.dumps(self._body(request), ensure_ascii=False).encode()
        return Reply(
            tuple(draw for reply in replies for draw in reply.draws[:1]),
            _sum([reply.input_tokens for reply in replies]),
            _sum([reply.output_tokens for reply in replies]),
            _sum([reply.reasoning_tokens for reply in replies]),
            tuple(
                Exchange(remove_key(sent, self._key), remove_key(line, self._key)) for line in lines
            ),
        )

    async def cancel(self, name: str) -> None:
        """Ask for it."""
        from google.genai import errors

        async with self._translate_errors():
            try:
                await self._open_client().aio.batches.cancel(name=name)
            except errors.ClientError as error:
                if error.code not in (400, 409):  # it has ended
                    raise

    async def _get(self, name: str) -> "types.BatchJob":
        from google.genai import errors

        async with self._translate_errors():
            try:
                return await self._open_client().aio.batches.get(name=name)
            except errors.ClientError as error:
                if error.code != 404:
                    raise
                said = f"there is no batch {name} for this key: use the key that handed it in"
                raise FatalError(self._line(said)) from None

    def _key_in(self, line: bytes) -> str:
        """The key of a line. A file that is broken is fetched again: its answers are paid for."""
        try:
            return str(json.loads(line)["key"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise TransientError(self._line("the file of results is broken")) from error

    def _one(self, request: Request, document: Any) -> Reply:
        """The reply in one line."""
        error = document.get("error")
        if error:
            raise self._refusal(request, error)
        try:
            return self._keep_answered(request, gemini_format.reply(document.get("response")))
        except gemini_format.BlockedError as blocked:
            raise UnanswerableError(self._line(str(blocked))) from blocked
        except FormatError as wrong:
            raise TransientError(self._line(str(wrong))) from wrong

    def _refusal(self, request: Request, error: dict[str, Any]) -> ProviderError:
        """What a line says that has no answer, sorted as for a single request."""
        from google.genai import errors

        code = error.get("code")
        if not isinstance(code, int) or code < 400:  # a code of RPCs, not of HTTP
            return TransientError(self._line(str(error.get("message") or "no answer")))
        raised = errors.APIError(code, {"error": error})
        if gemini_errors.find_refused_setting(raised) == "thinking" and self._learns(request):
            return TransientError(self._line("this way of thinking is refused: the next is tried"))
        failure = self._failure(raised)
        if request.schema is not None and gemini_errors.refuses_schema(raised):
            return SchemaRefusedError(str(failure))
        return failure

    def _learns(self, request: Request) -> bool:
        """Whether there is another way of thinking to ask with; it is taken from now on.

        All lines of a batch tell of the same refusal.
        """
        ways = self._ways(request)
        self._lowest = max(self._lowest, min(self._lowest + 1, len(ways) - 1))
        return len(ways) > 1

    def _body(self, request: Request) -> dict[str, Any]:
        """What a single request would be, as REST has it. Raises `ValueError`."""
        if request.messages is None:
            raise ValueError("Gemini has no endpoint for raw completions")
        ways = self._ways(request)
        way = ways[min(self._lowest, len(ways) - 1)]
        system = [m.content for m in request.messages if m.role == "system"]
        turns = [m for m in request.messages if m.role != "system"]
        body: dict[str, Any] = {
            "contents": [
                {
                    "role": "model" if turn.role == "assistant" else "user",
                    "parts": [{"text": turn.content}],
                }
                for turn in turns
            ],
            "generationConfig": {
                "temperature": request.temperature,
                "topP": request.top_p,
                "maxOutputTokens": request.max_tokens + gemini_models.room(way),
                **({"thinkingConfig": _camel(way)} if way else {}),
                **(
                    {}
                    if request.schema is None
                    else {"responseMimeType": JSON, "responseJsonSchema": request.schema}
                ),
            },
        }
        if system:
            body["systemInstruction"] = {"role": "user", "parts": [{"text": "\n\n".join(system)}]}
        if request.options.get("search"):
            body["tools"] = [{"googleSearch": {}}]
        return body

    @asynccontextmanager
    async def _translate_errors(self) -> AsyncIterator[None]:
        """Turn what the SDK raises into the errors that a provider may raise."""
        try:
            yield
        except ProviderError:
            raise
        except (ValueError, KeyError) as error:  # the SDK's, for answers that it cannot use
            if isinstance(error, ssl.SSLError):
                raise self._failure(error) from None
            said = self._line("the service's answer is not as it should be")
            raise TransientError(said) from None
        except gemini_errors.kinds() as error:
            # Not "from error": what the service says may hold the key.
            raise self._failure(error) from None


def _file(batch: "types.BatchJob") -> str | None:
    return batch.dest.file_name if batch.dest else None


def _camel(way: Way) -> dict[str, Any]:
    """A thinking configuration as REST spells it."""
    return {
        first + "".join(word.title() for word in rest): value
        for (first, *rest), value in (
            (name.split("_"), value) for name, value in (way or {}).items()
        )
    }


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
