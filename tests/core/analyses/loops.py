"""The analyses by plain loops, written from semantics section 5 alone.

Nothing here shares code with the program; tests hold the program's rows against it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

from tests.core import reference
from tests.core.analyses.cases import Case
from tests.core.reference import Rule, Verdict

Rows = list[dict[str, Any]]

ALL_TASKS = (
    "completion", "contextual", "direct", "direct_natural", "reverse", "reverse_natural",
    "mc_direct", "mc_direct_natural", "mc_reverse", "mc_reverse_natural",
)  # fmt: skip


DIRECTIONS = ("direct", "reverse")


def mean(values: Iterable[bool]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def both(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def facts(case: Case) -> list[int]:
    return [n for n, fine in enumerate(case.chosen) if fine and not case.rejected[n]]


def verdict(case: Case, model: str, fact: int, rule: Rule) -> Verdict:
    counts = {
        (task, on): one
        for (name, number, task, on), one in case.counts.items()
        if (name, number) == (model, fact)
    }
    return reference.verdict(case.tasks[fact], counts, case.models[model], rule)


def analysed(case: Case, model: str) -> Iterator[tuple[int, Verdict]]:
    for fact in facts(case):
        found = verdict(case, model, fact, case.rule)
        if found.name not in ("incomplete", "excluded_nan"):
            yield fact, found


def state(case: Case, model: str, fact: int, task: str, on: bool, rule: Rule | None = None) -> str:
    if task not in case.tasks[fact]:
        return "absent"
    one = case.counts.get((model, fact, task, on), (0, 0, 0, 0))
    return reference.state(one, rule or case.rule)


def pair(case: Case, model: str, fact: int, name: str, on: bool) -> list[str]:
    """The states of the gradable questions of a pair."""
    found = [state(case, model, fact, task, on) for task in (name, f"{name}_natural")]
    return [one for one in found if one in ("pass", "fail")]


def settings(case: Case) -> Iterator[tuple[str, bool]]:
    for model, thinks in case.models.items():
        yield from ((model, on) for on in (False, True) if thinks or not on)


def popularity(case: Case) -> Rows:
    ranked = [
        (views, case.fact_ids[fact], fact)
        for fact, views in enumerate(case.views)
        if views is not None and not case.rejected[fact]
    ]
    order = [fact for _, _, fact in sorted(ranked)]
    tail = len(order) // 5
    tiers = {
        "bottom": order[:tail],
        "middle": order[tail : len(order) - tail],
        "top": order[len(order) - tail :],
        "unknown": [fact for fact, views in enumerate(case.views) if views is None],
    }
    rows: Rows = []
    for model, thinks in case.models.items():
        for tier, members in tiers.items():
            found = [one for fact, one in analysed(case, model) if fact in members]
            encoded = [one for one in found if one.e]
            recall = mean(bool(one.k0) for one in encoded)
            gain = mean(not one.k0 and bool(one.kt) for one in encoded) if thinks else None
            rows.append(
                {
                    "model": model,
                    "tier": tier,
                    "n": len(found),
                    "encode_rate": mean(bool(one.e) for one in found),
                    "recall_rate": recall,
                    "gain": gain,
                    "recall_total": both(recall, gain),
                }
            )
    return rows


def direction(case: Case) -> Rows:
    rows: Rows = []
    for model, on in settings(case):
        for kind, prefix in (("generation", ""), ("verification", "mc_")):
            for way in DIRECTIONS:
                for given in ("encoded", "all"):
                    known = [
                        "fail" not in states
                        for fact, one in analysed(case, model)
                        if given == "all" or one.e
                        for states in [pair(case, model, fact, prefix + way, on)]
                        if states
                    ]
                    rows.append(
                        {
                            "model": model,
                            "thinking": on,
                            "kind": kind,
                            "direction": way,
                            "given": given,
                            "n": len(known),
                            "rate": mean(known),
                        }
                    )
    return rows


def thinking(case: Case) -> Rows:
    rows: Rows = []
    for model in (name for name, thinks in case.models.items() if thinks):
        encoded = [one for _, one in analysed(case, model) if one.e]
        base = mean(bool(one.k0) for one in encoded)
        gain = mean(not one.k0 and bool(one.kt) for one in encoded)
        rows.append(
            {
                "model": model,
                "n": len(encoded),
                "base": base,
                "gain": gain,
                "total": both(base, gain),
            }
        )
    return rows


def recovery(case: Case) -> Rows:
    rows: Rows = []
    for model in (name for name, thinks in case.models.items() if thinks):
        for encoded in (True, False):
            found = [
                bool(one.kt) for _, one in analysed(case, model) if not one.k0 and one.e == encoded
            ]
            rows.append(
                {"model": model, "encoded": encoded, "n": len(found), "recovered": mean(found)}
            )
    return rows


def errors(case: Case) -> Rows:
    rows: Rows = []
    for model in case.models:
        for given in ("all", "encoded"):
            failing = [
                tuple(
                    "fail" in pair(case, model, fact, way, False) for way in ("direct", "reverse")
                )
                for fact, one in analysed(case, model)
                if not one.k0 and (given == "all" or one.e)
            ]
            rows.append(
                {
                    "model": model,
                    "given": given,
                    "n": len(failing),
                    "only_direct": mean(one == (True, False) for one in failing),
                    "only_reverse": mean(one == (False, True) for one in failing),
                    "both": mean(one == (True, True) for one in failing),
                }
            )
    return rows


def phrasing(case: Case) -> Rows:
    rows: Rows = []
    for model, on in settings(case):
        for name in ("direct", "reverse", "mc_direct", "mc_reverse"):
            found = Counter(
                (first, second)
                for fact in facts(case)
                for first in [state(case, model, fact, name, on)]
                for second in [state(case, model, fact, f"{name}_natural", on)]
                if {first, second} <= {"pass", "fail"}
            )
            rows.append(
                {
                    "model": model,
                    "thinking": on,
                    "pair": name,
                    "n": found.total(),
                    "only_verbatim": found["pass", "fail"],
                    "only_natural": found["fail", "pass"],
                    "p": None,
                    "p_adjusted": None,
                    "significant": None,
                }
            )
    tested = [row for row in rows if row["n"]]
    for row in tested:
        row["p"] = mcnemar(row["only_verbatim"], row["only_natural"])
    for row, adjusted in zip(tested, adjust([row["p"] for row in tested]), strict=True):
        row |= {"p_adjusted": adjusted, "significant": adjusted <= 0.05}
    return rows


def mcnemar(first: int, second: int) -> float:
    """Twice the chance of so few heads among so many throws, at most 1."""
    throws = first + second
    tail = sum(comb(throws, heads) for heads in range(min(first, second) + 1))
    return float(min(Fraction(1), 2 * Fraction(tail, 2**throws)))


def adjust(values: list[float]) -> list[float]:
    """Benjamini and Yekutieli: the least over larger p of p m H(m) / rank, at most 1."""
    m = len(values)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    ranked = sorted(values)
    scaled = [p * m * harmonic / rank for rank, p in enumerate(ranked, start=1)]
    return [min(1.0, *scaled[ranked.index(p) :]) for p in values]


def threshold(case: Case) -> Rows:
    rows: Rows = []
    for tau in (0, 0.25, 0.5, 0.75, 0.9, 0.99):
        rule = replace(case.rule, tau=str(tau))
        for model in (name for name, thinks in case.models.items() if thinks):
            found = reference.summary([verdict(case, model, f, rule) for f in facts(case)], True)
            counts, shares = found["counts"], found["shares"]
            assert isinstance(counts, Mapping)
            assert isinstance(shares, Mapping)
            rows.extend(
                {
                    "model": model,
                    "tau": tau,
                    "profile": profile,
                    "count": counts[profile],
                    "share": shares[profile],
                }
                for profile in reference.PROFILES
            )
    return rows


def availability(case: Case) -> Rows:
    rows: Rows = []
    for model, on in settings(case):
        for task in ALL_TASKS:
            labelled = [
                one
                for fact in facts(case)
                for one in [case.counts.get((model, fact, task, on), (0, 0, 0, 0))]
                if sum(one)
            ]
            common = Counter(sum(one) for one in labelled)
            n = max(common, key=lambda size: (common[size], size), default=0)
            correct = [one[0] for one in labelled if sum(one) == n]
            rows.extend(
                {
                    "model": model,
                    "thinking": on,
                    "task": task,
                    "k": k,
                    "n_questions": len(correct),
                    "share": mean(one >= k for one in correct),
                }
                for k in range(1, n + 1)
            )
    return rows


def quality(case: Case) -> Rows:
    rule = replace(case.rule, tau="0.5")
    rows: Rows = []
    for fact in facts(case):
        tasks = []
        for task in ALL_TASKS:
            states = {state(case, model, fact, task, on, rule) for model, on in settings(case)}
            if states - {"absent", "unlabelled"} == {"fail"}:
                tasks.append(task)
        if tasks:
            rows.append({"fact_id": case.fact_ids[fact], "tasks": tasks})
    return rows


def dataset(case: Case) -> Rows:
    """Cases have no topics, types or years, so that only views tell their facts apart."""
    there = facts(case)
    powers = Counter(
        -1 if (views := case.views[fact]) is None else len(str(views)) if views else 0
        for fact in there
    )
    groups = [("unknown", len(there))] if there else []
    names = {-1: "unknown", 0: "0"} | {
        digits: f"1{'0' * (digits - 1)}-{'9' * digits}" for digits in range(1, 20)
    }
    by_views = [
        (names[power], powers[power]) for power in sorted(powers, key=lambda one: (one < 0, one))
    ]
    columns = ["category", "subject_type", "object_type", "object_group", "year"]
    return [
        {"what": what, "group": group, "n": n, "share": n / len(there)}
        for what, found in [*((name, groups) for name in columns), ("views", by_views)]
        for group, n in found
    ]
