"""Work that takes a while, outside any screen: answering and grading, importing."""

from core.jobs.listing import ErrorGroup, errors, listed, logged
from core.jobs.progress import Progress, State, Words, words
from core.jobs.running import Means, Result
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
