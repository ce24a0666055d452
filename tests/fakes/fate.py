"""How a batch of a fake service goes."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Fate:
    """What becomes of a batch. Time passes by a step whenever the batch is read.

    `state`: the last one, after so many steps; `done`: the share of its requests that was done by
    then. `refused`: the share of what was done that ended in an error of its own, with `status`.
    `errors`: what is said of a batch that failed as a whole. `padding`: bytes of blank lines at
    the end of its answers.
    """

    state: str
    steps: int = 2
    done: float = 1.0
    refused: float = 0.0
    status: int = 500
    errors: list[dict[str, Any]] = field(default_factory=list)
    padding: int = 0


Lines = list[dict[str, Any]]


def divided(lines: Sequence[dict[str, Any]], fate: Fate) -> tuple[Lines, Lines, Lines]:
    """Requests that were answered, that were refused, that were never done; in no order."""
    mixed = list(lines)
    random.Random(7).shuffle(mixed)
    done = round(fate.done * len(mixed))
    refused = round(fate.refused * done)
    return mixed[refused:done], mixed[:refused], mixed[done:]
