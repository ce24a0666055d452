"""Ways in which servers can be asked for log probabilities: node by node, or text by text."""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from core.errors import LostkeysError
from core.providers.logprobs.option_scorer import ScoreCost
from core.providers.logprobs.option_tree import (
    Logprobs,
    OptionTree,
    Tokens,
    TokenText,
    option_tree,
    shared_length,
)
from core.providers.openai_compatible import OpenAICompatible

LEAST = -9998.0
"""Below this a number stands for none: vLLM writes -9999 for a probability of 0."""

TOGETHER = 8
"""What is under way at once with a server that works on several requests."""

T = TypeVar("T")


class WayError(LostkeysError):
    """A server cannot be asked in this way: what came lacks what was asked for."""


class ScoreWay(ABC):
    """One way to ask one server. `name` is how recipes call it.

    `together`: requests about one text that are under way at once, and texts.
    """

    name: str
    together = TOGETHER

    def __init__(self, client: OpenAICompatible, model: str) -> None:
        self.client, self.model = client, model

    @abstractmethod
    async def tree(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """The tree of what may follow a text, by the server's tokeniser."""

    @abstractmethod
    async def values(
        self,
        text: str,
        continuations: Sequence[str],
        temperature: float,
        known: dict[Tokens, Logprobs],
    ) -> tuple[OptionTree, Mapping[Tokens, Logprobs]]:
        """The tree with the values of its nodes; those in `known` are there, and others added."""

    @abstractmethod
    def cost(self, tree: OptionTree, before: OptionTree | None) -> ScoreCost:
        """What a tree takes, right after another."""


class PieceTokens(ScoreWay):
    """A tokeniser that says what each token stands for."""

    async def tree(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """As `ScoreWay.tree`, a request a text: each is tokenised as one."""
        texts = await gather_all([self.tokenize(f"{text}{one}") for one in continuations], TOGETHER)
        return option_tree(texts, len(text.encode()))

    @abstractmethod
    async def tokenize(self, text: str) -> TokenText:
        """The tokens of a text, with one that begins it where the model wants one."""


class NodeWay(ScoreWay):
    """A request a node: the tokens up to it, and the ids of those that may follow."""

    most = 1
    """Ids that a request may name."""

    @abstractmethod
    async def ask(self, tokens: Tokens, wanted: Tokens, temperature: float) -> Logprobs:
        """The log probabilities of the wanted next tokens, by id; NaN for what is none."""

    async def values(
        self,
        text: str,
        continuations: Sequence[str],
        temperature: float,
        known: dict[Tokens, Logprobs],
    ) -> tuple[OptionTree, Mapping[Tokens, Logprobs]]:
        """As `ScoreWay.values`; the first node goes alone, so that its text is in the cache."""
        tree = await self.tree(text, continuations)

        async def learn(path: Tokens, wanted: Tokens) -> None:
            if path not in known:
                known[path] = await self.ask((*tree.prefix, *path), wanted, temperature)

        first, *others = tree.nodes.items()
        await learn(*first)
        await gather_all([learn(*one) for one in others], self.together)
        return tree, known

    def cost(self, tree: OptionTree, before: OptionTree | None) -> ScoreCost:
        """As `ScoreWay.cost`: what the text of a node shares with the one before it is cached."""
        total, last = ScoreCost(), before.prefix if before is not None else ()
        for path, wanted in tree.nodes.items():
            tokens = (*tree.prefix, *path)
            cached = shared_length((last, tokens[:-1])) if last else 0
            requests = self.requests(wanted)
            again = (requests - 1) * len(tokens)
            total += ScoreCost(requests, requests * len(tokens), cached + again)
            last = tokens
        return total

    def requests(self, wanted: Tokens) -> int:
        """How many requests the children of a node take."""
        return math.ceil(len(wanted) / self.most)


class TextWay(ScoreWay):
    """A request an option: its whole text, of which every token comes back with a value."""

    @abstractmethod
    async def read_logprobs(
        self, text: str, temperature: float
    ) -> tuple[TokenText, Sequence[float]]:
        """A text's tokens, and how probable each is after those before it (NaN for the first)."""

    async def tree(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """As `ScoreWay.tree`; the model reads the texts."""
        tree, _ = await self.values(text, continuations, 1.0, {})
        return tree

    async def values(
        self,
        text: str,
        continuations: Sequence[str],
        temperature: float,
        known: dict[Tokens, Logprobs],
    ) -> tuple[OptionTree, Mapping[Tokens, Logprobs]]:
        """As `ScoreWay.values`; of a node that options share, the value that came last."""
        found = await gather_all(
            [self.read_logprobs(f"{text}{one}", temperature) for one in continuations],
            self.together,
        )
        tree = option_tree([one for one, _ in found], len(text.encode()))
        border = len(tree.prefix)
        values: dict[Tokens, dict[int, float]] = {}
        for option, (_, numbers) in zip(tree.options, found, strict=True):
            for at, token in enumerate(option):
                values.setdefault(option[:at], {})[token] = numbers[border + at]
        return tree, values

    def cost(self, tree: OptionTree, before: OptionTree | None) -> ScoreCost:
        """As `ScoreWay.cost`: texts whose values are wanted skip a server's cache."""
        lengths = [len(tree.prefix) + len(option) for option in tree.options]
        return ScoreCost(len(lengths), sum(lengths), 0)


async def gather_all(requests: Sequence[Any], most: int) -> list[Any]:
    """What requests bring, in their order, so many under way at once; the first error ends all."""
    room, failed = asyncio.Semaphore(most), False

    async def one(request: Any) -> Any:
        nonlocal failed
        async with room:
            if failed:
                return None
            try:
                return await request
            except BaseException:
                failed = True
                raise

    tasks = [asyncio.ensure_future(one(request)) for request in requests]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in requests:
            request.close()  # one that has not begun


def number(value: object) -> float:
    """A log probability as it came; NaN for what is none."""
    if type(value) not in (int, float):
        return math.nan
    found = float(value)  # type: ignore[arg-type]
    return found if found >= LEAST else math.nan


def part(document: Any, *keys: str | int) -> Any:
    """What stands at a place of a decoded answer; None where there is no such place."""
    for key in keys:
        try:
            document = document[key]
        except (LookupError, TypeError):
            return None
    return document


def token_ids(document: Any, place: str = "tokens") -> Tokens:
    """The token ids in an answer; raises `WayError` where there are none."""
    found = part(document, place)
    if not isinstance(found, list) or not all(type(one) is int for one in found):
        raise WayError("the server does not say of which tokens a text is made")
    return tuple(found)
