"""What a run of scores asks for, and what it leaves out, before it starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.errors import UsageError
from core.estimates.estimate_text import NO_TIME, EstimateRow
from core.estimates.job_history import History
from core.project import OpenProject
from core.providers.registry import check_scorer_of
from core.specs.answer_specs import ScoringSpec
from core.stats.number_format import format_duration
from core.zero_prompt.score_plan import RESPONSE, ScorePlan, plan_scores
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
    """Facts or places to ask about, and those that are there, by test; why others are left out.

    `rates`: facts or places a second by test, as in the newest job of the model that has enough.
    """

    tests: tuple[tuple[str, int, int], ...]
    left_out: tuple[str, ...]
    rates: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float | None:
        """How long it would take; None where the rate of a test is not known."""
        asked = [(test, left) for test, left, _ in self.tests if left]
        if any(test not in self.rates for test, _ in asked):
            return None
        return sum(left / self.rates[test] for test, left in asked)


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
    return measure_plan(project, spec.model, plan)


def measure_plan(project: OpenProject, model: str, plan: ScorePlan) -> ScoreEstimate:
    """What a plan asks for, and how fast the model was last."""
    history = History(project.connection)
    found = {test: history.find_scoring(model, test) for test in plan.tests}
    return ScoreEstimate(
        tuple((test, *plan.count(test)) for test in plan.tests),
        plan.left_out,
        {test: one.rate for test, one in found.items() if one is not None and one.rate},
    )


def time_row(estimate: ScoreEstimate) -> EstimateRow:
    """How long it would take, or that nobody knows yet."""
    if not any(left for _, left, _ in estimate.tests):
        return EstimateRow("time", "none")
    if estimate.seconds is None:
        return NO_TIME
    rates = [f"{test} at {estimate.rates[test]:.2g}" for test, left, _ in estimate.tests if left]
    beside = f"{', '.join(rates)} a second, as last time"
    return EstimateRow("time", f"about {format_duration(estimate.seconds)}", beside)


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
    rows.append(time_row(estimate))
    rows += [
        EstimateRow("left out", "", line.partition(": --")[0]) for line in estimate.left_out[:SHOWN]
    ]
    if len(estimate.left_out) > SHOWN:
        rows.append(EstimateRow("", "", f"and {len(estimate.left_out) - SHOWN:,} more relations"))
    return rows
