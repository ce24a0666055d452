"""When a fact is settled: no labels of its answers that are left could change its state.

The rule of curtailed runs (semantics section 7), a person in place of the draws. It is exact: the
states of the ten cells are independent of each other, so what a fact may become follows from what
each of them may become. A fact with K0 is direct recall whatever thinking brings, and one with a
pair that cannot be graded is excluded whatever the rest says.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.scoring.policy import Policy
from core.scoring.question_states import (
    ABSENT,
    BARE,
    FAIL,
    NOT_GRADABLE,
    OPEN,
    PASS,
    UNLABELLED,
    states,
)
from core.vocabulary import CODE_ORDER, CODES, NoProfile, Strategy

Mask = npt.NDArray[np.bool_]

_ENCODING, _DIRECT, _REVERSE, _DIRECT_ON, _REVERSE_ON = (
    slice(at, at + 2) for at in range(0, 10, 2)
)
_PAIRS = (_ENCODING, _DIRECT, _REVERSE, _DIRECT_ON, _REVERSE_ON)

_EXCLUDED = CODE_ORDER.index(CODES[NoProfile.EXCLUDED_NAN])
_UNSETTLED = CODE_ORDER.index(CODES[NoProfile.INCOMPLETE])
_MEASURED = ("EF", "IE", "DI", "DI", "RF", "RT", "DR", "DR")
_UNMEASURED = ("--", "--", "-K", "-K", "E-", "E-", "EK", "EK")
_STATE = np.array(
    [[CODE_ORDER.index(code) for code in codes] for codes in (_UNMEASURED, _MEASURED)], np.uint8
)
"""The state by thinking, and by 4 E + 2 K0 + KT."""


@dataclass(frozen=True, slots=True)
class _PossibleGrades:
    """What cells may become, shape (cells, models, facts); nothing where a fact has no such."""

    passes: Mask
    fails: Mask
    bare: Mask
    there: Mask


def settle_states(
    counts: npt.NDArray[np.integer],
    left: npt.NDArray[np.integer],
    thinking: Mask,
    policy: Policy,
) -> npt.NDArray[np.uint8]:
    """States of facts by a person's labels, as places in `CODE_ORDER`; `··` where unsettled.

    `counts` (labels, cells, models, facts) are that person's labels, `left` (cells, models, facts)
    the answers without one; a cell without either is none of the fact's. `thinking` is (models,).
    """
    found = states(counts, policy, left)
    there = (counts.sum(axis=0) + left) > 0
    there[6:, ~thinking] = False
    found = np.where(there, found, np.uint8(ABSENT))
    able = _PossibleGrades(
        (found & (PASS | OPEN | BARE | UNLABELLED)) != 0,
        (found & (FAIL | OPEN | BARE | UNLABELLED)) != 0,
        (found & (NOT_GRADABLE | BARE | UNLABELLED)) != 0,
        there,
    )
    must, may = _exclusion(able, policy.strategy)
    encodes = _chance_of_pass(able, _ENCODING, policy.strategy)
    knows = _chance_of_no_fail(able, (_DIRECT, _REVERSE), policy.strategy)
    knows_on = _chance_of_no_fail(able, (_DIRECT_ON, _REVERSE_ON), policy.strategy)
    return _single_state(must, may, encodes, knows, knows_on, thinking)


def _exclusion(able: _PossibleGrades, strategy: Strategy) -> tuple[Mask, Mask]:
    """Facts that must be excluded as not gradable, and those that may be."""
    only = able.bare & ~able.passes & ~able.fails
    if strategy is Strategy.FACT:
        return _any_cell(only), _any_cell(able.bare)
    must, may = (np.zeros(only.shape[1:], np.bool_) for _ in range(2))
    for pair in _PAIRS:
        some = able.there[pair].any(axis=0)
        must |= some & (only[pair] | ~able.there[pair]).all(axis=0)
        may |= some & (able.bare[pair] | ~able.there[pair]).all(axis=0)
    return must, may


def _chance_of_pass(able: _PossibleGrades, cells: slice, strategy: Strategy) -> tuple[Mask, Mask]:
    """Whether E may be 0, and whether it may be 1, of facts that are not excluded."""
    passes, fails, there = able.passes[cells], able.fails[cells], able.there[cells]
    bare = np.zeros_like(fails) if strategy is Strategy.FACT else able.bare[cells]
    no = ~_any_cell(~(fails | bare | ~there)) & (_any_cell(fails) | ~_any_cell(there))
    return no, _any_cell(passes)


def _chance_of_no_fail(
    able: _PossibleGrades, pairs: tuple[slice, ...], strategy: Strategy
) -> tuple[Mask, Mask]:
    """The same of K0 or KT: every gradable cell of the pairs passes."""
    no = np.zeros(able.there.shape[1:], np.bool_)
    yes = np.ones(able.there.shape[1:], np.bool_)
    for cells in pairs:
        passes, fails, there = able.passes[cells], able.fails[cells], able.there[cells]
        bare = np.zeros_like(fails) if strategy is Strategy.FACT else able.bare[cells]
        no |= fails.any(axis=0)
        yes &= (passes | bare | ~there).all(axis=0) & (passes.any(axis=0) | ~there.any(axis=0))
    return no, yes


def _single_state(
    must: Mask,
    may: Mask,
    encodes: tuple[Mask, Mask],
    knows: tuple[Mask, Mask],
    knows_on: tuple[Mask, Mask],
    thinking: Mask,
) -> npt.NDArray[np.uint8]:
    """The one state that can be reached, else that of what is unsettled."""
    state = np.full(must.shape, _UNSETTLED, np.uint8)
    reached = np.zeros((len(CODE_ORDER), *must.shape), np.bool_)
    for bits in range(8):
        e, k, on = bits >> 2, bits >> 1 & 1, bits & 1
        able = encodes[e] & knows[k] & knows_on[on] & ~must
        for kind in (False, True):
            reached[_STATE[int(kind), bits], thinking == kind] |= able[thinking == kind]
    reached[_EXCLUDED] = may | must
    one = reached.sum(axis=0) == 1
    state[one] = reached.argmax(axis=0)[one]
    return state


def _any_cell(cells: Mask) -> Mask:
    """Facts of which any of these cells is so."""
    found: Mask = np.logical_or.reduce(cells, axis=0)
    return found
