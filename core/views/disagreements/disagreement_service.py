"""What a session shows of two graders, and how it decides between them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import db.model_rows
import db.person_actions
import db.responses
from core.curation import label_writer
from core.curation.label_writer import DecisionRecord
from core.dataset.subsets import Mask
from core.graders.answer_text import answer_in
from core.project import OpenProject
from core.results.disagreements import Ints
from core.scoring.precedence import CHOICE, grader_of
from core.scoring.question_states import grades
from core.scoring.verdicts import code_places
from core.views.disagreements import (
    confusion_matrix,
    disagreement_card,
    disagreement_queue,
    grader_rates,
)
from core.views.disagreements.confusion_matrix import ConfusionMatrix
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.disagreements.disagreement_queue import (
    ConsequenceGroup,
    DisagreementColumns,
    DisagreementQueue,
    mark_questions,
    mark_queue,
)
from core.views.disagreements.grader_rates import GraderRates
from core.views.disagreements.identical_answers import Comparer, GraderComparison
from core.views.disagreements.latest_labels import find_labels, own_planes, planes_of_others
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache
from core.views.user_errors import tell_user_errors
from core.vocabulary import TASKS, Label, Outcome
from db.person_actions import GraderPair
from db.slot_ids import SAMPLE_BITS, SETTING_BITS

if TYPE_CHECKING:
    from core.views.session_protocols import OpenSession


# Answers that a grader left unsure, as a queue beside that of disagreements.

Columns = tuple[Ints, Ints, Ints, Ints, Mask, Ints]


def open_unsure(
    project: OpenProject,
    lens: Lens,
    snapshot: Snapshot,
    among: DisagreementFilter,
    name: str | None,
) -> DisagreementQueue:
    """What any grader's newest version left unsure, fact by fact, with one's decisions so far.

    Labels of A and B stand beside an answer where they have one.
    """
    found = find_unsure(project, snapshot, among)
    slot, fact, task, model, thinking, sample = found
    a, b = (
        find_labels(project, planes, slot).astype(np.intp) - 1
        for planes in (
            project.ranks_of((grader,))[0].planes if grader else () for grader in (lens.a, lens.b)
        )
    )
    verdicts, here = snapshot.verdicts, (model, fact)
    codes = code_places(verdicts.verdict[here], verdicts.encodes[here], verdicts.knows[here])
    rows = snapshot.tally.rows[model, thinking.astype(np.intp)]
    g = grades(snapshot.tally.labels[rows, :, task, fact].T.astype(np.int64), lens.policy)
    columns = DisagreementColumns(
        slot,
        np.full(slot.size, ConsequenceGroup.REST, np.uint8),
        fact,
        task,
        model,
        thinking,
        sample,
        a,
        b,
        codes,
        codes,
        g,
        g,
        np.zeros(slot.size, np.intp),
    )
    none = np.zeros(slot.size, np.uint8)
    queue = DisagreementQueue(
        lens, among, snapshot.index, snapshot.headings, snapshot.answerers, columns, none
    )
    return mark_queue(project, snapshot, queue, name)


def find_unsure(project: OpenProject, snapshot: Snapshot, among: DisagreementFilter) -> Columns:
    """Slot, fact, task, model, thinking and sample of each such answer that is looked at."""
    index, grids = snapshot.index, project.grids
    newest = {one.name: one.plane for one in project.graders() if not one.is_person}
    newest.pop(CHOICE, None)
    fact_of = np.full(int(index.questions.max(initial=0)) + 1, -1)
    task_of = fact_of.copy()
    for place in range(len(TASKS)):
        if among.takes(TASKS[place]):
            there = (index.questions[:, place] > 0) & ~index.rejected
            if among.category is not None:
                there &= np.array(index.categories, object) == among.category
            fact_of[index.questions[there, place]] = np.flatnonzero(there)
            task_of[index.questions[there, place]] = place
    parts = [np.zeros((6, 0), np.int64)]
    for (model, thinking), setting in project.setting_ids().items():
        asked = among.model in (None, model) and thinking in among.thinking.settings
        every = [grids.cells(plane, setting) for plane in newest.values()] if asked else []
        for cells in every:
            if cells is None:
                continue
            sample, question = np.nonzero(cells == Outcome.UNSURE)
            known = question < fact_of.size
            sample, question = sample[known], question[known]
            known = fact_of[question] >= 0
            sample, question = sample[known], question[known]
            slot = (question << (SAMPLE_BITS + SETTING_BITS)) | (setting << SAMPLE_BITS) | sample
            answerer = np.full(slot.size, snapshot.answerers.index(model))
            on = np.full(slot.size, int(thinking))
            parts.append(
                np.stack([slot, fact_of[question], task_of[question], answerer, on, sample])
            )
    found = np.unique(np.concatenate(parts, axis=1), axis=1)
    found = found[:, np.lexsort((found[5], found[4], found[3], found[2], found[1]))]
    slot, fact, task, answerer, on, sample = found
    return slot, fact, task, answerer, on.astype(np.bool_), sample


# A queue's marks carried forward: what a decision leaves as it is is not looked up again.


@dataclass(frozen=True, slots=True, eq=False)
class _Basis:
    """What marks of a queue follow from, labels of single questions apart."""

    columns: DisagreementColumns
    questions: npt.NDArray[np.int64]
    rejected: Mask
    planes: tuple[object, ...]
    """Those of the two graders, of oneself and of each other person."""

    def holds_for(self, other: "_Basis") -> bool:
        """Whether marks made on this basis stand on the other."""
        return (
            self.columns is other.columns
            and self.questions is other.questions
            and self.planes == other.planes
            and np.array_equal(self.rejected, other.rejected)
        )


class QueueFollower:
    """Marks the queue that is open; of the same one only where something has been written since."""

    def __init__(self, project: OpenProject, snapshots: SnapshotCache) -> None:
        self._project = project
        self._changes = snapshots.follow()
        self._known: tuple[_Basis, DisagreementQueue] | None = None

    def mark(
        self, snapshot: Snapshot, opened: DisagreementQueue, name: str | None
    ) -> DisagreementQueue:
        """A queue with people's decisions and the fate of its questions as they are now."""
        basis, known = self._read_basis(snapshot, opened, name), self._known
        changes = self._changes
        if known is None or changes.every or not known[0].holds_for(basis):
            found = mark_queue(self._project, snapshot, opened, name)
        elif changes.questions:
            found = mark_questions(self._project, snapshot, known[1], changes.questions, name)
        else:
            found = known[1]
        self._known = basis, found
        changes.clear()
        return found

    def _read_basis(
        self, snapshot: Snapshot, opened: DisagreementQueue, name: str | None
    ) -> _Basis:
        project, lens = self._project, opened.lens
        graders = tuple(
            project.ranks_of((grader,))[0].planes for grader in (lens.a, lens.b) if grader
        )
        people = tuple(planes_of_others(project, name).items())
        planes = (graders, own_planes(project, name), people)
        return _Basis(opened.columns, snapshot.index.questions, snapshot.index.rejected, planes)


RECENT_DECISIONS = 200
"""Decisions that are looked at for the pace."""


class DisagreementService:
    """Two graders of a session's lens: crossings, queues, cards, rates, decisions.

    Used from the session's thread. Every method raises `LostkeysError` as the session's do.
    """

    def __init__(
        self, session: "OpenSession", project: OpenProject, snapshots: SnapshotCache
    ) -> None:
        self._session = session
        self._project = project
        self._snapshots = snapshots
        self._comparer = Comparer(project, snapshots)
        self._follower = QueueFollower(project, snapshots)
        self._crossed: tuple[GraderComparison, ConfusionMatrix] | None = None

    @property
    def path(self) -> Path:
        """The database."""
        return self._session.path

    @tell_user_errors
    def cross_graders(self, among: DisagreementFilter) -> ConfusionMatrix:
        """The graders of the lens crossed over these answers; empty without two graders.

        What was crossed last is the same object as long as it is the same.
        """
        lens = self._session.snapshot.lens
        compared = self._comparer.compare_graders(lens)
        if compared is None:
            return confusion_matrix.empty_matrix(lens, among)
        basis, found = self._crossed or (None, None)
        if found is None or basis is not compared or (found.lens, found.among) != (lens, among):
            found = confusion_matrix.cross_graders(lens, compared, among)
            self._crossed = compared, found
        return found

    @tell_user_errors
    def count(self, among: DisagreementFilter, lens: Lens) -> int:
        """How many disagreements are looked at through a lens; what is in sight stays at hand."""
        here = self._session.snapshot.lens
        if among.unsure:
            snapshot = self._session.snapshot
            return find_unsure(self._project, snapshot, among.with_lens(lens))[0].size
        same = lens.compared[:2] == here.compared[:2]
        comparer = self._comparer if same else Comparer(self._project, self._snapshots)
        compared = comparer.compare_graders(here if same else lens)
        if compared is None:
            return 0
        found = disagreement_queue.find_disagreements(
            self._project, compared, among.with_lens(lens), self._session.name
        )
        return int(np.count_nonzero(found))

    @tell_user_errors
    def queue(self, among: DisagreementFilter) -> DisagreementQueue:
        """Their disagreements among these answers, as they are worth deciding.

        Or what a grader left unsure, where that is looked at.
        """
        lens = self._session.snapshot.lens
        if among.unsure:
            snapshot, name = self._session.snapshot, self._session.name
            return open_unsure(self._project, lens, snapshot, among, name)
        compared = self._comparer.compare_graders(lens)
        if compared is None:
            return disagreement_queue.empty_queue(lens, among)
        return disagreement_queue.open_queue(
            self._project, lens, compared, among, self._session.name
        )

    @tell_user_errors
    def mark_queue(self, opened: DisagreementQueue) -> DisagreementQueue:
        """The same queue, in its order, with one's decisions as they are now."""
        return self._follower.mark(self._session.snapshot, opened, self._session.name)

    @tell_user_errors
    def answers(self, opened: DisagreementQueue, places: Sequence[int]) -> dict[int, str]:
        """What was answered at these places of a queue (those on screen), by slot."""
        return read_answers(self._project, opened, places)

    @tell_user_errors
    def card(self, slot: int) -> DisagreementCard | None:
        """Everything one needs to decide an answer; None where it is gone."""
        return disagreement_card.read_card(
            self._project, self._session.snapshot, slot, self._session.name
        )

    @tell_user_errors
    def rates(self, marked: DisagreementQueue) -> GraderRates:
        """How often each grader was wrong by what is decided in a queue."""
        name = self._session.name
        times = (
            db.person_actions.decision_times(
                self._project.connection, grader_of(name), RECENT_DECISIONS
            )
            if name
            else []
        )
        found, audits = grader_rates.rates(marked, times), self._session.audits
        a, b = (
            replace(one, audited=audits.wrong_rate(one.grader)) if one.grader else one
            for one in (found.a, found.b)
        )
        return replace(found, a=a, b=b)

    def decide(
        self,
        slot: int,
        label: Label,
        note: str | None = None,
        blind: bool = False,
        also: Iterable[int] = (),
        looks: bool = True,
    ) -> tuple[DecisionRecord, Snapshot]:
        """Label an answer, and others that are the same; `Session.undo` takes all back at once.

        Without a note the ones that are there stay. What the graders had said is kept with the
        decision, and whether it was hidden (`blind`). Unless it `looks` the snapshot is that before
        it, for who decides more at once.
        """
        between = self._find_between([slot, *also], blind)
        name = self._session.require_name()
        return self._session.write(
            lambda project: label_writer.decide(project, name, label, between, note), looks
        )

    @tell_user_errors
    def _find_between(self, slots: Sequence[int], blind: bool) -> dict[int, GraderPair | None]:
        """What two graders said; of what one alone has left unsure there is nothing between."""
        lens = self._session.snapshot.lens
        if lens.a is None or lens.b is None:
            return dict.fromkeys(slots)
        keys = np.array(slots, np.int64)
        a, b = (
            find_labels(self._project, self._project.ranks_of((name,))[0].planes, keys)
            for name in (lens.a, lens.b)
        )
        return {
            slot: GraderPair(lens.a, lens.b, said_a, said_b, blind)
            for slot, said_a, said_b in zip(slots, a.tolist(), b.tolist(), strict=True)
        }


LONGEST = 400
"""Characters of an answer that a row may need."""


def read_answers(
    project: OpenProject, queue: DisagreementQueue, places: Sequence[int]
) -> dict[int, str]:
    """The answers at these places of a queue, by slot, as graders see them; long ones cut.

    Answers that have been set aside meanwhile are left out.
    """
    rows = {row.slot: row for row in map(queue.row, places)}
    recipes = {
        model: db.model_rows.recipe_of(project.connection, model)
        for model in {row.model for row in rows.values()}
    }
    found = {}
    for one in db.responses.read_responses(project.connection, list(rows)):
        row = rows[one.slot]
        found[one.slot] = answer_in(one, row.thinking, recipes[row.model]).strip()[:LONGEST]
    return found
