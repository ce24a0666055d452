"""What collecting has to do with jobs: which one wrote a plan, and how its plan stands then."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import db.job_rows
import db.plan_ranges
import prompts
from core.errors import LostkeysError
from core.jobs.job_progress import State
from core.project import OpenProject
from core.scale.collect_report import PlanProgress, retry_name
from core.scale.plan_draft import deliver_draft, find_left
from core.scale.plan_manifest import ANSWERS, FACTS, NAME, PlanFolder, open_plan
from core.scale.request_line import URLS
from core.specs.file_specs import FilesSpec
from core.specs.stored_specs import from_json
from core.stats.number_format import format_amount
from db.connection import write_transaction
from db.job_rows import JobStage
from prompts.reply_shape import ReplyForm


@dataclass(frozen=True, slots=True)
class PlanJob:
    """The job of a plan in this database: its id and spec."""

    id: int
    spec: FilesSpec
    state: str


def find_job(project: OpenProject, plan: PlanFolder) -> PlanJob | None:
    """The job that wrote a plan; None where this database has none.

    Of several that wrote the same requests it is the one with this folder, or the newest.
    """
    found = [one for one in _plan_jobs(project) if one.spec.plan == plan.manifest.plan]
    here = plan.path.absolute()
    newest = found[0] if found else None
    return next((one for one in found if Path(one.spec.folder) == here), newest)


def _plan_jobs(project: OpenProject) -> Iterator[PlanJob]:
    """The jobs that write plans, the newest first."""
    for row in db.job_rows.list_jobs_of_kind(project.connection, "files"):
        with suppress(LostkeysError):
            spec = from_json(row.spec)
            if isinstance(spec, FilesSpec):
                yield PlanJob(row.id, spec, row.state)


def find_lost_plans(project: OpenProject) -> list[PlanJob]:
    """The jobs whose plans are out in folders that are not there."""
    jobs = _plan_jobs(project)
    return [one for one in jobs if one.state == State.OUT and not Path(one.spec.folder).exists()]


def say_lost(job: PlanJob) -> str:
    """What a plan without a folder comes to, and what to do."""
    return (
        f"{job.spec.folder} is not there, and job {job.id} is out in it: put it back, or "
        f"`lostkeys jobs cancel {job.id}` frees what it asks for"
    )


def find_folder(project: OpenProject, folder: Path) -> PlanJob | None:
    """The job of a plan whose folder is not there; None for any other folder.

    A program that was killed at the last moment may have left the plan whole beside its place: it
    is put there.
    """
    here = folder.absolute()
    job = next((one for one in find_lost_plans(project) if Path(one.spec.folder) == here), None)
    for draft in find_left(here) if job is not None else ():
        with suppress(LostkeysError):
            if job is not None and open_plan(draft).manifest.plan == job.spec.plan:
                deliver_draft(draft, here)
                break
    return job


def list_own_files(plan: PlanFolder) -> list[Path]:
    """The files of a plan, which hold no answers."""
    names = [one.name for one in plan.manifest.files]
    retries = [retry_name(endpoint) for endpoint in URLS]
    return [plan.path / name for name in (NAME, FACTS, ANSWERS, *names, *retries)]


def check_templates(
    sums: Mapping[str, str], folder: Path | None, plan: PlanFolder, form: ReplyForm = "text"
) -> None:
    """Raise `LostkeysError` where a template is not the one that the plan was written with.

    `form`: that of the replies.
    """
    for name, summed in sums.items():
        if prompts.load(name, folder, form).hash != summed:
            raise LostkeysError(
                f"the template {name} is not the one that {plan.path} was written with (SHA-256 "
                f"{summed[:12]}…): put it back, so that answers can be checked"
            )


def note_standing(
    project: OpenProject, job: PlanJob, found: PlanProgress, lake: Path | None = None
) -> None:
    """Write how the plan stands to its job; once all is here it claims nothing any more."""
    stages = [
        JobStage(name, one.out, 0, one.here, one.lost, one.refused)
        for name, one in sorted(found.by_stage.items())
    ]
    said = f"{found.here:,} of {found.answers:,} {found.things} {f'in {lake}' if lake else 'here'}"
    if found.refused:
        said += f", {format_amount(found.refused, 'request')} refused"
    with write_transaction(project.connection):
        db.job_rows.set_stages(project.connection, job.id, stages)
        if job.state == State.OUT:
            if found.complete and lake is None:
                db.plan_ranges.free(project.connection, job.id)
                db.job_rows.set_state(project.connection, job.id, State.FINISHED, said)
            else:
                db.job_rows.set_reason(project.connection, job.id, said)
