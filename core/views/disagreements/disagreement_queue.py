"""Disagreements in the order in which they are worth deciding."""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

import db.grades
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.graders.grader_record import is_model
from core.project import OpenProject
from core.results.disagreements import Ints
from core.scoring.label_counts import no_facts
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.identical_answers import GraderComparison
from core.views.disagreements.latest_labels import find_labels, own_planes, planes_of_others
from core.views.lens import Lens
from core.views.snapshot import Heading, Snapshot
from core.views.write_target import AnswerKey
from core.vocabulary import CODE_ORDER, LABELS, TASK_INDEX, TASKS, Label, Task
from db.slot_ids import SAMPLE_BITS, SETTING_BITS

LOOKED_THROUGH = 1024
"""Rows that are looked through at once for undecided ones."""


class ConsequenceGroup(IntEnum):
    """What B's label alone would change, in the order of a queue."""

    PROFILE = 0
    QUESTION = 1
    REST = 2


class RowFate(IntEnum):
    """What has become of a disagreement's question: open, its fact rejected, or edited."""

    OPEN = 0
    REJECTED = 1
    EDITED = 2


@dataclass(frozen=True, slots=True)
class DisagreementRow:
    """One disagreement as a queue lists it.

    `place` is its place in the queue, `fact` the place of its fact on the snapshot. `before` and
    `after` are codes of the fact, `g` and `g_after` grades of the question (None if it cannot be
    graded), by A's labels and with B's for this answer alone; `flips` labels of the question
    would have to be others for its state to be another. `decision` is one's own label, `others`
    are other people's, by name. In a queue of unsure answers a grader may have no label.
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
    a: Label | None
    b: Label | None
    before: str
    after: str
    g: float | None
    g_after: float | None
    flips: int
    decision: Label | None = None
    others: tuple[tuple[str, Label], ...] = ()
    fate: RowFate = RowFate.OPEN

    @property
    def contradicted(self) -> bool:
        """Whether somebody else's label is not one's own."""
        return self.decision is not None and any(one != self.decision for _, one in self.others)

    @property
    def right(self) -> str | None:
        """Who was right: `A`, `B`, `neither`; None while undecided."""
        if self.decision is None:
            return None
        return {self.a: "A", self.b: "B"}.get(self.decision, "neither")


@dataclass(frozen=True, slots=True)
class DisagreementColumns:
    """Disagreements as columns of equal length, in the order of the queue.

    Labels are 0 to 3 in the order of `LABELS`, -1 for none, codes places in `CODE_ORDER`; grades
    are NaN where a question cannot be graded.
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
    `decided` holds one's own labels so far (1 to 4 as `Outcome`, 0 for none), by place, `others`
    those of every other person who has set any of them, by name; `fate` is a `RowFate` each.
    """

    lens: Lens
    among: DisagreementFilter
    index: FactIndex
    headings: list[Heading]
    models: tuple[str, ...]
    columns: DisagreementColumns
    decided: npt.NDArray[np.uint8]
    others: tuple[tuple[str, npt.NDArray[np.uint8]], ...] = ()
    fate: npt.NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return self.columns.slot.size

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many rows each `ConsequenceGroup` has."""
        question, rest = np.searchsorted(self.columns.group, (1, 2)).tolist()
        return question, rest - question, len(self) - rest

    @property
    def done(self) -> int:
        """How many rows are decided."""
        return int(np.count_nonzero(self.decided))

    @property
    def done_by_others(self) -> int:
        """How many rows other people have decided."""
        return int(np.count_nonzero(sum((one > 0) for _, one in self.others)))

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
            a=_label(of.a[place]),
            b=_label(of.b[place]),
            before=CODE_ORDER[of.before[place]],
            after=CODE_ORDER[of.after[place]],
            g=None if np.isnan(g) else g,
            g_after=None if np.isnan(g_after) else g_after,
            flips=int(of.flips[place]),
            decision=LABELS[said - 1] if said else None,
            others=tuple(
                (person, LABELS[int(one[place]) - 1]) for person, one in self.others if one[place]
            ),
            fate=RowFate.OPEN if self.fate is None else RowFate(int(self.fate[place])),
        )

    def mark_place(self, place: int, label: Label | None) -> "DisagreementQueue":
        """The queue with one's own label at a place, None for no label."""
        decided = self.decided.copy()
        decided[place] = 0 if label is None else LABELS.index(label) + 1
        return replace(self, decided=decided)

    def place_of(self, slot: int) -> int | None:
        """Where an answer stands; None where it is not in the queue."""
        found = np.flatnonzero(self.columns.slot == slot)
        return int(found[0]) if found.size else None

    def place_called(self, fact_id: str | None, answer: AnswerKey | None) -> int | None:
        """Where an answer stands, by what it is called; None where it is not in the queue."""
        known = answer is not None and answer.model in self.models
        if answer is None or not known or fact_id not in self.index.fact_ids:
            return None
        of = self.columns
        here = of.fact == self.index.fact_ids.index(fact_id)
        here &= of.task == TASK_INDEX[answer.task]
        here &= of.model == self.models.index(answer.model)
        here &= (of.thinking == answer.thinking) & (of.sample == answer.sample)
        found = np.flatnonzero(here)
        return int(found[0]) if found.size else None

    def find_undecided(self, after: int = -1) -> int | None:
        """The next undecided place behind one, from the top again at the end; None if all are."""
        return next(iter(self.list_undecided(after, 1)), None)

    def list_undecided(self, after: int, count: int) -> list[int]:
        """The next undecided places behind one, at most so many, from the top again at the end.

        They are looked for no further than they are found: most are next to one another.
        """
        found: list[int] = []
        for places in (range(after + 1, len(self)), range(min(after + 1, len(self)))):
            for first in places[::LOOKED_THROUGH]:
                some = slice(first, min(first + LOOKED_THROUGH, places.stop))
                left = self.decided[some] == 0
                if self.fate is not None:
                    left &= self.fate[some] == RowFate.OPEN
                found += (np.flatnonzero(left)[: count - len(found)] + first).tolist()
                if len(found) == count:
                    return found
        return found


def _label(place: int) -> Label | None:
    return LABELS[place] if place >= 0 else None


def open_queue(
    project: OpenProject,
    lens: Lens,
    compared: GraderComparison,
    among: DisagreementFilter,
    name: str | None,
) -> DisagreementQueue:
    """The queue of the disagreements looked at, with the decisions of a person so far."""
    snapshot, found = compared.snapshot, compared.crossed.found
    keep = find_disagreements(project, compared, among, name)
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
        lens, among, snapshot.index, snapshot.headings, snapshot.answerers, columns, none
    )
    return mark_queue(project, snapshot, queue, name)


def find_disagreements(
    project: OpenProject, compared: GraderComparison, among: DisagreementFilter, name: str | None
) -> Mask:
    """Which disagreements are looked at."""
    found = compared.crossed.found
    keep = compared.crossed.mask_disagreements(among, compared.snapshot.answerers)
    if among.cell is not None:
        a, b = (LABELS.index(label) for label in among.cell)
        keep &= (found.a == a) & (found.b == b)
    if among.by_others:
        keep &= _decided_by_others(project, _slots(project, compared), name)
    return keep


def mark_queue(
    project: OpenProject, snapshot: Snapshot, queue: DisagreementQueue, name: str | None
) -> DisagreementQueue:
    """The queue with people's decisions and the fate of its questions as they are now."""
    slots = queue.columns.slot
    theirs = (
        (person, find_labels(project, planes, slots))
        for person, planes in planes_of_others(project, name).items()
    )
    return replace(
        queue,
        decided=find_labels(project, own_planes(project, name), slots),
        others=tuple((person, labels) for person, labels in theirs if labels.any()),
        fate=_fates(project, snapshot, queue),
    )


def mark_questions(
    project: OpenProject,
    snapshot: Snapshot,
    queue: DisagreementQueue,
    questions: Collection[int],
    name: str | None,
) -> DisagreementQueue:
    """A marked queue with what has changed at these questions (ids) alone marked anew."""
    of = queue.columns.slot >> (SAMPLE_BITS + SETTING_BITS)
    which = np.flatnonzero(np.isin(of, np.array(sorted(questions), np.int64)))
    columns = DisagreementColumns(
        *(getattr(queue.columns, one.name)[which] for one in fields(DisagreementColumns))
    )
    some = mark_queue(project, snapshot, replace(queue, columns=columns), name)
    none = np.zeros(len(queue), np.uint8)
    before, now = dict(queue.others), dict(some.others)
    theirs = (
        (person, _put(before.get(person, none), which, now.get(person, none[which])))
        for person in planes_of_others(project, name)
    )
    fate = none if queue.fate is None else queue.fate
    return replace(
        queue,
        decided=_put(queue.decided, which, some.decided),
        others=tuple((person, labels) for person, labels in theirs if labels.any()),
        fate=_put(fate, which, none[which] if some.fate is None else some.fate),
    )


def _put(
    marks: npt.NDArray[np.uint8], which: Ints, found: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    marks = marks.copy()
    marks[which] = found
    return marks


def _fates(
    project: OpenProject, snapshot: Snapshot, queue: DisagreementQueue
) -> npt.NDArray[np.uint8]:
    """A question is edited where it is out of use, or a label is stale or a model's is out of date.

    It is so too where an alias made the graders agree.
    """
    slots, index = queue.columns.slot, snapshot.index
    in_use = np.isin(slots >> (SAMPLE_BITS + SETTING_BITS), index.questions)
    said = []
    for grader in () if queue.among.unsure else (queue.lens.a, queue.lens.b):
        planes = project.ranks_of((grader,))[0].planes if grader else ()
        said.append(find_labels(project, planes, slots))
        in_use &= said[-1] > 0
        for plane in planes if grader and is_model(grader) else ():
            old = db.grades.find_outdated_among(project.connection, plane, slots.tolist())
            in_use &= ~np.isin(slots, sorted(old))
    if said:
        in_use &= (said[0] != said[1]) | (queue.columns.a == queue.columns.b)
    rejected = np.isin(queue.index.ids[queue.columns.fact], index.ids[index.rejected])
    fate = np.where(in_use, RowFate.OPEN, RowFate.EDITED)
    return np.where(rejected, RowFate.REJECTED, fate).astype(np.uint8)


def _decided_by_others(
    project: OpenProject, slots: npt.NDArray[np.int64], name: str | None
) -> Mask:
    """Whether any other person has labelled each answer."""
    found = np.zeros(slots.shape, np.bool_)
    for planes in planes_of_others(project, name).values():
        found |= find_labels(project, planes, slots) > 0
    return found


def empty_queue(lens: Lens, among: DisagreementFilter) -> DisagreementQueue:
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


def _slots(project: OpenProject, compared: GraderComparison) -> npt.NDArray[np.int64]:
    snapshot, found = compared.snapshot, compared.crossed.found
    settings = np.zeros((len(snapshot.answerers), 2), np.int64)
    for (model, thinking), key in project.setting_ids().items():
        settings[snapshot.answerers.index(model), int(thinking)] = key
    question = snapshot.index.questions[found.fact, found.task]
    setting = settings[found.model, found.thinking.astype(np.intp)]
    return (question << (SAMPLE_BITS + SETTING_BITS)) | (setting << SAMPLE_BITS) | found.sample
