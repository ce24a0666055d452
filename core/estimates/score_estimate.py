"""What a run of scores asks for, and what it leaves out, before it starts."""

from dataclasses import dataclass

from core.errors import UsageError
from core.estimates.estimate_text import EstimateRow
from core.project import OpenProject
from core.providers.registry import check_scorer_of
from core.specs.answer_specs import ScoringSpec
from core.zero_prompt.score_plan import RESPONSE, plan_scores
from core.zero_prompt.stored_relations import (
    RelationRoom,
    choose_relations,
    measure_room,
    read_relations,
)

SHOWN = 3
"""Lines about what is left out that a form has room for."""


@dataclass(frozen=True, slots=True)
class ScoreEstimate:
    """Facts or places to ask about, and those that are there, by test; why others are left out."""

    tests: tuple[tuple[str, int, int], ...]
    left_out: tuple[str, ...]


def estimate_scores(project: OpenProject, spec: ScoringSpec) -> ScoreEstimate:
    """What a spec would ask. Raises `UsageError` as the run does, and where that is nothing."""
    if any(test != RESPONSE for test in spec.tests):
        check_scorer_of(spec.model)
    project.refresh()
    plan = plan_scores(project, spec)
    if not plan.parts:
        why = "; ".join(plan.left_out[:SHOWN]) or "no relation has facts here"
        more = len(plan.left_out) - SHOWN
        raise UsageError(f"nothing can be asked: {why}{f'; {more:,} more' if more > 0 else ''}")
    return ScoreEstimate(tuple((test, *plan.count(test)) for test in plan.tests), plan.left_out)


def measure_rooms(project: OpenProject, set_name: str) -> tuple[RelationRoom, ...]:
    """What each relation of a set (empty: of all) can give, sorted by name."""
    project.refresh()
    found = choose_relations(project, set_name=set_name or None, twins=True)
    return tuple(measure_room(one.relation) for one in read_relations(project, found))


def score_rows(estimate: ScoreEstimate) -> list[EstimateRow]:
    """The estimate as a form shows it."""
    rows = [
        EstimateRow(test, f"{left:,} to ask", f"{there:,} there already" if there else "")
        for test, left, there in estimate.tests
    ]
    rows += [
        EstimateRow("left out", "", line.partition(": --")[0]) for line in estimate.left_out[:SHOWN]
    ]
    if len(estimate.left_out) > SHOWN:
        rows.append(EstimateRow("", "", f"and {len(estimate.left_out) - SHOWN:,} more relations"))
    return rows
