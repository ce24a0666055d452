"""Audits played on one's own data: a grader stands in for the person."""

from typing import Any

from core.certainty.audit_draw import states_by
from core.certainty.audit_evidence import read_evidence
from core.certainty.audit_frame import AuditFrame
from core.certainty.audit_planner import REHEARSALS, rehearse
from core.certainty.audit_queue import decisions_per_fact
from core.certainty.audit_report import check_within, choose_number
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX


def rehearse_audit(
    project: OpenProject, frame: AuditFrame, player: str, within: float, about: str
) -> dict[str, Any]:
    """The document of `audit rehearse`; where the player has no label the graders' is taken.

    Raises `UsageError` for a player who is one of the graders or has labelled nothing.
    """
    check_within(within)
    plan = frame.plan
    if player.startswith(HUMAN_PREFIX) or player in {one.split("#")[0] for one in plan.graders}:
        raise UsageError(f"{player} cannot play the person: name another grader with --by")
    played = states_by(project, frame, (player, *plan.graders))
    evidence = read_evidence(project, frame)
    pace = decisions_per_fact(project, evidence, 0)
    rows = []
    for place, model in enumerate(plan.models):
        number = choose_number(evidence, model, about)
        found = rehearse(frame, place, number, played[place], within)
        p50 = found.quantile(0.5)
        rows.append(
            {
                "model": model,
                "number": number.name,
                "graded": found.graded,
                "truth": found.truth,
                "held": found.held,
                "held_at_stop": found.held_at_stop,
                "facts": {"p50": p50, "p90": found.quantile(0.9)},
                "decisions": round(p50 * pace),
            }
        )
    return {
        "by": player,
        "facts": len(frame),
        "within": within,
        "audits": REHEARSALS,
        "models": rows,
    }
