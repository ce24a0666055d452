"""Deciding questions: the next one is there at once, what is written follows behind it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from core.curation.question_edits import QuestionDraft
from core.curation.undo_history import Act
from core.errors import LostkeysError
from core.views.review.question_card import QuestionCard
from core.views.review.review_queue import ReviewStatus
from core.views.review.review_service import Reviews
from tui.app.undo_text import UndoStep
from tui.dialogs.question_edit_dialog import EditQuestion, make_accept_dialog
from tui.screens.review import loader, sentences
from tui.screens.review.loader import ReviewLoader
from tui.screens.review.state import LastVerdict, ReviewDecision, ReviewResult, ReviewState
from tui.screens.review.widgets import ReviewPanes
from tui.text.task_names import format_task_title
from tui.widgets.question_faults import describe_edit

if TYPE_CHECKING:
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp
    from tui.dialogs.note_dialog import Note

Write = Callable[[Reviews, int], "tuple[Any, Snapshot]"]
"""Something that is written of a question."""


class ReviewWriter:
    """Gives verdicts, notes, edits and undoes.

    A verdict is shown before it is written, where the next card is read already.
    """

    def __init__(self, state: ReviewState, panes: ReviewPanes, loader: ReviewLoader) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    @property
    def _app(self) -> "LostkeysApp":
        return self._panes.base.lostkeys

    def open_card(self) -> QuestionCard | None:
        """The card under the cursor; where it cannot be had, says so."""
        card = self._panes.card
        if card is None:
            self._app.say(sentences.UNREADABLE)
        return card

    # Verdicts and notes

    def accept(self) -> None:
        """The question is well."""
        self._decide(lambda reviews, key: reviews.accept(key), "accepted", ReviewStatus("accepted"))

    def reject(self, why: str) -> None:
        """Reject for a reason."""
        self._decide(
            lambda reviews, key: reviews.reject(key, why),
            f"rejected, {why}",
            ReviewStatus("rejected", why),
        )

    def skip(self) -> None:
        """Put it off."""
        self._decide(lambda reviews, key: reviews.skip(key), "skipped", ReviewStatus("skipped"))

    def ask_note(self) -> None:
        """Ask for a note: on the question decided just before, else on the open one."""
        card, place, last = self.open_card(), self._panes.queue_view.place, self._state.last
        if card is None or place is None:
            return
        ons = [(card, place)]
        if last is not None and last.then == place != last.place:
            ons.insert(0, (last.card, last.place))
        from tui.dialogs.note_dialog import NoteDialog, NoteSubject

        subjects = [NoteSubject(f"{one.text[:60]}", self._own_note(one)) for one, _ in ons]
        self._app.push_screen(NoteDialog(subjects), partial(self._write_note, ons))

    def _own_note(self, card: QuestionCard) -> str:
        mine = f"human:{self._app.person}"
        now = [one.review.note for one in card.reviews if one.author == mine]
        return now[-1] if now else ""

    def _write_note(self, ons: Sequence[tuple[QuestionCard, int]], said: "Note | None") -> None:
        if said is None:
            return
        card, place = ons[said.subject]

        def write(reviews: Reviews, key: int) -> "tuple[Any, Snapshot]":
            return reviews.note(key, said.text)

        self._with_name(partial(self._write, write, "noted", None, card, place))

    def _decide(self, work: Write, done: str, said: ReviewStatus) -> None:
        """Write a verdict on the open question, under a name, and go on to the next."""
        card, place = self.open_card(), self._panes.queue_view.place
        if card is not None and place is not None:
            self._with_name(partial(self._write, work, done, said, card, place))

    def _with_name(self, write: Callable[[str], None]) -> None:
        """Write at once where the person is known."""
        if self._app.person:
            write(self._app.person)
        else:
            self._app.with_name(write)

    def _write(
        self,
        work: Write,
        done: str,
        said: ReviewStatus | None,
        card: QuestionCard,
        place: int,
        name: str,
    ) -> None:
        """Show the verdict and the next question if that is read already, then write it."""
        status = None if said is None else replace(said, author=f"human:{name}")
        decision = self._state.decide(card, place, status)
        if decision is None:
            return
        if decision.painted:
            self._panes.card_view.begin_anew()
            self._panes.base.paint()
            self._say_written(done)
            self._loader.read_ahead()
        key, stays = card.question, said is None
        self._app.write(
            partial(
                loader.write_review, name, decision.queue, place, stays, lambda one: work(one, key)
            ),
            partial(self._take_decided, "" if decision.painted else done, decision),
            partial(self._fail, decision),
        )

    def _take_decided(self, said: str, decision: ReviewDecision, done: ReviewResult) -> None:
        """Take in what was written of a card, and say it; a person stays where it `leads` not."""
        here = self._panes.queue_view.place
        self._state.end_decision(decision)
        stays = not decision.leads and here != done.shown.place
        self._take(done, from_top=decision.leads, place=here if stays else None)
        if decision.leads:
            then = self._panes.queue_view.place
            self._state.last = LastVerdict(decision.card, decision.place, then)
        if said:
            self._say_written(said)

    def _fail(self, decision: ReviewDecision, error: LostkeysError) -> None:
        """Back to what could not be written."""
        if self._state.fail_decision(decision):
            self._panes.queue_view.put(decision.place, [])
            self._loader.mark_queue()
        self._app.refuse(error)

    def _take(self, done: ReviewResult, from_top: bool, place: int | None = None) -> None:
        """Show what has come of writing; stay at a `place`."""
        shows = self._state.take_written(done, place)
        self._panes.base.snapshot_written(done.snapshot)
        if shows:
            self._loader.show(from_top)
            if place is not None:
                self._loader.mark_queue()

    def _say_written(self, done: str) -> None:
        self._app.say(sentences.describe_write(done, self._app.settings.keys))

    # Edits

    def edit(self) -> None:
        """Edit question, gold, aliases or options."""
        card = self._panes.card
        if card is not None:
            seen = _draft_of(card)
            title = f"edit {format_task_title(card.task)}, version {card.version}"
            land = partial(self._write_edit, card, seen)
            self._app.push_screen(EditQuestion(title, card.question, seen, land))

    def accept_name(self) -> None:
        """Accept an alias, such as what models agree on."""
        card = self._panes.card
        if card is not None:
            seen = _draft_of(card)
            name = card.agreed.text if card.agreed is not None else ""
            land = partial(self._write_edit, card, seen)
            self._app.push_screen(make_accept_dialog(card.question, seen, name, land))

    def _write_edit(
        self, card: QuestionCard, seen: QuestionDraft, draft: QuestionDraft, dialog: EditQuestion
    ) -> None:
        place = self._panes.queue_view.place
        if place is None:
            return

        def take_edit(done: ReviewResult) -> None:
            dialog.end_edit()
            self._state.forget_fact(None)
            self._take(done, from_top=True)
            self._app.say(describe_edit(done.what))

        def write(name: str) -> None:
            shown = self._state.shown
            if shown is not None and dialog.begin():
                work = partial(
                    loader.write_review, name, shown.queue, place, True,
                    lambda reviews: reviews.edit(card.question, draft, seen),
                )  # fmt: skip
                self._app.write(work, take_edit, dialog.show_failure)

        self._app.with_name(write)

    # Undoing

    def undo(self, redoing: bool = False) -> None:
        """Undo, or redo, what was done, and go back to the question it was about."""
        shown, undos = self._state.shown, self._app.undos
        self._state.going += 1
        queue = shown.queue if shown else None
        read = partial(loader.read_undone, queue, self._panes.queue_view.place)
        (undos.redo if redoing else undos.undo)(read, self._take_undone, self._fail_undo)

    def _take_undone(self, step: UndoStep) -> None:
        now = self._state
        now.going -= 1
        if isinstance(step.done, Act):
            self._app.snapshot_changed(step.snapshot)
            return
        now.last = None
        now.forget_fact(None)
        self._take(ReviewResult(step.done, step.snapshot, step.shown), from_top=True)

    def _fail_undo(self, error: LostkeysError) -> None:
        self._state.going -= 1
        self._app.refuse(error)


def _draft_of(card: QuestionCard) -> QuestionDraft:
    return QuestionDraft(card.text, card.gold, card.aliases, card.choices)
