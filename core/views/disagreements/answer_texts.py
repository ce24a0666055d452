"""What the rows of a queue answered, for those that are seen."""

from collections.abc import Sequence

import db.model_rows
import db.responses
from core.graders.answer_text import answer_in
from core.project import Project
from core.views.disagreements.disagreement_queue import DisagreementQueue

LONGEST = 400
"""Characters of an answer that a row may need."""


def of(project: Project, queue: DisagreementQueue, places: Sequence[int]) -> dict[int, str]:
    """The answers at these places of a queue, by slot, as graders see them; long ones cut.

    Answers that have been set aside meanwhile are left out.
    """
    rows = {row.slot: row for row in map(queue.row, places)}
    recipes = {
        model: db.model_rows.recipe_of(project.connection, model)
        for model in {row.model for row in rows.values()}
    }
    found = {}
    for one in db.responses.some(project.connection, list(rows)):
        row = rows[one.slot]
        found[one.slot] = answer_in(one, row.thinking, recipes[row.model]).strip()[:LONGEST]
    return found
