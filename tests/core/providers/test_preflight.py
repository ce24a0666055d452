"""The preflight against a server on loopback that can be told to misbehave."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

import core.providers.base
import core.sampling.preflight
from core.errors import LostkeysError
from core.providers.base import TRIES, Draw, Provider, Reply, Request
from core.providers.embedded import weights
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import describe, open_provider
from core.sampling.preflight import DRAWS, NAMES, CheckResult, Preflight, preflight
from tests.core.sampling.scripted import Scripted
from tests.fakes import openai_changes as faults
from tests.fakes.openai_changes import misbehave
from tests.fakes.service import Change
from tests.patience import PATIENCE

MODEL = "openai:m@http://127.0.0.1:9/v1"
BUSY = {"error": {"message": "busy"}}
NO_N = {"error": {"message": "'n' must be 1"}}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)


@pytest.fixture
async def provider(fake: Any) -> AsyncIterator[OpenAICompatible]:
    provider = OpenAICompatible("m", fake.base_url, timeout=PATIENCE)
    yield provider
    await provider.close()


async def checked(provider: Provider, model: str, off: bool = True) -> Preflight:
    """The checks alone: how the model thinks is taken for known."""
    return await preflight(provider, model, off, describe(model))


def results(found: Preflight) -> dict[str, str]:
    assert [check.name for check in found.checks] == list(NAMES)
    assert all(check.detail for check in found.checks)
    return {check.name: str(check.result) for check in found.checks}


def detail(found: Preflight, name: str) -> str:
    return found.checks[NAMES.index(name)].detail


def failed(found: Preflight) -> list[str]:
    return [check.name for check in found.failed]


async def test_all_is_well_with_one_request(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.counts_all)
    found = await checked(provider, MODEL)
    assert results(found) == dict.fromkeys(NAMES, "passed")
    assert (found.silent, found.most_answers, found.reason) == (False, None, "")
    (body,) = fake.bodies
    assert (body["n"], body["temperature"], body["top_p"]) == (DRAWS, 1.0, 1.0)
    assert detail(found, "n") == "8 answers to one request"
    assert detail(found, "usage") == "7 tokens in, 48 out"
    assert "not counted" in detail(found, "thinking off")


async def test_no_reasoning_tokens_are_told_from_uncounted_ones(
    fake: Any, provider: Provider
) -> None:
    misbehave(fake, faults.counts_no_reasoning, faults.empty_reasoning)
    found = await checked(provider, MODEL)
    assert detail(found, "thinking off") == "no reasoning text, no reasoning tokens"
    assert failed(found) == []


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (faults.reasons, "8 of 8 answers came with reasoning"),
        (faults.reasons_inside, "8 of 8 answers came with reasoning"),
        (faults.cut_off_in_reasoning, "8 of 8 answers came with reasoning"),
        (faults.counts_reasoning, "counts 64 reasoning tokens"),
        (faults.counts_hidden_tokens, "tokens more than the answers can have"),
    ],
)
async def test_reasoning_in_an_off_setting_fails(
    fake: Any, provider: Provider, fault: Change, says: str
) -> None:
    misbehave(fake, fault)
    found = await checked(provider, MODEL)
    assert "thinking off" in failed(found)
    assert says in detail(found, "thinking off")


async def test_reasoning_does_not_matter_where_only_thinking_on_is_drawn(
    fake: Any, provider: Provider
) -> None:
    misbehave(fake, faults.reasons)
    found = await checked(provider, MODEL, off=False)
    assert results(found)["thinking off"] == "not applicable"
    assert failed(found) == []


@pytest.mark.parametrize("field", ["together", "draw by draw"])
async def test_reasoning_tokens_count_however_they_are_reported(field: str) -> None:
    def script(request: Request) -> Reply:
        each = 3 if field == "draw by draw" else None
        draws = tuple(Draw(f"text {i}", "stop", reasoning_tokens=each) for i in range(request.n))
        return Reply(draws, 5, 24, None if each else 24)

    found = await checked(Scripted(script), MODEL)
    assert detail(found, "thinking off").startswith("the server counts 24 reasoning tokens")


async def test_an_empty_thought_is_none(fake: Any, provider: Provider) -> None:
    fake.normal = lambda body: {
        "choices": [
            {"message": {"content": f"<think>\n\n</think>\n\nNumber {i}"}} for i in range(8)
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 80},
    }
    assert failed(await checked(provider, MODEL)) == []


async def test_one_answer_a_request_means_single_requests(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.sends(1))
    found = await checked(provider, MODEL)
    assert failed(found) == []
    assert found.most_answers == 1
    assert detail(found, "n") == "at most 1 answer to a request"
    assert [body["n"] for body in fake.bodies] == [8, 1]


async def test_a_refused_n_means_single_requests(fake: Any, provider: Provider) -> None:
    misbehave(fake)
    fake.then(400, NO_N)
    found = await checked(provider, MODEL)
    assert failed(found) == []
    assert found.most_answers == 1
    assert detail(found, "n") == "at most 1 answer to a request"
    assert [body["n"] for body in fake.bodies] == [8, 1, 1]


async def test_some_answers_of_eight_are_enough(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.sends(3))
    found = await checked(provider, MODEL)
    assert (failed(found), found.most_answers, len(fake.bodies)) == ([], None, 1)
    assert detail(found, "n") == "3 answers to a request for 8: the rest is asked for again"


async def test_more_answers_than_asked_for_fail(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.sends_one_more)
    found = await checked(provider, MODEL)
    assert failed(found) == ["n"]
    assert found.reason == "n: 9 answers to a request for 8: more than can be kept"


async def test_equal_answers_fail(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.always_the_same)
    found = await checked(provider, MODEL)
    assert failed(found) == ["sampling"]
    assert '8 answers to an open question are all "Water is wet."' in found.reason
    assert len(fake.bodies) == 1


async def test_equal_answers_one_by_one_fail_after_eight(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.always_the_same, faults.sends(1))
    found = await checked(provider, MODEL)
    assert failed(found) == ["sampling"]
    assert [body["n"] for body in fake.bodies] == [8] + [1] * 7


async def test_empty_answers_fail_once(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.always_empty)
    found = await checked(provider, MODEL)
    assert failed(found) == ["answers"]
    assert results(found)["sampling"] == "not applicable"
    assert not found.silent


@pytest.mark.parametrize("fault", [faults.no_usage, faults.counts_input_only])
async def test_missing_usage_fails(fake: Any, provider: Provider, fault: Change) -> None:
    misbehave(fake, fault)
    assert failed(await checked(provider, MODEL)) == ["usage"]


async def test_usage_of_only_some_answers_is_said_and_no_fault(
    fake: Any, provider: Provider
) -> None:
    misbehave(fake, faults.counts_too_little)
    found = await checked(provider, MODEL)
    assert failed(found) == []
    assert detail(found, "usage").startswith("7 tokens in, 5 out, though the answers have 40 words")


async def test_a_model_that_always_thinks_is_told_as_such() -> None:
    def script(request: Request) -> Reply:
        return Reply(tuple(Draw(f"text {i}", "stop", "Well…") for i in range(request.n)), 5, 24)

    found = await checked(Scripted(script), "gemini:gemini-2.5-pro")
    assert failed(found) == ["thinking off"]
    assert found.reason.endswith("this model cannot be kept from it")


async def test_several_faults_are_all_told(fake: Any, provider: Provider) -> None:
    misbehave(fake, faults.reasons, faults.always_the_same, faults.no_usage)
    found = await checked(provider, MODEL)
    assert failed(found) == ["thinking off", "sampling", "usage"]
    assert found.reason.count("; ") == 2


async def test_no_choices_are_no_answer(fake: Any, provider: Provider) -> None:
    fake.then(200, {"choices": []})
    found = await checked(provider, MODEL)
    assert found.silent
    assert results(found) == {"answers": "failed", **dict.fromkeys(NAMES[1:], "not applicable")}


async def test_a_busy_server_is_asked_again(fake: Any, provider: Provider) -> None:
    for _ in range(TRIES - 1):
        fake.then(429, BUSY, Retry_After="0")
    assert failed(await checked(provider, MODEL)) == []
    assert len(fake.bodies) == TRIES


async def test_a_server_that_stays_busy_is_given_up(fake: Any, provider: Provider) -> None:
    for _ in range(TRIES):
        fake.then(429, BUSY, Retry_After="0")
    found = await checked(provider, MODEL)
    assert found.silent
    assert "HTTP 429 busy" in found.reason
    assert len(fake.bodies) == TRIES


async def test_a_wrong_key_is_told_in_one_line(fake: Any, provider: Provider) -> None:
    fake.then(401, BUSY)
    found = await checked(provider, MODEL)
    assert "the key was refused" in found.reason
    assert found.silent
    assert len(fake.bodies) == 1


async def test_nobody_there() -> None:
    provider = OpenAICompatible("m", "http://127.0.0.1:9/v1", timeout=PATIENCE)
    found = await checked(provider, MODEL)
    await provider.close()
    assert found.silent
    assert "nothing listens" in found.reason


async def test_a_server_that_never_answers_ends_the_patience(
    fake: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = asyncio.Event()

    async def never(request: web.Request) -> web.StreamResponse:
        await released.wait()
        return web.Response()

    fake.answers.append(never)
    monkeypatch.setattr(core.sampling.preflight, "PATIENCE", 0.2)
    found = await checked(provider, MODEL)
    released.set()
    assert found.silent
    assert found.reason.startswith(f"{MODEL}: no answer within")


async def test_a_deadline_that_is_set_counts_for_each_request(
    fake: Any, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long or short the patience is where none is set."""
    monkeypatch.setattr(core.sampling.preflight, "PATIENCE", 0.0)
    provider.deadline.timeout = PATIENCE
    fake.latency = 0.01
    assert not (await checked(provider, MODEL)).silent
    assert (await core.sampling.preflight.find_out(provider, MODEL)).thinking is not None
    monkeypatch.setattr(core.sampling.preflight, "PATIENCE", PATIENCE)
    provider.deadline.timeout = 0.001
    found = await checked(provider, MODEL)
    assert found.reason.endswith("the request is given up")


@pytest.fixture
def embedded() -> str:
    """The name of the embedded model, where its weights are."""
    try:
        weights.find()
    except LostkeysError as error:
        pytest.skip(str(error))
    return "embedded:smollm2-135m"


@pytest.mark.slow
async def test_the_embedded_model_passes(embedded: str) -> None:
    provider = open_provider(embedded)
    found = await checked(provider, embedded)
    await provider.close()
    assert [check.result for check in found.checks] == [CheckResult.PASSED] * len(NAMES)
