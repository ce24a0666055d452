"""Where two graders differ on a fact, and which single answers would change its verdict."""

import numpy as np
import numpy.typing as npt

from core.project import Project
from core.results.disagreements import (
    UnlikeLabels,
    find_unlike_labels,
    join_unlike,
    places_of,
    read_common,
    weigh,
)
from core.scoring.label_counts import LabelCounts
from core.scoring.precedence import ranked_before
from core.scoring.question_states import CountCodes
from core.scoring.verdicts import Verdicts, code_places
from core.views.lens import Lens
from core.views.snapshot import AT_STAKE, DIFFER, Stakes


def find_unlike(project: Project, lens: Lens, tally: LabelCounts) -> UnlikeLabels:
    """Answers of the lens's model that A and B label differently, under any threshold.

    Answers that somebody has labelled who stands before A in the list are left out: what B says
    changes nothing there. So are those of rejected facts.
    """
    if lens.model is None or lens.a is None or lens.b is None:
        return join_unlike(())
    a, b = project.ranks_of(lens.compared[:2])
    before = project.ranks_of(ranked_before(lens.ranked, lens.a))
    places = places_of(project, ~project.index.rejected)
    model = tally.models.index(lens.model)
    parts = []
    for thinking in (False, True):
        common = read_common(project, a, b, lens.model, thinking, before)
        if common is not None:
            parts.append(find_unlike_labels(common, places, tally, model, thinking))
    return join_unlike(parts)


def find_differences(
    found: UnlikeLabels, lens: Lens, tally: LabelCounts, cells: CountCodes
) -> tuple[npt.NDArray[np.uint8], Stakes]:
    """AGREE, DIFFER or AT_STAKE for every fact, and the answers at stake, by fact.

    `found` is of `find_unlike`, `tally` counts the labels of this lens, `cells` are its codes.
    Nothing is at stake where A's labels do not count.
    """
    differs = np.zeros(tally.labels.shape[-1], np.uint8)
    differs[found.fact] = DIFFER
    if lens.a not in lens.ranked or not found.fact.size:
        return differs, Stakes.none()
    weighed = weigh(found, tally, cells, lens.policy)
    now, after = _codes(weighed.before), _codes(weighed.after)
    changed = np.flatnonzero(now != after)
    at_stake = weighed.moved[changed]
    differs[found.fact[at_stake]] = AT_STAKE
    by_fact = np.lexsort((found.sample[at_stake], found.thinking[at_stake], found.fact[at_stake]))
    which = at_stake[by_fact]
    return differs, Stakes(
        found.fact[which],
        found.task[which],
        found.thinking[which],
        found.sample[which],
        after[changed][by_fact],
    )


def _codes(verdicts: Verdicts) -> npt.NDArray[np.uint8]:
    return code_places(verdicts.verdict[:, 0], verdicts.encodes[:, 0], verdicts.knows[:, 0])
