"""Which models an analysis must leave out because their runs were curtailed.

A curtailed run asks what its verdicts need (semantics section 7). What counts answers needs all
of them; what compares questions needs each of them decided, also where the fact was decided
without it: those that are decided are no fair sample.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from core.analyses.bootstrap import TASKS as RESAMPLED
from core.analyses.evidence import Evidence
from core.analyses.quality import TAU
from core.analyses.threshold import TAUS
from core.dataset.subsets import Mask
from core.errors import LostkeysError
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import UNDECIDED, states
from core.scoring.verdicts import INCOMPLETE, code_cells, judge
from core.vocabulary import ENCODING, KNOWLEDGE, TASK_INDEX, TASKS, Task

_COMPARED = tuple(task for task in TASKS if task not in ENCODING)
_BOTH, _OFF = (False, True), (False,)


def left_out(name: str, evidence: Evidence) -> dict[str, str]:
    """Models that an analysis cannot be made of, with the reason in words."""
    if evidence.tally.curtailed is None or name not in _NEEDS:
        return {}
    found = {}
    for place, model in enumerate(evidence.tally.models):
        count = _NEEDS[name](evidence, place)
        if count:
            found[model] = f"{model} is left out of {name}: {_WHY[name].format(count=count)}"
    return found


def check_any(name: str, models: Sequence[str], reasons: dict[str, str]) -> None:
    """Raise `LostkeysError` if none of the models asked for is fit for an analysis."""
    if models and len(reasons) == len(models):
        raise LostkeysError(
            f"no {name} of {', '.join(models)}: sampling was curtailed, "
            f"{_WHY[name].format(count='some')}; run it again without --curtail to draw the rest"
        )


def _open(
    evidence: Evidence, place: int, tasks: Sequence[Task], thinking: Sequence[bool], facts: Mask
) -> int:
    """Questions of these facts with draws left."""
    left = evidence.tally.left()
    rows = [row for on in thinking if (row := int(evidence.tally.rows[place, int(on)])) >= 0]
    if left is None or not rows:
        return 0
    return int(np.count_nonzero(left[np.ix_(rows, _places(tasks))][..., facts]))


def _undecided(
    evidence: Evidence,
    place: int,
    tasks: Sequence[Task],
    thinking: Sequence[bool],
    facts: Mask,
    policy: Policy | None = None,
) -> int:
    """Those of them that are not decided."""
    tally = evidence.tally
    left = tally.left()
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


def _unknown(evidence: Evidence, place: int) -> Mask:
    found: Mask = evidence.analysed()[place] & ~evidence.verdicts.knows[place]
    return found


def _unmeasured(evidence: Evidence, place: int) -> int:
    """Verdicts that are open under some threshold of the analysis, though not under the runs'."""
    tally = evidence.tally.of_model(place)
    cells, thinking = code_cells(tally), tally.thinks()

    def incomplete(policy: Policy) -> Mask:
        found: Mask = (
            judge(cells, thinking, policy, tally.skipping(policy)).verdict[0] == INCOMPLETE
        )
        return found & evidence.facts

    left = tally.left()
    if left is None:
        return 0
    stopped: Mask = np.logical_or.reduce(left > 0, axis=(0, 1))
    for policy in _policies_of_runs(tally, evidence.policy):
        stopped = stopped & ~incomplete(policy)
    under = (incomplete(replace(evidence.policy, tau=tau)) for tau in TAUS)
    return sum(int(np.count_nonzero(one & stopped)) for one in under)


def _policies_of_runs(tally: LabelCounts, policy: Policy) -> list[Policy]:
    """The policies that one model's runs are valid for; none if they had other graders."""
    valid = tally.curtailed.valid[0] if tally.curtailed else frozenset()
    return [
        replace(policy, tau=float(tau), strategy=strategy, weight=float(weight))
        for tau, strategy, weight in valid
    ]


_NEEDS: dict[str, Callable[[Evidence, int], int]] = {
    "availability": lambda found, place: _open(found, place, TASKS, _BOTH, found.facts),
    "bootstrap": lambda found, place: _open(found, place, RESAMPLED, _OFF, found.facts),
    "direction": lambda found, place: _undecided(
        found, place, _COMPARED, _BOTH, found.analysed()[place]
    ),
    "errors": lambda found, place: _undecided(
        found, place, KNOWLEDGE, _OFF, _unknown(found, place)
    ),
    "phrasing": lambda found, place: _undecided(found, place, _COMPARED, _BOTH, found.facts),
    "quality": lambda found, place: _undecided(
        found, place, TASKS, _BOTH, found.facts, replace(found.policy, tau=TAU)
    ),
    "threshold": _unmeasured,
}
"""How many questions an analysis lacks of a model (its place)."""

_ALL = "it needs every answer, and {count} questions were stopped early"
_EACH = "it compares questions, and {count} of them are undecided"
_WHY = {
    "availability": _ALL,
    "bootstrap": _ALL,
    "direction": _EACH,
    "errors": _EACH,
    "phrasing": _EACH,
    "quality": _EACH,
    "threshold": "{count} verdicts are open under other thresholds than that of the run",
}
