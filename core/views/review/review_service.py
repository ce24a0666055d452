"""What a session shows of questions to look over, and what it writes of them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import core.curation.question_edits
import db.reviews
from core.curation import question_reviews
from core.curation.question_edits import EditEffect, Outlook, QuestionDraft
from core.curation.question_reviews import ReviewEffect
from core.project import OpenProject
from core.scoring.label_counts import LabelCounts
from core.scoring.policy import Policy
from core.views.review import (
    error_rates,
    question_card,
    question_samples,
    review_queue,
    stage_changes,
    strong_models,
)
from core.views.review.error_rates import ErrorRates, Quality
from core.views.review.question_card import QuestionCard
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest, ReviewQueue, ReviewStatus
from core.views.review.strong_models import FailureCounts
from core.views.snapshot import Snapshot
from core.views.user_errors import tell_user_errors
from core.vocabulary import TASKS, QueueKind, Task
from db.reviews import Sample

if TYPE_CHECKING:
    from core.views.session_protocols import OpenSession


class Reviews:
    """Queues, cards, error rates and decisions of a session; used from the session's thread.

    Questions are measured by the models named, by default the snapshot's strongest ones. Every
    method raises `LostkeysError` as the session's do.
    """

    def __init__(self, session: "OpenSession", models: Sequence[str] | None = None) -> None:
        self._session = session
        self._models = None if models is None else tuple(models)
        self._measured: tuple[LabelCounts, Policy, FailureCounts] | None = None
        self._said: tuple[Snapshot, str | None, dict[int, ReviewStatus]] | None = None
        self._stages: tuple[Snapshot, dict[int, str]] | None = None

    @property
    def path(self) -> Path:
        """The database."""
        return self._session.path

    @property
    def models(self) -> tuple[str, ...]:
        """The models by which questions are measured; those without answers are left out."""
        snapshot = self._session.snapshot
        if self._models is None:
            return strong_models.find_strongest(snapshot)
        return tuple(model for model in self._models if model in snapshot.answerers)

    def _count_failures(self) -> FailureCounts:
        snapshot, models = self._session.snapshot, self.models
        known, tally, policy = self._measured, snapshot.tally, snapshot.lens.policy
        if known and known[0] is tally and known[1] == policy and known[2].models == models:
            return known[2]
        found = strong_models.count_failures(snapshot, models)
        self._measured = tally, policy, found
        return found

    def _read_standings(self) -> dict[int, ReviewStatus]:
        """What was said of questions, read once for a snapshot: it is another when reviews are."""
        session, known = self._session, self._said
        if known is None or known[0] is not session.snapshot or known[1] != session.name:
            found = review_queue.read_standings(session.project, session.name)
            self._said = known = session.snapshot, session.name, found
        return known[2]

    @tell_user_errors
    def queue(self, wanted: QueueRequest) -> ReviewQueue:
        """The questions to look at, in an order that stays while the queue is open."""
        session = self._session
        failing, said = self._count_failures(), self._read_standings()
        return review_queue.open_queue(session.project, session.snapshot, failing, wanted, said)

    @tell_user_errors
    def count(self, wanted: QueueRequest, snapshot: Snapshot) -> int:
        """How many questions a queue holds by a snapshot; what is in sight stays at hand."""
        session = self._session
        if snapshot is session.snapshot:
            return len(self.queue(wanted))
        failing = strong_models.count_failures(snapshot, strong_models.find_strongest(snapshot))
        return len(review_queue.open_queue(session.project, snapshot, failing, wanted, {}))

    @tell_user_errors
    def mark_queue(self, opened: ReviewQueue) -> ReviewQueue:
        """The same queue, in its order, with what was said of its questions as it is now."""
        return review_queue.mark_queue(self._session.snapshot, opened, self._read_standings())

    @tell_user_errors
    def texts(self, opened: ReviewQueue, places: Sequence[int]) -> dict[int, str]:
        """The questions at these places of a queue (those on screen), by id, as queued."""
        keys = [opened.questions[place] for place in places if place < len(opened)]
        return db.reviews.texts(self._session.project.connection, keys)

    @tell_user_errors
    def card(self, question: int) -> QuestionCard | None:
        """A question (any version of it) to be looked at; None where it is gone."""
        session = self._session
        return question_card.read_card(
            session.project, session.snapshot, self._count_failures(), question
        )

    @tell_user_errors
    def rates(self, marked: ReviewQueue) -> ErrorRates:
        """The error rate by a sampled queue as it is marked."""
        snapshot = self._session.snapshot
        changing = self._find_changers() if marked.wanted.kind is QueueKind.RANDOM else {}
        return error_rates.rates(
            marked,
            snapshot.index.categories,
            lambda key: changing.get(key, stage_changes.UNCHANGED),
        )

    def _find_changers(self) -> dict[int, str]:
        snapshot = self._session.snapshot
        if self._stages is None or self._stages[0].index.questions is not snapshot.index.questions:
            self._stages = snapshot, stage_changes.find_changers(self._session.project)
        return self._stages[1]

    @tell_user_errors
    def quality(self) -> Quality:
        """How many facts the models flag, and how many of them a person has then rejected."""
        snapshot, failing = self._session.snapshot, self._count_failures()
        project = self._session.project
        flagged = failing.all_fail.any(axis=0)
        rejected = np.isin(snapshot.index.ids, db.reviews.rejected_facts(project.connection))
        mine = flagged & (~snapshot.index.rejected | rejected)
        decided = [key for key, one in self._read_standings().items() if one.decided]
        seen = np.isin(snapshot.index.questions[mine], decided).any(axis=1)
        return Quality(
            failing.models,
            int((~snapshot.index.rejected | rejected).sum()),
            int(mine.sum()),
            int(seen.sum()),
            int((mine & rejected).sum()),
        )

    @tell_user_errors
    def preview_edit(
        self, question: int, draft: QuestionDraft, seen: QuestionDraft | None = None
    ) -> Outlook:
        """What an edit would do, and what checks in code say of it."""
        return core.curation.question_edits.preview_edit(
            self._session.project, question, draft, seen
        )

    # Writing; each gives what happened and the snapshot after it. `Session.undo` takes it back.

    def accept(self, question: int) -> tuple[ReviewEffect, Snapshot]:
        """Say that a question is well."""
        name = self._session.require_name()
        return self._session.write(partial(question_reviews.accept, name=name, question=question))

    def reject(
        self, question: int, reason: str, note: str | None = None
    ) -> tuple[ReviewEffect, Snapshot]:
        """Say why a question is of no use, perhaps with a note; its fact leaves all totals."""
        name = self._session.require_name()
        return self._session.write(
            partial(question_reviews.reject, name=name, question=question, reason=reason, note=note)
        )

    def skip(self, question: int) -> tuple[ReviewEffect, Snapshot]:
        """Put a question off."""
        name = self._session.require_name()
        return self._session.write(partial(question_reviews.skip, name=name, question=question))

    def note(self, question: int, text: str) -> tuple[ReviewEffect, Snapshot]:
        """Set the note on one's review of a question, or remove it where it is empty."""
        name = self._session.require_name()
        return self._session.write(
            partial(question_reviews.note, name=name, question=question, text=text)
        )

    def edit(
        self, question: int, draft: QuestionDraft, seen: QuestionDraft | None = None
    ) -> tuple[EditEffect, Snapshot]:
        """Make new versions of what differs in a draft (from what was `seen`, if given)."""
        name = self._session.require_name()
        return self._session.write(
            partial(
                core.curation.question_edits.edit,
                name=name,
                question=question,
                draft=draft,
                seen=seen,
            )
        )

    def accept_alias(self, question: int, answer: str) -> tuple[EditEffect, Snapshot]:
        """Let another text be as good as the gold."""
        name = self._session.require_name()
        return self._session.write(
            partial(
                core.curation.question_edits.accept_alias,
                name=name,
                question=question,
                answer=answer,
            )
        )

    def sample(
        self,
        n: int,
        by: Strata | None = None,
        tasks: Sequence[Task] = TASKS,
        seed: int | None = None,
    ) -> tuple[Sample, Snapshot]:
        """Have at least `n` questions sampled: the newest sample grows, or a first is drawn."""

        def work(project: OpenProject) -> Sample:
            project.refresh()
            known = question_samples.find_newest(project, by)
            if known is not None and seed is None and known.spec["tasks"] == list(tasks):
                return question_samples.grow_sample(project, known, n)
            return question_samples.draw_sample(project, n, by, tasks, seed)

        return self._session.write(work)
