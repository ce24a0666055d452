"""Every number of an audit's report by plain loops from its formulas (certainty.md 2)."""

from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from core.certainty.audit_bets import AuditBets
from core.certainty.audit_evidence import AuditEvidence
from core.certainty.audit_frame import AuditFrame, AuditPlan
from core.certainty.audit_report import AuditReport, make_report
from core.certainty.confidence_sequence import NumberSpan
from core.vocabulary import CODE_ORDER
from tests.core.certainty.test_confidence_sequence import survives

Pair = tuple[float, float]
Pairs = list[Pair]

MODELS = ("a", "b", "c", "bare")
FACTS, AUDITED = 60, 34
Z = NormalDist().inv_cdf(0.975)

FIVE = ("DR", "RT", "IE", "RF", "EF")
HITS = {
    "encoding_failure": ("EF",),
    "recall_failure": ("RF",),
    "direct_recall": ("DR",),
    "recall_with_thinking": ("RT",),
    "inference_without_encoding": ("IE",),
    "encodes": ("RF", "DR", "RT"),
    "knows": ("DR", "DI"),
    "knows_thinking": ("DR", "RT", "IE", "DI"),
    "excluded_share": ("NA", "DI"),
}
"""Semantics 4, the states that each number counts."""
BARE = {"encodes": ("EK", "E-"), "knows": ("EK", "-K")}
"""The same without thinking, over facts that are not excluded."""


def parts(name: str, state: str, thinking: bool) -> Pair:
    if not thinking:
        return float(state in BARE[name]), float(state != "NA")
    base = name == "excluded_share" or state in FIVE
    return float(state in HITS[name]), float(base)


def gap_of(name: str, one: tuple[str, bool], other: tuple[str, bool]) -> Pair:
    (a, b), (c, d) = parts(name, *one), parts(name, *other)
    return (a - c, 1.0) if b and d else (0.0, 0.0)


def wilson(share: float, n: float) -> Pair:
    middle, root = share + Z * Z / (2 * n), sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2)
    return (middle - Z * root) / (1 + Z * Z / n), (middle + Z * root) / (1 + Z * Z / n)


def sampling(share: float, graded: Pairs, span: NumberSpan) -> Pair:
    n = sum(b for _, b in graded)
    if not span.gap and not span.outside:
        return wilson(share, n)
    own = sum(a for a, _ in graded) / n
    reach = Z * sqrt(sum((a - own * b) ** 2 for a, b in graded)) / n
    if not reach and span.gap and not own:  # Agresti and Min: half a pair in each of four cells
        reach = Z / (n + 2)
    least, most = (-1.0, 1.0) if span.gap else (0.0, max(1.0, share))
    return max(least, share - reach), min(most, share + reach)


def estimate(truth: Pairs, graded: Pairs, weights: list[int]) -> float:
    many, sums = len(graded), [sum(a for a, _ in graded), sum(b for _, b in graded)]
    for place, person in enumerate(truth):
        m = place + 1
        q = weights[place] / sum(weights[place:])
        v = 1 + (many - len(truth)) / (many - m) * (1 / ((many - m + 1) * q) - 1)
        for part in (0, 1):
            sums[part] += many * v * (person[part] - graded[place][part]) / len(truth)
    return sums[0] / sums[1]


def betting(
    truth: Pairs, graded: Pairs, weights: list[int], span: NumberSpan, alpha: float = 0.05
) -> Pair:
    grid = [k / 1000 for k in range(-1000 if span.gap else 0, 1001)]

    def first(candidates: list[float]) -> float:
        return next(r for r in candidates if survives(r, truth, graded, weights, span, alpha))

    low, high = first(grid) - 0.001, first(grid[::-1]) + 0.001
    return max(low, grid[0]), min(high, 1.0)


def report() -> tuple[AuditReport, list[list[str]], list[list[str]], list[int]]:
    """Four models, the third the best by far, graders wrong now and then."""
    rng = np.random.default_rng(12)
    kinds = [
        rng.choice(["DR", "RF", "EF", "RT", "IE", "DI", "NA"], FACTS, p=chances).tolist()
        for chances in (
            [0.1, 0.4, 0.3, 0.1, 0.0, 0.05, 0.05],
            [0.1, 0.45, 0.3, 0.05, 0.0, 0.05, 0.05],
            [0.95, 0.0, 0.0, 0.02, 0.0, 0.0, 0.03],
        )
    ]
    kinds.append(rng.choice(["EK", "E-", "--", "-K", "NA"], FACTS).tolist())
    person = [[str(one) for one in row] for row in kinds]
    swap = {"DR": "RF", "RF": "EF", "EF": "DI", "NA": "EF", "EK": "E-", "--": "NA"}
    graded = [
        [swap.get(one, one) if rng.random() < 0.12 else one for one in row]
        if model != "bare"
        else [{"EK": "E-"}.get(one, one) if rng.random() < 0.12 else one for one in row]
        for model, row in zip(MODELS, person, strict=True)
    ]
    weights = [int(one) for one in rng.choice([1, 3], FACTS, p=[0.7, 0.3])]
    plan = AuditPlan(
        MODELS, (True, True, True, False), ("judge#1",), (), "human:ann", 0, 0.5, "pair", 0.51
    )
    codes = np.array([[CODE_ORDER.index(one) for one in row] for row in graded], np.uint8)
    truth = np.array([[CODE_ORDER.index(one) for one in row] for row in person], np.uint8)
    frame = AuditFrame(
        plan,
        np.arange(FACTS),
        [str(one) for one in range(FACTS)],
        np.array(weights, float),
        codes,
        codes,
        np.zeros(FACTS, np.bool_),
    )
    bets = AuditBets(frame)
    bets.follow(truth[:, :AUDITED])
    none = np.zeros(FACTS, np.int64)
    evidence = AuditEvidence(frame, truth, none, none, {}, {}, {}, {}, {}, none)
    made = make_report("a", evidence, bets, (np.empty(0), np.empty(0)), None, "recall_failure")
    return made, person, graded, weights


def held_against(
    one: dict[str, object], truth: Pairs, graded: Pairs, weights: list[int], span: NumberSpan
) -> None:
    own = sum(a for a, _ in graded) / sum(b for _, b in graded)
    low, high = betting(truth, graded, weights, span)
    share = min(max(estimate(truth, graded, weights), low), high)
    drawn = sampling(share, graded, span)
    kind = [
        share - sqrt((share - low) ** 2 + (share - drawn[0]) ** 2),
        share + sqrt((high - share) ** 2 + (drawn[1] - share) ** 2),
    ]
    kind[0] = max(kind[0], -1.0 if span.gap else 0.0)
    kind[1] = min(kind[1], max(1.0, share))
    assert one["graded"] == pytest.approx(own)
    assert one["graded_interval"] == pytest.approx(sampling(own, graded, span))
    assert one["audited"] == pytest.approx(share)
    assert one["interval"] == pytest.approx((low, high))
    assert one["kind_interval"] == pytest.approx(tuple(kind))


@pytest.mark.slow
def test_every_number_and_gap_is_what_the_formulas_say() -> None:
    made, person, graded, weights = report()
    document = made.as_json()
    assert len(document["numbers"]) == 3 * 9 + 2
    for row in document["numbers"]:
        place, thinking = MODELS.index(row["model"]), row["model"] != "bare"
        name = row["number"]
        truth = [parts(name, one, thinking) for one in person[place][:AUDITED]]
        own = [parts(name, one, thinking) for one in graded[place]]
        span = NumberSpan(outside=thinking and name.startswith("knows"))
        held_against(row, truth, own, weights, span)
    assert len(document["gaps"]) == 5 * 3 + 6
    for row in document["gaps"]:
        pair = [MODELS.index(row[key]) for key in ("of", "less")]
        kinds = [MODELS[place] != "bare" for place in pair]
        both = [
            [
                gap_of(
                    row["number"],
                    (states[pair[0]][fact], kinds[0]),
                    (states[pair[1]][fact], kinds[1]),
                )
                for fact in range(count)
            ]
            for states, count in ((person, AUDITED), (graded, FACTS))
        ]
        held_against(row, both[0], both[1], weights, NumberSpan(gap=True))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "many"), [("encodes", 4), ("direct_recall", 3)])
def test_ranks_count_those_surely_above_and_below(number: str, many: int) -> None:
    made, person, graded, weights = report()
    pairs = list(combinations(range(many), 2))
    above, below = [0] * many, [0] * many
    for one, other in pairs:
        both = [
            [
                gap_of(number, (states[one][fact], one < 3), (states[other][fact], other < 3))
                for fact in range(count)
            ]
            for states, count in ((person, AUDITED), (graded, FACTS))
        ]
        low, high = betting(both[0], both[1], weights, NumberSpan(gap=True), 0.05 / len(pairs))
        if low > 0:
            above[other], below[one] = above[other] + 1, below[one] + 1
        if high < 0:
            above[one], below[other] = above[one] + 1, below[other] + 1
    expected = {MODELS[place]: (1 + above[place], many - below[place]) for place in range(many)}
    assert made.ranks[number] == expected
    assert any(one != (1, many) for one in expected.values())
