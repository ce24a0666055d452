"""The one interface between Lostkeys and a language model.

A provider answers one request and nothing more. Retrying, concurrency, budgets and storage
belong to the sampling engine, once for all providers. A check of a model runs without the engine:
it asks a few times (`retry_request`).
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

from core.errors import ProviderError
from core.providers.deadline import Deadline, wait_within
from core.providers.late_requests import OnLate
from prompts import Message

T = TypeVar("T")

CHARACTERS = 3
"""Characters of a token, on the safe side."""

TRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 10.0
"""Seconds between tries, doubled each time; a server may ask for more, up to the longest."""

Finish = Literal["stop", "length", "content_filter"]


class TransientError(ProviderError):
    """The request failed in a way that another try may mend (timeout, 429, 5xx, reset)."""

    def __init__(
        self,
        message: str,
        retry_after: float | None = None,
        status: int | None = None,
        reply: "Reply | None" = None,
    ) -> None:
        super().__init__(message, status)
        self.retry_after = retry_after
        """Seconds the server asked to wait, if it did."""

        self.reply = reply
        """What came without any answer, where the server counted tokens for it."""


class FatalError(ProviderError):
    """No further try can succeed: wrong key, unknown model, malformed request."""


class UnanswerableError(ProviderError):
    """This one request can never be answered (its prompt is too long); others may be."""


class SchemaRefusedError(UnanswerableError):
    """The service does not take the schema of this request's reply."""


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt to be answered `n` times.

    Exactly one of `messages` (a chat endpoint) and `text` (a raw completions endpoint, sent to
    the letter) is set. With `continuations` nothing is sampled: asked for is how probable each is
    after `text` (`core.providers.logprobs`). `options` holds further sampling parameters of the
    provider's own, and `thinking` (bool; off if absent) for a model with a reasoning mode.
    `max_tokens` is the room of the answer; a provider adds what thoughts may take
    (`capabilities.most_tokens`). `samples` are the numbers of the draws, where they have any. An
    answer ends before the first of the texts in `stop`. `top_p` None: the service is not told.
    `schema`: the JSON Schema that the service is to hold the answer to.
    """

    n: int
    max_tokens: int
    temperature: float
    top_p: float | None
    messages: tuple[Message, ...] | None = None
    text: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    samples: tuple[int, ...] = ()
    stop: tuple[str, ...] = ()
    continuations: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None

    @property
    def thinking_room(self) -> int:
        """Tokens that thoughts may take beside the answer, by the options."""
        rooms = self.options.get("thinking_room")
        on = self.options.get("thinking") is True
        return rooms[on] if isinstance(rooms, list | tuple) else 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """What went over the wire for one request, both ways, without keys or other headers."""

    sent: bytes
    received: bytes


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A page that an answer rests on."""

    title: str
    uri: str


class ServedModel(NamedTuple):
    """What a server calls the model that answered, and its mark of how it ran; empty if unsaid."""

    name: str
    fingerprint: str = ""


class Draw(NamedTuple):
    """One sampled answer: its text to the letter, why it ended, what it cites (after a search)."""

    text: str
    finish: Finish | None = None
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    sources: tuple[CitedSource, ...] = ()
    served: ServedModel | None = None


class AnswerFailure(NamedTuple):
    """Why the service failed in an answer that it sent as a success, with its status if it says."""

    said: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request: up to `n` draws and the usage that the server reported.

    `reasoning_tokens` counts those of all draws together, where the server does. `exchanges` are
    the requests and responses behind it, to be kept where a person wants to audit them.
    `logprobs` are those of the request's continuations, in place of draws. `failure`: the service
    failed in the middle of an answer, or of several, which are no draws.
    """

    draws: tuple[Draw, ...]
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    exchanges: tuple[Exchange, ...] = ()
    logprobs: tuple[float, ...] | None = None
    failure: AnswerFailure | None = None

    @property
    def answers(self) -> int:
        """How many answers came: draws, or the scores of all continuations as one."""
        return len(self.draws) + (self.logprobs is not None)


@dataclass(slots=True)
class SentRequests:
    """Requests that went out for what was asked once, in the tasks begun where counting began.

    A provider may ask again without a field that was refused, for fewer answers, or by a new
    connection; a way to log probabilities asks many times for one score.
    """

    count: int = 0


_sent: ContextVar[SentRequests | None] = ContextVar("requests", default=None)


@contextmanager
def count_requests() -> Iterator[SentRequests]:
    """Count the requests that go out until the end of the block."""
    sent = SentRequests()
    token = _sent.set(sent)
    try:
        yield sent
    finally:
        _sent.reset(token)


def note_request() -> None:
    """A request for a model goes out."""
    sent = _sent.get()
    if sent is not None:
        sent.count += 1


class Provider(ABC):
    """A model behind some endpoint. `draw` is all that must be written for a new one.

    `deadline` says how long whoever calls `ask` waits for a reply.
    """

    @cached_property
    def deadline(self) -> Deadline:
        """The time that requests of this model are given."""
        return Deadline()

    async def ask(
        self, request: Request, late: OnLate = lambda age, median, deadline: None
    ) -> Reply:
        """Answer one request within its deadline; `late` as with `Deadline.keep`.

        Raises as `draw` does. A request that has missed its deadline is a `TransientError`.
        """
        options, tokens = request.options, request.max_tokens + request.thinking_room
        kind = tokens, options.get("thinking") is True, options.get("search") is True
        scored = sum(map(len, request.continuations)) // CHARACTERS
        try:
            return await self.deadline.keep(kind, tokens + scored, self.draw(request), late)
        except TimeoutError as error:
            raise TransientError(self._line(str(error))) from error

    async def _within(self, seconds: float, request: Coroutine[Any, Any, T]) -> T:
        """What a request other than for answers brings; a `TransientError` after these seconds."""
        try:
            return await wait_within(seconds, request)
        except TimeoutError as error:
            raise TransientError(self._line(str(error))) from error

    @abstractmethod
    async def draw(self, request: Request) -> Reply:
        """Answer one request, however long that takes.

        Raises `TransientError` where another try may succeed, `UnanswerableError` where none
        can for this request, `FatalError` where none can for any.
        """

    @property
    def remarks(self) -> tuple[str, ...]:
        """What of the requests the service did not take and was left out, in lines for people."""
        return ()

    @property
    def most_answers(self) -> int | None:
        """The most answers to a request that the service takes; None where it refused no number."""
        return None

    async def close(self) -> None:
        """Give back connections and child processes."""
        return

    def _line(self, said: str) -> str:
        """An error for a person, with the model and the address that it is of."""
        return said


def answered_reply(reply: Reply, write_line: Callable[[str], str]) -> Reply:
    """The reply, if any answer came or nothing says why none did.

    Raises `TransientError` where the service failed in all answers; `write_line` makes a line for
    people of what it said.
    """
    if reply.failure is None or reply.answers:
        return reply
    said, status = reply.failure
    raise TransientError(write_line(said), status=status, reply=reply)


async def retry_request(provider: Provider, request: Request, whole: bool = False) -> Reply:
    """The reply to a request, tried again where that may help.

    `whole`: an answer that is none in its form is not asked for again.
    """
    return await retry_call(lambda: provider.ask(request), whole)


async def retry_call(ask: Callable[[], Awaitable[T]], whole: bool = False) -> T:
    """What asking brings, tried again after a `TransientError`; the last one is raised.

    `whole` as with `retry_request`.
    """
    for attempt in range(TRIES - 1):
        try:
            return await ask()
        except TransientError as error:
            if whole and error.status is not None and error.status < 400:
                raise
            wait = error.retry_after if error.retry_after is not None else FIRST_WAIT * 2**attempt
        await asyncio.sleep(min(wait, LONGEST_WAIT))
    return await ask()
