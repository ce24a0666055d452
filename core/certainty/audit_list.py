"""The audits of a project: how each was drawn and how far it is."""

from typing import Any

import db.audits
from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import AuditFrame, find_audit, read_frame
from core.certainty.audit_order import PARTED, PLAIN
from core.project import OpenProject
from db.connection import write_transaction


def describe_frame(name: str | None, frame: AuditFrame) -> dict[str, Any]:
    """The document of `audit draw`."""
    plan = frame.plan
    weights = {str(one): int((frame.weights == one).sum()) for one in (PLAIN, PARTED)}
    return {
        "audit": name,
        "models": list(plan.models),
        "facts": len(frame),
        "weights": weights,
        "seed": plan.seed,
        "graders": list(plan.graders),
        "second": plan.second[0] if plan.second else None,
        "person": plan.person,
    }


def list_audits(project: OpenProject) -> list[dict[str, Any]]:
    """All audits, the oldest first, with how far they are."""
    found = []
    for stored in db.audits.audits(project.connection):
        frame = read_frame(project, stored)
        evidence = read_evidence(project, frame)
        found.append(
            {
                **describe_frame(stored.name, frame),
                "audited": evidence.audited,
                "decisions": int(evidence.decisions[: evidence.audited].sum()),
                "closed": stored.closed,
                "at": stored.at,
            }
        )
    return found


def close_audit(project: OpenProject, name: str) -> None:
    """Mark an audit as done with. Raises `UsageError` where there is none."""
    stored = find_audit(project, name)
    with write_transaction(project.connection):
        db.audits.close(project.connection, stored.id)
