"""OpenAI's batches, and those of services that speak its format.

A file of requests (JSONL) is uploaded, a batch made of it; results and errors come in two files.
https://developers.openai.com/api/docs/guides/batch
"""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from core.errors import ProviderError
from core.providers import openai_format, provider_errors
from core.providers.base import (
    Exchange,
    FatalError,
    Reply,
    Request,
    SchemaRefusedError,
    TransientError,
    UnanswerableError,
    answered_reply,
)
from core.providers.batch_service import BatchService, BatchStatus, NoBatchServiceError, Results
from core.providers.openai_compatible import OpenAICompatible
from core.providers.provider_errors import censor_key, load_censored, remove_key

if TYPE_CHECKING:
    from openai.types import Batch

TOKEN = "lostkeys"  # noqa: S105 (the name of a note that goes along, no secret)
"""The name under which a batch's metadata hold our token."""

WINDOW: Final = "24h"
"""The only time that the service offers for a batch to be done in."""

ENDED = {
    "completed": "",
    "expired": f"it was not done within {WINDOW}",
    "cancelled": "it was cancelled",
}
"""States after which there are results, and what they say of those that are missing."""

FULL = {"token_limit_exceeded"}
"""Codes of batches that failed because too many tokens were waiting already."""

NOT_OFFERED = (404, 405, 501)
"""Statuses of an address that a host does not have."""

LISTED = 100
"""Batches on one page of their list, the most that the service gives."""


class OpenAIBatches(OpenAICompatible, BatchService):
    """One model at one address, by single requests and by batches."""

    most_lines = 50_000
    most_bytes = 190_000_000  # the service takes 200 MB

    def kind(self, request: Request) -> str:
        """The endpoint, of which a batch has one."""
        return "/v1/completions" if request.messages is None else "/v1/chat/completions"

    def lines(self, key: str, request: Request) -> Sequence[bytes]:
        """One line, with the same body that a single request would have."""
        try:
            body = self._write_body(request)
        except ValueError as error:
            said = self._line(f"the request cannot be written: {error}")
            raise UnanswerableError(said) from error
        address = json.dumps(self.kind(request)).encode()
        start = b'{"custom_id": %s, "method": "POST", "url": %s, "body": '
        return [start % (json.dumps(key).encode(), address) + body + b"}\n"]

    async def submit(self, token: str, kind: str, lines: Sequence[bytes]) -> str:
        """Upload the file and make a batch of it."""
        endpoint: Any = kind
        async with self._translate_offer_errors():
            file = await self._client.files.create(
                file=(f"{token}.jsonl", b"".join(lines)), purpose="batch"
            )
            batch = await self._client.batches.create(
                input_file_id=file.id,
                endpoint=endpoint,
                completion_window=WINDOW,
                metadata={TOKEN: token},
            )
            return batch.id

    async def find(self, token: str) -> str | None:
        """Look through the list of batches, newest first."""
        async with self._translate_offer_errors():
            async for batch in self._client.batches.list(limit=LISTED):
                if (batch.metadata or {}).get(TOKEN) == token:
                    return batch.id
        return None

    async def get_status(self, name: str) -> BatchStatus:
        """By the state of the batch."""
        batch = await self._get(name)
        if batch.status == "failed":
            return self._explain_failure(batch)
        counts = batch.request_counts
        done = counts.completed + counts.failed if counts else 0
        if batch.status in ENDED:
            return BatchStatus("ended", done, ENDED[batch.status])
        return BatchStatus("working", done)

    async def results(self, name: str) -> Results:
        """Both files together; each line has the key of its request."""
        batch = await self._get(name)
        found: dict[str, list[bytes]] = {}
        for file in (batch.output_file_id, batch.error_file_id):
            if file is None:
                continue
            async with self._translate_sdk_errors():
                content = (await self._client.files.content(file)).content
            for line in censor_key(content, self._key).splitlines():
                found.setdefault(self._key_in(line), []).append(line)
        return found

    def read_reply(self, request: Request, lines: Sequence[bytes]) -> Reply:
        """As an answer to a single request is read."""
        if not lines:
            raise TransientError(self._line("the batch ended without an answer to this request"))
        document = load_censored(lines[0], self._key)
        response = document.get("response") or {}
        status, body = response.get("status_code"), response.get("body")
        if status != 200:
            asked_for_shape = request.schema is not None
            raise self._refusal(status, body if response else document, asked_for_shape)
        try:
            reply = openai_format.reply(body, request.messages is None)
        except openai_format.FormatError as error:
            raise TransientError(self._line(str(error))) from error
        exchange = Exchange(
            remove_key(self._write_body(request), self._key), remove_key(lines[0], self._key)
        )
        counted = openai_format.drop_false_counts(request, reply)
        return replace(answered_reply(counted, self._line), exchanges=(exchange,))

    async def cancel(self, name: str) -> None:
        """Ask for it; that takes the service up to ten minutes."""
        import openai

        async with self._translate_sdk_errors():
            try:
                await self._client.batches.cancel(name)
            except (openai.ConflictError, openai.BadRequestError):
                return  # it has ended

    async def _get(self, name: str) -> "Batch":
        import openai

        async with self._translate_sdk_errors():
            try:
                batch = await self._client.batches.retrieve(name)
                batch.status  # noqa: B018 (an answer that is none has no such thing)
                return batch
            except openai.NotFoundError:
                said = f"there is no batch {name} for this key: use the key that handed it in"
                raise FatalError(self._line(said)) from None

    @asynccontextmanager
    async def _translate_offer_errors(self) -> AsyncIterator[None]:
        """As `_translate_sdk_errors`, for addresses that only a host with a batch service has."""
        import openai

        async with self._translate_sdk_errors():
            try:
                yield
            except openai.APIStatusError as error:
                if error.status_code not in NOT_OFFERED:
                    raise
                raise NoBatchServiceError(self._client.base_url.netloc.decode()) from None

    def _key_in(self, line: bytes) -> str:
        """The key of a line. A file that is broken is fetched again: its answers are paid for."""
        try:
            return str(json.loads(line)["custom_id"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise TransientError(self._line("the file of results is broken")) from error

    def _explain_failure(self, batch: "Batch") -> BatchStatus:
        errors = (batch.errors.data if batch.errors else None) or []
        said = errors[0].message if errors and errors[0].message else "it gives no reason"
        codes = {error.code for error in errors}
        return BatchStatus("failed", 0, self._line(f"the batch failed: {said}"), bool(codes & FULL))

    def _refusal(self, status: int | None, body: Any, with_schema: bool) -> ProviderError:
        """What a line says that has no answer, sorted as for a single request."""
        import httpx2
        import openai

        error = body.get("error") if isinstance(body, dict) else None
        if status is None:
            return TransientError(self._line(openai_format.message(error or "no answer")))
        kind = openai.BadRequestError if status == 400 else openai.APIStatusError
        response = httpx2.Response(status, request=httpx2.Request("POST", self._client.base_url))
        raised = kind("", response=response, body=error)
        refused = provider_errors.find_refused_parameter(raised)
        if refused is not None and (self._learns(refused, raised) or refused in self._left_out):
            return TransientError(self._line(f"{refused} is refused and left out from now on"))
        sort, said, wait = provider_errors.diagnose(raised)
        if with_schema and provider_errors.refuses_schema(raised):
            return SchemaRefusedError(self._line(said), status=status)
        if sort is TransientError:
            return TransientError(self._line(said), wait)
        return sort(self._line(said))

    def _learns(self, refused: str, error: Any) -> bool:
        plain = Request(1, 1, 1.0, 1.0, messages=())
        return self._limit == refused or self._yields(plain, error, self._room)
