"""The answers to one fact as a person decides them, and which of them to decide next.

As few as can be are asked for: those that the rule of curtailed runs would draw next, of models
without thinking first, since K0 makes thinking idle. Of a cell's answers the one comes first that
most others are like, as these are decided with it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.certainty.settlement import settle_states
from core.certainty.state_numbers import INCOMPLETE
from core.scoring.curtailment import CellName, CurtailedCell, next_draws, reach
from core.scoring.policy import Policy
from core.scoring.question_states import FAIL, OPEN, PASS, UNDECIDED
from core.scoring.verdicts import CELLS
from core.vocabulary import KNOWLEDGE, LABELS


@dataclass(frozen=True, slots=True)
class FactAnswer:
    """One answer: its slot, the place of its model, its cell, what it says (`key`), its label.

    Answers of one key are the same answer to the same question. `label` is 1 to 4 as in
    `Outcome`, 0 for none; `graded` is that of the graders.
    """

    slot: int
    model: int
    cell: int
    key: tuple[int, str]
    label: int
    graded: int


@dataclass(frozen=True, slots=True)
class FactAnswers:
    """All answers to one fact in the cells that decide it, with the first one to decide."""

    answers: Sequence[FactAnswer]
    first: int | None
    thinking: Sequence[bool]
    policy: Policy = field(default_factory=Policy)

    def states(self) -> list[int]:
        """The state with each model, `INCOMPLETE` where it is not settled."""
        models = len(self.thinking)
        counts = np.zeros((len(LABELS), len(CELLS), models, 1), np.int64)
        left = np.zeros((len(CELLS), models, 1), np.int64)
        for one in self.answers:
            if one.label:
                counts[one.label - 1, one.cell, one.model, 0] += 1
            else:
                left[one.cell, one.model, 0] += 1
        found = settle_states(counts, left, np.array(self.thinking), self.policy)
        return [int(state) for state in found[:, 0]]

    def next_answers(self) -> list[FactAnswer]:
        """The answers to decide next, one for each text; none where the fact is settled."""
        states = self.states()
        open_models = [model for model, state in enumerate(states) if state == INCOMPLETE]
        if not open_models:
            return []
        asked: list[FactAnswer] = []
        first = next((one for one in self.answers if one.slot == self.first), None)
        if first is not None and not first.label:
            asked.append(first)
        for model in open_models:
            for cell, count in self._asks(model).items():
                self._take(asked, model, cell, count)
        if not asked:
            asked = [one for one in self.answers if not one.label and one.model in open_models][:1]
        return asked

    def decide(self, key: tuple[int, str], label: int) -> "FactAnswers":
        """With one more decision, which counts for all answers that are the same."""
        answers = [replace(one, label=label) if one.key == key else one for one in self.answers]
        return replace(self, answers=answers)

    def _cells(self, model: int) -> dict[CellName, CurtailedCell]:
        found: dict[CellName, list[int]] = {}
        for one in self.answers:
            if one.model == model:
                found.setdefault(CELLS[one.cell], [0] * 5)[one.label] += 1
        return {
            name: CurtailedCell((row[1], row[2], row[3], row[4]), row[0], row[0])
            for name, row in found.items()
        }

    def _asks(self, model: int) -> dict[CellName, int]:
        cells = self._cells(model)
        off = {name: cell for name, cell in cells.items() if not name[1]}
        asked = next_draws(off, self.policy)
        if asked:
            return asked
        on = {name: cell for name, cell in cells.items() if name[1]}
        reached = {
            name: reach(one.counts, one.left, self.policy).state for name, one in off.items()
        }
        if any(
            state & (FAIL | UNDECIDED) for (task, _), state in reached.items() if task in KNOWLEDGE
        ):
            return next_draws(cells, self.policy)
        return _gradable_asks(on, self.policy)

    def _take(self, asked: list[FactAnswer], model: int, cell: CellName, count: int) -> None:
        """Add answers of a cell until as many are asked for."""
        place = CELLS.index(cell)
        mine = [one for one in self.answers if (one.model, one.cell) == (model, place)]
        loose = [one for one in mine if not one.label]
        copies = Counter(one.key for one in loose)
        known = {one.key for one in asked}
        count -= sum(copies[key] for key in known)
        for one in sorted(loose, key=lambda one: (-copies[one.key], one.slot)):
            if count > 0 and one.key not in known:
                asked.append(one)
                known.add(one.key)
                count -= copies[one.key]


def _gradable_asks(cells: dict[CellName, CurtailedCell], policy: Policy) -> dict[CellName, int]:
    """One answer of each pair that lacks a gradable one: all that K0 leaves to be known."""
    found: dict[CellName, int] = {}
    for place in range(0, len(KNOWLEDGE), 2):
        pair = [(task, True) for task in KNOWLEDGE[place : place + 2] if (task, True) in cells]
        states = [reach(cells[name].counts, cells[name].left, policy).state for name in pair]
        if not any(state & (PASS | FAIL | OPEN) for state in states):
            found |= {name: 1 for name in pair if cells[name].left}
    return found


def play_fact(fact: FactAnswers) -> int:
    """How many decisions settle a fact for a person who labels as the graders do."""
    decisions = 0
    while asked := fact.next_answers():
        one = asked[0]
        fact = fact.decide(one.key, one.graded or 4)
        decisions += 1
    return decisions
