"""Which models an analysis must leave out because their runs were curtailed.

A curtailed run asks what its verdicts need (semantics section 7). What counts answers needs all
of them; what compares questions needs each of them decided, also where the fact was decided
without it: those that are decided are no fair sample.
"""

from collections.abc import Sequence

import numpy as np

from core.analyses.analysis_evidence import Evidence
from core.analyses.analysis_record import AnalysisRecord
from core.dataset.subsets import Mask
from core.errors import LostkeysError
from core.scoring.policy import Policy
from core.scoring.question_states import UNDECIDED, states
from core.vocabulary import ENCODING, TASK_INDEX, TASKS, Task

OPEN_AND_CHOICE = tuple(task for task in TASKS if task not in ENCODING)
BOTH, OFF = (False, True), (False,)
"""Answers without thinking and with it, or only those without."""

ALL = "it needs every answer, and {count} questions were stopped early"
EACH = "it compares questions, and {count} of them are undecided"


def explain_left_out(analysis: AnalysisRecord, evidence: Evidence) -> dict[str, str]:
    """Models that an analysis cannot be made of, with the reason in words."""
    if evidence.tally.curtailed is None or analysis.lacking is None:
        return {}
    found = {}
    for place, model in enumerate(evidence.tally.models):
        count = analysis.lacking(evidence, place)
        if count:
            reason = analysis.lacking_reason.format(count=count)
            found[model] = f"{model} is left out of {analysis.name}: {reason}"
    return found


def check_any(analysis: AnalysisRecord, models: Sequence[str], reasons: dict[str, str]) -> None:
    """Raise `LostkeysError` if none of the models asked for is fit for an analysis."""
    if models and len(reasons) == len(models):
        raise LostkeysError(
            f"no {analysis.name} of {', '.join(models)}: sampling was curtailed, "
            f"{analysis.lacking_reason.format(count='some')}; run it again without --curtail to "
            "draw the rest"
        )


def count_open(
    evidence: Evidence, place: int, tasks: Sequence[Task], thinking: Sequence[bool]
) -> int:
    """Questions of one model with draws left."""
    left = evidence.tally.count_left()
    rows = [row for on in thinking if (row := int(evidence.tally.rows[place, int(on)])) >= 0]
    if left is None or not rows:
        return 0
    return int(np.count_nonzero(left[np.ix_(rows, _places(tasks))][..., evidence.facts]))


def count_undecided(
    evidence: Evidence,
    place: int,
    tasks: Sequence[Task],
    thinking: Sequence[bool],
    facts: Mask,
    policy: Policy | None = None,
) -> int:
    """Questions of one model and these facts with draws left that are not decided."""
    tally = evidence.tally
    left = tally.count_left()
    rows = [row for on in thinking if (row := int(tally.rows[place, int(on)])) >= 0]
    if left is None or not rows:
        return 0
    counts = tally.labels[rows][:, :, _places(tasks)][..., facts].transpose(1, 0, 2, 3)
    rest = left[np.ix_(rows, _places(tasks))][..., facts]
    found = states(counts, policy or evidence.policy, rest)
    exists = tally.exists[_places(tasks)][:, facts]
    return int(np.count_nonzero(((found & UNDECIDED) != 0) & exists))


def _places(tasks: Sequence[Task]) -> list[int]:
    return [TASK_INDEX[task] for task in tasks]
