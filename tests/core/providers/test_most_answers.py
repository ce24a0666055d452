"""How many answers to one request: by what a refusal says, kept to, and kept."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

import db.project_values
from core.project import OpenProject
from core.providers import model_traits, most_answers
from core.providers.base import FatalError, Request
from core.providers.capabilities import Capabilities
from core.providers.model_traits import ModelTraits
from core.providers.openai_compatible import OpenAICompatible
from core.providers.registry import describe
from core.sampling.preflight import preflight
from db.connection import write_transaction
from prompts import Message
from tests.fakes.openai_server import FakeOpenAI

MODEL = "openai:m@http://127.0.0.1:9/v1"
CHAT = Request(8, 32, 1.0, 1.0, messages=(Message("user", "Who?"),), samples=tuple(range(8)))
PYDANTIC = {
    "type": "less_than_equal",
    "loc": ["body", "n"],
    "msg": "Input should be less than or equal to 4",
    "input": 8,
    "ctx": {"le": 4},
}

NAMING_FOUR = [
    "1 <= value <= 4",
    "Field 'n': Value must be between 1 <= value <= 4, but got 8",
    "n must be <= 4",
    "n must be at most 4, got 8.",
    "'n' : number must be at most 4",
    "Range of n should be [1, 4]",
    "Invalid 'n': integer above maximum value. Expected a value <= 4, but got 8 instead.",
    "n must be between 1 and 4",
    "n has a value of 8, the supported range is from 1 (inclusive) to 5 (exclusive)",
    "n must be less than 5",
    "invalid n: only 1..4",
    "n > 4 is not supported",
    "n must not be greater than 4",
    "the maximum n is 4",
    str([PYDANTIC]),
    [PYDANTIC],
]


@pytest.fixture
async def provider(fake: FakeOpenAI) -> AsyncIterator[OpenAICompatible]:
    fake.unique = True
    provider = OpenAICompatible("m", fake.base_url, timeout=5)
    yield provider
    await provider.close()


def asked(fake: FakeOpenAI) -> list[int]:
    return [body["n"] for body in fake.bodies]


@pytest.mark.parametrize("said", NAMING_FOUR, ids=str)
async def test_the_limit_that_is_named_is_asked_for(
    fake: FakeOpenAI, provider: OpenAICompatible, said: object
) -> None:
    fake.most, fake.says_most = 4, said
    assert len((await provider.draw(CHAT)).draws) == 4
    assert asked(fake) == [8, 4]
    assert provider.most_answers == 4
    await provider.draw(CHAT)
    assert asked(fake) == [8, 4, 4], "it is kept to"


@pytest.mark.parametrize(
    "said",
    [
        "n_cmpl cannot be greater than the number of slots, please increase -np",
        "The parameter n is too large",
        "n: 8 is out of range",
    ],
)
@pytest.mark.parametrize(("most", "tries"), [(4, [8, 4]), (3, [8, 4, 2]), (1, [8, 4, 2, 1])])
async def test_without_a_limit_half_is_asked_for(
    fake: FakeOpenAI, provider: OpenAICompatible, said: str, most: int, tries: list[int]
) -> None:
    fake.most, fake.says_most = most, said
    await provider.draw(CHAT)
    assert asked(fake) == tries
    assert provider.most_answers == tries[-1]


@pytest.mark.parametrize(
    "said",
    [
        "'n' must be 1",
        "Only one completion choice is allowed",
        "Invalid n value (currently only n = 1 is supported)",
        "Unsupported value: 'n' does not support 8. Only the default (1) value is supported.",
    ],
)
async def test_one_that_is_named(fake: FakeOpenAI, provider: OpenAICompatible, said: str) -> None:
    fake.most, fake.says_most = 1, said
    await provider.draw(CHAT)
    assert asked(fake) == [8, 1]


@pytest.mark.parametrize(
    "said", ["temperature must be <= 1", "max_tokens must be at most 4", "no such field"]
)
async def test_a_refusal_of_something_else_is_no_limit(
    fake: FakeOpenAI, provider: OpenAICompatible, said: str
) -> None:
    fake.then(400, {"error": {"message": said}})
    with pytest.raises(FatalError):
        await provider.draw(CHAT)
    assert (len(fake.bodies), provider.most_answers) == (1, None)


async def test_many_at_once_find_out_the_same(fake: FakeOpenAI, provider: OpenAICompatible) -> None:
    fake.most, fake.says_most = 4, "n is too large"
    replies = await asyncio.gather(*(provider.draw(CHAT) for _ in range(8)))
    assert [len(reply.draws) for reply in replies] == [4] * 8
    assert provider.most_answers == 4


async def test_a_limit_that_was_named_in_vain_is_not_learnt(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    fake.most, fake.says_most = 0, "n must be <= 0"
    with pytest.raises(FatalError):
        await provider.draw(CHAT)
    assert provider.most_answers is None


async def test_the_check_says_how_many(fake: FakeOpenAI, provider: OpenAICompatible) -> None:
    fake.most = 4
    known = describe(MODEL)
    for one in (known, ModelTraits(most_answers=4).apply_to(known)):
        seen = await preflight(provider, MODEL, known=one)
        assert (seen.failed, seen.most_answers) == ((), 4)
        (check,) = [check for check in seen.checks if check.name == "n"]
        assert check.detail == "at most 4 answers to a request"
    assert asked(fake) == [8, 4, 4]


async def test_a_refusal_without_a_reason_is_tried_with_half(
    fake: FakeOpenAI, provider: OpenAICompatible
) -> None:
    fake.most, fake.says_most = 3, "Bad Request"
    seen = await preflight(provider, MODEL, known=describe(MODEL))
    assert (seen.failed, seen.most_answers) == ((), 2)
    assert asked(fake) == [8, 4, 2]


@pytest.mark.parametrize(("single", "most"), [(True, 1), (False, None)])
def test_what_an_earlier_version_kept(project: OpenProject, single: bool, most: int | None) -> None:
    stored = {"thinking": "native", "off": {"think": False}, "on": {}, "always_thinks": False}
    with write_transaction(project.connection):
        db.project_values.set_value(
            project.connection, f"found:{MODEL}", json.dumps({**stored, "single": single})
        )
    seen = model_traits.read_traits(project.connection, MODEL)
    assert seen == ModelTraits("native", off={"think": False}, questions="chat", most_answers=most)
    assert seen.apply_to(Capabilities()).draws == (most or 8)
    most_answers.keep_most(project.connection, MODEL, 4)
    assert model_traits.read_traits(project.connection, MODEL).most_answers == (most or 4)
