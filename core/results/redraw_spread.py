"""How far a model's numbers would move if all its answers were drawn again, of the same facts.

Two redraws from the same chances differ; half the mean of their squared differences is the
variance that draws alone bring. Facts are drawn for themselves, so it is a sum over facts, and
nothing is simulated: a number is taken for linear in what facts add to it.
"""

from math import sqrt

import numpy as np
import numpy.typing as npt

from core.results.redraw_chances import RedrawChances, read_redraws
from core.results.share_intervals import rates_of
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import (
    EXCLUDED_NAN,
    INCOMPLETE,
    NO_PROFILE,
    VERDICT_BY_BITS,
    Mask,
    Verdicts,
)
from core.stats.fact_shares import FactShare

Pairs = npt.NDArray[np.float64]


def measure_redraws(
    tally: LabelCounts, verdicts: Verdicts, policy: Policy, place: int, facts: Mask
) -> dict[str, float | None]:
    """The standard deviation of each number of one model over some facts, by redraws alone.

    None where a number has nothing to divide by, and for all where draws are left to come.
    """
    rates = rates_of(verdicts, place)
    verdict = verdicts.verdict[place]
    mine = facts & (verdict != INCOMPLETE) & (verdict != EXCLUDED_NAN)
    redraws = read_redraws(tally, verdicts, policy, place)
    if (redraws.open & mine).any():
        return dict.fromkeys(rates)
    pairs = _state_pairs(redraws)[..., mine].sum(axis=-1)
    outcomes = _outcomes(bool(verdicts.thinking[place]))
    return {name: _spread(pairs, rate, outcomes[name], facts) for name, rate in rates.items()}


def _spread(pairs: Pairs, rate: FactShare, outcome: FactShare, facts: Mask) -> float | None:
    hits, base = int((rate.hits & facts).sum()), int((rate.base & facts).sum())
    if not base:
        return None
    worth = outcome.hits.astype(np.float64) - hits / base * outcome.base
    change = (worth[:, None] - worth[None, :]) ** 2
    return sqrt(float((pairs * change).sum()) / 2) / base


def _state_pairs(redraws: RedrawChances) -> Pairs:
    """How likely a fact is in one state, then in another: (8, 8, facts), by 4 E + 2 K0 + KT."""
    never = np.zeros_like(redraws.encodes[0])
    found = np.ones((1, 1, never.size))
    for once, both in (redraws.encodes, redraws.knows, redraws.thinking or (never, never)):
        bit = np.array([[1 - 2 * once + both, once - both], [once - both, both]])
        size = 2 * len(found)
        found = np.einsum("abf,cdf->acbdf", found, bit).reshape(size, size, -1)
    return found


def _outcomes(thinking: bool) -> dict[str, FactShare]:
    """What a fact in each of the eight states adds to each number."""
    bits = np.arange(8)
    encodes, knows, on = ((bits & bit > 0)[None] for bit in (4, 2, 1))
    verdict = VERDICT_BY_BITS if thinking else np.full(8, NO_PROFILE, np.uint8)
    return rates_of(Verdicts(verdict[None], encodes, knows, on, np.array([thinking])), 0)
