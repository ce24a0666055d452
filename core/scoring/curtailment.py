"""Curtailed sampling: the same verdicts with fewer draws (semantics section 7).

A question may stop once every way in which its draws left could turn out gives it the same state
(`core.scoring.question_states`). Where profiles alone are wanted, a fact may stop once E, K0 and KT
are decided and each pair of questions has a gradable answer (with the strategy `fact`: each
question).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.errors import UsageError
from core.scoring.policy import Policy
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.scoring.question_states import (
    BARE,
    FAIL,
    NOT_GRADABLE,
    PASS,
    UNDECIDED,
    UNLABELLED,
    stand,
    states,
)
from core.vocabulary import ENCODING, KNOWLEDGE, Strategy, Task
from db.stored_values import StoredValues, check_list, read_object, unreadable

CellName = tuple[Task, bool]
"""Task and thinking."""

PAIRS: tuple[tuple[CellName, CellName], ...] = tuple(
    ((tasks[place], thinking), (tasks[place + 1], thinking))
    for tasks, thinking in ((ENCODING, False), (KNOWLEDGE, False), (KNOWLEDGE, True))
    for place in range(0, len(tasks), 2)
)
"""The pairs of which each must have a gradable answer."""

PARTS: tuple[tuple[tuple[CellName, ...], int], ...] = (
    (PAIRS[0], PASS),
    (PAIRS[2] + PAIRS[1], FAIL),
    (PAIRS[4] + PAIRS[3], FAIL),
)
"""The cells that decide E, K0 and KT, and the state of one of them that settles the matter.

Reverse questions come first: they fail more often (Calderon et al., section 5.2).
"""


@dataclass(frozen=True, slots=True)
class CurtailedCell:
    """One question in one setting: label counts in the order of `LABELS`, and draws left.

    `room` says how many of these can be asked for: fewer than are left where answers wait for
    their labels or slots have failed.
    """

    counts: tuple[int, int, int, int]
    left: int = 0
    room: int = 0


@dataclass(frozen=True, slots=True)
class Reach:
    """The state of a question, and how many further draws could at best make it another.

    `to_pass` and `to_fail` are None for a question that is decided.
    """

    state: int
    to_pass: int | None = None
    to_fail: int | None = None

    @property
    def fewest(self) -> int:
        """The fewest further draws that could decide it; 0 for a question that is decided."""
        return min(self.to_pass or 0, self.to_fail or 0)


@lru_cache(maxsize=1 << 16)
def reach(counts: tuple[int, int, int, int], left: int, policy: Policy) -> Reach:
    """Where a question stands under a policy."""
    column, rest = np.array(counts, np.int64)[:, None], np.array([left], np.int64)
    state = int(states(column, policy, rest)[0])
    if not state & UNDECIDED:
        return Reach(state)
    found = stand(column, policy, rest)
    surely, possibly = int(found.surely[0]), int(found.possibly[0])
    # It passes once `surely` is above 0, fails once `possibly` is not.
    return Reach(state, -surely // found.step + 1, -(-possibly // found.step))


def next_draws(
    cells: Mapping[CellName, CurtailedCell], policy: Policy, every_question: bool = False
) -> dict[CellName, int]:
    """How many draws to ask for next, by cell; nothing where a fact is through.

    `cells` are those of all questions that the fact has, the model's settings that count alone.
    Never more are asked for than every way to decide needs: of cells that stand for themselves
    (multiple choice, encoding with thinking on) the fewest that could decide them; of E, K0 and
    KT each the same in one cell at a time, the one that promises to settle it soonest, after a
    first draw that tells which that is. With `every_question`, and of a fact that cannot have a
    profile (a pair is not there, or not gradable), all cells stand for themselves.
    """
    found = {name: reach(cell.counts, cell.left, policy) for name, cell in cells.items()}
    asked: dict[CellName, int] = {}
    alone = set(cells)
    if not every_question and _may_stop(found, policy.strategy):
        for names, settling in PARTS:
            alone -= set(names)
            asked |= _next_of_part(
                [name for name in names if name in cells], settling, cells, found
            )
        asked |= _ask_bare_pairs(cells, found, policy.strategy, asked)
    asked |= {name: found[name].fewest for name in cells if name in alone}
    wanted = {name: min(count, cells[name].room) for name, count in asked.items()}
    return {name: count for name, count in wanted.items() if count > 0}


def _may_stop(found: Mapping[CellName, Reach], strategy: Strategy) -> bool:
    """Whether a fact can still have a gradable answer in each pair (`fact`: each cell)."""
    enough = all if strategy is Strategy.FACT else any
    for pair in PAIRS:
        there = [found[name].state != NOT_GRADABLE for name in pair if name in found]
        if not (enough(there) if there else pair[0][1]):
            return False
    return True


def _next_of_part(
    names: list[CellName],
    settling: int,
    cells: Mapping[CellName, CurtailedCell],
    found: Mapping[CellName, Reach],
) -> dict[CellName, int]:
    """What to draw to settle E, K0 or KT."""
    if any(found[name].state == settling for name in names):
        return {}
    able = [name for name in names if found[name].state & UNDECIDED and cells[name].room]
    if not able:
        return {}
    soonest = min(able, key=lambda name: _expect_draws(cells[name], found[name], settling))
    return {soonest: found[soonest].fewest if any(cells[soonest].counts) else 1}


def _expect_draws(cell: CurtailedCell, reach: Reach, settling: int) -> float:
    """Draws until a question has this state, if the rest is as what was drawn (Laplace)."""
    right, wrong, _, _ = cell.counts
    good, draws = (right, reach.to_pass) if settling == PASS else (wrong, reach.to_fail)
    return (draws or 0) * (right + wrong + 2) / (good + 1)


def _ask_bare_pairs(
    cells: Mapping[CellName, CurtailedCell],
    found: Mapping[CellName, Reach],
    strategy: Strategy,
    asked: Mapping[CellName, int],
) -> dict[CellName, int]:
    """One draw for each pair (`fact`: each cell) that lacks a gradable answer."""
    more: dict[CellName, int] = {}
    for pair in PAIRS:
        there = [name for name in pair if name in cells]
        bare = [name for name in there if found[name].state == BARE and cells[name].room]
        if strategy is not Strategy.FACT:
            graded = any(
                found[name].state not in (BARE, NOT_GRADABLE, UNLABELLED) for name in there
            )
            bare = [] if graded or any(name in asked for name in there) else bare[:1]
        more |= {name: 1 for name in bare if name not in asked}
    return more


def fixed_policy(policy: Policy, graders: tuple[str, ...]) -> Policy:
    """The policy that a curtailed run fixes, its list of graders written out.

    People come first unless the list names some: their labels override, whenever they are set.
    Without a list it is that of the run's own `graders`.
    """
    named = graders if policy.graders is None else policy.graders
    if any(name.startswith(HUMAN_PREFIX) for name in named):
        return replace(policy, graders=named)
    return replace(policy, graders=(PEOPLE, *named))


def as_text(policy: Policy) -> str:
    """A curtailed run's policy as it is stored with the run."""
    return json.dumps(
        {
            "tau": policy.tau,
            "strategy": policy.strategy,
            "weight": policy.weight,
            "graders": policy.graders,
        },
        sort_keys=True,
        ensure_ascii=False,
    )


def from_text(text: str) -> Policy:
    """The policy stored so. Raises `StoredValueError` for what is none."""
    what = "the policy of a curtailed run"
    stored = read_object(text, what)
    try:
        return Policy(
            float(stored["tau"]),
            Strategy(stored["strategy"]),
            float(stored["weight"]),
            check_list(stored["graders"], str, what),
        )
    except (TypeError, ValueError, KeyError, OverflowError, UsageError):
        raise unreadable(what, text) from None


STORED = StoredValues("run", "curtailed", from_text, where="curtailed IS NOT NULL")
