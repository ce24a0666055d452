"""The stages of building that change a question that others made, and what they changed."""

from dataclasses import dataclass

import db.reviews
from core.project import OpenProject
from core.vocabulary import Task

UNCHANGED = "as first written"
"""Stands for a stage where none has changed a question."""


@dataclass(frozen=True, slots=True)
class Changer:
    """A stage, the stages whose question went into it (the nearest first), and its task."""

    stage: str
    before: tuple[str, ...]
    task: Task

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that show the question."""
        return self.task, Task(f"mc_{self.task}")


CHANGERS = (
    Changer("specify-direct", ("direct",), Task.DIRECT),
    Changer("minimize-direct", ("specify-direct", "direct"), Task.DIRECT),
    Changer("specify-reverse", ("reverse",), Task.REVERSE),
    Changer("minimize-reverse", ("specify-reverse", "reverse"), Task.REVERSE),
)
"""In the order of the stages."""


def find_changed(project: OpenProject, stage: str) -> list[int]:
    """Current questions that a stage changed; none for a stage that changes nothing."""
    return [
        key
        for one in CHANGERS
        if one.stage == stage
        for key in db.reviews.find_changed_by(project.connection, stage, one.before, one.tasks)
    ]


def find_changers(project: OpenProject) -> dict[int, str]:
    """The last stage that changed each question, by id; questions that none did are left out."""
    return {key: one.stage for one in CHANGERS for key in find_changed(project, one.stage)}
