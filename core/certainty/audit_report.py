"""What an audit says: each number by the graders and as the person labels, with its intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from core.certainty.audit_estimates import (
    AuditedNumber,
    Parts,
    audit_numbers,
    follow_bets,
    place_number,
    rank_ranges,
    weighted_wilson,
)
from core.certainty.audit_evidence import AuditEvidence
from core.certainty.audit_planner import foresee
from core.certainty.audit_queue import decisions_per_fact, grader_errors
from core.certainty.confidence_sequence import NumberSpan
from core.certainty.state_numbers import GAPS, NUMBERS, StateNumber, find_number, gap_parts
from core.errors import UsageError
from core.project import Project
from core.stats.intervals import LEVEL, Interval
from core.vocabulary import Profile

SCOPES = {
    "graded_interval": "graded",
    "interval": "here",
    "kind_interval": "kind",
    "wrong_interval": "here",
}
"""Which doubts each interval carries."""


@dataclass(frozen=True, slots=True)
class FactsLeft:
    """Facts that are still to be audited, in half of the futures and in nine of ten; decisions."""

    p50: int
    p90: int
    decisions: int

    def as_json(self) -> dict[str, Any]:
        """Their keys."""
        return {"facts": {"p50": self.p50, "p90": self.p90}, "decisions": self.decisions}


@dataclass(frozen=True, slots=True)
class AuditReport:
    """An audit after its first `audited` facts. `gaps` are by number and pair of models."""

    name: str
    evidence: AuditEvidence
    audited: int
    within: float | None
    about: str
    numbers: dict[tuple[str, str], AuditedNumber]
    gaps: dict[tuple[str, str, str], AuditedNumber]
    ranks: dict[str, dict[str, tuple[int, int]]]
    answers: int
    wrong: float | None
    wrong_interval: Interval | None
    left: FactsLeft | None

    @property
    def decisions(self) -> int:
        """Different answers decided of the facts audited."""
        return int(self.evidence.decisions[: self.audited].sum())

    @property
    def done(self) -> bool | None:
        """Whether the number that is watched is narrow enough with every model."""
        if self.within is None:
            return None
        mine = [
            one
            for (model, name), one in self.numbers.items()
            if name == watched(self.evidence, model, self.about).name
        ]
        return all(one.half_width <= self.within + 1e-12 for one in mine)

    def as_json(self) -> dict[str, Any]:
        """The document of `audit report`."""
        frame = self.evidence.frame
        return {
            "audit": self.name,
            "person": frame.plan.person,
            "models": list(frame.plan.models),
            "graders": list(frame.plan.graders),
            "facts": len(frame),
            "audited": self.audited,
            "decisions": self.decisions,
            "trusted": int(self.evidence.trusted[: self.audited].sum()),
            "edited": int(frame.edited.sum()),
            "level": LEVEL,
            "scopes": SCOPES,
            "within": self.within,
            "about": self.about,
            "done": self.done,
            "numbers": [
                {"model": model, "number": name, **_as_json(one)}
                for (model, name), one in self.numbers.items()
            ],
            "gaps": [
                {"number": name, "of": of, "less": less, **_as_json(one)}
                for (name, of, less), one in self.gaps.items()
            ],
            "grader": {
                "answers": self.answers,
                "wrong": self.wrong,
                "wrong_interval": self.wrong_interval,
            },
            "ranks": self.ranks,
            "left": None if self.left is None else self.left.as_json(),
        }


def _as_json(one: AuditedNumber) -> dict[str, Any]:
    return {
        "graded": one.graded,
        "graded_interval": one.graded_interval,
        "audited": one.audited,
        "interval": one.interval,
        "kind_interval": one.kind_interval,
    }


def watched(evidence: AuditEvidence, model: str, about: str) -> StateNumber:
    """The number that `--within` is about: the one named, else `encodes` without thinking.

    Raises `UsageError` for a number that there is not.
    """
    plan = evidence.frame.plan
    thinking = plan.thinking[plan.models.index(model)]
    found = find_number(about, thinking)
    if found is None and find_number(about, True) is None:
        known = ", ".join(one.name for one in NUMBERS[True])
        raise UsageError(f"no number named {about}: numbers are {known}")
    return found or NUMBERS[False][0]


def check_within(within: float) -> None:
    """Raise `UsageError` for what is no half width of an interval."""
    if not 0 < within < 1:
        raise UsageError(f"--within {within} is outside (0, 1): give half a width such as 0.03")


def report_audit(
    project: Project,
    name: str,
    evidence: AuditEvidence,
    within: float | None = None,
    facts: int | None = None,
    about: str = str(Profile.RECALL_FAILURE),
) -> AuditReport:
    """The report of an audit, as if no more than `facts` were audited; `within` adds a plan."""
    if within is not None:
        check_within(within)
    if facts is not None and facts < 1:
        raise UsageError("--facts counts facts: give 1 or more")
    frame = evidence.frame
    for model in frame.plan.models:
        watched(evidence, model, about)
    audited = min(evidence.audited, len(frame) if facts is None else facts)
    numbers: dict[tuple[str, str], AuditedNumber] = {}
    for place, model in enumerate(frame.plan.models):
        kinds = NUMBERS[frame.plan.thinking[place]]
        graded = [one.parts(frame.graded[place]) for one in kinds]
        truth = [one.parts(evidence.states[place, :audited]) for one in kinds]
        spans = [NumberSpan(outside=not one.within) for one in kinds]
        found = audit_numbers(graded, truth, frame.weights, spans)
        numbers |= {(model, kind.name): one for kind, one in zip(kinds, found, strict=True)}
    gaps, ranks = _compare(evidence, audited)
    wrong, weights = grader_errors(evidence, audited)
    share, interval = weighted_wilson(wrong, weights)
    left = None if within is None else plan_left(project, evidence, audited, within, about)
    return AuditReport(
        name,
        evidence,
        audited,
        within,
        about,
        numbers,
        gaps,
        ranks,
        len(wrong),
        share,
        interval,
        left,
    )


def _compare(
    evidence: AuditEvidence, audited: int
) -> tuple[dict[tuple[str, str, str], AuditedNumber], dict[str, dict[str, tuple[int, int]]]]:
    """Gaps of every two models, and the ranks that are sure where all are compared at once."""
    frame = evidence.frame
    models, thinks = frame.plan.models, frame.plan.thinking
    pairs = list(combinations(range(len(models)), 2))
    gaps: dict[tuple[str, str, str], AuditedNumber] = {}
    ranks: dict[str, dict[str, tuple[int, int]]] = {}
    if not pairs:
        return gaps, ranks
    levels = (1 - LEVEL, (1 - LEVEL) / len(pairs))
    for number in GAPS[all(thinks)]:
        kinds = [find_number(number.name, one) or number for one in thinks]
        graded, truth = (
            [_gap(kinds, states, one, other) for one, other in pairs]
            for states in (frame.graded, evidence.states[:, :audited])
        )
        spans = [NumberSpan(gap=True)] * len(pairs)
        bets = follow_bets(graded, truth, frame.weights, spans, levels)
        surely = {}
        for at, (one, other) in enumerate(pairs):
            here = float(bets.low[0, at]), float(bets.high[0, at])
            pair = models[one], models[other]
            gaps[number.name, pair[0], pair[1]] = place_number(
                graded[at], truth[at], frame.weights, spans[at], here
            )
            surely[pair] = int(bets.low[1, at] > 0) - int(bets.high[1, at] < 0)
        ranks[number.name] = rank_ranges(list(models), surely)
    return gaps, ranks


def _gap(kinds: Sequence[StateNumber], states: Any, one: int, other: int) -> Parts:
    return gap_parts(kinds[one].parts(states[one]), kinds[other].parts(states[other]))


def plan_left(
    project: Project, evidence: AuditEvidence, audited: int, within: float, about: str
) -> FactsLeft:
    """How much is left until the number is narrow enough with every model."""
    frame = evidence.frame
    found = [
        foresee(
            frame,
            place,
            watched(evidence, model, about),
            evidence.states[place, :audited],
            within,
        )
        for place, model in enumerate(frame.plan.models)
    ]
    needed = np.max(found, axis=0)
    p50, p90 = (int(np.quantile(needed, one, method="higher")) for one in (0.5, 0.9))
    pace = decisions_per_fact(project, evidence, audited)
    return FactsLeft(p50, p90, round(p50 * pace))
