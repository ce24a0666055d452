"""Log probabilities from servers, each in its own wire format."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest
from aiohttp import web

from core.errors import UsageError
from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.logprobs import llama_server, vllm_server
from core.providers.logprobs.option_scorer import ScoreCost, score_request
from core.providers.logprobs.option_tree import OptionTree
from core.providers.logprobs.server_scorer import ServerScorer
from core.providers.logprobs.sglang_server import ends_inside
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
from tests.fakes.service import Call, listening
from tests.fakes.toy_model import ToyModel

TEXT = "France Paris Japan Tokyo Norway"
OPTIONS = (" Oslo", " Oslo City", " Mexico", " 1879", " 1818", " é京", " 京都", "ra Paris")
WAYS = [
    (FakeLlama, (), "n_probs"),
    (FakeVllm, (), "logprob_token_ids"),
    (FakeVllm, (Lie.IGNORES_IDS,), "prompt_logprobs"),
    (FakeVllm, (Lie.IGNORES_IDS, Lie.IGNORES_PROMPT_LOGPROBS), "echo"),
    (FakeSglang, (), "token_ids_logprob"),
    (FakeSglang, (Lie.IGNORES_IDS,), "logprob_start_len"),
    (FakeEcho, (), "echo"),
]
BY_NODE = [one for one in WAYS if one[2] in ("n_probs", "logprob_token_ids", "token_ids_logprob")]
PATHS = {
    "n_probs": "/completion",
    "token_ids_logprob": "/generate",
    "logprob_start_len": "/generate",
}


@asynccontextmanager
async def scoring(fake: FakeScores) -> AsyncIterator[ServerScorer]:
    """A scorer of a fake that listens."""
    async with listening(fake):
        scorer = open_scorer(f"openai:m@{fake.base_url}")
        assert isinstance(scorer, ServerScorer)
        yield scorer
        await scorer.close()


def expected(model: ToyModel, tree: OptionTree) -> list[float]:
    found = []
    for option in tree.options:
        places = [(*tree.prefix, *option[:at]) for at in range(len(option))]
        values = zip(places, option, strict=True)
        found.append(sum(model.logprobs(place)[token] for place, token in values))
    return found


@pytest.mark.parametrize("begin", [False, True])
@pytest.mark.parametrize(("kind", "lies", "way"), WAYS)
async def test_each_kind_of_server_is_scored_in_its_best_way(
    kind: type[FakeScores], lies: tuple[Lie, ...], way: str, begin: bool
) -> None:
    fake = kind(ToyModel(begin), *lies)
    async with scoring(fake) as scorer:
        reply = await scorer.ask(score_request(TEXT, OPTIONS))
        assert (scorer.way, scorer.exact) == (way, False)
        tree = await scorer.plan(TEXT, OPTIONS)
    model = fake.model
    if way != "echo":  # which numbers tokens by their names
        assert model.bytes_of(tree.prefix).decode() == "France Paris Japan Tokyo Norwa"
        texts = [model.bytes_of((*tree.prefix, *one)).decode() for one in tree.options]
        assert texts == [f"{TEXT}{one}" for one in OPTIONS]
    border = len(tree.prefix)
    scores = [model.score(TEXT, one, border) for one in OPTIONS]
    assert reply.logprobs == pytest.approx(scores, abs=1e-5)
    assert reply.answers == 1


@pytest.mark.parametrize("sentence_piece", [False, True])
async def test_names_of_tokens_are_read_as_bytes(sentence_piece: bool) -> None:
    fake = FakeVllm()
    fake.sentence_piece = sentence_piece
    async with scoring(fake) as scorer:
        tree = await scorer.plan("naïve 京", ["都", " é", " 👩\u200d🔬"])
    assert fake.model.bytes_of(tree.prefix).decode(errors="replace") == "naïve "
    assert len(tree.options) == 3


@pytest.mark.parametrize(("kind", "lies", "way"), WAYS)
async def test_what_is_counted_before_is_what_is_asked(
    kind: type[FakeScores], lies: tuple[Lie, ...], way: str
) -> None:
    fake = kind(ToyModel(), *lies)
    async with scoring(fake) as scorer:
        tree = await scorer.plan(TEXT, OPTIONS)
        cost = scorer.cost(tree)
        path = PATHS.get(way, "/v1/completions")
        before = fake.asked_by_path[path]
        await scorer.score(TEXT, OPTIONS)
        assert fake.asked_by_path[path] - before == cost.requests
    by_node = way in {one[2] for one in BY_NODE}
    assert cost.requests == (len(tree.nodes) if by_node else len(OPTIONS))
    assert 0 <= cost.cached < cost.tokens
    assert scorer.cost(tree, tree).cached >= cost.cached


def test_nodes_after_one_another_share_what_stands_before_them() -> None:
    scorer = open_scorer("openai:m@http://127.0.0.1:9/v1", "logprob_token_ids")
    tree = OptionTree((1, 2, 3), ((4, 5), (4, 6), (7,)))
    assert scorer.cost(tree) == ScoreCost(2, 3 + 4, 3)
    other = OptionTree((1, 2, 9), tree.options)
    assert scorer.cost(other, tree) == ScoreCost(2, 3 + 4, 2 + 3)
    assert ScoreCost(1, 2, 3) + ScoreCost(1, 1, 1) == ScoreCost(2, 3, 4)


async def test_facts_are_counted_without_a_model() -> None:
    fake = FakeVllm()
    async with listening(fake):
        scorer = open_scorer(f"openai:m@{fake.base_url}", "logprob_token_ids")
        total, before = ScoreCost(), None
        for text in (TEXT, f"{TEXT} Oslo Austria"):
            tree = await scorer.plan(text, OPTIONS)
            total, before = total + scorer.cost(tree, before), tree
        assert set(fake.calls) == {"POST /tokenize"}
        for text in (TEXT, f"{TEXT} Oslo Austria"):
            await scorer.score(text, OPTIONS)
        await scorer.close()
    assert fake.asked_by_path["/v1/completions"] == total.requests
    assert total.cached > total.tokens / 2


@pytest.mark.parametrize(("kind", "lies", "way"), WAYS)
async def test_the_way_that_is_named_is_the_one_asked(
    kind: type[FakeScores], lies: tuple[Lie, ...], way: str
) -> None:
    fake = kind(ToyModel())
    async with listening(fake):
        scorer = open_scorer(f"openai:m@{fake.base_url}", way)
        tree = await scorer.plan(TEXT, OPTIONS)
        found = await scorer.score(TEXT, OPTIONS)
        await scorer.close()
    assert scorer.way == way
    assert scorer.at_once == (1 if way == "n_probs" else 8)
    scores = [fake.model.score(TEXT, one, len(tree.prefix)) for one in OPTIONS]
    assert found.logprobs.tolist() == pytest.approx(scores, abs=1e-5)
    assert fake.asked_by_path[PATHS.get(way, "/v1/completions")] >= scorer.cost(tree).requests


def test_a_way_that_there_is_not_is_named() -> None:
    with pytest.raises(UsageError, match="no way to log probabilities is called 'guess'"):
        open_scorer("openai:m@http://127.0.0.1:9/v1", "guess")


async def test_tokens_beyond_the_probable_ones_are_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_server, "PROBABLE", 40)
    fake = FakeLlama()
    async with scoring(fake) as scorer:
        tree = await scorer.plan(TEXT, OPTIONS)
        found = await scorer.score(TEXT, OPTIONS)
    assert found.logprobs.tolist() == pytest.approx(expected(fake.model, tree), abs=1e-5)
    forced = [body["grammar"] for body in fake.bodies if "grammar" in body]
    assert len(forced) > 3
    assert all(one.startswith("root ::= <[") for one in forced)


async def test_half_a_character_is_chosen_again() -> None:
    fake = FakeLlama(ToyModel(), Lie.HALVES)
    async with scoring(fake) as scorer:
        tree = await scorer.plan(TEXT, OPTIONS)
        found = await scorer.score(TEXT, OPTIONS)
    assert found.logprobs.tolist() == pytest.approx(expected(fake.model, tree), abs=1e-5)


async def test_half_a_character_that_is_forced_has_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(llama_server, "PROBABLE", 2)
    fake = FakeLlama()
    async with scoring(fake) as scorer:
        await scorer.plan(TEXT, OPTIONS)
        said = web.json_response({"content": "\ufffd", "tokens": []})

        async def half(call: Call) -> web.StreamResponse:
            return said

        fake.when(lambda call: "grammar" in call.body, half, times=1)
        found = await scorer.score(TEXT, OPTIONS)
    assert np.isnan(found.logprobs).any()
    assert not np.isnan(found.logprobs).all()


async def test_ids_are_named_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_server.VllmNodes, "most", 2)
    fake = FakeVllm()
    fake.most_ids = 2
    async with scoring(fake) as scorer:
        tree = await scorer.plan(TEXT, OPTIONS)
        found = await scorer.score(TEXT, OPTIONS)
        assert scorer.cost(tree).requests > len(tree.nodes)
    assert found.logprobs.tolist() == pytest.approx(expected(fake.model, tree), abs=1e-5)


@pytest.mark.parametrize(("kind", "lies", "way"), BY_NODE)
async def test_nodes_that_were_answered_are_not_asked_again(
    kind: type[FakeScores], lies: tuple[Lie, ...], way: str
) -> None:
    fake = kind(ToyModel(), *lies)
    path = PATHS.get(way, "/v1/completions")
    async with scoring(fake) as scorer:
        tree = await scorer.plan(TEXT, OPTIONS)
        once = fake.asked_by_path[path]
        fails = iter([False, False, False, True])
        fake.when(lambda call: call.path == path and next(fails, False), faults.overloaded)
        with pytest.raises(TransientError, match="503"):
            await scorer.score(TEXT, OPTIONS)
        found = await scorer.score(TEXT, OPTIONS)
        assert fake.asked_by_path[path] - once <= len(tree.nodes) + 8
    assert found.logprobs.tolist() == pytest.approx(expected(fake.model, tree), abs=1e-5)
    if way == "n_probs":
        assert fake.asked_by_path[path] - once == len(tree.nodes)


@pytest.mark.parametrize(("kind", "lies", "way"), WAYS)
async def test_a_text_that_does_not_fit_is_unanswerable(
    kind: type[FakeScores], lies: tuple[Lie, ...], way: str
) -> None:
    fake = kind(ToyModel(), *lies)
    async with scoring(fake) as scorer:
        await scorer.plan(TEXT, OPTIONS)
        fake.context = 8
        with pytest.raises(UnanswerableError, match="maximum context length is 8"):
            await scorer.score(TEXT, OPTIONS)


@pytest.mark.parametrize(("kind", "lies", "way"), WAYS)
async def test_texts_that_do_not_join_are_unanswerable(
    kind: type[FakeScores], lies: tuple[Lie, ...], way: str
) -> None:
    fake = kind(ToyModel(), *lies)
    async with scoring(fake) as scorer:
        await scorer.plan(TEXT, OPTIONS)
        fake.lies.add(Lie.OTHER_TEXT)
        with pytest.raises(UnanswerableError, match="do not join to the input"):
            await scorer.score(TEXT, OPTIONS)


async def test_a_refused_key_is_no_fault_of_the_way() -> None:
    fake = FakeVllm()
    fake.key = "other"
    async with scoring(fake) as scorer:
        with pytest.raises(FatalError, match="the key was refused"):
            await scorer.score(TEXT, OPTIONS)
    assert len(fake.calls) == 1


async def test_a_server_of_chat_alone_says_so() -> None:
    fake = FakeChat()
    async with scoring(fake) as scorer:
        with pytest.raises(FatalError, match="no endpoint that continues a text"):
            await scorer.score(TEXT, OPTIONS)


async def test_values_that_are_none_are_missing() -> None:
    fake = FakeVllm(ToyModel())
    async with scoring(fake) as scorer:
        await scorer.plan(TEXT, OPTIONS)
        fake.lies.add(Lie.NOT_FINITE)
        found = await scorer.score(TEXT, OPTIONS)
    assert np.isnan(found.logprobs).any()
    assert not np.isnan(found.logprobs).all()


@pytest.mark.parametrize("lie", [Lie.OTHER_ID, Lie.IGNORES_IDS, Lie.IGNORES_PROMPT_LOGPROBS])
async def test_values_of_other_tokens_never_count(lie: Lie) -> None:
    """A server that lies from some time on: what it sends is asked for again."""
    for kind, lies, _ in WAYS[1:]:  # llama.cpp's ids cannot be told from right ones
        fake = kind(ToyModel(), *lies)
        async with scoring(fake) as scorer:
            before = await scorer.score(TEXT, OPTIONS)
            fake.lies.add(lie)
            try:
                after = await scorer.score(TEXT, OPTIONS)
            except TransientError:
                continue
            same = np.isnan(after.logprobs) | (after.logprobs == before.logprobs)
            assert same.all()


@pytest.mark.parametrize("model", ["openai:gpt-5", "gemini:gemini-2.5-flash"])
def test_services_of_chat_alone_are_refused_unasked(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="by chat alone"):
        open_scorer(model)


@pytest.mark.parametrize(
    ("said", "text", "inside"),
    [
        ("ab", "ab", True),
        ("ab", "abc", True),
        ("abc", "ab", False),
        (" ab", "ab", True),
        ("ab\ufffd", "ab", False),  # the first byte of an option
        ("ab\ufffd", "ab京", True),  # a byte of the input's last character
        ("ab京", "ab京", True),
        ("ax", "ab", False),
        ("a\ufffdb", "a\ufffdbc", True),
        ("a\ufffd", "a\ufffd", True),
    ],
)
def test_what_tokens_stand_for_tells_where_they_end(said: str, text: str, inside: bool) -> None:
    assert ends_inside(said, text) is inside


async def test_requests_are_plain_json() -> None:
    fake = FakeSglang()
    async with scoring(fake) as scorer:
        await scorer.score("a\u0000 \u2028 京", [" b", " c"])
    assert all(json.dumps(body) for body in fake.bodies)
