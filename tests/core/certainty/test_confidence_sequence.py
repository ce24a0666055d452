"""The confidence sequence equals its formulas in plain Python, and holds at every look."""

import numpy as np
import pytest

from core.certainty.audit_bets import NumberBets
from core.certainty.audit_estimates import estimate_ratio
from core.certainty.audit_order import order_facts
from core.certainty.confidence_sequence import ConfidenceSequence, NumberSpan

Pairs = list[tuple[float, float]]


def plain(truth: Pairs, graded: Pairs, weights: list[int], span: NumberSpan) -> list[float]:
    """The interval after these facts, one candidate after another (certainty.md 2)."""
    start = -1000 if span.gap else 0
    left = [k for k in range(start, 1001) if survives(k / 1000, truth, graded, weights, span)]
    return [(left[0] - 1) / 1000, (left[-1] + 1) / 1000]


def survives(
    r: float,
    truth: Pairs,
    graded: Pairs,
    weights: list[int],
    span: NumberSpan,
    alpha: float = 0.05,
) -> bool:
    possible = [(-1, 1), (1, 1), (0, 1)] if span.gap else [(1, 1), (0, 1), (0, 0)]
    possible += [(1, 0)] if span.outside else []
    values = [a - r * b for a, b in possible]
    least, most = min(values), max(values)
    own = [a - r * b for a, b in graded]
    must, rest, wealth = -sum(own), sum(own), 1.0
    if not len(graded) * least - rest - 1e-9 <= must <= len(graded) * most - rest + 1e-9:
        return False
    seen: list[float] = []
    spread = 0.0
    for t, (a, b) in enumerate(truth):
        n, weight = len(graded) - t, sum(weights[t:])
        d = (a - r * b) - own[t]
        m, y, top = must / n, d * weight / (n * weights[t]), (most - least) * weight / n
        mu = sum(seen) / (5 + t)
        s = (0.5 + spread) / (5 + t)
        stake = (mu - m) / (s + (mu - m) ** 2)
        stake = max(-0.8 / max(top - m, 1e-9), min(0.8 / max(top + m, 1e-9), stake))
        wealth *= max(1 + stake * (y - m), 0)
        seen.append(y)
        spread += (y - mu) ** 2
        must -= d
        rest -= own[t]
        n -= 1
        if wealth >= 1 / alpha or not n * least - rest - 1e-9 <= must <= n * most - rest + 1e-9:
            return False
    return True


KINDS = {
    "share": (NumberSpan(), [(1, 1), (0, 1), (0, 0)]),
    "knows": (NumberSpan(outside=True), [(1, 1), (0, 1), (0, 0), (1, 0)]),
    "gap": (NumberSpan(gap=True), [(1, 1), (0, 1), (-1, 1), (0, 0)]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_what_the_formulas_say(kind: str) -> None:
    span, possible = KINDS[kind]
    rng = np.random.default_rng(3)
    graded = [possible[place] for place in rng.choice(len(possible), 40, p=weighted(len(possible)))]
    truth = [possible[rng.integers(len(possible))] if rng.random() < 0.2 else one for one in graded]
    weights = rng.choice([1, 3], 40, p=[0.7, 0.3]).tolist()
    numbers = np.array(graded, float)
    bets = ConfidenceSequence([span], totals(numbers), 40, sum(weights))
    low, high = bets.grid[0], bets.grid[-1]
    for place in range(40):
        person, own = np.array([truth[place]], float), numbers[place : place + 1]
        bets.add((person[:, 0], person[:, 1]), (own[:, 0], own[:, 1]), weights[place])
        if place in (4, 19, 33):
            expected = plain(truth[: place + 1], graded, weights, span)
            assert bets.low[0, 0] == pytest.approx(max(low, expected[0]))
            assert bets.high[0, 0] == pytest.approx(min(high, expected[1]))
        assert bets.low[0, 0] >= low - 1e-12
        assert bets.high[0, 0] <= high + 1e-12
        low, high = bets.low[0, 0], bets.high[0, 0]
    exact = sum(a for a, _ in truth) / sum(b for _, b in truth)
    assert [low, high] == pytest.approx([exact, exact])


def weighted(many: int) -> list[float]:
    return [0.3, 0.5, *[0.2 / (many - 2)] * (many - 2)]


def totals(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return numbers[:, 0].sum(keepdims=True), numbers[:, 1].sum(keepdims=True)


def test_all_audited_is_the_person_and_a_person_like_the_graders_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    graded = (rng.random(30) < 0.4).astype(float), np.ones(30)
    truth = (rng.random(30) < 0.3).astype(float), (rng.random(30) < 0.9).astype(float)
    truth = truth[0] * truth[1], truth[1]
    weights = np.where(rng.random(30) < 0.3, 3.0, 1.0)
    bets = NumberBets([graded], weights, [NumberSpan()])
    bets.add([truth])
    (whole,) = bets.numbers([truth])
    exact = truth[0].sum() / truth[1].sum()
    assert whole.audited == pytest.approx(exact)
    assert list(whole.interval) == pytest.approx([exact, exact])
    same = graded[0][:12], graded[1][:12]
    bets = NumberBets([graded], weights, [NumberSpan()])
    bets.add([same])
    (part,) = bets.numbers([same])
    assert part.audited == part.graded
    assert part.audited is not None
    assert part.interval[0] <= part.audited <= part.interval[1]


def test_the_estimate_is_right_on_average() -> None:
    """Unbiased sums over many orders: weights of facts do not pull the share."""
    rng = np.random.default_rng(9)
    parted = rng.random(60) < 0.3
    person = (rng.random(60) < 0.4).astype(float)
    graders = np.where(parted & (rng.random(60) < 0.6), 1 - person, person)
    weights = np.where(parted, 3, 1)
    ones, found = np.ones(60), []
    for seed in range(400):
        order = order_facts([str(one) for one in range(60)], weights.tolist(), seed)
        graded, truth = (graders[order], ones), (person[order[:20]], ones[:20])
        found.append(estimate_ratio(graded, truth, weights[order].astype(float)))
    shares = np.array(found, float)
    error = float(shares.std()) / 20
    assert float(shares.mean()) == pytest.approx(person.mean(), abs=4 * error)
    assert abs(graders.mean() - person.mean()) > 5 * error


def test_it_holds_at_every_look() -> None:
    """120 audits of 200 facts by graders that are wrong on 15 %: the truth is never left out."""
    rng = np.random.default_rng(11)
    many, facts = 120, 200
    person = (rng.random((many, facts)) < 0.3).astype(float)
    wrong = rng.random((many, facts)) < 0.15
    graded = np.where(wrong, 1 - person, person)
    weights = np.where(wrong & (rng.random((many, facts)) < 0.7), 3, 1)
    for one in range(many):
        order = order_facts([str(k) for k in range(facts)], weights[one].tolist(), one)
        person[one], graded[one] = person[one][order], graded[one][order]
        weights[one] = weights[one][order]
    ones = np.ones(many)
    bets = ConfidenceSequence(
        [NumberSpan()] * many, (graded.sum(axis=1), ones * facts), facts, weights.sum(axis=1)
    )
    truth, missed = person.mean(axis=1), np.zeros(many, bool)
    for place in range(120):
        bets.add((person[:, place], ones), (graded[:, place], ones), weights[:, place])
        missed |= (truth < bets.low[0]) | (truth > bets.high[0])
    assert missed.mean() <= 0.05
    widths = (bets.high[0] - bets.low[0]) / 2
    assert np.median(widths) < 0.06
