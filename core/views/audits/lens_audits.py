"""Audits and the lens: which are of what a lens shows, and what one drawn through it would be."""

from dataclasses import dataclass, replace

from core.certainty.audit_draw import make_plan
from core.certainty.audit_frame import AuditFrame, AuditPlan
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, grader_of
from core.views.lens import Lens


@dataclass(frozen=True, slots=True)
class DrawOffer:
    """What an audit would be of: a name that is free, the model, the facts.

    `frame` is None where nothing can be drawn: `why` says it, None where nobody is named yet.
    """

    name: str
    model: str | None
    frame: AuditFrame | None
    why: str | None


def plan_of(project: OpenProject, lens: Lens, name: str) -> AuditPlan:
    """The plan of an audit of what a lens shows; grader B, where it is none of A's, is second."""
    graders = graders_of(lens)
    policy = replace(lens.policy, graders=graders or None)
    names = {one.partition("#")[0] for one in graders}
    labelled = {one.name for one in project.graders()}
    second = next(
        (
            one
            for one in lens.compared
            if one not in names and not one.startswith(HUMAN_PREFIX) and one in labelled
        ),
        None,
    )
    models = None if lens.model is None else [lens.model]
    return make_plan(project, policy, grader_of(name), models, second)


def graders_of(lens: Lens) -> tuple[str, ...]:
    """The graders of a lens without people."""
    return tuple(one for one in lens.ranked if not one.startswith(HUMAN_PREFIX))
