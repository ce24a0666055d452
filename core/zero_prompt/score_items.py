"""What all parts of a run of scores have in common: one request, and the work that asks it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.engine.work_source import ItemResult
from core.providers.base import Reply, Request
from core.zero_prompt.score_plan import CHOICE, RESPONSE

FAILED = "a log probability is missing, or is none"


@dataclass(frozen=True, slots=True)
class ScoreItem:
    """One request: what of its part it is for (a fact's id, or a place), with its options."""

    stage: str
    request: Request
    part: int
    key: int
    options: tuple[str, ...] = ()
    things: int = 1

    @property
    def channel(self) -> str:
        """The test decides who is asked: for log probabilities, or for a response."""
        return RESPONSE if self.stage == RESPONSE else CHOICE


class ScorePartWork(Protocol):
    """One part of a run: what it still asks, by keys that it claims under a name."""

    claimed: str
    keys: Sequence[int]

    def find_left(self, keys: Sequence[int]) -> list[int]:
        """Those of these keys that are still to be asked, whoever else has worked on them."""

    def item(self, number: int, key: int) -> ScoreItem:
        """What is asked for a key; `number` is the part's. Raises `LostkeysError` if it cannot."""

    def store(self, replies: Sequence[tuple[ScoreItem, Reply]]) -> list[ItemResult[ScoreItem]]:
        """Write down what came. Inside a transaction."""
