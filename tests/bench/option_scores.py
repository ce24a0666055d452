"""What the scores of options take: the embedded model, and requests to servers.

Real relations of Nobel laureates: birth years, cities and full dates. `uv run python -m
tests.bench.option_scores [--examples 50] [--facts 4] [--threads 2]` prints, with all times of one
run:

first    tokens that the first fact decodes, and seconds
next     the same of each fact after it: the examples are in the cache
limit    seconds of decoding as many tokens in the same batches, and nothing else
passes   seconds of a pass over each option's whole text (from one pass)
server   seconds of the same facts through llama.cpp's server, a request a node
fewer    tokens that the first fact decodes after another number of examples of the same seed
nodes    requests that a fact takes where servers take ids, and where they echo texts
"""

import argparse
import asyncio
import csv
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.providers.embedded import weights
from core.providers.embedded.embedded_scorer import CONTEXT, EmbeddedScorer, ScoreChild
from core.providers.embedded.llama_library import BATCH, LlamaContext
from core.providers.embedded.model_server import EmbeddedServer
from core.providers.embedded.tree_decoder import Logits, TreeDecoder
from core.providers.logprobs.option_scorer import OptionScorer
from core.providers.logprobs.option_tree import OptionTree, Tokens
from core.providers.logprobs.server_scorer import ServerScorer
from core.zero_prompt.examples import ExampleChoice, choose_examples
from core.zero_prompt.input_form import InputForm, input_text
from core.zero_prompt.option_choice import options_of
from core.zero_prompt.relation import Relation
from core.zero_prompt.training_split import Triple

LAUREATES = Path(__file__).parents[2].parent / "shared/data/triples/nobel_laureates.csv"
COLUMNS = {"years": "birth_year", "cities": "birth_city", "dates": "birth_date"}

MOST_TOKENS = 50_000
"""More than the embedded model has."""

Asked = tuple[str, list[str]]
"""A text, and its continuations."""


@dataclass(frozen=True)
class EmbeddedTimes:
    """Tokens that were decoded and seconds, of one relation."""

    first_tokens: int
    first: float
    next_tokens: float
    next: float
    limit: float
    passes: float
    fewer_tokens: int

    def __str__(self) -> str:
        return (
            f"first {self.first_tokens} tokens {self.first:.2f} s   "
            f"next {self.next_tokens:.0f} tokens {self.next:.2f} s   "
            f"limit {self.limit:.2f} s ({self.next / self.limit:.2f} of it)   "
            f"passes {self.passes:.0f} s ({self.passes / self.next:.0f} times as long)   "
            f"fewer {self.fewer_tokens} tokens"
        )


def read_relation(name: str) -> Relation:
    """One relation of the laureates."""
    with LAUREATES.open(newline="", encoding="utf-8") as file:
        rows = [
            Triple(row["laureate_id"], row["name"], row[COLUMNS[name]])
            for row in csv.DictReader(file)
            if row[COLUMNS[name]]
        ]
    return Relation(name, rows)


def ask_about(relation: Relation, examples: int, facts: int, options: int = 100) -> list[Asked]:
    """Inputs of some facts, with what may follow them."""
    form, found = InputForm(), list[Asked]()
    for one in relation.split.evaluation:
        texts = options_of(relation, one, options)
        if texts is None or len(found) == facts:
            continue
        shown = choose_examples(relation, one.subject, ExampleChoice(examples))
        text = input_text(form, shown, one.subject)
        found.append((text, [f"{form.inner}{text}" for text in texts]))
    return found


async def measure_embedded(
    relation: Relation, examples: int, facts: int, threads: int, options: int = 100
) -> EmbeddedTimes:
    """The embedded model, cold and warm, and in turn with it what its decoding takes alone."""
    asked = ask_about(relation, examples, facts + 1, options)
    child = ScoreChild(threads=threads)
    try:
        scorer = EmbeddedScorer(child)
        trees = [await scorer.plan(*one) for one in asked]
        alone = DecodingAlone(trees, threads)
        first_tokens, first = await _scored(scorer, asked[0])
        alone.decode(0)
        scored: list[tuple[int, float]] = []
        limits: list[float] = []
        for at, one in enumerate(asked[1:], 1):
            scored.append(await _scored(scorer, one))
            limits.append(await asyncio.to_thread(alone.decode, at))
        (fewer,) = ask_about(relation, examples // 2, 1, options)
        fewer_tokens, _ = await _scored(scorer, fewer)
    finally:
        child.close()
    return EmbeddedTimes(
        first_tokens,
        first,
        sum(tokens for tokens, _ in scored) / facts,
        sum(seconds for _, seconds in scored) / facts,
        sum(limits) / facts,
        alone.one_pass() * options,
        fewer_tokens,
    )


class DecodingAlone:
    """The batches of some trees, decoded in this process, without tokens, logits or lines."""

    def __init__(self, trees: Sequence[OptionTree], threads: int) -> None:
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")  # as in the child
        self._context = LlamaContext(str(weights.find()), CONTEXT, threads)
        self._trees = trees
        noted = NotedBatches()
        decoder = TreeDecoder(noted, BATCH)
        self._batches: list[list[tuple[Tokens, int]]] = []
        for tree in trees:
            decoder.walk(tree)
            self._batches.append(noted.batches)
            noted.batches = []

    def decode(self, tree: int) -> float:
        """Seconds of decoding what is new of a tree after the one before it."""
        start = time.perf_counter()
        for tokens, place in self._batches[tree]:
            self._context.cut(place)
            list(self._context.decode(tokens, place, [len(tokens) - 1]))
        return time.perf_counter() - start

    def one_pass(self) -> float:
        """Seconds of a pass over the text of one option."""
        tree = OptionTree(self._trees[0].prefix, self._trees[0].options[:1])
        self._context.cut(0)
        start = time.perf_counter()
        TreeDecoder(self._context, BATCH).walk(tree)
        return time.perf_counter() - start


class NotedBatches:
    """A sequence that notes what it is to decode."""

    def __init__(self) -> None:
        self.batches: list[tuple[Tokens, int]] = []

    def cut(self, length: int) -> int:
        """All of it is there."""
        return length

    def decode(
        self, tokens: Sequence[int], place: int, wanted: Sequence[int]
    ) -> Iterator[tuple[int, Logits]]:
        """Note a batch; each next token is as probable as any."""
        self.batches.append((tuple(tokens), place))
        for at in wanted:
            yield at, np.zeros(MOST_TOKENS, np.float32)


async def measure_server(relation: Relation, examples: int, facts: int, threads: int) -> float:
    """Seconds a fact from the second on, through llama.cpp's own server."""
    asked = ask_about(relation, examples, facts + 1)
    server = EmbeddedServer(slots=1, context=CONTEXT, unified=False, threads=threads)
    scorer = ServerScorer(server.model, server.base_url, server.api_key, "n_probs")
    try:
        await scorer.score(*asked[0])
        start = time.perf_counter()
        for one in asked[1:]:
            await scorer.score(*one)
        return (time.perf_counter() - start) / facts
    finally:
        await scorer.close()
        server.close()


async def count_requests(relation: Relation, examples: int) -> dict[str, int]:
    """Requests about a fact by the way, with the embedded model's tokens."""
    (asked,) = ask_about(relation, examples, 1)
    tree = await EmbeddedScorer().plan(*asked)
    ways = ("logprob_token_ids", "token_ids_logprob", "n_probs", "echo")
    return {
        way: ServerScorer("m", "http://127.0.0.1:9/v1", way=way).cost(tree).requests for way in ways
    }


async def _scored(scorer: OptionScorer, asked: Asked) -> tuple[int, float]:
    """Tokens that were decoded for a fact, and seconds."""
    start = time.perf_counter()
    found = await scorer.score(*asked)
    return found.cost.tokens - found.cost.cached, time.perf_counter() - start


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--examples", type=int, default=50)
    options.add_argument("--facts", type=int, default=4, help="after the first")
    options.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options.add_argument("--relation", choices=sorted(COLUMNS), action="append")
    given = options.parse_args()
    for name in given.relation or ["years"]:
        relation = read_relation(name)
        times = asyncio.run(measure_embedded(relation, given.examples, given.facts, given.threads))
        print(f"{name}, n = {given.examples}: {times}")
        server = asyncio.run(measure_server(relation, given.examples, given.facts, given.threads))
        print(f"{name}: server {server:.2f} s a fact ({server / times.next:.2f} of the embedded)")
    for name in COLUMNS:
        print(f"{name}: requests a fact {asyncio.run(count_requests(read_relation(name), 10))}")


if __name__ == "__main__":
    main()
