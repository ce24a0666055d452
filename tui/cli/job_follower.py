"""Following a job of this program to its end, on a terminal or in a log."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import LostkeysError
from tui.cli.progress_bar import Reporter, reporter
from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from rich.text import Text

    from core.jobs.followed_job import FollowedJob
    from core.jobs.job_run import JobResult
    from core.jobs.job_service import Jobs
    from core.jobs.job_view import JobView
    from core.project import OpenProject
    from core.specs.job_kinds import Spec

LOOK = 0.2
"""Seconds between two looks at a job."""

TOLD = ("job", "warn", "served")
"""Kinds of log lines that are said at once; what a job fails with is said by what comes of it."""


class InterruptedJobError(LostkeysError):
    """Stopped by ctrl-c: what is kept, and how to go on."""

    exit_code = 130


def run_job(database: Path, spec: "Spec", max_cost: float | None = None) -> "JobResult":
    """Run a job to its end; gives what it came to, and says it. Raises what it ended with."""
    from core.jobs.job_service import Jobs
    from core.specs.answer_specs import AnsweringSpec, ArmsSpec, ScoringSpec

    jobs = Jobs(database)
    result = follow(jobs, jobs.start(spec, max_cost))
    name = ""
    if isinstance(spec, AnsweringSpec | ScoringSpec | ArmsSpec):
        name = f"{one_line(spec.label, 40)}: "
    click.echo(name + one_line(result.said), err=True)
    return result


def follow(
    jobs: "Jobs", job: int, results: "Callable[[], Iterable[Text]]" = lambda: ()
) -> "JobResult":
    """Follow a job to its end, printing `results` as they come; gives what it came to.

    Raises what the job ended with, and `InterruptedJobError` after ctrl-c.
    """
    last = 0
    with reporter() as shown:
        try:
            while True:
                over = jobs.wait(job, LOOK)
                last = _tell(jobs, job, last, shown)
                for line in results():
                    shown.print(line)
                if over:
                    break
                now = jobs.progress()
                if now is not None:
                    shown.show(now)
        except KeyboardInterrupt:
            jobs.close()
            raise InterruptedJobError(_describe_stopped_job(jobs, job)) from None
    return _outcome(jobs, job)


def follow_other(project: "OpenProject", followed: "FollowedJob") -> "JobView | None":
    """Follow a job of another program until that is through with it; gives how it stands then."""
    from core.engine.lease_liveness import Liveness
    from core.jobs.job_list import HELD, list_jobs

    liveness = Liveness()
    with reporter() as shown:
        try:
            while True:
                views = list_jobs(project, liveness)
                view = next((one for one in views if one.id == followed.job), None)
                if view is None or view.state not in HELD:
                    return view
                followed.take(view)
                if (now := followed.progress()) is not None:
                    shown.show(now)
                time.sleep(LOOK)
        except KeyboardInterrupt:
            raise InterruptedJobError(
                f"job {followed.job} goes on in the other program; `lostkeys jobs` shows it"
            ) from None


def _tell(jobs: "Jobs", job: int, after: int, shown: Reporter) -> int:
    """Say what is new in the log; gives the last line's id. An end is said by what comes of it."""
    from core.jobs.job_thread import BEGINS, FINISHED, GOES_ON

    lines = jobs.log(job, after)
    plain = {BEGINS, GOES_ON, jobs.view(job).reason}
    for line in lines:
        if line.kind in TOLD and line.text not in plain and not line.text.startswith(FINISHED):
            shown.tell(line.text)
    return lines[-1].id if lines else after


def _outcome(jobs: "Jobs", job: int) -> "JobResult":
    """What the job came to, which is an error also where another program cancelled it."""
    result = jobs.result(job)
    view = jobs.view(job)
    if view.state not in ("finished", "out") and not result.in_vain:
        raise LostkeysError(f"{view.name}: {view.reason}")
    return result


def _describe_stopped_job(jobs: "Jobs", job: int) -> str:
    """What is kept of a job that was stopped, and how it goes on."""
    now, number = jobs.progress(), jobs.view(job).id
    done = f"{now.done:,} of {now.wanted:,} {now.unit}" if now and now.wanted else "nothing new"
    how = f"the same command goes on, or `lostkeys run --job {number}`"
    return f"stopped; what was done is kept ({done}); {how if number > 0 else 'start it again'}"
