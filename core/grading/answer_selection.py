"""Which responses are to be graded: those of some models, tasks and facts, or a sample of them.

Source: Calderon et al., appendix C.3: 4,160 responses over six tasks and all models.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import db.label_grids
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.slot_ids import MAX_SAMPLE, QUESTION_SHIFT, SAMPLE_BITS, Slots

PURPOSE = "grade-sample"
"""The name of the seeded order that a sample is drawn in."""


@dataclass(frozen=True, slots=True)
class AnswerSelection:
    """What of the responses is meant; None and empty: all.

    `size`: only so many of them, those that come first in the seeded order of `seed`.
    """

    where: str = ""
    models: tuple[str, ...] | None = None
    tasks: tuple[Task, ...] | None = None
    size: int | None = None
    seed: int = 0

    def find_slots(self, project: OpenProject, choice: bool) -> Slots | None:
        """The slots meant, ascending: of multiple choice, or of all other tasks; None: every one.

        Responses to current questions of facts that are not rejected; those that are labelled
        are among them. Raises as `check`.
        """
        if self == ALL:
            return None
        blocks = list(self._list_blocks(project, choice))
        slots = np.concatenate([np.empty(0, np.int64), *(one.slots for one in blocks)])
        if self.size is not None:
            self._check_size(slots.size)
            orders = [one.order(project, f"{self.seed}/{PURPOSE}/") for one in blocks]
            slots = slots[choose_first(np.concatenate(orders), self.size)]
        return np.sort(slots)

    def check(self, project: OpenProject, choice: bool) -> None:
        """Raise `UsageError` for an unknown model or filter, and for too large a sample."""
        there = sum(one.slots.size for one in self._list_blocks(project, choice))
        self._check_size(there)

    def _check_size(self, there: int) -> None:
        if self.size is not None and self.size > there:
            raise UsageError(
                f"--sample {self.size:,}: there are only {there:,} such responses; ask for so "
                "many, or leave --sample out"
            )

    def _list_blocks(self, project: OpenProject, choice: bool) -> Iterator["_AnswerBlock"]:
        models = project.choose_models(self.models, arms=self.models is not None)
        facts = project.facts(self.where or None, models, Policy())
        tasks = [task for task in self.tasks or TASKS if task.is_choice is choice]
        for (model, thinking), setting in sorted(project.setting_ids().items()):
            drawn = project.grids.cells(db.label_grids.DRAWN, setting)
            if model not in models or drawn is None:
                continue
            for task in tasks:
                questions = project.index.questions[:, TASK_INDEX[task]]
                asked = np.flatnonzero(facts & (questions > 0) & (questions < drawn.shape[1]))
                at, samples = np.nonzero(drawn[:, questions[asked]].T)
                bare = (questions[asked[at]] << QUESTION_SHIFT) | (setting << SAMPLE_BITS)
                name = f"/{task}/{model}/{'on' if thinking else 'off'}/"
                yield _AnswerBlock(name, bare | samples, asked[at])


ALL = AnswerSelection()
"""Every response."""


class _AnswerBlock(NamedTuple):
    """The responses to one task in one setting: their slots, and the place of the fact of each.

    `name` is what stands between the fact and the sample in their keys.
    """

    name: str
    slots: Slots
    places: npt.NDArray[np.intp]

    def order(self, project: OpenProject, head: str) -> npt.NDArray[np.uint64]:
        """What seeded order sorts by: the first half of each key's SHA-256; shape (slots, 2)."""
        names = project.index.fact_ids
        # What the keys of a fact begin with is read once: the samples go on from there.
        heads = {
            place: sha256(f"{head}{names[place]}{self.name}".encode(errors="surrogatepass"))
            for place in np.unique(self.places).tolist()
        }
        numbers = [str(sample).encode() for sample in range(MAX_SAMPLE + 1)]
        samples = (self.slots & MAX_SAMPLE).tolist()
        digests = []
        for place, sample in zip(self.places.tolist(), samples, strict=True):
            key = heads[place].copy()
            key.update(numbers[sample])
            digests.append(key.digest())
        joined = b"".join(digests)
        return np.frombuffer(joined, ">u8").reshape(-1, 4)[:, :2].astype(np.uint64)


def choose_first(order: npt.NDArray[np.uint64], size: int) -> npt.NDArray[np.intp]:
    """The places of the first `size` of what is sorted by two numbers each."""
    first = order[:, 0]
    last = np.partition(first, size - 1)[size - 1] if size else 0
    found = np.flatnonzero(first <= last)
    return found[np.lexsort((order[found, 1], first[found]))][:size]
