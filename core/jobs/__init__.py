"""Work that takes a while, outside any screen: answering and grading, importing."""

from core.jobs.job_list import ErrorGroup, errors, listed, logged
from core.jobs.job_progress import JobProgress, ProgressText, State, words
from core.jobs.job_run import JobContext, JobResult
from core.jobs.service import Jobs

__all__ = [
    "ErrorGroup",
    "JobContext",
    "JobProgress",
    "JobResult",
    "Jobs",
    "ProgressText",
    "State",
    "errors",
    "listed",
    "logged",
    "words",
]
