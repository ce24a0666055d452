"""Where a model is asked: found out by trying, and every check goes there."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

import core.providers.base
from core.errors import ProviderError, UsageError
from core.providers.base import FatalError
from core.providers.capabilities import Capabilities
from core.providers.endpoints import Endpoints
from core.providers.model_traits import ModelTraits
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import describe
from core.sampling.preflight import find_out, preflight
from core.sampling.recipe import apply_endpoints
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import Call

MODEL = "openai:m@http://127.0.0.1:9/v1"
COMPLETIONS, CHAT = "completions", "chat/completions"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)


@pytest.fixture
async def provider(fake: FakeOpenAI) -> AsyncIterator[OpenAICompatible]:
    fake.unique = True
    provider = OpenAICompatible("m", fake.base_url, timeout=5)
    yield provider
    await provider.close()


def base_model(fake: FakeOpenAI) -> None:
    """A base model without a chat template, as behind vLLM."""
    fake.templates = fake.has_chat = False


async def test_a_base_model_is_asked_raw(fake: FakeOpenAI, provider: OpenAICompatible) -> None:
    base_model(fake)
    assert await find_out(provider, MODEL) == ModelTraits(completion="raw", questions="raw")
    assert fake.asked_at(COMPLETIONS) == [
        {"model": "m", "prompt": "a", "n": 1, "max_tokens": 1, "temperature": 0.0}
    ]
    assert len(fake.asked_at(CHAT)) == 1


async def test_a_server_with_both_is_asked_by_chat_but_for_the_completion(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    fake.templates = False
    found = await find_out(provider, MODEL)
    assert (found.completion, found.questions, found.thinking) == ("raw", "chat", "step_by_step")
    assert len(fake.asked_at(COMPLETIONS)) == 1


async def test_a_template_around_the_text_is_seen_through(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    found = await find_out(provider, MODEL)
    assert (found.completion, found.questions) == ("chat", "chat")
    assert len(fake.asked_at(COMPLETIONS)) == 1


@pytest.mark.parametrize(("templates", "completion"), [(False, "raw"), (True, "chat")])
async def test_series_tell_where_tokens_are_not_counted(
    fake: FakeOpenAI, provider: OpenAICompatible, templates: bool, completion: str
) -> None:
    fake.counts, fake.templates = False, templates
    assert (await find_out(provider, MODEL)).completion == completion
    probes = [(one["prompt"], one["max_tokens"]) for one in fake.asked_at(COMPLETIONS)]
    assert probes == [
        ("a", 1),
        ("a b c d e f g h", 4),
        ("1, 2, 3, 4, 5, 6, 7,", 4),
        ("Monday, Tuesday, Wednesday,", 4),
    ]


@pytest.mark.parametrize(
    ("texts", "completion"),
    [
        (["\n i j", "8,", "It"], "raw"),
        (["is", "8", "no"], "chat"),
        (["i", "88", "Thu"], "chat"),
        (["It seems", " 8", "Thursday"], "raw"),
    ],
)
async def test_two_of_three_series_have_to_go_on(
    fake: FakeOpenAI, provider: OpenAICompatible, texts: list[str], completion: str
) -> None:
    for text in ["b", *texts]:
        fake.then(200, {"choices": [{"text": text}]})
    assert (await find_out(provider, MODEL)).completion == completion


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"error": {"message": "Not Found"}}),
        (405, "Method Not Allowed"),
        (400, {"error": {"message": "This is a chat model"}}),
        (501, {"error": {"message": "not supported"}}),
        (200, {"choices": []}),
        (200, {"choices": [{"index": 0}]}),
        (200, {"choices": [{"message": {"content": "b"}}], "usage": {"prompt_tokens": 1}}),
        (200, {"choices": [{"text": None}], "usage": {"prompt_tokens": 1}}),
        (200, {"error": {"message": "no such thing"}}),
        (200, "<html>welcome</html>"),
    ],
)
async def test_what_is_no_raw_endpoint_is_asked_by_chat(
    fake: FakeOpenAI, provider: OpenAICompatible, status: int, body: object
) -> None:
    fake.then(status, body)
    found = await find_out(provider, MODEL)
    assert (found.completion, found.questions) == ("chat", "chat")
    assert len(fake.asked_at(COMPLETIONS)) == 1, "it is tried once"


@pytest.mark.parametrize("status", [503, 429])
async def test_a_server_in_trouble_says_nothing_about_its_endpoints(
    fake: FakeOpenAI, provider: OpenAICompatible, status: int
) -> None:
    for _ in range(core.providers.base.TRIES):
        fake.then(status, {"error": {"message": "busy"}}, Retry_After="0")
    with pytest.raises(ProviderError, match="busy"):
        await find_out(provider, MODEL)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_not_a_refused_chat(
    fake: FakeOpenAI, provider: OpenAICompatible, status: int
) -> None:
    fake.templates = False
    fake.when(lambda call: call.path.endswith("/chat/completions"), refusing(status))
    with pytest.raises(FatalError, match=f"HTTP {status}"):
        await find_out(provider, MODEL)


def refusing(status: int) -> Any:
    async def refuse(call: Call) -> Any:
        return call.fake.failure(status, "no")

    return refuse


async def test_a_chat_that_is_refused_where_nothing_is_raw_fails(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    fake.has_chat = False
    with pytest.raises(FatalError, match="chat template"):
        await find_out(provider, MODEL)


async def test_what_the_user_says_is_not_tried(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    assert await find_out(provider, MODEL, asked=Endpoints("raw", "raw")) == ModelTraits()
    assert fake.bodies == []
    found = await find_out(provider, MODEL, asked=Endpoints("chat", "chat"))
    assert found == ModelTraits("step_by_step", questions="chat")
    assert fake.asked_at(COMPLETIONS) == []


async def test_the_checks_of_a_base_model_never_chat(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    base_model(fake)
    seen = await preflight(provider, MODEL)
    assert seen.failed == ()
    assert seen.endpoints == Endpoints("raw", "raw")
    assert "completion raw, questions raw" in seen.notes
    assert len(fake.asked_at(CHAT)) == 1, "the one that was refused"
    checked = fake.asked_at(COMPLETIONS)[-1]
    assert (checked["n"], checked["stop"], checked["max_tokens"]) == (8, ["\n"], 32)
    assert checked["prompt"].startswith("Question: ")
    assert checked["prompt"].endswith("\nAnswer:")


async def test_both_endpoints_have_to_answer(fake: FakeOpenAI, provider: OpenAICompatible) -> None:
    fake.templates = False
    known = replace(describe(MODEL), completion="raw")
    assert (await preflight(provider, MODEL, known=known)).failed == ()
    assert len(fake.asked_at(COMPLETIONS)) == 1
    fake.when(lambda call: call.path == "/v1/completions", refusing(404))
    (check,) = (await preflight(provider, MODEL, known=known)).failed
    assert check.name == "endpoints"
    assert "the completion task cannot be asked at raw" in check.detail


def test_a_raw_question_is_thought_about_step_by_step() -> None:
    native = ModelTraits("native", on={"think": True}).apply_to(describe(MODEL))
    raw = apply_endpoints(native, MODEL, Endpoints("raw", "raw"))
    assert (raw.thinking, dict(raw.options)) == ("step_by_step", {"top_k": -1, "min_p": 0.0})
    assert apply_endpoints(native, MODEL, Endpoints("raw", "auto")).thinking == "native"


@pytest.mark.parametrize("asked", [Endpoints("raw", "auto"), Endpoints("auto", "raw")])
def test_gemini_has_no_raw_endpoint(asked: Endpoints) -> None:
    model = "gemini:gemini-2.5-flash"
    with pytest.raises(UsageError, match="no endpoint for raw completions"):
        apply_endpoints(describe(model), model, asked)


def test_capabilities_of_an_earlier_version() -> None:
    stored = {"draws": 8, "raw_completion": True, "thinking": "step_by_step"}
    known = Capabilities.from_json(stored)
    assert (known.completion, known.questions) == ("raw", "chat")
