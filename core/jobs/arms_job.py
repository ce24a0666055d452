"""The job that asks a model about the triples of a set, arm by arm, and grades its answers.

Requests of an arm follow one another: they begin with the same text, which servers keep.
"""

from dataclasses import replace

from core.errors import LostkeysError, UsageError
from core.fact_bench.arm_plan import ArmPlan, ArmPlanner, keep_arm
from core.fact_bench.exemplars import find_needed
from core.graders import grader_table
from core.jobs import answer_job
from core.jobs.grade_job import join_results
from core.jobs.job_run import JobResult, JobRun
from core.modes import ZERO_SHOT, ArmMode, parse_mode
from core.sampling.sample_plan import check_plan, count_missing
from core.sampling.sample_requests import stage_of
from core.specs.answer_specs import ArmsSpec
from db.arms import StoredArm


def run(work: JobRun, spec: ArmsSpec) -> JobResult:
    """Draw what is missing in each arm. Raises as `answer_job.run` does."""
    for name in (*spec.graders, *([spec.known_by] if spec.known_by else [])):
        grader_table.check(name)
    modes = [parse_mode(mode) for mode in dict.fromkeys(spec.modes)]
    for arm in map(ArmPlanner(work.project, spec).foresee, modes):
        missing = count_missing(work.project, arm.plan)
        wanted = int(arm.plan.facts.sum())
        work.control.counters.expect(stage_of(False, arm.plan.mode), missing, wanted - missing)
    return join_results([_ask_arm(work, spec, mode) for mode in modes])


def _ask_arm(work: JobRun, spec: ArmsSpec, mode: ArmMode) -> JobResult:
    sent = ArmPlanner(work.project, spec).find_sent(mode)
    arm = sent if sent is not None else _choose(work, spec, mode)
    planner = ArmPlanner(work.project, spec)
    if mode.knowing is not None and spec.known_by not in (None, arm.known_by):
        raise UsageError(
            f"{arm.label} has answers after exemplars known by {arm.known_by}: use --as NAME to "
            "keep this run apart, or discard the old answers first with `lostkeys discard`"
        )
    planned = planner.plan(arm)
    if not planned.plan.facts.any():
        split = planner.evidence.split
        raise UsageError(
            f"{mode}: no subject of {split} has a document: `import --format documents` brings them"
            if planned.left_out
            else f"{mode}: nothing to ask in {split}: name another --split"
        )
    if planned.left_out:
        why = "no document of the subject is here"
        work.control.counters.say("warn", f"{mode}: {planned.left_out:,} left out: {why}")
    result = _answer(work, spec, planned, sent)
    return replace(result, said=f"{mode}: {result.said}")


def _answer(work: JobRun, spec: ArmsSpec, arm: ArmPlan, sent: StoredArm | None) -> JobResult:
    """Ask and grade what is missing of an arm, once it is written down what is sent."""
    check_plan(work.project, arm.plan)
    keep_arm(work.project, arm, sent)
    return answer_job.answer(work, spec.spec_of_arm(arm.stored.label), arm.plan)


def _choose(work: JobRun, spec: ArmsSpec, mode: ArmMode) -> StoredArm:
    """An arm in which nobody was asked; first it is found out what the model knows, if need be."""
    planner = ArmPlanner(work.project, spec)
    if mode.knowing is None:
        return planner.choose(mode, planner.find_known())
    learning = replace(
        spec, graders=(planner.known_by,), known_by=planner.known_by, only_failed=False
    )
    unclear: set[int] = set()
    while True:
        planner = ArmPlanner(work.project, learning)
        known = planner.find_known()
        train = [one for one in planner.train if one.fact in known or one.fact not in unclear]
        needed = find_needed(train, mode, planner.seed, known)
        if not needed:
            return planner.choose(mode, known)
        planner.check_learner()
        asked = replace(learning, via="requests")
        result = _answer(work, asked, planner.plan_zero_shot(needed), planner.find_sent(ZERO_SHOT))
        if result.failed:
            raise LostkeysError(f"what {spec.label} knows is not found out yet: {result.said}")
        unclear.update(one.fact for one in needed)
