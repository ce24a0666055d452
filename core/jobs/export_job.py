"""The job that writes rows to a file."""

from pathlib import Path

from core.jobs.job_run import JobResult, JobRun
from core.project import OpenProject
from core.scoring.policy import Policy
from core.specs.file_specs import ExportingSpec
from core.stats.number_format import format_amount
from core.transfer.exports import Subset, export

EXPORT = "export"
"""Its stage."""


def run(work: JobRun, spec: ExportingSpec) -> JobResult:
    """Export to a file."""
    work.control.counters.expect(EXPORT, 0)

    def progress(done: int, total: int) -> None:
        work.reach(EXPORT, done, total)

    subset = Subset(spec.models, spec.where or None, spec.policy or Policy(), spec.rejected)
    # One long look at the file, beside the connection by which the job's row is written.
    with OpenProject(work.project.path, "read") as project:
        rows = export(project, spec.what, Path(spec.file), spec.excel_safe, progress, subset)
    return JobResult(f"{format_amount(rows, 'row')} of {spec.what} in {spec.file}")
