"""The snapshot: every number of one lens over all facts, computed at once and never changed."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.scoring.label_counts import LabelCounts
from core.scoring.latent_verdicts import LatentMarks
from core.scoring.verdicts import Verdicts, code_of, code_places
from core.views.lens import Lens
from core.vocabulary import CODE_ORDER, CODES, NoProfile

if TYPE_CHECKING:
    from core.scoring.lake_labels import CountedLabels

AGREE, DIFFER, AT_STAKE = 0, 1, 2
"""How the two graders stand on a fact: no difference, some, one that would change the verdict."""


class Heading(NamedTuple):
    """What a list shows of one fact."""

    title: str
    subject: str
    object: str


class Stakes(NamedTuple):
    """Answers of the lens's model of which grader B's label alone would change the verdict.

    Columns of equal length: place of the fact, place of the task in `TASKS`, setting, sample,
    and the place in `CODE_ORDER` of what the verdict would be.
    """

    fact: npt.NDArray[np.intp]
    task: npt.NDArray[np.intp]
    thinking: Mask
    sample: npt.NDArray[np.intp]
    code: npt.NDArray[np.uint8]

    @classmethod
    def none(cls) -> "Stakes":
        """No such answers."""
        empty = np.empty(0, np.intp)
        return cls(empty, empty, empty.astype(np.bool_), empty, empty.astype(np.uint8))

    def select_fact(self, fact: int) -> "Stakes":
        """Those of one fact (its place)."""
        mine = self.fact == fact
        return Stakes(
            self.fact[mine],
            self.task[mine],
            self.thinking[mine],
            self.sample[mine],
            self.code[mine],
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All facts under one lens. Arrays are by the place of a fact in `index`, or (models, facts).

    `models` are those with responses, `arms` models in one mode, which no list of models and no
    profile has: in arrays (`tally`, `verdicts`) they come after the models. `profiled` is the tally
    of the models alone. `graders` are those that may be compared: programs in the
    order of their coming, then people, without `choice`.
    `differs` holds AGREE, DIFFER or AT_STAKE for the lens's model, between graders `a` and `b`,
    over answers that no person has labelled (if people count); `stakes` are the answers behind
    AT_STAKE. `latent` holds a `LatentMark` a fact for the lens's model; `has_relations`: some facts
    are triples of a relation. `provisional` says where labels of drawn answers are still missing
    in cells that decide, or answers of an unfinished run.
    """

    lens: Lens
    index: FactIndex
    headings: list[Heading]
    models: tuple[str, ...]
    arms: tuple[str, ...]
    graders: tuple[str, ...]
    tally: LabelCounts
    profiled: LabelCounts
    verdicts: Verdicts
    differs: npt.NDArray[np.uint8]
    provisional: Mask
    edited: Mask
    noted: Mask
    stakes: Stakes = field(default_factory=Stakes.none)
    latent: LatentMarks = field(default_factory=lambda: np.zeros(0, np.uint8))
    has_relations: bool = False
    counted: "CountedLabels | None" = None
    """What is counted of a lake; None where all answers are here."""
    whole: bool = True
    """Whether all models are in it, and not the lens's alone while the others are counted."""

    @property
    def row(self) -> int | None:
        """The place of the lens's model among those who answered."""
        return None if self.lens.model is None else self.answerers.index(self.lens.model)

    @property
    def answerers(self) -> tuple[str, ...]:
        """Models and arms: whoever has responses that can be looked at one by one."""
        return self.models + self.arms

    def place(self, fact: int) -> int | None:
        """Where a fact (its id) stands in the arrays."""
        found = int(np.searchsorted(self.index.ids, fact))
        there = found < len(self.index) and self.index.ids[found] == fact
        return found if there else None

    def fact_id(self, fact: int) -> str | None:
        """What a fact (its id in the file) is called wherever it is stored."""
        place = self.place(fact)
        return None if place is None else self.index.fact_ids[place]

    def fact_called(self, fact_id: str | None) -> int | None:
        """The id in the file of a fact."""
        if fact_id is None or fact_id not in self.index.fact_ids:
            return None
        return int(self.index.ids[self.index.fact_ids.index(fact_id)])

    def code_places(self, model: int | None = None) -> npt.NDArray[np.uint8]:
        """Places in `CODE_ORDER` of every fact's verdict for a model (the lens's by default)."""
        row = self.row if model is None else model
        if row is None:
            return np.full(len(self.index), len(CODE_ORDER) - 1, np.uint8)
        found = self.verdicts
        return code_places(found.verdict[row], found.encodes[row], found.knows[row])

    def code(self, place: int, model: int | None = None) -> str:
        """The two letters of a fact's verdict for a model (the lens's by default)."""
        row = self.row if model is None else model
        if row is None:
            return CODES[NoProfile.INCOMPLETE]
        found = self.verdicts
        return code_of(
            int(found.verdict[row, place]),
            bool(found.encodes[row, place]),
            bool(found.knows[row, place]),
        )
