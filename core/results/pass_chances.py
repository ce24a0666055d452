"""The chance of a question to pass if its answers were drawn again, from its label counts.

Two ways to draw again: from the labels themselves, with replacement, as a resample does; and
from the chance of a right answer, which is not known from n answers alone. That has a Beta
posterior: what the questions of the task and setting are like (by moments), and the answers of
this one. Answers that cannot be graded stay as they are.

Sources: Calderon et al., appendix C.4; Kleinman (1973), moments of Beta-distributed chances.
"""

from functools import cache
from math import comb, exp, lgamma

import numpy as np
import numpy.typing as npt

from core.scoring.policy import Policy
from core.scoring.question_states import FAIL, PASS, states
from core.vocabulary import Strategy

AT_ONCE = 1 << 20
"""Numbers of an intermediate array, so that many answers need time but no more memory."""


Kinds = npt.NDArray[np.int64]
"""The different label counts of gradable questions, shape (labels, kinds)."""


Chances = npt.NDArray[np.float64]


def resampled_chances(kinds: Kinds, size: int, policy: Policy) -> Chances:
    """The exact chance that `size` labels drawn with replacement pass, shape (kinds,).

    The multinomial probability of every way to draw that passes, added up. A draw that cannot
    be graded does not pass.
    """
    ways = _passing_ways(size, policy)
    logs = np.concatenate([[0.0], np.log(np.arange(1, size + 1)).cumsum()])
    orders = np.exp(logs[size] - logs[ways].sum(axis=0))
    shares = kinds / kinds.sum(axis=0)
    powers = shares[..., None] ** np.arange(size + 1)
    found = np.zeros(kinds.shape[1])
    step = max(1, AT_ONCE // max(1, ways.shape[1]))
    for start in range(0, found.size, step):
        part = slice(start, start + step)
        chance = np.broadcast_to(orders, (powers[0, part].shape[0], orders.size))
        for label, times in enumerate(ways):
            chance = chance * powers[label, part][:, times]
        found[part] = chance.sum(axis=1)
    return np.minimum(found, 1.0)


def _passing_ways(size: int, policy: Policy) -> npt.NDArray[np.int64]:
    """Counts of the four labels that sum to `size` and pass, shape (labels, ways)."""
    partially = size + 1 if policy.strategy is Strategy.PARTIAL else 1
    drawn = np.indices((size + 1, size + 1, partially)).reshape(3, -1)
    drawn = drawn[:, drawn.sum(axis=0) <= size]
    ways = np.concatenate([drawn, size - drawn.sum(axis=0, keepdims=True)])
    passing: npt.NDArray[np.int64] = ways[:, states(ways, policy) == PASS]
    return passing


LEAST_ALIKE, MOST_ALIKE = 1e-3, 0.99
"""Bounds of how far answers to one question are alike (the intraclass correlation)."""


def redrawn_chances(
    counts: npt.NDArray[np.int64], policy: Policy
) -> tuple[Chances, Chances, npt.NDArray[np.bool_]]:
    """The chance of each question to pass in a redraw, in both of two, and whether it is gradable.

    `counts` has shape (4, facts).
    """
    correct, incorrect = counts[0], counts[1]
    prior = _prior(correct, correct + incorrect)
    kinds, at = np.unique(counts[:3], axis=1, return_inverse=True)
    chances = np.array([_pass_chance(c, i, p, prior, policy) for c, i, p in kinds.T.tolist()])
    state = states(counts, policy)
    once, both = chances.reshape(-1, 2)[at.ravel()].T
    return once, both, (state == PASS) | (state == FAIL)


def _pass_chance(
    correct: int, incorrect: int, partially: int, prior: tuple[float, float], policy: Policy
) -> tuple[float, float]:
    n = correct + incorrect
    again = np.zeros((4, n + 1), np.int64)
    again[0], again[2] = np.arange(n + 1), partially
    again[1] = n - again[0]
    passes = np.flatnonzero(states(again, policy) == PASS).tolist()
    a, b = prior[0] + correct, prior[1] + incorrect
    once = sum(_beta_binomial(k, n, a, b) for k in passes)
    halves = enumerate(_both_pass(n, tuple(passes)))
    both = sum(share * _beta_binomial(right, 2 * n, a, b) for right, share in halves if share)
    return once, both


@cache
def _both_pass(n: int, passes: tuple[int, ...]) -> tuple[float, ...]:
    """How likely both halves of 2 n answers pass, by how many of all are right: 0 to 2 n."""
    ways = [comb(n, k) for k in passes]
    found = [0] * (2 * n + 1)
    for one, of_one in zip(passes, ways, strict=True):
        for other, of_other in zip(passes, ways, strict=True):
            found[one + other] += of_one * of_other
    return tuple(both / comb(2 * n, right) for right, both in enumerate(found))


@cache
def _beta_binomial(k: int, n: int, a: float, b: float) -> float:
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + _log_beta(k + a, n - k + b) - _log_beta(a, b))


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _prior(correct: npt.NDArray[np.int64], gradable: npt.NDArray[np.int64]) -> tuple[float, float]:
    """The Beta distribution of chances of the questions of one task and setting, by moments."""
    there = gradable > 0
    if np.count_nonzero(there) < 2:
        return 0.5, 0.5
    c, n = correct[there], gradable[there]
    few = 0.5 / int(n.sum())
    mean = min(max(float(c.sum() / n.sum()), few), 1 - few)
    spread = mean * (1 - mean)
    noise = float(np.mean(spread / n))
    alike = (float(np.mean((c / n - mean) ** 2)) - noise) / max(spread - noise, 1e-12)
    alike = min(max(alike, LEAST_ALIKE), MOST_ALIKE)
    return mean * (1 / alike - 1), (1 - mean) * (1 / alike - 1)
