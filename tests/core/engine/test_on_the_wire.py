"""Responses broken at every byte in every way: all come to a right answer, and none hangs.

Real providers ask real servers, and the real engine retries and stores.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest

from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.model_channel import Concurrency, Limits, ModelChannel
from core.engine.retry import Retry
from core.engine.work_source import ItemResult
from core.providers import deadline
from core.providers.base import Provider, Reply, Request, TransientError
from core.providers.gemini import Gemini
from core.providers.logprobs import llama_server
from core.providers.logprobs.option_scorer import score_request
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import open_scorer
from prompts import Message
from tests.core.engine.scripted import STAGE, Ask, Numbers, Stage
from tests.core.engine.scripted import request as numbered
from tests.fakes.gemini_server import FakeGemini
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.score_servers import FakeEcho, FakeLlama, FakeScores, FakeVllm
from tests.fakes.service import Fake, listening
from tests.fakes.wire import (
    BROKEN_CHUNK,
    Breaks,
    Framing,
    Way,
    byte_by_byte,
    followed_by,
    on_the_wire,
)

pytestmark = pytest.mark.slow

Make = Callable[..., Stage]

AT_ONCE = 32
AFTER = (" Oslo", " Rome")
PATIENT = Retry(tries=1_000, first_wait=0.005, longest_wait=0.02, in_a_row=10**9)


class Steady(Concurrency):
    """Stays as it is: what is broken is not the load."""

    def halve(self, sent: float, now: float) -> None:
        return


def small(fake: Fake) -> Fake:
    """A fake whose answers are short and say what they are to: `said 12`."""
    normal = fake.normal

    def short(body: dict[str, Any]) -> dict[str, Any]:
        document = normal(body)
        for unwanted in ("usage", "usageMetadata", "modelVersion"):
            document.pop(unwanted, None)
        for choice in document.get("choices", ()):
            choice.pop("index")
        if "output" in document:
            message = {"type": "message", "content": document["output"][-1]["content"]}
            message["content"][0].pop("annotations", None)
            return {"output": [message]}
        return document

    fake.says = lambda prompt, number: f"said {prompt}"
    fake.normal = short  # type: ignore[method-assign]
    return fake


@dataclass(frozen=True)
class Kind:
    """One kind of response: who is asked by whom, and with what."""

    name: str
    fake: Callable[[], Fake]
    opened: Callable[[Fake], Provider]
    chat: bool = True
    search: bool = False

    def request(self, number: int) -> Request:
        if not self.chat:
            return numbered(number)
        request = Request(1, 20, 1.0, 1.0, messages=(Message("user", str(number)),))
        return replace(request, options={"search": True}) if self.search else request


def openai(fake: Fake) -> Provider:
    return OpenAICompatible("m", f"{fake.address}/v1")


def gemini(fake: Fake) -> Provider:
    return Gemini("gemini-2.5-flash", "key", base_url=fake.address)


KINDS = [
    Kind("chat", FakeOpenAI, openai),
    Kind("completion", FakeOpenAI, openai, chat=False),
    Kind("search", FakeOpenAI, openai, search=True),
    Kind("gemini", FakeGemini, gemini),
]


@dataclass(frozen=True, slots=True)
class AskOf(Ask):
    """A number that is asked as a kind of request."""

    kind: Kind = KINDS[0]

    @property
    def request(self) -> Request:
        return self.kind.request(self.number)


class NumbersOf(Numbers):
    """Asks for numbers while responses are left to break, and a few more."""

    kind: Kind
    breaks: Breaks | None = None

    def next(self, most: int) -> list[Ask] | None:
        through = self.breaks is None or self.breaks.through
        found = None if through and self.at >= self.count else super().next(most)
        if found is None and not through:
            self.count += most
            found = super().next(most)
        return None if found is None else [self.about(one.number) for one in found]

    def about(self, number: int) -> Ask:
        """What is asked about a number."""
        return AskOf(number, kind=self.kind)


@asynccontextmanager
async def opened(kind: Kind) -> Any:
    fake = small(kind.fake())
    async with listening(fake):
        provider = kind.opened(fake)
        try:
            yield fake, provider
        finally:
            await provider.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deadlines as ever, found out from what comes, but of a world that is far faster."""
    monkeypatch.setattr(deadline, "FIRST", 2.0)
    monkeypatch.setattr(deadline, "SLOWEST_TOKEN", 0.0)
    monkeypatch.setattr(deadline, "LEAST", 0.3)
    monkeypatch.setattr(deadline, "SLOWER", 5)


WAYS = {
    Framing.LENGTH: (Way.KEPT, Way.CLOSED, Way.CUT, Way.STALLED),
    Framing.CHUNKED: (Way.KEPT, Way.CHUNK, Way.CHUNK_CLOSED),
    Framing.CLOSING: (Way.CLOSED, Way.CUT),
}
"""How responses are broken, each at every byte."""

IN_TURN = ("completion", "search", "gemini")
"""Kinds that are broken at every byte, but in one way after the other; chat is in all of them."""


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("framing", list(Framing), ids=lambda one: one.name.lower())
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_a_response_broken_at_any_byte_costs_a_try_and_no_answer(
    stage: Make, kind: Kind, framing: Framing
) -> None:
    breaks = Breaks(framing, WAYS[framing], in_turn=kind.name in IN_TURN)
    there = stage(1, retry=PATIENT, limits=lambda: Limits(Steady(AT_ONCE, AT_ONCE)))
    there.work = work = NumbersOf(there.connection, 1)
    work.kind, work.breaks = kind, breaks
    async with opened(kind) as (fake, provider):
        fake.when(breaks.fits, breaks)
        await run(there, provider)
    told = there.connection.execute("SELECT number, text FROM said ORDER BY number").fetchall()
    assert breaks.through
    assert [number for number, _ in told] == list(range(work.at))
    assert {text.partition(" (")[0].strip() for _, text in told} == {
        f"said {number}" for number in range(work.at)
    }
    assert all(text.startswith(f"said {number}") for number, text in told)
    assert not work.failed


@dataclass(frozen=True, slots=True)
class ScoreAsk(Ask):
    """A number, and two texts that may follow it."""

    @property
    def request(self) -> Request:
        return score_request(str(self.number), AFTER)


class Scores(NumbersOf):
    """Keeps how probable what follows each number is."""

    def about(self, number: int) -> Ask:
        return ScoreAsk(number)

    def take(self, item: Ask, reply: Reply) -> ItemResult[Ask]:
        assert reply.logprobs is not None
        row = item.number, json.dumps(reply.logprobs)
        self.connection.execute("INSERT INTO said VALUES (?, ?)", row)
        return ItemResult(done=1)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("framing", list(Framing), ids=lambda one: one.name.lower())
@pytest.mark.parametrize(
    ("made", "way"),
    [(FakeLlama, "n_probs"), (FakeVllm, "logprob_token_ids"), (FakeEcho, "echo")],
    ids=["llama", "vllm", "echo"],
)
async def test_scores_broken_at_any_byte_are_those_of_the_model(
    stage: Make,
    made: type[FakeScores],
    way: str,
    framing: Framing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(llama_server, "PROBABLE", 2)  # short answers
    breaks = Breaks(framing, WAYS[framing], in_turn=True)
    there = stage(1, retry=PATIENT, limits=lambda: Limits(Steady(AT_ONCE, AT_ONCE)))
    there.work = work = Scores(there.connection, 1)
    work.breaks, fake = breaks, made()
    async with listening(fake):
        provider = open_scorer(f"openai:m@{fake.address}/v1", way)
        fake.when(breaks.fits, breaks)
        await run(there, provider)
        await provider.close()
    told = there.connection.execute("SELECT number, text FROM said ORDER BY number").fetchall()
    assert breaks.through
    assert breaks.broken > 100
    assert [number for number, _ in told] == list(range(work.at))
    for number, text in told:
        border = len(fake.model.tokenize(str(number)))
        scores = [fake.model.score(str(number), one, border) for one in AFTER]
        assert json.loads(text) == pytest.approx(scores, abs=1e-5)


@pytest.mark.parametrize("framing", [Framing.LENGTH, Framing.CHUNKED])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_a_response_that_comes_byte_by_byte_is_read_to_the_letter(
    kind: Kind, framing: Framing
) -> None:
    async with opened(kind) as (fake, provider):
        fake.when(lambda call: call.asks, byte_by_byte(0.0, framing), times=1)
        for number in range(2):
            reply = await provider.ask(kind.request(number))
            assert reply.draws[0].text.startswith(f"said {number}")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_a_byte_a_second_is_given_up_and_its_connection_closed(kind: Kind) -> None:
    async with opened(kind) as (fake, provider):
        await provider.ask(kind.request(0))  # the SDK is imported by the first
        connections = []

        async def drip(call: Any) -> Any:
            connections.append(call.request.transport)
            return await byte_by_byte(1.0)(call)

        fake.when(lambda call: call.asks, drip)
        provider.deadline.timeout = 2.0
        while not connections:
            with pytest.raises(TransientError, match="no answer within 2 s"):
                await provider.ask(kind.request(0))
        while not all(one.is_closing() for one in connections):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_bytes_behind_an_answer_spoil_no_other(kind: Kind) -> None:
    async with opened(kind) as (fake, provider):
        fake.when(lambda call: call.asks, followed_by(BROKEN_CHUNK))
        for number in range(20):
            with suppress(TransientError):
                reply = await provider.ask(kind.request(number))
                assert reply.draws[0].text.startswith(f"said {number}")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
async def test_a_second_response_in_one_piece_is_no_answer_to_another_request(
    stage: Make, kind: Kind
) -> None:
    there = stage(1, retry=PATIENT, limits=lambda: Limits(Steady(4, 4)))
    there.work = work = NumbersOf(there.connection, 40)
    work.kind = kind
    async with opened(kind) as (fake, provider):

        async def doubled(call: Any) -> Any:
            more = on_the_wire(await call.answer(), Framing.LENGTH)
            return await followed_by(more, at_once=True)(call)

        fake.when(lambda call: call.asks, doubled)
        await run(there, provider)
    told = there.connection.execute("SELECT number, text FROM said ORDER BY number").fetchall()
    assert [(number, text.split()[:2]) for number, text in told] == [
        (number, ["said", str(number)]) for number in range(40)
    ]


async def run(there: Stage, provider: Provider) -> None:
    """As `Stage.run`, in a loop in which time passes."""
    there.counters.expect(STAGE, there.work.count)
    channels = {"model": ModelChannel(provider, "model", there.limits())}
    async with DbWriter(there.connection, there.path) as db_writer:
        await Engine(db_writer, there.work, channels, there.counters, retry=there.retry).run()
