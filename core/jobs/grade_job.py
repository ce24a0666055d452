"""The job that grades what graders have not graded yet."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import db.grades
import db.label_grids
from core.alignment.trials import find_trial_slots, note_trial, rubric_of
from core.engine.db_writer import DbWriter
from core.engine.engine import Engine
from core.engine.lease_liveness import BEAT_EVERY
from core.estimates.request_counts import count_to_grade, find_newest_plane
from core.graders import grader_table, stored_answers
from core.graders.grader_record import is_model, model_of
from core.grading.answer_selection import ALL, AnswerSelection
from core.grading.grader_probe import ReadyGrader, prepare_grader, version_now
from core.grading.grading_work import GradingWork
from core.grading.label_work import REASONS
from core.grading.prompt_rubric import PromptRubric
from core.jobs.job_run import JobResult, JobRun, hold_lease
from core.project import OpenProject
from core.providers.base import Provider
from core.providers.registry import describe
from core.sampling.sample_plan import Plan, count_missing, count_slots
from core.scoring.precedence import LAST_LABEL
from core.specs.answer_specs import GradingSpec, ReplyWord
from core.stats.number_format import format_amount
from db.slot_ids import Slots


def run(work: JobRun, spec: GradingSpec) -> JobResult:
    """Run each grader over everything it has not labelled. Raises `UsageError` for an unknown one.

    A model is asked as the budget lets it; raises what the engine raises.
    """
    grader_table.check_all(spec.graders, spec.sure, spec.cascade)
    first = spec.graders[0] if spec.cascade else None
    sure = grader_table.SURE if spec.cascade and spec.sure is None else spec.sure
    scope = GradingScope(
        Path(spec.prompts) if spec.prompts else None,
        rest_of=first,
        selection=AnswerSelection(spec.where, spec.models, spec.tasks, spec.size, spec.seed),
        effort=spec.effort,
        replies=spec.replies,
        rubric=rubric_of(work.project, spec),
        slots=find_trial_slots(work.project, spec),
    )
    if spec.reference_set is not None:
        return _try_version(work, spec, scope)
    return _grade_all(work, spec, scope, sure)


def _grade_all(
    work: JobRun, spec: GradingSpec, scope: "GradingScope", sure: float | None
) -> JobResult:
    for name in spec.graders:
        counts = (count_now if is_model(name) else _count_local)(work, name, scope)
        work.control.counters.expect(stage_of(name), *counts)
    results = [
        grade_by_model(work, name, scope)
        if is_model(name)
        else _run(work, name, sure if name == spec.graders[0] else None, scope)
        for name in spec.graders
    ]
    return join_results(results)


def _try_version(work: JobRun, spec: GradingSpec, scope: "GradingScope") -> JobResult:
    """Grade the answers of a reference set; its trial and cost are noted, however it ends."""
    (name,) = spec.graders
    before = _count_labels(work, name, scope)
    try:
        return _grade_all(work, spec, scope, None)
    finally:
        after, version = _count_labels(work, name, scope), _find_version(work.project, name, scope)
        if version is not None:
            costs = [one.cost for one in work.control.counters.spends.values()]
            cost = None if None in costs else sum(one or 0.0 for one in costs)
            note_trial(work.project, spec, version, after - before, cost)


def _count_labels(work: JobRun, name: str, scope: "GradingScope") -> int:
    version = _find_version(work.project, name, scope)
    work.project.refresh()
    slots = scope.find_slots(work.project, name)
    if version is None or slots is None:
        return 0
    said = work.project.grids.at(version, slots)
    return int(((said > 0) & (said <= LAST_LABEL)).sum())


def _find_version(project: OpenProject, name: str, scope: "GradingScope") -> int | None:
    """The id of the version that grades as a grader is asked now; None before it has graded."""
    version: str | None
    if is_model(name):
        version = version_now(
            project.connection, name, scope.folder, scope.effort, scope.replies, scope.rubric
        )
    else:
        version = grader_table.builtin(name).version
    rows = db.grades.graders(project.connection)
    return next((key for key, *one in rows if one == [name, version]), None)


def join_results(results: Collection[JobResult]) -> JobResult:
    """Several results as one."""
    return JobResult("; ".join(one.said for one in results), sum(one.failed for one in results))


def stage_of(grader: str) -> str:
    """What the stage of a grader is called."""
    return f"grade {grader}"


def _run(work: JobRun, name: str, sure: float | None, scope: "GradingScope") -> JobResult:
    slots, counters = scope.find_slots(work.project, name), work.control.counters
    stage = counters.stages[stage_of(name)]
    total = stage.waiting + stage.done

    def on_graded(count: int) -> None:
        work.reach(stage.name, stage.done + count, total)

    graded = stored_answers.grade(work.project, name, on_graded=on_graded, sure=sure, slots=slots)
    left, done = _count_local(work, name, scope)
    reason = "unsure" if sure is not None else "no label could be given"
    counters.restate(stage.name, 0, done, left, 0, Counter({reason: left} if left else {}))
    if sure is None:
        return JobResult(f"{name}: {format_amount(graded, 'answer')} graded")
    return JobResult(f"{name}: {format_amount(graded - left, 'answer')} graded, {left:,} unsure")


def _count_local(work: JobRun, name: str, scope: "GradingScope") -> tuple[int, int]:
    """Answers that a grader which is no model has not labelled, and those that it has."""
    work.project.refresh()
    return count_to_grade(work.project, name, slots=scope.find_slots(work.project, name))


@dataclass(frozen=True, slots=True)
class GradingScope:
    """What a model grades, and how: all answers, or those of a plan.

    `folder` may hold templates of the user's own; `facts` are the ids of those of the plan.
    `tried`: the model was tried in this job. `rest_of`: only what this grader is unsure of.
    `selection`: only these responses. `effort`: how hard the model is to think.
    `replies`: the form in which it is asked for labels. `rubric`: what a person adds to its
    prompts. `slots`: only these.
    """

    folder: Path | None = None
    plan: Plan | None = None
    facts: tuple[int, ...] = ()
    tried: bool = False
    rest_of: str | None = None
    selection: AnswerSelection = ALL
    effort: str | None = None
    replies: ReplyWord = "auto"
    rubric: PromptRubric | None = None
    slots: Slots | None = None

    def find_slots(self, project: OpenProject, grader: str) -> Slots | None:
        """The slots that are meant of what a grader grades; None: every one."""
        if self.slots is not None:
            return self.slots
        return self.selection.find_slots(project, grader_table.reads_choice(grader))

    def plan_in(self, project: OpenProject) -> Plan | None:
        """The plan in a project that may have got more facts meanwhile."""
        if self.plan is None:
            return None
        return replace(self.plan, facts=np.isin(project.index.ids, self.facts))


def scope_of(work: JobRun, plan: Plan) -> GradingScope:
    """All answers of a plan."""
    return GradingScope(plan.prompts, plan, tuple(work.project.index.ids[plan.facts].tolist()))


def expect(work: JobRun, name: str, plan: Plan) -> None:
    """Declare the stage of a model that will grade a plan's answers when they are there."""
    missing = 0
    for on in plan.thinking:
        wanted, drawn = count_slots(work.project, plan, on, db.label_grids.DRAWN, choice=False)
        missing += int((wanted - drawn).sum())
    there, done = count_now(work, name, scope_of(work, plan))
    work.control.counters.expect(stage_of(name), missing + there, done)


def try_out(work: JobRun, name: str, scope: GradingScope) -> None:
    """Make sure that a grader's model answers, before anything that it is to grade is paid for.

    Raises `ProviderError` where it does not. Asks nothing where nothing will have to be graded.
    """
    plan = scope.plan_in(work.project)
    missing = 0 if plan is None else count_missing(work.project, plan)
    if not missing and not count_now(work, name, scope)[0]:
        return

    async def try_() -> None:
        provider = work.open_provider(model_of(name))
        try:
            await get_ready(work, provider, name, scope)
        finally:
            await provider.close()

    work.control.await_(try_)


def grade_by_model(work: JobRun, name: str, scope: GradingScope) -> JobResult:
    """Have a model grade what it has not labelled.

    Raises `JobStopped` and what the engine raises.
    """
    counts = count_now(work, name, scope)
    if not counts[0]:
        work.control.counters.expect(stage_of(name), *counts)
        return JobResult(f"{name}: every answer was graded already")
    return work.control.await_(lambda: _grade_by_model(work, name, scope))


def count_now(work: JobRun, name: str, scope: GradingScope) -> tuple[int, int]:
    """Answers that a model has not labelled, as it would be asked now, and those that it has."""
    work.project.refresh()
    project, slots = work.project, scope.find_slots(work.project, name)
    version = version_now(
        project.connection, name, scope.folder, scope.effort, scope.replies, scope.rubric
    )
    return count_to_grade(project, name, scope.plan_in(project), version, scope.rest_of, slots)


async def _grade_by_model(work: JobRun, name: str, scope: GradingScope) -> JobResult:
    provider = work.open_provider(model_of(name))
    try:
        found = await get_ready(work, provider, name, scope)
        return await _grade(work, provider, found, scope)
    finally:
        await provider.close()


async def get_ready(
    work: JobRun, provider: Provider, name: str, scope: GradingScope
) -> ReadyGrader:
    """Find out how a grader is to be asked, and say what a person should know of it."""
    async with hold_lease(work):
        found = await prepare_grader(
            work.on_trial(provider, model_of(name)),
            name,
            work.project.connection,
            scope.folder,
            tried=scope.tried,
            effort=scope.effort,
            replies=scope.replies,
            rubric=scope.rubric,
        )
    for note in found.notes:
        work.control.counters.say("warn", note)
    return found


async def _grade(
    work: JobRun, provider: Provider, found: ReadyGrader, scope: GradingScope
) -> JobResult:
    project, counters, grader = work.project, work.control.counters, found.grader

    def begin_work() -> GradingWork:
        project.refresh()
        plan, settings = scope.plan_in(project), None
        if plan is not None:
            known = project.setting_ids()
            settings = [known[plan.label, on] for on in plan.thinking if (plan.label, on) in known]
        facts = None if plan is None else plan.facts
        rest = None if scope.rest_of is None else find_newest_plane(project, scope.rest_of)
        slots = scope.find_slots(project, grader.name)
        made = GradingWork(
            project, grader, work.holder.lease_holder, counters, facts, settings, rest, slots
        )
        project.refresh()
        version = grader.recipe.version
        counts = count_to_grade(project, grader.name, plan, version, scope.rest_of, slots)
        counters.expect(grader.stage, *counts)
        return made

    def warn(line: str) -> None:
        counters.say("warn", line)

    async with DbWriter(project.connection, project.path, warn) as db_writer:
        db_writer.every(BEAT_EVERY, work.holder.beat)
        judging = await db_writer.run_read(begin_work)
        model = grader.recipe.model
        channel = work.channel(provider, model, describe(model))
        engine = Engine(db_writer, judging, {grader.name: channel}, counters, work.budget())
        work.control.steer(engine)
        await engine.run()
    return _result(grader.name, judging)


def _result(name: str, judging: GradingWork) -> JobResult:
    """What grading by a model came to, in one line."""
    states = {state: judging.outcomes[state] for state in REASONS}
    labels = sum(judging.outcomes.values()) - sum(states.values())
    said = f"{name}: {format_amount(labels, 'answer')} graded"
    if judging.copied:
        said += f", {judging.copied:,} of them without asking"
    said += "".join(f", {count:,} {state.name.lower()}" for state, count in states.items() if count)
    failed = sum(states.values())
    return JobResult(f"{said}; start it again to ask again" if failed else said, failed)
