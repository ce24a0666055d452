"""What an audit says: each number by the graders and as the person labels, with its intervals."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.certainty.audit_bets import AuditBets, Ranks
from core.certainty.audit_estimates import AuditedNumber, weighted_wilson
from core.certainty.audit_evidence import AuditEvidence
from core.certainty.audit_frame import newer_versions
from core.certainty.audit_order import Floats
from core.certainty.audit_planner import RUNS, foresee
from core.certainty.audit_queue import decisions_per_fact, grader_errors
from core.certainty.confidence_sequence import ConfidenceSequence
from core.certainty.state_numbers import NUMBERS, StateNumber, find_number
from core.errors import UsageError
from core.project import OpenProject
from core.stats.intervals import LEVEL, Interval
from core.vocabulary import Profile, Strategy

SCOPES = {
    "graded_interval": "graded",
    "interval": "here",
    "kind_interval": "kind",
    "wrong_interval": "here",
}
"""Which doubts each interval carries, by its key."""


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
    """An audit after its first `audited` facts. `gaps` are by number and pair of models.

    `newer` are versions of its graders that have come since, where they were looked for.
    """

    name: str
    evidence: AuditEvidence
    audited: int
    within: float | None
    about: str
    numbers: dict[tuple[str, str], AuditedNumber]
    gaps: dict[tuple[str, str, str], AuditedNumber]
    ranks: Ranks
    answers: int
    wrong: float | None
    wrong_interval: Interval | None
    left: FactsLeft | None
    newer: tuple[str, ...] = ()

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
            if name == choose_number(self.evidence, model, self.about).name
        ]
        return all(one.half_width <= self.within + 1e-12 for one in mine)

    def as_json(self) -> dict[str, Any]:
        """The document of `audit report`."""
        frame, plan = self.evidence.frame, self.evidence.frame.plan
        return {
            "audit": self.name,
            "person": plan.person,
            "models": list(plan.models),
            "tau": plan.tau,
            "strategy": plan.strategy,
            "weight": plan.weight if plan.policy.strategy is Strategy.PARTIAL else None,
            "graders": list(plan.graders),
            "second": plan.second[0] if plan.second else None,
            "newer": list(self.newer),
            "facts": len(frame),
            "audited": self.audited,
            "decisions": self.decisions,
            "trusted": int(self.evidence.trusted[: self.audited].sum()),
            "edited": int(frame.edited.sum()),
            "level": LEVEL,
            "scope": SCOPES,
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


def choose_number(evidence: AuditEvidence, model: str, about: str) -> StateNumber:
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
    project: OpenProject,
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
    for model in evidence.frame.plan.models:
        choose_number(evidence, model, about)
    audited = min(evidence.audited, len(evidence.frame) if facts is None else facts)
    bets = AuditBets(evidence.frame)
    bets.follow(evidence.states[:, :audited])
    errors = grader_errors(evidence, audited)
    newer = tuple(newer_versions(project, evidence.frame.plan))
    found = replace(make_report(name, evidence, bets, errors, within, about), newer=newer)
    if within is None:
        return found
    pace = decisions_per_fact(project, evidence, audited)
    return replace(found, left=AuditFutures.begin(evidence, bets, within, about, pace).play())


def make_report(
    name: str,
    evidence: AuditEvidence,
    bets: AuditBets,
    errors: tuple[Floats, Floats],
    within: float | None,
    about: str,
) -> AuditReport:
    """The report of what has been bet on; `errors` are those of `grader_errors`."""
    share, interval = weighted_wilson(*errors)
    return AuditReport(
        name,
        evidence,
        bets.audited,
        within,
        about,
        bets.numbers(),
        bets.gaps(),
        bets.ranks(),
        len(errors[0]),
        share,
        interval,
        None,
    )


@dataclass(frozen=True, slots=True)
class AuditFutures:
    """How an audit may go on: all that is needed to say what is left, apart from the project.

    `sequences` are one a model, as many times over as there are futures. `pace` is how many
    decisions a fact takes. `play` may be called once.
    """

    evidence: AuditEvidence
    audited: int
    sequences: tuple[ConfidenceSequence, ...]
    within: float
    about: str
    pace: float

    @classmethod
    def begin(
        cls, evidence: AuditEvidence, bets: AuditBets, within: float, about: str, pace: float
    ) -> "AuditFutures":
        """The futures from where the bets are."""
        found = (
            bets.find_sequence(place, choose_number(evidence, model, about))
            for place, model in enumerate(evidence.frame.plan.models)
        )
        sequences = tuple(sequence.spread(at, RUNS) for sequence, at in found)
        return cls(evidence, bets.audited, sequences, within, about, pace)

    def play(self) -> FactsLeft:
        """How much is left until the number is narrow enough with every model."""
        frame, evidence = self.evidence.frame, self.evidence
        found = [
            foresee(
                frame,
                place,
                choose_number(evidence, model, self.about),
                evidence.states[place, : self.audited],
                self.within,
                self.sequences[place],
            )
            for place, model in enumerate(frame.plan.models)
        ]
        needed = np.max(found, axis=0)
        p50, p90 = (int(np.quantile(needed, one, method="higher")) for one in (0.5, 0.9))
        return FactsLeft(p50, p90, round(p50 * self.pace))
