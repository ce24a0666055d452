"""Setting responses aside, so that their slots can be drawn anew."""

from collections.abc import Sequence

import db.label_grids
import db.responses
from core.project import OpenProject
from core.vocabulary import TASK_INDEX, Task
from db.connection import write_transaction

BATCH = 5_000
"""Responses moved in one transaction."""


def slots_of(
    project: OpenProject, label: str, thinking: Sequence[bool], tasks: Sequence[Task]
) -> list[int]:
    """Slots with a response of this model or arm in these settings and tasks.

    Raises `UsageError` where it has no responses at all.
    """
    settings = project.setting_ids()
    project.choose_models([label], arms=True)
    places = [TASK_INDEX[task] for task in tasks]
    questions = project.index.questions[:, places]
    wanted = questions[questions > 0].tolist()
    return [
        slot
        for on in thinking
        if (label, on) in settings
        for slot in db.responses.slots_of(project.connection, wanted, settings[label, on])
    ]


def discard(project: OpenProject, slots: Sequence[int], reason: str) -> None:
    """Move these responses with their grades out of their slots; nothing is lost."""
    for start in range(0, len(slots), BATCH):
        with write_transaction(project.connection):
            db.responses.set_aside(project.connection, slots[start : start + BATCH], reason)
    db.label_grids.fold_if_due(project.connection)
    project.refresh()
