"""Fine-tuning at OpenAI, and at services that speak its format.

Files of examples are uploaded, a job is made of them, and a new model comes of it. What is uploaded
and made carries a token, so that a program that dies at any moment finds it again.
https://developers.openai.com/api/docs/guides/supervised-fine-tuning
"""

from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from core.providers.base import FatalError
from core.providers.batch_service import CALL, SLOWEST
from core.providers.openai_batches import NOT_OFFERED, TOKEN
from core.providers.openai_compatible import OpenAICompatible
from core.providers.provider_errors import hide_key

if TYPE_CHECKING:
    from openai.types.fine_tuning import FineTuningJob, job_create_params

T = TypeVar("T")

PURPOSE: Literal["fine-tune"] = "fine-tune"
LISTED = 100
"""Files or jobs on one page of a list."""

EVENTS = 50
"""The newest events of a job that are looked at."""


@dataclass(frozen=True, slots=True)
class TuningStatus:
    """Where a fine-tuning job is, by its name at the service.

    `model` is what came of it, `reason` why nothing did.
    """

    job: str
    state: str
    over: bool = False
    model: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TuningEvent:
    """Something that happened in a job; `step` of `steps` are through, 0 where it says none."""

    id: str
    message: str
    step: int = 0
    steps: int = 0


@dataclass(frozen=True, slots=True)
class TuningOrder:
    """What a job is made of: names of files at the service, and how it is to go."""

    examples: str
    validation: str | None = None
    epochs: int | None = None
    suffix: str | None = None
    learning_rate: float | None = None
    batch: int | None = None
    seed: int | None = None


class OpenAITuner(OpenAICompatible):
    """One model at one address, and what can be made of it.

    All methods raise `TransientError` where another try may succeed and `FatalError` where none
    can. After a `TransientError` nobody knows whether something was made: `find` tells.
    """

    async def find(self, token: str) -> TuningStatus | None:
        """The job that carries a token, None where there is none."""
        return await self._call(self._find(token))

    async def upload(self, name: str, content: bytes) -> str:
        """The service's name for a file of that name, uploaded unless it is there."""
        return await self._call(self._upload(name, content), len(content))

    async def start(self, token: str, order: TuningOrder) -> TuningStatus:
        """Make a job."""
        return await self._call(self._start(token, order))

    async def get_status(self, job: str) -> TuningStatus:
        """Where a job is."""
        return await self._call(self._get_status(job))

    async def events(self, job: str) -> list[TuningEvent]:
        """The newest events of a job, oldest first."""
        return await self._call(self._events(job))

    async def cancel(self, job: str) -> None:
        """Have a job end, unless it has."""
        await self._call(self._cancel(job))

    async def _call(self, called: Coroutine[Any, Any, T], size: int = 0) -> T:
        return await self._within(CALL + size / SLOWEST, called)

    async def _find(self, token: str) -> TuningStatus | None:
        async with self._translate_offer_errors():
            async for job in self._client.fine_tuning.jobs.list(limit=LISTED):
                if (job.metadata or {}).get(TOKEN) == token:
                    return self._status(job)
        return None

    async def _upload(self, name: str, content: bytes) -> str:
        async with self._translate_offer_errors():
            async for file in self._client.files.list(purpose=PURPOSE, limit=LISTED):
                if file.filename == name:
                    return file.id
            made = await self._client.files.create(file=(name, content), purpose=PURPOSE)
            return made.id

    async def _start(self, token: str, order: TuningOrder) -> TuningStatus:
        more: dict[str, Any] = {}
        if order.validation is not None:
            more["validation_file"] = order.validation
        if order.suffix is not None:
            more["suffix"] = order.suffix
        if order.seed is not None:
            more["seed"] = order.seed
        asked = {
            "n_epochs": order.epochs,
            "learning_rate_multiplier": order.learning_rate,
            "batch_size": order.batch,
        }
        hyperparameters: Any = {key: value for key, value in asked.items() if value is not None}
        if hyperparameters:
            method: job_create_params.Method = {
                "type": "supervised",
                "supervised": {"hyperparameters": hyperparameters},
            }
            more["method"] = method
        async with self._translate_offer_errors():
            job = await self._client.fine_tuning.jobs.create(
                model=self._model, training_file=order.examples, metadata={TOKEN: token}, **more
            )
            return self._status(job)

    async def _get_status(self, job: str) -> TuningStatus:
        async with self._translate_offer_errors():
            return self._status(await self._client.fine_tuning.jobs.retrieve(job))

    async def _events(self, job: str) -> list[TuningEvent]:
        async with self._translate_offer_errors():
            page = await self._client.fine_tuning.jobs.list_events(job, limit=EVENTS)
            return [
                TuningEvent(one.id, hide_key(one.message, self._key), *_steps(one.data))
                for one in reversed(page.data)
            ]

    async def _cancel(self, job: str) -> None:
        import openai

        async with self._translate_offer_errors():
            try:
                await self._client.fine_tuning.jobs.cancel(job)
            except (openai.ConflictError, openai.BadRequestError):
                return  # it has ended

    def _status(self, job: "FineTuningJob") -> TuningStatus:
        if job.status == "succeeded":
            return TuningStatus(job.id, job.status, True, job.fine_tuned_model or "")
        if job.status == "failed":
            said = job.error.message if job.error and job.error.message else "it gives no reason"
            return TuningStatus(job.id, job.status, True, reason=self._line(f"it failed: {said}"))
        if job.status == "cancelled":
            reason = self._line("it was cancelled at the service")
            return TuningStatus(job.id, job.status, True, reason=reason)
        return TuningStatus(job.id, job.status)

    @asynccontextmanager
    async def _translate_offer_errors(self) -> AsyncIterator[None]:
        """Turn what the SDK raises into a provider's errors, for addresses that not all have."""
        import openai

        async with self._translate_sdk_errors():
            try:
                yield
            except openai.APIStatusError as error:
                if error.status_code not in NOT_OFFERED:
                    raise
                host = self._client.base_url.netloc.decode()
                said = f"no fine-tuning at {host}, or none of this name: check model and key"
                raise FatalError(self._line(said)) from None


def _steps(data: object) -> tuple[int, int]:
    """How many steps are through, and of how many, where an event says so."""
    if not isinstance(data, dict):
        return 0, 0
    step, steps = data.get("step"), data.get("total_steps")
    if type(step) is not int or type(steps) is not int or not 0 <= step <= steps:
        return 0, 0
    return step, steps
