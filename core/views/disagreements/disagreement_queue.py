"""Disagreements in the order in which they are worth deciding."""

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.project import Project
from core.results.disagreements import Ints
from core.scoring.label_counts import no_facts
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.identical_answers import Compared
from core.views.disagreements.latest_labels import own_planes, said
from core.views.lens import Lens
from core.views.snapshot import CODE_ORDER, Heading
from core.vocabulary import LABELS, TASKS, Label, Task
from db.slots import SAMPLE_BITS, SETTING_BITS


class ConsequenceGroup(IntEnum):
    """What B's label alone would change, in the order of a queue."""

    PROFILE = 0
    QUESTION = 1
    REST = 2


@dataclass(frozen=True, slots=True)
class DisagreementRow:
    """One disagreement as a queue lists it.

    `place` is its place in the queue, `fact` the place of its fact on the snapshot. `before` and
    `after` are codes of the fact, `g` and `g_after` grades of the question (None if it cannot be
    graded), by A's labels and with B's for this answer alone; `flips` labels of the question
    would have to be others for its state to be another. `decision` is one's own label.
    """

    place: int
    slot: int
    group: ConsequenceGroup
    fact: int
    heading: Heading
    task: Task
    model: str
    thinking: bool
    sample: int
    a: Label
    b: Label
    before: str
    after: str
    g: float | None
    g_after: float | None
    flips: int
    decision: Label | None = None

    @property
    def right(self) -> str | None:
        """Who was right: `A`, `B`, `neither`; None while undecided."""
        if self.decision is None:
            return None
        return {self.a: "A", self.b: "B"}.get(self.decision, "neither")


@dataclass(frozen=True, slots=True)
class DisagreementColumns:
    """Disagreements as columns of equal length, in the order of the queue.

    Labels are 0 to 3 in the order of `LABELS`, codes places in `CODE_ORDER`; grades are NaN where
    a question cannot be graded.
    """

    slot: npt.NDArray[np.int64]
    group: npt.NDArray[np.uint8]
    fact: Ints
    task: Ints
    model: Ints
    thinking: Mask
    sample: Ints
    a: Ints
    b: Ints
    before: npt.NDArray[np.uint8]
    after: npt.NDArray[np.uint8]
    g: npt.NDArray[np.float64]
    g_after: npt.NDArray[np.float64]
    flips: Ints


@dataclass(frozen=True, slots=True)
class DisagreementQueue:
    """The disagreements of a lens's graders, in an order fixed when it was opened.

    Those that would change a profile come first, then those that would change a question, then
    the rest; of each the fewest flips first, then by fact, task, model, setting and sample.
    `decided` holds one's own labels so far (1 to 4 as `Outcome`, 0 for none), by place.
    """

    lens: Lens
    among: DisagreementFilter
    index: FactIndex
    headings: list[Heading]
    models: tuple[str, ...]
    columns: DisagreementColumns
    decided: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return self.columns.slot.size

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many rows each `ConsequenceGroup` has."""
        profile, question, rest = np.bincount(self.columns.group, minlength=3).tolist()
        return profile, question, rest

    @property
    def done(self) -> int:
        """How many rows are decided."""
        return int(np.count_nonzero(self.decided))

    def row(self, place: int) -> DisagreementRow:
        """The row at a place; costs the same in any queue."""
        of, said = self.columns, int(self.decided[place])
        g, g_after = float(of.g[place]), float(of.g_after[place])
        fact = int(of.fact[place])
        return DisagreementRow(
            place=place,
            slot=int(of.slot[place]),
            group=ConsequenceGroup(int(of.group[place])),
            fact=fact,
            heading=self.headings[fact],
            task=TASKS[of.task[place]],
            model=self.models[of.model[place]],
            thinking=bool(of.thinking[place]),
            sample=int(of.sample[place]),
            a=LABELS[of.a[place]],
            b=LABELS[of.b[place]],
            before=CODE_ORDER[of.before[place]],
            after=CODE_ORDER[of.after[place]],
            g=None if np.isnan(g) else g,
            g_after=None if np.isnan(g_after) else g_after,
            flips=int(of.flips[place]),
            decision=LABELS[said - 1] if said else None,
        )

    def said_at(self, place: int, label: Label | None) -> "DisagreementQueue":
        """The queue with one's own label at a place, None for no label."""
        decided = self.decided.copy()
        decided[place] = 0 if label is None else LABELS.index(label) + 1
        return replace(self, decided=decided)

    def place_of(self, slot: int) -> int | None:
        """Where an answer stands; None where it is not in the queue."""
        found = np.flatnonzero(self.columns.slot == slot)
        return int(found[0]) if found.size else None

    def undecided(self, after: int = -1) -> int | None:
        """The next undecided place behind one, from the top again at the end; None if all are."""
        return next(iter(self.undecided_from(after, 1)), None)

    def undecided_from(self, after: int, count: int) -> list[int]:
        """The next undecided places behind one, at most so many, from the top again at the end."""
        left = np.flatnonzero(self.decided == 0)
        first = int(np.searchsorted(left, after, side="right"))
        found: list[int] = np.concatenate((left[first : first + count], left[:first])).tolist()
        return found[:count]


def opened(
    project: Project, lens: Lens, compared: Compared, among: DisagreementFilter, name: str | None
) -> DisagreementQueue:
    """The queue of the disagreements looked at, with the decisions of a person so far."""
    snapshot, found = compared.snapshot, compared.crossed.found
    keep = compared.crossed.which(among, snapshot.models)
    if among.cell is not None:
        a, b = (LABELS.index(label) for label in among.cell)
        keep &= (found.a == a) & (found.b == b)
    group = np.where(compared.profile, ConsequenceGroup.PROFILE, ConsequenceGroup.REST).astype(
        np.uint8
    )
    group[compared.state & ~compared.profile] = ConsequenceGroup.QUESTION
    which = np.flatnonzero(keep)
    ties = (found.sample, found.thinking, found.model, found.task, found.fact, compared.flips)
    order = which[np.lexsort([one[which] for one in (*ties, group)])]
    columns = DisagreementColumns(
        _slots(project, compared)[order],
        group[order],
        found.fact[order],
        found.task[order],
        found.model[order],
        found.thinking[order],
        found.sample[order],
        found.a[order],
        found.b[order],
        compared.before[order],
        compared.after[order],
        compared.g[order],
        compared.g_after[order],
        compared.flips[order],
    )
    none = np.zeros(order.size, np.uint8)
    queue = DisagreementQueue(
        lens, among, snapshot.index, snapshot.headings, snapshot.models, columns, none
    )
    return marked(project, queue, name)


def marked(project: Project, queue: DisagreementQueue, name: str | None) -> DisagreementQueue:
    """The queue with a person's decisions as they are now."""
    return replace(queue, decided=said(project, own_planes(project, name), queue.columns.slot))


def no_queue(lens: Lens, among: DisagreementFilter) -> DisagreementQueue:
    """The queue of fewer than two graders."""
    none = np.empty(0, np.intp)
    codes, grades = none.astype(np.uint8), none.astype(np.float64)
    columns = DisagreementColumns(
        none.astype(np.int64),
        codes,
        none,
        none,
        none,
        none.astype(np.bool_),
        none,
        none,
        none,
        codes,
        codes,
        grades,
        grades,
        none,
    )
    return DisagreementQueue(lens, among, no_facts(), [], (), columns, codes)


def _slots(project: Project, compared: Compared) -> npt.NDArray[np.int64]:
    snapshot, found = compared.snapshot, compared.crossed.found
    settings = np.zeros((len(snapshot.models), 2), np.int64)
    for (model, thinking), key in project.setting_ids().items():
        settings[snapshot.models.index(model), int(thinking)] = key
    question = snapshot.index.questions[found.fact, found.task]
    setting = settings[found.model, found.thinking.astype(np.intp)]
    return (question << (SAMPLE_BITS + SETTING_BITS)) | (setting << SAMPLE_BITS) | found.sample
