"""What a way to log probabilities has to show before its numbers count.

Servers take parameters and ignore them, give values of other tokens, or values after sampling.
Each of these shows in the scores of ten capitals, which any language model can tell apart.
"""

import math
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from core.providers.base import FatalError, TransientError, UnanswerableError, retry_call
from core.providers.deadline import FIRST, wait_within
from core.providers.logprobs.option_scorer import OptionScorer, ScoredOptions
from core.providers.logprobs.option_tree import Float32

TEXT = "France Paris Italy Rome Germany Berlin Japan Tokyo Spain"
RIGHT = " Madrid"
OPTIONS = (
    RIGHT,
    " Lisbon",
    " Vienna",
    " Cairo",
    " Oslo",
    " Warsaw",
    " Athens",
    " Dublin",
    " Mexico City",
    " Ouagadougou",
)
OTHER_TEXT, OTHER_OPTIONS = "Monday Tuesday Wednesday", (" Thursday", " Sunday", " June")
TEMPERATURE = 0.4
"""Another than the 1 that scores are asked for with."""

EXACT, CLOSE = 1e-6, 0.05
"""How far apart two scores of one option may be, where numbers are exact and elsewhere."""

LOST = "values of tokens that the server has cached are lost"
MOST_MASS = 1.001
OF_KEY = (401, 403, 407)
"""Statuses of refusals that say nothing about a model."""

ABOVE = 1e-6
"""A log probability above this is none."""


@dataclass(frozen=True, slots=True)
class ScoreFault:
    """What a way did not show: `check` names it, `reason` says it in one line."""

    check: str
    reason: str


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What came of the test of one way. `farthest`: the most that scores of an option differ."""

    way: str
    exact: bool
    faults: tuple[ScoreFault, ...] = ()
    farthest: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the numbers of this way count."""
        return not self.faults

    @property
    def exactness(self) -> str:
        """How far its numbers may be off."""
        return "exact" if self.exact else f"inexact, by up to {self.farthest:.2g}"

    @property
    def refusal(self) -> str:
        """Why they do not, and what can be asked in place of them."""
        reasons = "; ".join(fault.reason for fault in self.faults)
        instead = "" if "--test response" in reasons else ": try --test response"
        return f"no log probabilities can be had in this way: {reasons}{instead}"

    def as_json(self) -> dict[str, object]:
        """As recipes keep it."""
        return asdict(self)


async def check_scorer(scorer: OptionScorer) -> SelfTest:
    """Ask for a few scores and look what they have in common; eight requests for scores at most.

    Raises `TransientError` where a server does not answer in some tries, and `FatalError` for a
    refused key: that says nothing of its numbers.
    """
    try:
        first = await _ask(scorer, TEXT, OPTIONS)
    except UnanswerableError as error:
        return _result(scorer, [ScoreFault("tokens", str(error))])
    except FatalError as error:
        if error.status in OF_KEY:
            raise
        return _result(scorer, [ScoreFault("way", str(error))])
    faults = [*_check_alone(first)]
    if faults and faults[0].check == "finite":
        fresh = await _ask(scorer, f"{secrets.token_hex(4)} {TEXT}", OPTIONS)
        if np.isfinite(fresh.logprobs).all():  # what was asked in an earlier test is cached
            faults = [ScoreFault("cache", LOST)]
    if faults:
        return _result(scorer, faults)
    back = (await _ask(scorer, TEXT, OPTIONS[::-1])).logprobs[::-1]
    await _ask(scorer, OTHER_TEXT, OTHER_OPTIONS)
    again = (await _ask(scorer, TEXT, OPTIONS)).logprobs
    warm = (await _ask(scorer, TEXT, OPTIONS, TEMPERATURE)).logprobs
    scores, close = first.logprobs, EXACT if scorer.exact else CLOSE
    if any(np.isnan(one).any() for one in (back, again, warm)):
        return _result(scorer, [ScoreFault("cache", LOST)])
    for check, other, why in (
        ("order", back, "scores change with the order of the options"),
        ("again", again, "scores change with what was asked before"),
        ("temperature", warm, "scores change with the temperature: they are those after sampling"),
    ):
        if (far := _measure_gap(scores, other)) > close:
            faults.append(ScoreFault(check, f"{why} (by {far:.3g})"))
    farthest = max(_measure_gap(scores, one) for one in (back, again, warm))
    return _result(scorer, faults, farthest)


async def _ask(
    scorer: OptionScorer, text: str, options: Sequence[str], temperature: float = 1.0
) -> ScoredOptions:
    limit = scorer.deadline.timeout or FIRST
    try:
        return await wait_within(
            limit, retry_call(lambda: scorer.score(text, options, temperature))
        )
    except TimeoutError as error:
        raise TransientError(str(error)) from error


def _check_alone(found: ScoredOptions) -> Sequence[ScoreFault]:
    """What is wrong with scores that have nothing beside them."""
    scores = found.logprobs
    missing = int(np.count_nonzero(~np.isfinite(scores)))
    if missing:
        why = f"{missing} of {len(OPTIONS)} options have a token without a log probability"
        return [ScoreFault("finite", why)]
    if scores.max() > ABOVE:
        return [
            ScoreFault("positive", f"a log probability is {scores.max():.3g}, which is above 0")
        ]
    if found.mass > MOST_MASS:
        why = f"next tokens have a probability of {found.mass:.3g} together: these are other values"
        return [ScoreFault("mass", why)]
    best = OPTIONS[int(scores.argmax())]
    if best != RIGHT:
        why = f"after {TEXT!r} comes{best}, not{RIGHT}: these are values of other tokens or texts"
        return [ScoreFault("first", why)]
    return []


def _measure_gap(one: Float32, other: Float32) -> float:
    """The most by which two scores of an option differ; infinite where one is missing."""
    far = np.abs(one.astype(np.float64) - other).max()
    return math.inf if math.isnan(far) else float(far)


def _result(scorer: OptionScorer, faults: Sequence[ScoreFault], farthest: float = 0.0) -> SelfTest:
    return SelfTest(scorer.way, scorer.exact, tuple(faults), farthest)
