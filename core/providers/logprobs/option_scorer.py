"""Providers that say how probable given texts are after another, in place of sampling any.

ZP-LKE, section 3.2: a model knows a fact where the right object is the most probable of many.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from core.providers.base import Provider, Reply, Request
from core.providers.logprobs.option_tree import Float32, OptionTree


@dataclass(frozen=True, slots=True)
class ScoreCost:
    """What scores take: requests to a model, tokens that it reads, those of them it has cached."""

    requests: int = 0
    tokens: int = 0
    cached: int = 0

    def __add__(self, other: "ScoreCost") -> "ScoreCost":
        return ScoreCost(
            self.requests + other.requests,
            self.tokens + other.tokens,
            self.cached + other.cached,
        )


@dataclass(frozen=True, slots=True)
class ScoredOptions:
    """The log probability of each continuation, in the order in which they were given.

    `mass` is the most that the children of one node of their tree have of all probability.
    """

    logprobs: Float32
    mass: float
    cost: ScoreCost


class OptionScorer(Provider, ABC):
    """A model behind a way to its log probabilities.

    `way` names it. `exact`: whether its numbers are those of one pass over each whole text; else
    they may be off by what caches and batches of a server round. `at_once`: texts that it takes at
    once without losing what it has cached of one to another.
    """

    way: str = ""
    exact: bool = False
    at_once: int = 1

    @abstractmethod
    async def score(
        self, text: str, continuations: Sequence[str], temperature: float = 1.0
    ) -> ScoredOptions:
        """The log probabilities of continuations after a text, of tokens that follow the border.

        `temperature` is what a server is told, which changes nothing. Raises as `Provider.draw`.
        """

    @abstractmethod
    async def plan(self, text: str, continuations: Sequence[str]) -> OptionTree:
        """The tree of the same continuations, by the model's tokeniser; asks no model."""

    @abstractmethod
    def cost(self, tree: OptionTree, before: OptionTree | None = None) -> ScoreCost:
        """What the scores of a tree take, right after those of another."""

    async def draw(self, request: Request) -> Reply:
        """The scores of a request's `continuations` after its `text`, as `Reply.logprobs`."""
        assert request.text is not None
        found = await self.score(request.text, request.continuations, request.temperature)
        return Reply(
            (),
            input_tokens=found.cost.tokens,
            output_tokens=0,
            logprobs=tuple(map(float, found.logprobs)),
        )


def score_request(text: str, continuations: Sequence[str]) -> Request:
    """The request for the log probabilities of continuations, each with what parts it from the
    text."""
    return Request(1, 0, 1.0, None, text=text, continuations=tuple(continuations))
