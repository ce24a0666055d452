"""Questions to look at, in an order fixed when the queue was opened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

import numpy as np

import db.reviews
from core.dataset.fact_index import FactIndex
from core.project import OpenProject
from core.scoring.precedence import grader_of
from core.views.review import question_samples, stage_changes
from core.views.review.question_samples import Strata
from core.views.review.strong_models import FailureCounts
from core.views.snapshot import Heading, Snapshot
from core.vocabulary import TASK_INDEX, TASKS, QueueKind, Task
from db.reviews import DECIDED, EDITED, SKIPPED, AuthoredReview, Sample
from db.stored_values import read_member


@dataclass(frozen=True, slots=True)
class QueueRequest:
    """Which queue: `by` for strata, `stage` for what a stage changed."""

    kind: QueueKind = QueueKind.SUSPICIOUS
    by: Strata = Strata.CATEGORY
    stage: str = ""


@dataclass(frozen=True, slots=True)
class ReviewStatus:
    """What was said last of a question by anybody, and what one said oneself.

    `verdict` is `accepted`, `rejected` or `edited`, else `skipped`, else None. One that was
    edited together with another and not looked at has no `author`.
    """

    verdict: str | None = None
    reason: str = ""
    author: str = ""
    own: str | None = None

    @property
    def decided(self) -> bool:
        """Whether there is a verdict that counts."""
        return self.verdict in DECIDED


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One question as a queue lists it: `fails` of `of` models fail it.

    `place` is its place in the queue, `question` its id when it was queued, `fact` the place of
    its fact on the snapshot.
    """

    place: int
    question: int
    fact: int
    heading: Heading
    task: Task
    fails: int
    of: int
    stratum: str
    standing: ReviewStatus


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """Questions (ids) with the places of their facts and tasks; `sample` is what they are of.

    `standing` has what was said of questions, these and others, by id; those nobody has said
    anything of are not in it.
    """

    wanted: QueueRequest
    headings: list[Heading]
    models: tuple[str, ...]
    questions: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    fails: tuple[int, ...] = ()
    of: tuple[int, ...] = ()
    strata: tuple[str, ...] = ()
    sample: Sample | None = None
    standing: Mapping[int, ReviewStatus] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def done(self) -> int:
        """How many questions are decided."""
        return sum(self._status_at(place).decided for place in range(len(self)))

    def row(self, place: int) -> ReviewRow:
        """The row at a place."""
        key = self.questions[place]
        return ReviewRow(
            place,
            key,
            self.facts[place],
            self.headings[self.facts[place]],
            TASKS[self.tasks[place]],
            self.fails[place],
            self.of[place],
            self.strata[place],
            self._status_at(place),
        )

    def mark_place(self, place: int, standing: ReviewStatus) -> "ReviewQueue":
        """The queue with something said of the question at a place; skipping undecides nothing."""
        if standing.verdict == SKIPPED and self._status_at(place).decided:
            return self
        return replace(self, standing={**self.standing, self.questions[place]: standing})

    def place_of(self, question: int) -> int | None:
        """Where a question stands; None where it is not in the queue."""
        return self.questions.index(question) if question in self.questions else None

    def place_called(self, index: FactIndex, fact_id: str | None, task: Task | None) -> int | None:
        """Where the question of a fact stands; None where it is not in the queue."""
        if task is None or fact_id not in index.fact_ids:
            return None
        wanted = index.fact_ids.index(fact_id), TASK_INDEX[task]
        places = zip(self.facts, self.tasks, strict=True)
        return next((place for place, one in enumerate(places) if one == wanted), None)

    def find_undecided(self, after: int = -1) -> int | None:
        """The next question without a verdict behind a place, from the top again at the end.

        Those that are skipped come when no others are left; None where all are decided.
        """
        return next(iter(self.list_undecided(after, 1)), None)

    def list_undecided(self, after: int, count: int) -> list[int]:
        """The places of the next ones, at most so many, in that order."""
        order = [*range(after + 1, len(self)), *range(min(after + 1, len(self)))]
        fresh = (place for place in order if self._status_at(place).verdict is None)
        skipped = (
            place
            for place in order
            for said in [self._status_at(place)]
            if said.verdict is not None and not said.decided
        )
        return list(islice(chain(fresh, skipped), count))

    def _status_at(self, place: int) -> ReviewStatus:
        return self.standing.get(self.questions[place], _NOTHING)


_NOTHING = ReviewStatus()


def open_queue(
    project: OpenProject,
    snapshot: Snapshot,
    failing: FailureCounts,
    wanted: QueueRequest,
    said: Mapping[int, ReviewStatus],
) -> ReviewQueue:
    """A queue as it is now; empty where nothing is to be looked at or no sample was drawn."""
    strata: Sequence[str] = ()
    sample: Sample | None = None
    match wanted.kind:
        case QueueKind.SUSPICIOUS:
            keys = _find_suspicious(project, snapshot, failing)
        case QueueKind.STAGE:
            keys = stage_changes.find_changed(project, wanted.stage)
        case QueueKind.EDITED:
            keys = db.reviews.find_edited(project.connection)
        case _:
            by = wanted.by if wanted.kind is QueueKind.STRATIFIED else None
            sample = question_samples.find_newest(project, by)
            taken = db.reviews.read_sample(project.connection, sample.id) if sample else []
            keys, strata = [one.question for one in taken], [one.stratum for one in taken]
    empty = ReviewQueue(wanted, snapshot.headings, failing.models, sample=sample)
    return mark_queue(snapshot, _fill_queue(project, snapshot, failing, empty, keys, strata), said)


def mark_queue(
    snapshot: Snapshot, queue: ReviewQueue, said: Mapping[int, ReviewStatus]
) -> ReviewQueue:
    """The same queue, in its order, with what was `said` of questions.

    A question that is not in use any more, and that nobody has decided, was edited.
    """
    keys = np.array(queue.questions, np.int64)
    gone = keys[~np.isin(keys, snapshot.index.questions)].tolist()
    edited = {
        key: replace(now, verdict=EDITED, author="")
        for key in gone
        for now in [said.get(key, _NOTHING)]
        if not now.decided
    }
    return replace(queue, standing={**said, **edited} if edited else said)


def read_standings(project: OpenProject, name: str | None = None) -> dict[int, ReviewStatus]:
    """What was said of questions (any version), by id.

    The newest verdict that decides counts, whoever gave it.
    """
    author = None if name is None else grader_of(name)
    said: dict[int, list[AuthoredReview]] = {}
    for one in db.reviews.reviews(project.connection):
        said.setdefault(one.question, []).append(one)
    return {key: _find_status(every, author) for key, every in said.items()}


def _find_status(every: Sequence[AuthoredReview], author: str | None) -> ReviewStatus:
    with_verdict = [one for one in every if one.review.verdict is not None]
    deciding = [one for one in with_verdict if one.review.verdict in DECIDED]
    own = next((one.review.verdict for one in with_verdict if one.author == author), None)
    if not with_verdict:
        return _NOTHING
    last = (deciding or with_verdict)[-1]
    return ReviewStatus(last.review.verdict, last.review.reason, last.author, own)


def _find_suspicious(project: OpenProject, snapshot: Snapshot, failing: FailureCounts) -> list[int]:
    """Questions that all models fail, then those that all but one do; the surest first.

    Surer is what more models were asked for, then what belongs to a fact with more such
    questions. Rejected facts are left out, but for those that a review rejected.
    """
    all_fail = failing.all_fail
    reviewed = np.isin(snapshot.index.ids, db.reviews.rejected_facts(project.connection))
    tasks, facts = np.nonzero(
        (all_fail | failing.nearly_all_fail) & (~snapshot.index.rejected | reviewed)
    )
    beside = all_fail.sum(axis=0)[facts]
    order = np.lexsort(
        (tasks, facts, -beside, -failing.of[tasks, facts].astype(int), ~all_fail[tasks, facts])
    )
    found: list[int] = snapshot.index.questions[facts[order], tasks[order]].tolist()
    return found


def _fill_queue(
    project: OpenProject,
    snapshot: Snapshot,
    failing: FailureCounts,
    empty: ReviewQueue,
    keys: Sequence[int],
    strata: Sequence[str],
) -> ReviewQueue:
    """A queue of these questions, of those whose facts are on the snapshot."""
    places = db.reviews.places(project.connection, keys)
    names = strata or [""] * len(keys)
    rows = [
        (key, place, TASK_INDEX[read_member(Task, task, "task")], name)
        for key, name in zip(keys, names, strict=True)
        if key in places
        for fact, task, _ in [places[key]]
        for place in [snapshot.place(fact)]
        if place is not None
    ]
    if not rows:
        return empty
    questions, facts, tasks, kept = zip(*rows, strict=True)
    where = list(tasks), list(facts)
    return replace(
        empty,
        questions=questions,
        facts=facts,
        tasks=tasks,
        fails=tuple(failing.fails[where].tolist()),
        of=tuple(failing.of[where].tolist()),
        strata=kept,
    )
