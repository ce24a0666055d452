"""Profiles by plain loops over exact fractions, written from the definitions alone.

Nothing here shares code with the program; tests hold the program's arrays against it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Counts = tuple[int, int, int, int]
"""CORRECT, INCORRECT, PARTIALLY, OTHER."""

Cell = tuple[str, bool]
"""Task and thinking."""

ENCODING = ("completion", "contextual")
DIRECT = ("direct", "direct_natural")
REVERSE = ("reverse", "reverse_natural")
KNOWLEDGE = DIRECT + REVERSE
PROFILES = (
    "encoding_failure",
    "recall_failure",
    "direct_recall",
    "recall_with_thinking",
    "inference_without_encoding",
)


@dataclass(frozen=True)
class Rule:
    """A policy, its numbers as written."""

    tau: str
    strategy: str
    weight: str = "0.51"


@dataclass(frozen=True)
class Verdict:
    """What a fact is for a model; `name` None where thinking was not measured."""

    name: str | None
    e: bool | None = None
    k0: bool | None = None
    kt: bool | None = None


@cache
def exact(number: str) -> Fraction:
    """The number that is written; loops ask for the same ones thousands of times."""
    return Fraction(number)


def grade(counts: Counts, rule: Rule) -> Fraction | None:
    """g of a question, None where it is not gradable."""
    c, i, p, _ = counts
    if rule.strategy != "partial":
        return Fraction(c, c + i) if c + i else None
    return (c + exact(rule.weight) * p) / (c + i + p) if c + i + p else None


def state(counts: Counts, rule: Rule) -> str:
    """Whether a question passes, fails, cannot be graded, or has no label."""
    if sum(counts) == 0:
        return "unlabelled"
    g = grade(counts, rule)
    if g is None:
        return "not gradable"
    return "pass" if g > exact(rule.tau) else "fail"


def verdict(
    tasks: Collection[str], counts: Mapping[Cell, Counts], thinks: bool, rule: Rule
) -> Verdict:
    """A fact's verdict; `counts` may lack cells that have no label."""
    if any(not set(pair) & set(tasks) for pair in (ENCODING, DIRECT, REVERSE)):
        return Verdict("incomplete")
    pairs = [(ENCODING, False), (DIRECT, False), (REVERSE, False)]
    if thinks:
        pairs += [(DIRECT, True), (REVERSE, True)]
    states = {
        (task, thinking): state(counts.get((task, thinking), (0, 0, 0, 0)), rule)
        for pair, thinking in pairs
        for task in pair
        if task in tasks
    }
    if "unlabelled" in states.values():
        return Verdict("incomplete")
    ungradable = [
        {states[task, thinking] for task in pair if task in tasks} == {"not gradable"}
        for pair, thinking in pairs
    ]
    if any(ungradable) or (rule.strategy == "fact" and "not gradable" in states.values()):
        return Verdict("excluded_nan")
    e = any(states[task, False] == "pass" for task in ENCODING if task in tasks)
    k0 = all(states[task, False] != "fail" for task in KNOWLEDGE if task in tasks)
    if not thinks:
        return Verdict(None, e, k0)
    kt = all(states[task, True] != "fail" for task in KNOWLEDGE if task in tasks)
    return Verdict(_profile(e, k0, kt), e, k0, kt)


def _profile(e: bool, k0: bool, kt: bool) -> str:
    if k0:
        return "direct_recall" if e else "direct_inference"
    if kt:
        return "recall_with_thinking" if e else "inference_without_encoding"
    return "recall_failure" if e else "encoding_failure"


def summary(verdicts: Sequence[Verdict], thinks: bool) -> dict[str, object]:
    """One model's numbers over these facts, under the names of `profiles --json`."""
    names = [one.name for one in verdicts]
    incomplete, excluded = names.count("incomplete"), names.count("excluded_nan")
    found: dict[str, object] = {
        "thinking": thinks,
        "total": len(names),
        "incomplete": incomplete,
        "excluded_nan": excluded,
        "not_gradable_share": _share(excluded, len(names) - incomplete),
    }
    if not thinks:
        base = len(names) - incomplete - excluded
        found |= dict.fromkeys(
            (
                "direct_inference",
                "included",
                "counts",
                "shares",
                "excluded_share",
                "direct_inference_share",
                "knows_thinking",
            )
        )
        found["encodes"] = _share(sum(one.e is True for one in verdicts), base)
        found["knows"] = _share(sum(one.k0 is True for one in verdicts), base)
        return found
    counts = {name: names.count(name) for name in PROFILES}
    inference = names.count("direct_inference")
    included = len(names) - incomplete - excluded - inference
    recall, thinking = counts["direct_recall"], counts["recall_with_thinking"]
    with_thinking = recall + thinking + counts["inference_without_encoding"] + inference
    return found | {
        "direct_inference": inference,
        "included": included,
        "counts": counts,
        "shares": {name: _share(count, included) for name, count in counts.items()},
        "excluded_share": _share(excluded + inference, len(names) - incomplete),
        "direct_inference_share": _share(inference, len(names) - incomplete),
        "encodes": _share(counts["recall_failure"] + recall + thinking, included),
        "knows": _share(recall + inference, included),
        "knows_thinking": _share(with_thinking, included),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
