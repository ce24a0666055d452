"""Facts that stand on one answer: with another label of that answer their code would be another.

Any of the four labels may take the place of one that counts. An answer without a label stays
without, and draws that a curtailed run has left stay open. As with a disagreement (semantics
section 6), being incomplete, not gradable or direct inference is a code, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.scoring.question_states import (
    BARE,
    FAIL,
    NOT_GRADABLE,
    OPEN,
    PASS,
    CountCodes,
    States,
    states,
)
from core.scoring.verdicts import CELLS, code_places, judge_states
from core.vocabulary import CODE_ORDER, LABELS, TASK_INDEX, Label

_LABELLED = (PASS, FAIL, NOT_GRADABLE, OPEN, BARE)
"""The states of a question that has a label."""

_OTHER = LABELS.index(Label.OTHER)

Places = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class OneAnswerCount:
    """How many facts of a code stand on one answer, and the codes that they might have instead.

    `others` begins with the code that most of them might have.
    """

    facts: int
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneAnswerFacts:
    """Which facts of one model stand on one answer, and what they might be instead.

    `codes` (facts,) are places in `CODE_ORDER`. `others` (facts,) has the bit `1 << place` for
    every other code that one label would make of the fact: 0 where no single label moves it.
    """

    codes: Places
    others: npt.NDArray[np.uint16]

    def count(self, facts: Mask, code: str) -> OneAnswerCount:
        """The facts of a mask, shape (facts,), that have a code and stand on one answer."""
        found = self.others[facts & (self.codes == CODE_ORDER.index(code)) & (self.others > 0)]
        many = {
            other: int(np.count_nonzero(found & (1 << place)))
            for place, other in enumerate(CODE_ORDER)
        }
        others = sorted((other for other in many if many[other]), key=lambda one: -many[one])
        return OneAnswerCount(found.size, tuple(others))


def find_one_answer_facts(
    tally: LabelCounts, cells: CountCodes, policy: Policy, model: int
) -> OneAnswerFacts:
    """The facts of a model (its place in the tally) that stand on one answer under a policy.

    `cells` are the tally's (`core.scoring.verdicts.code_cells`). Every cell is given each state
    that one label can give it, and the facts concerned are judged again.
    """
    own = CountCodes(cells.kinds, cells.codes[:, model], cells.left)
    now, reached = own.states(policy), _reach_states(own, _mark_other(tally, model), policy)
    codes = _judge(now, tally, policy, model)
    others = np.zeros(codes.shape, np.uint16)
    for cell in range(len(CELLS)):
        for state in _LABELLED:
            places = np.flatnonzero((reached[cell] & state) & ~now[cell])
            if places.size:
                changed = now[:, places]
                changed[cell] = state
                after = _judge(changed, tally, policy, model, places)
                bits = np.left_shift(1, after, dtype=np.uint16)
                others[places] |= np.where(after != codes[places], bits, 0).astype(np.uint16)
    return OneAnswerFacts(codes, others)


def _reach_states(cells: CountCodes, other: Mask, policy: Policy) -> States:
    """The states, joined as bits, that another label of one answer gives each cell.

    Of two cells with the same code only one may have labels OTHER (`other`, of the same shape):
    codes leave them out, as they weigh nothing, and yet each may become another label.
    """
    reached = []
    for has_other in (0, 1):
        kinds = cells.kinds.copy()
        kinds[_OTHER, 1:] = np.maximum(kinds[_OTHER, 1:], has_other)
        table = np.zeros(kinds.shape[1], np.uint8)
        for changed, possible in _change_labels(kinds):
            table |= np.where(possible, states(changed, policy, cells.left), np.uint8(0))
        reached.append(table[cells.codes])
    found: States = np.where(other, reached[1], reached[0])
    return found


def _change_labels(kinds: npt.NDArray[np.int64]) -> Iterator[tuple[npt.NDArray[np.int64], Mask]]:
    """Counts (4, n) with one label changed, for each way to do so, and where that is possible."""
    for old in range(len(LABELS)):
        possible = kinds[old] > 0
        for new in set(range(len(LABELS))) - {old}:
            changed = kinds.copy()
            changed[old] -= possible
            changed[new] += possible
            yield changed, possible


def _mark_other(tally: LabelCounts, model: int) -> Mask:
    """Which cells of a model have a label OTHER, shape (cells, facts)."""
    found = np.zeros((len(CELLS), tally.exists.shape[1]), np.bool_)
    for cell, (task, thinking) in enumerate(CELLS):
        row = tally.rows[model, int(thinking)]
        if row >= 0:
            found[cell] = tally.labels[row, _OTHER, TASK_INDEX[task]] > 0
    return found


def _judge(
    cells: States,
    tally: LabelCounts,
    policy: Policy,
    model: int,
    facts: npt.NDArray[np.intp] | None = None,
) -> Places:
    """Places in `CODE_ORDER` of facts with these states (cells, facts) of a model.

    `facts` are their places among all; None: all of them.
    """
    one, skipping = slice(model, model + 1), tally.find_skipping(policy)
    skips = None if skipping is None else skipping[one]
    if skips is not None and facts is not None:
        skips = skips[:, facts]
    found = judge_states(cells[:, None], tally.thinks()[one], policy.strategy, skips)
    places: Places = code_places(found.verdict, found.encodes, found.knows)[0]
    return places
