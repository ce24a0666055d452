"""What makes a model's bars doubtful, in words: thinking that was not off, answers not marked."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

import db.label_grids
import db.model_rows
import db.responses
from core.graders.answer_text import STEP_BY_STEP, has_marker
from core.project import OpenProject
from core.stats.number_format import format_amount
from core.views.user_errors import tell_user_errors

if TYPE_CHECKING:
    from core.views.session import Session

TOO_MANY_UNMARKED = 0.2
"""Above this share of step by step answers without `answer:` a model is doubtful (semantics 2)."""


@tell_user_errors
def read_doubts(session: "Session") -> Mapping[str, str]:
    """For every doubtful model why. Reads many answers: it should make way for all else."""
    project = session.project
    reasoned = db.responses.count_reasoning(project.connection)
    found: dict[str, str] = {}
    for (model, thinking), setting in project.setting_ids().items():
        words = (
            _explain_unmarked(project, model, setting)
            if thinking
            else _explain_reasoning(project, reasoned.get(setting, 0), setting)
        )
        if words:
            found[model] = f"{found[model]}; {words}" if model in found else words
    return found


def _explain_reasoning(project: OpenProject, count: int, setting: int) -> str:
    """Answers that show reasoning in a setting without thinking."""
    if not count:
        return ""
    cells = project.grids.cells(db.label_grids.DRAWN, setting)
    total = 0 if cells is None else int(np.count_nonzero(cells))
    verb = "shows" if count == 1 else "show"
    return f"thinking was not off: {count:,} of {format_amount(total, 'answer')} {verb} reasoning"


def _explain_unmarked(project: OpenProject, model: str, setting: int) -> str:
    """Step by step answers that do not say which part is the answer, if they are many."""
    recipe = db.model_rows.recipe_of(project.connection, model)
    if recipe is None or recipe.get("thinking") != STEP_BY_STEP:
        return ""
    marked = [has_marker(text) for text in db.responses.texts(project.connection, setting)]
    without = marked.count(False)
    if not marked or without <= TOO_MANY_UNMARKED * len(marked):
        return ""
    return f"{without:,} of {format_amount(len(marked), 'answer')} with thinking have no `answer:`"
