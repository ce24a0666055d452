"""Work that takes a while, outside any screen: answering and grading, importing."""

from core.jobs.job_list import ErrorGroup, errors, listed, logged
from core.jobs.job_progress import Progress, State, Words, words
from core.jobs.job_run import Means, Result
from core.jobs.service import Jobs

__all__ = [
    "ErrorGroup",
    "Jobs",
    "Means",
    "Progress",
    "Result",
    "State",
    "Words",
    "errors",
    "listed",
    "logged",
    "words",
]
