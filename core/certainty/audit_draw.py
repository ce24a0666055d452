"""Drawing an audit: its plan, the facts that it has, and keeping both under a name."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import numpy.typing as npt

import db.audits
from core.certainty.audit_frame import AuditFrame, AuditPlan
from core.certainty.audit_order import PARTED, PLAIN, order_facts
from core.certainty.state_numbers import INCOMPLETE, States
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.curtailed_runs import find_planes
from core.scoring.policy import Policy
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.scoring.verdicts import code_places
from core.settings.escapes import is_printable
from core.vocabulary import CODE_ORDER
from db.connection import write_transaction

LONGEST_NAME = 60


def make_plan(
    project: OpenProject,
    policy: Policy,
    person: str,
    models: Sequence[str] | None = None,
    second: str | None = None,
    seed: int = 0,
    where: str | None = None,
    trust_exact: bool = False,
) -> AuditPlan:
    """The plan of an audit, with versions written out. Raises `UsageError` for what cannot be."""
    if not person.startswith(HUMAN_PREFIX) or person in (HUMAN_PREFIX, PEOPLE):
        raise UsageError(f"{person} is no person: name one, as --person human:ada")
    if person in (policy.graders or ()) or second == person:
        raise UsageError(f"{person} is the person of the audit: name another grader")
    chosen = project.choose_models(models)
    if not chosen:
        raise UsageError("no model has responses here: sample or import some first")
    named = [rank for rank in project.ranks(policy) if not rank.name.startswith(HUMAN_PREFIX)]
    if not named:
        raise UsageError("no grader but people is in the list: name one with --grader")
    if second is not None and second.startswith(HUMAN_PREFIX):
        raise UsageError(f"{second} is a person: the second grader is none")
    if second is not None and second in [rank.name for rank in named]:
        raise UsageError(f"{second} is both grader and second grader: name another with --second")
    versions = {one.plane: f"{one.name}#{one.version}" for one in project.graders()}
    again = () if second is None else project.ranks(replace(policy, graders=(second,)))
    if trust_exact and not find_planes("exact", project.graders()):
        raise UsageError("exact has labelled nothing here: run `lostkeys grade --grader exact`")
    settings = project.setting_ids()
    return AuditPlan(
        tuple(chosen),
        tuple((model, True) in settings for model in chosen),
        tuple(versions[plane] for rank in named for plane in rank.planes),
        tuple(versions[plane] for rank in again for plane in rank.planes),
        person,
        seed,
        policy.tau,
        str(policy.strategy),
        policy.weight,
        where,
        trust_exact,
    )


def draw_frame(project: OpenProject, plan: AuditPlan) -> AuditFrame:
    """The facts that an audit of this plan has now. Raises `UsageError` where there is none."""
    graded = _states(project, plan, plan.graders)
    parted = graded
    if plan.second:
        parted = _states(project, plan, (*plan.second, *plan.graders))
    mask = project.facts(plan.where, plan.models, plan.policy) & ~project.index.rejected
    mask = mask & (graded != INCOMPLETE).all(axis=0)
    facts = np.flatnonzero(mask)
    if not facts.size:
        raise UsageError(
            "no fact is complete with all these models by these graders: grade more, or widen "
            "--where"
        )
    weights = np.where((graded != parted).any(axis=0), PARTED, PLAIN)[facts]
    ids = [project.index.fact_ids[place] for place in facts]
    order = np.array(order_facts(ids, weights.tolist(), plan.seed), np.intp)
    return AuditFrame(
        plan,
        facts[order],
        [ids[place] for place in order],
        weights[order].astype(np.float64),
        graded[:, facts[order]],
        parted[:, facts[order]],
        np.zeros(facts.size, np.bool_),
    )


def states_by(project: OpenProject, frame: AuditFrame, graders: Sequence[str]) -> States:
    """States of an audit's facts by a list of graders, shape (models, facts)."""
    return _states(project, frame.plan, graders)[:, frame.facts]


def _states(project: OpenProject, plan: AuditPlan, graders: Sequence[str]) -> States:
    policy = replace(plan.policy, graders=tuple(graders))
    tally = project.tally(project.ranks(policy), plan.models)
    found = project.verdicts(tally, policy)
    return code_places(found.verdict, found.encodes, found.knows)


def keep_frame(project: OpenProject, name: str, frame: AuditFrame) -> None:
    """Store an audit. Raises `UsageError` where the name is taken or none."""
    plain = name.strip()
    if not plain or len(plain) > LONGEST_NAME or not is_printable(plain):
        raise UsageError(f"the name of an audit is one line of at most {LONGEST_NAME} letters")
    versions = db.audits.versions(project.connection)
    ids = project.index.ids[frame.facts].tolist()
    rows = [
        (
            fact,
            int(frame.weights[place]),
            _codes(frame.graded[:, place]),
            _codes(frame.parted[:, place]),
            versions.get(fact, ""),
        )
        for place, fact in enumerate(ids)
    ]
    with write_transaction(project.connection):
        if any(one.name == plain for one in db.audits.audits(project.connection)):
            raise UsageError(f"an audit named {plain} is there already: choose another name")
        text = json.dumps(asdict(frame.plan), ensure_ascii=False, sort_keys=True)
        db.audits.insert(project.connection, plain, text, rows)


def _codes(states: npt.NDArray[np.uint8]) -> str:
    return " ".join(CODE_ORDER[state] for state in states)
