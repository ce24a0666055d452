"""The test of a way to log probabilities: each thing that servers do wrong by its true reason."""

import pytest

import core.providers.base
from core.providers.base import FatalError, TransientError
from core.providers.logprobs.self_test import SelfTest, check_scorer
from core.providers.registry import open_scorer
from tests.fakes import faults
from tests.fakes.score_servers import (
    FakeChat,
    FakeEcho,
    FakeLlama,
    FakeScores,
    FakeSglang,
    FakeVllm,
    Lie,
)
from tests.fakes.service import listening
from tests.fakes.toy_model import ToyModel

KINDS = [FakeLlama, FakeVllm, FakeSglang, FakeEcho]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)


async def check(fake: FakeScores) -> SelfTest:
    async with listening(fake):
        scorer = open_scorer(f"openai:m@{fake.base_url}")
        try:
            return await check_scorer(scorer)
        finally:
            await scorer.close()


@pytest.mark.parametrize("begin", [False, True])
@pytest.mark.parametrize("kind", KINDS)
async def test_an_honest_server_passes(kind: type[FakeScores], begin: bool) -> None:
    found = await check(kind(ToyModel(begin)))
    assert found.passed, found.refusal
    assert found.farthest == 0.0
    assert found.as_json() == {"way": found.way, "exact": False, "faults": (), "farthest": 0.0}


LIES = [
    *((kind, Lie.AFTER_SAMPLING, "temperature", "those after sampling") for kind in KINDS),
    *((kind, Lie.BY_ORDER, "order", "change with the order of the options") for kind in KINDS),
    *((kind, Lie.OTHER_TOKEN, "first", "values of other tokens") for kind in KINDS),
    *((kind, Lie.POSITIVE, "positive", "above 0") for kind in KINDS),
    *((kind, Lie.NOT_FINITE, "finite", "have a token without a log prob") for kind in KINDS),
    *((kind, Lie.OTHER_TEXT, "way", "do not join to the input") for kind in KINDS),
    (FakeEcho, Lie.IGNORES_ECHO, "way", "takes echo and ignores it"),
    (FakeEcho, Lie.LOSES_CACHED, "cache", "values of tokens that the server has cached are lost"),
    (FakeLlama, Lie.OTHER_ID, "first", "values of other tokens"),
]


@pytest.mark.parametrize(("kind", "lie", "name", "reason"), LIES)
async def test_each_lie_is_named(kind: type[FakeScores], lie: Lie, name: str, reason: str) -> None:
    found = await check(kind(ToyModel(), lie))
    assert not found.passed
    assert [fault.check for fault in found.faults][:1] == [name]
    assert reason in found.refusal
    assert found.refusal.endswith("try --test response")
    assert "\n" not in found.refusal


async def test_what_an_earlier_test_left_in_a_cache_is_told_from_numbers_that_are_none() -> None:
    fake = FakeEcho(ToyModel(), Lie.LOSES_CACHED)
    async with listening(fake):
        for _ in range(2):
            scorer = open_scorer(f"openai:m@{fake.base_url}")
            found = await check_scorer(scorer)
            await scorer.close()
            assert [fault.check for fault in found.faults] == ["cache"]


@pytest.mark.parametrize("kind", [FakeVllm, FakeSglang])
async def test_where_no_way_is_left_each_is_named(kind: type[FakeScores]) -> None:
    found = await check(kind(ToyModel(), Lie.OTHER_ID))
    assert found.passed
    assert found.way == "echo"
    found = await check(kind(ToyModel(), Lie.OTHER_ID, Lie.IGNORES_ECHO))
    assert [fault.check for fault in found.faults] == ["way"]
    assert "ignores" in found.refusal
    assert "gives the values of other tokens than it was sent" in found.refusal
    assert "takes echo and ignores it" in found.refusal


async def test_a_server_of_chat_alone_has_no_way() -> None:
    found = await check(FakeChat())
    assert [fault.check for fault in found.faults] == ["way"]
    assert "no endpoint that continues a text" in found.refusal


async def test_a_server_that_fails_says_nothing_of_its_numbers() -> None:
    fake = FakeVllm()
    fake.when(lambda call: call.asks, faults.overloaded)
    with pytest.raises(TransientError, match="503"):
        await check(fake)
    fake = FakeVllm()
    fake.key = "other"
    with pytest.raises(FatalError, match="key"):
        await check(fake)
