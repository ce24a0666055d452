"""The frame of an audit: which facts it is of, fixed when it is drawn, in the order of deciding."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

import db.audits
from core.certainty.audit_order import Floats, order_facts
from core.certainty.state_numbers import States
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.curtailed_runs import find_planes
from core.scoring.policy import Policy
from core.scoring.precedence import HUMAN_PREFIX, Rank
from core.vocabulary import CODE_ORDER, Strategy
from db.sqlite_errors import StoredValueError
from db.stored_values import StoredValues, check_list, read_object, unreadable

_WHAT = "the frame of an audit"


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """How an audit is drawn: models (with thinking or not), graders with versions, person, seed.

    `second` lists the versions of the second grader, none where there is no such grader.
    `trust_exact`: what the grader `exact` calls CORRECT is so until the person says otherwise.
    """

    models: tuple[str, ...]
    thinking: tuple[bool, ...]
    graders: tuple[str, ...]
    second: tuple[str, ...]
    person: str
    seed: int
    tau: float
    strategy: str
    weight: float
    where: str | None = None
    trust_exact: bool = False

    @property
    def policy(self) -> Policy:
        """The policy, with the list of graders."""
        return Policy(self.tau, Strategy(self.strategy), self.weight, self.graders)


@dataclass(frozen=True, slots=True)
class AuditFrame:
    """The facts of an audit in its order; columns are facts, rows of the states models.

    `facts` are places in the project's index. `edited` marks those of which a gold or question is
    another than when it was drawn.
    """

    plan: AuditPlan
    facts: npt.NDArray[np.intp]
    fact_ids: list[str]
    weights: Floats
    graded: States
    parted: States
    edited: Mask

    def __len__(self) -> int:
        return len(self.fact_ids)


def plan_fits(project: OpenProject, plan: AuditPlan, policy: Policy) -> bool:
    """Whether an audit is of all facts under a policy, by its graders in their versions.

    People's labels count in a policy and not in an audit, so they are left out.
    """
    graders = tuple(one for one in policy.graders or () if not one.startswith(HUMAN_PREFIX))
    if plan.where is not None or not graders:
        return False
    if (plan.tau, plan.strategy) != (policy.tau, str(policy.strategy)):
        return False
    if policy.strategy is Strategy.PARTIAL and plan.weight != policy.weight:
        return False
    known = project.graders()
    if not {one.partition("#")[0] for one in graders} <= {one.name for one in known}:
        return False
    versions = {one.plane: f"{one.name}#{one.version}" for one in known}
    ranks = project.ranks(replace(policy, graders=graders))
    return plan.graders == tuple(versions[plane] for rank in ranks for plane in rank.planes)


def newer_versions(project: OpenProject, plan: AuditPlan) -> list[str]:
    """Versions of a plan's graders that are newer than those it was drawn by, as `G#v`."""
    known, newest = project.graders(), dict[str, int]()
    for one in known:
        if f"{one.name}#{one.version}" in plan.graders:
            newest[one.name] = max(newest.get(one.name, 0), one.plane)
    return [
        f"{one.name}#{one.version}" for one in known if one.plane > newest.get(one.name, one.plane)
    ]


def find_audit(project: OpenProject, name: str) -> db.audits.StoredAudit:
    """An audit by its name. Raises `UsageError` where there is none."""
    there = db.audits.audits(project.connection)
    for one in there:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in there) or "none yet"
    raise UsageError(f"no audit named {name}: audits are {known}; `lostkeys audit draw` draws one")


def read_frame(project: OpenProject, stored: db.audits.StoredAudit) -> AuditFrame:
    """The frame of a stored audit as it is now: without the facts rejected since."""
    plan = read_plan(stored.frame)
    rows = db.audits.facts_of(project.connection, stored.id)
    places = np.searchsorted(project.index.ids, [row[0] for row in rows])
    ids = [project.index.fact_ids[place] for place in places]
    order = order_facts(ids, [row[1] for row in rows], plan.seed)
    versions = db.audits.versions(project.connection)
    rows = [rows[place] for place in order]
    shape = (len(rows), len(plan.models))
    return AuditFrame(
        plan,
        places[order].astype(np.intp),
        [ids[place] for place in order],
        np.array([row[1] for row in rows], np.float64),
        np.array([read_codes(row[2]) for row in rows], np.uint8).reshape(shape).T,
        np.array([read_codes(row[3]) for row in rows], np.uint8).reshape(shape).T,
        np.array([versions.get(row[0], "") != row[4] for row in rows], np.bool_),
    )


def read_plan(text: str) -> AuditPlan:
    """The plan stored so. Raises `StoredValueError` for what is none."""
    stored = read_object(text, _WHAT)
    try:
        plan = AuditPlan(
            check_list(stored["models"], str, _WHAT),
            check_list(stored["thinking"], bool, _WHAT),
            check_list(stored["graders"], str, _WHAT),
            check_list(stored["second"], str, _WHAT),
            str(stored["person"]),
            int(stored["seed"]),
            float(stored["tau"]),
            str(stored["strategy"]),
            float(stored["weight"]),
            None if stored["where"] is None else str(stored["where"]),
            bool(stored["trust_exact"]),
        )
        if len(plan.thinking) != len(plan.models) or not plan.models or not plan.policy.graders:
            raise unreadable(_WHAT, text)
    except (TypeError, ValueError, KeyError, OverflowError, UsageError):
        raise unreadable(_WHAT, text) from None
    return plan


def read_codes(text: str) -> list[int]:
    """Stored states of a fact, one a model. Raises `StoredValueError` for what is none."""
    codes = text.split(" ")
    if not set(codes) <= set(CODE_ORDER):
        raise StoredValueError("states of an audited fact", repr(text[:40]))
    return [CODE_ORDER.index(code) for code in codes]


def person_rank(project: OpenProject, person: str) -> Rank | None:
    """The labels of a person, None where there are none yet."""
    planes = find_planes(person, project.graders())
    return Rank(person, planes) if planes else None


STORED = (
    StoredValues("audit", "frame", read_plan),
    StoredValues("audit_fact", "graded", read_codes, key="fact"),
    StoredValues("audit_fact", "parted", read_codes, key="fact"),
)
