"""Work that takes a while, outside any screen: answering and grading, importing."""

from core.jobs.progress import Progress, State, Words, words
from core.jobs.service import Control, Job, Jobs, Stopped

__all__ = ["Control", "Job", "Jobs", "Progress", "State", "Stopped", "Words", "words"]
