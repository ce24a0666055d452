"""What a run of arms will take: arm by arm, and before them what the model has to be asked first.

Which exemplars a model knows is found out by its zero-shot answers. How many it takes nobody can
say before: at the least those that the choice hangs on now, at the most all of train.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.estimates.estimate import NONE, Estimate, EstimatePart, QuantityRange
from core.estimates.estimator import Estimator
from core.fact_bench.arm_plan import ArmPlanner
from core.fact_bench.exemplars import find_needed
from core.modes import ArmMode, parse_mode
from core.project import OpenProject
from core.specs.answer_specs import ArmsSpec


def estimate_arms(project: OpenProject, spec: ArmsSpec, estimator: Estimator) -> Estimate:
    """What a spec would take. Raises as the run itself would."""
    planner, found = ArmPlanner(project, spec), list[Estimate]()
    for mode in map(parse_mode, dict.fromkeys(spec.modes)):
        sent = planner.find_sent(mode)
        if sent is None and mode.knowing is not None:
            found += _estimate_knowledge(planner, mode, estimator)
        arm = planner.foresee(mode)
        found.append(estimator.estimate_plan(project, spec.spec_of_arm(arm.stored.label), arm.plan))
    return _add_estimates(found)


def _estimate_knowledge(
    planner: ArmPlanner, mode: ArmMode, estimator: Estimator
) -> Iterator[Estimate]:
    """The zero-shot answers on train: from those needed now to all that are missing."""
    known = planner.find_known()
    needed = find_needed(planner.train, mode, planner.seed, known)
    lacking = [one for one in planner.train if one.fact not in known]
    if not needed:
        return
    planner.check_learner()
    grading = replace(planner.spec, graders=(planner.known_by,))
    least, most = (
        estimator.estimate_plan(planner.project, grading.spec_of_arm(arm.stored.label), arm.plan)
        for arm in (planner.plan_zero_shot(needed), planner.plan_zero_shot(lacking))
    )
    yield replace(
        most,
        answers=_span_range(least.answers, most.answers),
        parts=tuple(map(_span, least.parts, most.parts)),
        seconds=None,
        rate=None,
    )


def _span(least: EstimatePart, most: EstimatePart) -> EstimatePart:
    costs = (least.cost, most.cost)
    return replace(
        most,
        requests=_span_range(least.requests, most.requests),
        input_tokens=_span_range(least.input_tokens, most.input_tokens),
        output_tokens=_span_range(least.output_tokens, most.output_tokens),
        cost=None if costs[0] is None or costs[1] is None else _span_range(costs[0], costs[1]),
        first=least.first,
    )


def _span_range(least: QuantityRange, most: QuantityRange) -> QuantityRange:
    return QuantityRange(least.low, most.high)


def _add_estimates(found: Sequence[Estimate]) -> Estimate:
    """Estimates of what is done one after another as one."""
    seconds = [one.seconds for one in found if one.answers.high]
    time = None if None in seconds else sum(one for one in seconds if one is not None) or None
    questions = sum(one.questions for one in found)
    return Estimate(
        questions=questions,
        here=sum(one.here for one in found),
        answers=sum((one.answers for one in found), NONE),
        graded=sum(one.graded for one in found),
        parts=tuple(part for one in found for part in one.parts),
        seconds=time,
        rate=questions / time if time else None,
        batch=any(one.batch for one in found),
    )
