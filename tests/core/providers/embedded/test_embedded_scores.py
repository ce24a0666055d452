"""The embedded model's log probabilities: those of one pass over each whole text."""

import asyncio
import ctypes
import math
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from core.errors import LostkeysError
from core.providers.base import FatalError, TransientError, UnanswerableError
from core.providers.embedded import llama_library, weights
from core.providers.embedded.embedded_scorer import CONTEXT, EmbeddedScorer, ScoreChild
from core.providers.embedded.llama_library import BATCH, LayoutError, LlamaContext
from core.providers.embedded.tree_decoder import Logits, TreeDecoder, children
from core.providers.logprobs.option_scorer import score_request
from core.providers.logprobs.option_tree import OptionTree, Tokens
from core.providers.logprobs.self_test import check_scorer
from core.providers.registry import open_scorer
from tests.patience import wait_until

pytestmark = pytest.mark.slow

CAPITALS = "France Paris Italy Rome Germany Berlin Japan Tokyo Spain"
CITIES = [" Madrid", " Lisbon", " Vienna", " Mexico City", " Ouagadougou", " Oslo"]
YEARS = "Feynman 1918 Bohr 1885 Marie Curie 1867 Einstein"
OPTIONS = [" 1879", " 1878", " 1918", " 2 BC", " about 1870"]
CLOSE = 1e-3
ONE_BYTE = ctypes.c_uint8, (ctypes.c_void_p,)

PARENT = """
import asyncio, sys, time
from core.providers.embedded.embedded_scorer import EmbeddedScorer, ScoreChild
asyncio.run(EmbeddedScorer().plan("a", [" b"]))
print(ScoreChild.open_shared().pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def model() -> str:
    try:
        return str(weights.find())
    except LostkeysError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def context(model: str) -> LlamaContext:
    """The model in this process, without any cleverness."""
    return LlamaContext(model, 512, 1)


@pytest.fixture(params=[1, 2])
def scorer(model: str, request: pytest.FixtureRequest) -> Iterator[EmbeddedScorer]:
    """A child of one and of two threads."""
    child = ScoreChild(threads=request.param)
    yield EmbeddedScorer(child)
    child.close()


@pytest.fixture
async def shared(model: str) -> AsyncIterator[EmbeddedScorer]:
    """The program's own."""
    scorer = open_scorer("embedded:smollm2-135m")
    assert isinstance(scorer, EmbeddedScorer)
    assert scorer.exact
    yield scorer
    await scorer.close()


def in_one_pass(context: LlamaContext, tree: OptionTree) -> list[float]:
    """Scores by one forward pass over each whole text."""
    found = []
    for option in tree.options:
        context.cut(0)
        start = len(tree.prefix) - 1
        places = range(start, start + len(option))
        values = [
            children(logits, [option[at - start]])[option[at - start]]
            for at, logits in context.decode([*tree.prefix, *option], 0, places)
        ]
        found.append(math.fsum(values))
    return found


async def test_a_tree_scores_as_one_pass_over_each_text(
    scorer: EmbeddedScorer, context: LlamaContext
) -> None:
    trees: dict[str, OptionTree] = {}
    scores: dict[str, dict[str, float]] = {}
    asked: list[tuple[str, Sequence[str]]] = [(CAPITALS, CITIES), (YEARS, OPTIONS)]
    for text, options in (*asked, asked[0], (YEARS, OPTIONS[::-1]), (CAPITALS[:-6], CITIES)):
        found = await scorer.score(text, options)
        tree = trees[text] = await scorer.plan(text, options)
        named = dict(zip(options, found.logprobs.tolist(), strict=True))
        assert scores.setdefault(text, named) == named, "whatever was asked before, in any order"
        assert found.mass <= 1.0
        assert found.logprobs.dtype == np.float32
    assert {len(one) for one in trees[CAPITALS].options} >= {1, 2, 6}
    for text, options in asked:
        tree = await scorer.plan(text, options)
        expected = in_one_pass(context, tree)
        assert [scores[text][one] for one in options] == pytest.approx(expected, abs=CLOSE)
    assert max(scores[CAPITALS], key=lambda one: scores[CAPITALS][one]) == " Madrid"


def test_without_either_rule_numbers_are_others(context: LlamaContext, model: str) -> None:
    """What would be if tokens were decoded alone, or with flash attention."""

    class Alone(LlamaContext):
        def decode(
            self, tokens: Sequence[int], place: int, wanted: Sequence[int]
        ) -> Iterator[tuple[int, Logits]]:
            """One token after the other, where there is something before them."""
            if not place:
                yield from super().decode(tokens, place, wanted)
                return
            for at, token in enumerate(tokens):
                for _, logits in super().decode([token], place + at, [0] * (at in wanted)):
                    yield at, logits

    begin = context.tokenize(YEARS)
    ends = [tuple(context.tokenize(f"{YEARS}{one}")[len(begin) :]) for one in OPTIONS]
    tree = OptionTree(tuple(begin), tuple(ends))
    expected = in_one_pass(context, tree)

    def farthest(other: LlamaContext) -> float:
        decoder = TreeDecoder(other, BATCH)
        decoder.walk(OptionTree(tree.prefix, tree.options[:1]))
        scores = tree.total(decoder.walk(tree))
        return float(np.abs(scores - np.array(expected)).max())

    assert farthest(LlamaContext(model, 512, 1)) < CLOSE
    assert farthest(Alone(model, 512, 1)) > 10 * CLOSE
    assert farthest(LlamaContext(model, 512, 1, flash=True)) > 10 * CLOSE


async def test_other_facts_of_a_relation_keep_the_examples(shared: EmbeddedScorer) -> None:
    examples = "Feynman 1918 Bohr 1885 Marie Curie 1867 Max Planck 1858"
    first = await shared.plan(f"{examples} Einstein", OPTIONS)
    second = await shared.plan(f"{examples} Rutherford", OPTIONS)
    fewer = await shared.plan(f"{examples.rpartition(' Max')[0]} Einstein", OPTIONS)
    before = None
    for tree, text in (
        (first, f"{examples} Einstein"),
        (second, f"{examples} Rutherford"),
        (fewer, f"{examples.rpartition(' Max')[0]} Einstein"),
    ):
        found = await shared.score(text, OPTIONS)
        if before is not None:
            assert found.cost == shared.cost(tree, before)
            assert found.cost.cached > 20
        before = tree


@pytest.mark.parametrize(
    ("text", "options", "prefix"),
    [
        ("Einstein", [" 1879", " 1889"], "Einstein"),
        ("Einstei", ["n 1879", " 1889"], None),
        ("日本", ["東京", "大阪"], "日本"),
        ("日本の首都は", ["東京", "京都"], "日本の首都は"),
        ("cafe", ["\u0301s", "\u0301 noir"], None),
        ("mood 👩", ["\u200d🔬", "\u200d🎨"], None),
        ("mood 👩", ["🏽", "🏿"], None),
        ("naïve\u0000 <|im_start|>user <|im_end|>", [" a", " b"], None),
    ],
)
async def test_options_begin_where_the_tokeniser_lets_them(
    shared: EmbeddedScorer, context: LlamaContext, text: str, options: list[str], prefix: str | None
) -> None:
    def said(tokens: Tokens) -> bytes:
        return b"".join(context.piece(one) for one in tokens)

    tree = await shared.plan(text, options)
    for option, tokens in zip(options, tree.options, strict=True):
        whole = f"{text}{option}".encode()
        assert said((*tree.prefix, *tokens)) == whole
        assert [*tree.prefix, *tokens] == context.tokenize(f"{text}{option}"), "as one text"
    assert text.encode().startswith(said(tree.prefix))
    if prefix is not None:
        assert said(tree.prefix).decode() == prefix
    found = await shared.score(text, options)
    assert found.logprobs.tolist() == pytest.approx(in_one_pass(context, tree), abs=CLOSE)


async def test_what_cannot_be_scored_says_why(shared: EmbeddedScorer) -> None:
    with pytest.raises(UnanswerableError, match=f"more than the {CONTEXT:,} of the context"):
        await shared.score("word " * (CONTEXT + 90), [" a"])
    with pytest.raises(UnanswerableError, match="no token stands before the options"):
        await shared.score("", ["a", "b"])
    with pytest.raises(UnanswerableError, match="half a character"):
        await shared.score("a \ud800", [" b"])
    reply = await shared.ask(score_request(CAPITALS, CITIES))
    assert reply.answers == 1
    assert reply.logprobs is not None
    assert max(reply.logprobs) == reply.logprobs[0], "Madrid"


async def test_a_child_that_died_is_started_again(shared: EmbeddedScorer) -> None:
    first = await shared.score("a", [" b", " c"])
    child = ScoreChild.open_shared()
    os.kill(child.pid, signal.SIGKILL)
    with pytest.raises(TransientError, match="has ended"):
        await EmbeddedScorer(child).score("a", [" b", " c"])
    again = await shared.score("a", [" b", " c"])
    assert again.logprobs.tolist() == first.logprobs.tolist()
    assert ScoreChild.open_shared().pid != child.pid


async def test_asked_at_once_each_has_its_own_answer(shared: EmbeddedScorer) -> None:
    texts = [f"{number} {number + 1} {number + 2}" for number in range(4)]
    alone = [await shared.score(text, [" 4", " 5"]) for text in texts]
    together = await asyncio.gather(*(shared.score(text, [" 4", " 5"]) for text in texts))
    assert [one.logprobs.tolist() for one in together] == [one.logprobs.tolist() for one in alone]


async def test_a_model_that_cannot_be_loaded_is_fatal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(range(256)))
    monkeypatch.setenv("LOSTKEYS_GGUF", str(bad))
    ScoreChild.stop_shared()
    with pytest.raises(FatalError, match=r"bad\.gguf"):
        await EmbeddedScorer().score("a", [" b"])


@pytest.mark.parametrize(
    "break_it",
    [
        lambda patch: patch.setattr(llama_library, "ENUMS", (0, -1, -1, 0, -1)),
        lambda patch: patch.setattr(llama_library, "FLOATS", (1.0, 0.0, -1.0, -1.0)),
        lambda patch: patch.setitem(llama_library.SIGNATURES, "llama_gone", (None, ())),
        lambda patch: patch.setitem(llama_library.SIGNATURES, "llama_n_ubatch", ONE_BYTE),
        lambda patch: patch.setattr("importlib.util.find_spec", lambda name: None),
    ],
    ids=["enums", "floats", "function", "read back", "library"],
)
def test_a_build_that_is_not_known_is_told_apart(
    break_it: object, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    assert callable(break_it)
    break_it(monkeypatch)
    with pytest.raises(LayoutError):
        LlamaContext(model, 512, 1)


async def test_the_embedded_model_passes_its_test(shared: EmbeddedScorer) -> None:
    found = await check_scorer(shared)
    assert found.passed, found.refusal
    assert found.as_json() == {"way": "tree", "exact": True, "faults": (), "farthest": 0.0}


async def test_a_build_that_is_not_known_is_asked_by_its_server(model: str) -> None:
    child = ScoreChild(threads=1)
    exact = await EmbeddedScorer(child).score(CAPITALS, CITIES)
    child.unknown = "llama.cpp's structures are not as they were"
    scorer = EmbeddedScorer(child)
    found = await check_scorer(scorer)
    assert found.passed, found.refusal
    assert (found.way, found.exact) == ("n_probs", False)
    assert scorer.remarks == (
        "scores come from llama.cpp's server and are inexact: "
        "llama.cpp's structures are not as they were",
    )
    scores = await scorer.score(CAPITALS, CITIES)
    tree = await scorer.plan(CAPITALS, CITIES)
    assert scorer.cost(tree).requests == len(tree.nodes)
    assert scores.logprobs.tolist() == pytest.approx(exact.logprobs.tolist(), abs=1.0)
    await scorer.close()
    with pytest.raises(FatalError, match=r"by tree, and this llama\.cpp gives them by n_probs"):
        await EmbeddedScorer(child, "tree").score(CAPITALS, CITIES)
    child.close()


def test_the_child_ends_with_a_killed_parent(model: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, cwd=Path(__file__).parents[4]
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    wait_until(lambda: is_gone(child))


def is_gone(pid: int) -> bool:
    """Whether the process has ended. A zombie that nobody buries counts as ended."""
    words = ["ps", "-o", "stat=", "-p", str(pid)]
    state = subprocess.run(words, capture_output=True, text=True).stdout.strip()
    return not state or state.startswith("Z")
