"""How likely a fact is to have the same profile if all its answers were drawn again.

Questions are drawn for themselves, so the chances of E, K0 and KT multiply out of those of
questions (`pass_chances.py`); nothing is simulated.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.results.pass_chances import Chances, redrawn_chances
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS, EXCLUDED_NAN, INCOMPLETE, VERDICT_BY_BITS, Verdicts
from core.vocabulary import ENCODING, TASK_INDEX


@dataclass(frozen=True, slots=True)
class RedrawChances:
    """How likely E, K0 and KT of each fact (facts,) are to hold if its answers were drawn again.

    Each is a pair: in one redraw, and in both of two redraws from the same chances. `thinking` is
    None where it was not measured. `open` marks facts of which draws are left to come.
    """

    encodes: tuple[Chances, Chances]
    knows: tuple[Chances, Chances]
    thinking: tuple[Chances, Chances] | None
    open: npt.NDArray[np.bool_]


def read_redraws(
    tally: LabelCounts, verdicts: Verdicts, policy: Policy, place: int
) -> RedrawChances:
    """The chances of one model, by its place."""
    facts = tally.exists.shape[1]
    none_passes, all_pass, all_on = (np.ones((2, facts)) for _ in range(3))
    open_ = np.zeros(facts, np.bool_)
    left = tally.count_left()
    for task, on in CELLS:
        row = tally.rows[place, int(on)]
        if row < 0:
            continue
        counts = tally.labels[row, :, TASK_INDEX[task]].astype(np.int64)
        once, both, gradable = redrawn_chances(counts, policy)
        if left is not None:
            open_ |= left[row, TASK_INDEX[task]] > 0
        if task in ENCODING:
            neither = np.stack([1 - once, 1 - 2 * once + both])
            none_passes *= np.where(gradable, neither, 1.0)
        else:
            passes = all_on if on else all_pass
            passes *= np.where(gradable, np.stack([once, both]), 1.0)
    encodes = 1 - none_passes[0], 1 - 2 * none_passes[0] + none_passes[1]
    thinking = (all_on[0], all_on[1]) if verdicts.thinking[place] else None
    return RedrawChances(encodes, (all_pass[0], all_pass[1]), thinking, open_)


def chances_of_same(tally: LabelCounts, verdicts: Verdicts, policy: Policy, place: int) -> Chances:
    """The chance of each fact (facts,) to have its verdict again with one model, by its place.

    NaN for facts that are incomplete or not gradable, and where draws are left to come.
    """
    redraws = read_redraws(tally, verdicts, policy, place)
    on = None if redraws.thinking is None else redraws.thinking[0]
    found = _own_verdict_chances(verdicts, place, redraws.encodes[0], redraws.knows[0], on)
    verdict = verdicts.verdict[place]
    found[(verdict == INCOMPLETE) | (verdict == EXCLUDED_NAN) | redraws.open] = np.nan
    return found


def _own_verdict_chances(
    verdicts: Verdicts, place: int, encodes: Chances, knows: Chances, on: Chances | None
) -> Chances:
    """The chance of each fact's own verdict; without thinking of its own E and K0."""
    if on is None:
        e, k = verdicts.encodes[place], verdicts.knows[place]
        return np.where(e, encodes, 1 - encodes) * np.where(k, knows, 1 - knows)
    found = np.zeros(encodes.size)
    for bits, verdict in enumerate(VERDICT_BY_BITS.tolist()):
        e, k, t = bits & 4, bits & 2, bits & 1
        chance = (
            (encodes if e else 1 - encodes) * (knows if k else 1 - knows) * (on if t else 1 - on)
        )
        found += np.where(verdicts.verdict[place] == verdict, chance, 0.0)
    return found
