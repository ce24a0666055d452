"""The fakes do what they are told: the providers' own clients see each fault as what it is."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from core.providers.base import FatalError, Reply, Request, TransientError
from core.providers.gemini import Gemini
from core.providers.openai_compatible import OpenAICompatible
from prompts import Message
from tests.fakes import faults, gemini_server, openai_changes, openai_server
from tests.fakes.gemini_server import FakeGemini
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.process import running
from tests.fakes.service import Fault, in_thread, listening
from tests.patience import PATIENCE

ASKED = Request(4, 32, 1.0, 1.0, messages=(Message("user", "Who?"),))


async def drawn(fake: FakeOpenAI, request: Request = ASKED) -> Reply:
    provider = OpenAICompatible("m", fake.base_url, "key", timeout=PATIENCE)
    try:
        return await provider.draw(request)
    finally:
        await provider.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [*faults.PASSING, faults.changed(openai_changes.says_an_error)],
    ids=lambda f: f.__name__,
)
async def test_a_passing_fault_is_an_error_that_another_try_mends(fault: Fault) -> None:
    fake = FakeOpenAI()
    # A connection that is dropped before an answer is tried again by the provider itself.
    fake.when(lambda call: call.asks, fault, times=2 if fault is faults.reset else 1)
    async with listening(fake):
        with pytest.raises(TransientError):
            await drawn(fake)
        fake.coming.clear()
        assert len((await drawn(fake)).draws) == 4
    assert fake.faults[fault.__name__] >= 1
    assert sum(fake.sent.values()) == 4


@pytest.mark.parametrize("fault", [faults.late(0.01), faults.drip(0.01)], ids=["late", "drip"])
async def test_a_slow_answer_is_an_answer(fault: Fault) -> None:
    fake = FakeOpenAI(unique=True)
    fake.when(lambda call: call.asks, fault)
    async with listening(fake):
        reply = await drawn(fake)
    assert Counter(draw.text for draw in reply.draws) == fake.sent
    assert fake.asked == {"Who?": 4}


async def test_a_burst_goes_on_for_its_length() -> None:
    fake = FakeOpenAI()
    fake.when(lambda call: call.asks, faults.burst(faults.crash, 3), times=1)
    async with listening(fake):
        for _ in range(3):
            with pytest.raises(TransientError):
                await drawn(fake)
        assert len((await drawn(fake)).draws) == 4
    assert fake.faults == {"one_of_a_burst": 1, "crash": 2}


async def test_keys_models_and_quotas_are_looked_at() -> None:
    fake = FakeOpenAI()
    async with listening(fake):
        fake.key = "another"
        with pytest.raises(FatalError, match="401"):
            await drawn(fake)
        fake.key, fake.models = "key", {"n"}
        with pytest.raises(FatalError, match="no such model"):
            await drawn(fake)
        fake.models, fake.quota = None, 1
        await drawn(fake)
        with pytest.raises(FatalError, match="quota"):
            await drawn(fake)


@pytest.mark.slow
async def test_gemini_looks_at_keys_models_and_quotas() -> None:
    fake = FakeGemini()

    async def asked() -> Reply:
        provider = Gemini("gemini-2.5-flash", "key", base_url=fake.address, timeout=PATIENCE)
        try:
            return await provider.draw(ASKED)
        finally:
            await provider.close()

    async with listening(fake):
        fake.key = "another"
        with pytest.raises(FatalError, match="was refused"):
            await asked()
        fake.key, fake.models = "key", {"n"}
        with pytest.raises(FatalError, match="no such model"):
            await asked()
        fake.models, fake.quota = None, 1
        assert len((await asked()).draws) == 4
        with pytest.raises(FatalError, match="quota"):
            await asked()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openai_server", "gemini_server"])
async def test_a_fake_of_its_own_tells_what_it_sent(name: str, tmp_path: Path) -> None:
    with running(name, tmp_path / "log", "--fault-share", "0.5", "--fault", "crash") as fake:
        provider = (
            Gemini("gemini-2.5-flash", "key", base_url=fake.address, timeout=PATIENCE)
            if name == "gemini_server"
            else OpenAICompatible("m", fake.base_url, "key", timeout=PATIENCE)
        )
        tries = [provider.draw(ASKED) for _ in range(16)]
        came = await asyncio.gather(*tries, return_exceptions=True)
        await provider.close()
        replies = [reply for reply in came if isinstance(reply, Reply)]
        assert 0 < len(replies) < 16
        assert all(isinstance(one, Reply | TransientError) for one in came)
        assert fake.sent() == Counter(draw.text for reply in replies for draw in reply.draws)
        assert set(fake.sent().values()) == {1}
        assert fake.asked() == {"Who?": 64}


def test_a_fake_in_a_thread_serves_those_without_a_loop() -> None:
    fake = FakeOpenAI()
    with in_thread(fake):
        assert len(asyncio.run(drawn(fake)).draws) == 4


def test_every_fault_has_a_name_to_ask_for_it_by() -> None:
    for all_faults in (openai_server.ALL_FAULTS, gemini_server.ALL_FAULTS):
        names = [fault.__name__ for fault in all_faults]
        bursts = names.count("one_of_a_burst")
        assert len(set(names)) == len(names) - (bursts - 1)
