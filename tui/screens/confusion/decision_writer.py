"""Deciding disagreements: the next one is there at once, what is written follows behind it."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.curation.undo_history import Act
from core.errors import LostkeysError
from core.graders.answer_text import normalise_answer
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.snapshot import Snapshot
from core.vocabulary import Label
from tui.app.undo_text import UndoStep
from tui.screens.confusion import loader, sentences
from tui.screens.confusion.loader import DecisionResult, DisagreementLoader, QueueStep
from tui.screens.confusion.state import (
    ConfusionState,
    Decision,
    IdenticalOffer,
    LastDecision,
)
from tui.screens.confusion.widgets import ConfusionPanes
from tui.text.line import Line
from tui.text.task_names import format_task_title, place
from tui.widgets.question_faults import describe_edit

if TYPE_CHECKING:
    from core.curation.question_edits import EditEffect, QuestionDraft
    from core.curation.tag_writer import TagEffect
    from core.views.session import Session
    from tui.app.app import LostkeysApp
    from tui.dialogs.note_dialog import Note
    from tui.dialogs.tag_dialog import TagWrite


class DecisionWriter:
    """Decides, takes back, notes and undoes.

    A decision is shown before it is written: the screen goes on with what was read ahead. What
    the worker has written comes in behind that, and differs from it only where a card of the same
    fact is open, or nothing could be written.
    """

    def __init__(
        self, state: ConfusionState, panes: ConfusionPanes, loader: DisagreementLoader
    ) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    @property
    def _app(self) -> "LostkeysApp":
        return self._panes.base.lostkeys

    def decide_open(self, what: Label | str | None) -> None:
        """Decide the card under the cursor: a label, or the grader who is right.

        None takes the decision back. A person without a name is asked for it first.
        """
        card = self._open_card()
        if card is None:
            return
        if what is None and card.own is None:
            self._app.say("you have not decided this")
        elif what is None:
            self._app.with_name(partial(self.withdraw, card))
        elif not isinstance(what, Label) and self._state.hidden:
            self._app.say("the graders' labels are hidden: say your own, c i p o")
        else:
            self._decide_as(card, what)

    def _decide_as(self, card: DisagreementCard, what: Label | str) -> None:
        """Give a card one's own label, or that of the grader who is right."""
        label = what if isinstance(what, Label) else {"a": card.a, "b": card.b}[what].label
        if label is None:
            self._app.say("this grader has no label now")
        elif self._app.person:
            self.decide(card, label, self._app.person)
        else:
            self._app.with_name(partial(self.decide, card, label))

    def _open_card(self) -> DisagreementCard | None:
        """The card under the cursor; where it cannot be had, says so."""
        card = self._state.card_of(self._panes.slot)
        if card is None:
            self._app.say("this answer cannot be read: ctrl+r tries again")
        return card

    def decide(self, card: DisagreementCard, label: Label, name: str) -> None:
        """Decide the card under the cursor under a name, and go on to the next."""
        decision = self._state.decide(card, self._panes.queue_view.place, label)
        if decision is None:
            return
        self._show(decision)
        self._app.write(
            partial(loader.write_decision, name, decision, self._is_last()),
            partial(self._take_written, decision),
            partial(self._take_back, decision),
        )

    def _is_last(self) -> bool:
        """Whether the key that waits next, if one does, decides nothing."""
        following = self._app.key_queue.next_key
        views = (self._panes.card_view, self._panes.queue_view)
        return not any(view.decides(following) for view in views)

    def _show(self, decision: Decision) -> None:
        now = self._state
        if decision.following is not None:
            self._panes.queue_view.go_to(decision.following, tell=False)
        self._panes.paint_queue()
        others = decision.queue.row(decision.place).others
        line = sentences.describe_decision(decision.offer.label, decision.card, others)
        if now.offer is not None:
            line.join(sentences.offer_same(len(now.offer.slots), self._panes.base.narrow))
        if decision.following is None:
            self._panes.paint_card()
        else:
            self._loader.read_card()
        self._app.say(line)

    def _take_written(self, decision: Decision, done: DecisionResult | None) -> None:
        """Take in what a decision has changed; what is shown mostly is that already."""
        now = self._state
        now.end_decision(decision)
        if done is None:
            return
        self._panes.base.snapshot_written(done.snapshot)
        if not now.holds(done.marked.queue):
            self._loader.mark_queue()
        elif not now.unwritten:
            shown = now.card, now.rates and now.rates.counted
            if now.take_written(done.marked, self._panes.slot):
                self._loader.read_card(anew=True)
            self._panes.paint_queue()
            if (now.card, now.rates and now.rates.counted) != shown:
                self._panes.paint_card()
                self._panes.base.refresh_bindings()
            self._loader.read_ahead_soon()

    def _take_back(self, decision: Decision, error: LostkeysError) -> None:
        """Back to what could not be written."""
        if self._state.fail_decision(decision):
            self._panes.paint_queue(decision.place)
        self._loader.mark_queue()
        self._app.refuse(error)

    def withdraw(self, card: DisagreementCard, name: str) -> None:
        """Take the label of a card back."""
        self._app.write(lambda session: session.withdraw(card.slot)[1], self._app.snapshot_changed)

    # The same answers

    def label_same(self, offer: IdenticalOffer, name: str) -> None:
        """Label the answers that are the same, too."""
        self._state.offer = None
        work = partial(loader.write_same, offer)
        self._app.write(work, partial(self._take_same, offer))

    def _take_same(self, offer: IdenticalOffer, snapshot: Snapshot) -> None:
        self._app.snapshot_changed(snapshot)
        self._app.say(sentences.describe_same(offer.label, len(offer.slots)))

    # Undoing

    def undo(self, redoing: bool = False) -> None:
        """Undo, or redo, what the person did, and go back to where it was."""
        queue, undos = self._state.queue, self._app.undos
        self._state.returning = True
        read = None if queue is None else partial(loader.read_undone, queue)
        (undos.redo if redoing else undos.undo)(read, self._take_undone, self._stay)

    def _stay(self, error: LostkeysError) -> None:
        self._state.returning = False
        self._app.refuse(error)

    def _take_undone(self, step: UndoStep) -> None:
        now, back = self._state, step.shown
        now.returning = False
        self._panes.base.snapshot_written(step.snapshot)
        if isinstance(step.done, Act):
            return
        if isinstance(back, QueueStep):
            self._take_step(back)
        else:
            now.last = now.offer = None
            self._loader.mark_queue()

    def _take_step(self, back: QueueStep) -> None:
        """Show the queue as something written or undone has left it, at its place."""
        now, place = self._state, back.place
        now.last = now.offer = None
        if not now.holds(back.marked.queue):
            self._loader.mark_queue()
            return
        now.take_undone(back.marked, place)
        self._panes.paint_queue(place)
        if place is not None:
            self._panes.card_view.begin_anew()
        self._panes.base.paint()
        if place is None:
            self._loader.read_card(anew=True)
        self._loader.read_ahead_soon()

    # The question

    def reject(self, reason: str) -> None:
        """Reject the question of the open card, and its fact with it."""
        self._state.rejecting = False
        card = self._open_card()
        if card is None:
            return

        self._app.with_name(partial(self._write_rejection, card, reason))

    def _write_rejection(self, card: DisagreementCard, reason: str, name: str) -> None:
        queue, place = self._state.queue, self._panes.queue_view.place
        if queue is not None and place is not None:
            self._state.returning = True
            note = self._state.notes.get(card.slot)
            work = partial(loader.write_rejection, name, card.key, reason, note, queue, place)
            self._app.write(work, partial(self._take_rejected, card, reason), self._stay)

    def _take_rejected(
        self, card: DisagreementCard, reason: str, done: loader.RejectionResult
    ) -> None:
        self._take_question(sentences.describe_rejection(reason), (done.snapshot, done.step))
        if done.step.place is not None and self._state.holds(done.step.marked.queue):
            self._state.take_rejected(card, reason, done.note, done.step.place)

    def _take_question(self, said: Line, done: tuple[Snapshot, QueueStep]) -> None:
        self._state.returning = False
        self._panes.base.snapshot_written(done[0])
        self._take_step(done[1])
        self._app.say(said)

    def edit(self, named: bool = False) -> None:
        """Edit the question of the open card; or accept the answer as an alias."""
        from tui.dialogs.question_edit_dialog import EditQuestion, make_accept_dialog, open_editor

        card, queue = self._open_card(), self._state.queue
        place = self._panes.queue_view.place
        if card is None or queue is None or place is None:
            return
        if named and card.task.is_choice:
            self._app.say("multiple choice has no aliases: the gold is one of its options")
            return
        if named:
            make = partial(make_accept_dialog, card.key, card.draft, normalise_answer(card.answer))
        else:
            make = partial(
                EditQuestion, f"edit {format_task_title(card.task)}", card.key, card.draft
            )

        def work(
            draft: "QuestionDraft", session: "Session"
        ) -> "tuple[EditEffect, tuple[Snapshot, QueueStep]]":
            return loader.write_edit(card, draft, queue, place, session)

        def take(done: "tuple[EditEffect, tuple[Snapshot, QueueStep]]") -> None:
            self._take_question(describe_edit(done[0]), done[1])

        open_editor(self._app, make, work, take)

    def flag(self) -> None:
        """Flag the fact of the open card, or take its flag away."""
        card = self._open_card()
        if card is not None:
            work = partial(loader.write_flag, card.fact, not card.flagged)
            self._app.write(work, partial(self._take_flagged, not card.flagged))

    def _take_flagged(self, flagged: bool, snapshot: Snapshot) -> None:
        self._app.snapshot_changed(snapshot)
        self._app.say(sentences.describe_flag(flagged))

    # Notes

    def ask_note(self) -> None:
        """Ask for a note: on the decision made just before, else on the open card."""
        from tui.dialogs.note_dialog import NoteDialog, NoteSubject

        card = self._open_card()
        if card is None:
            return
        last, here = self._state.find_decision_before(card.slot), self._state.add_note(card)
        cards = [here] if last is None else [last.card, here]
        subjects = [NoteSubject(sentences.describe_subject(one), one.note or "") for one in cards]
        if last is not None and last.reason:
            about = sentences.about_question(last.card, last.reason)
            subjects[0] = NoteSubject(about, last.card.note or "")
        self._app.push_screen(NoteDialog(subjects), partial(self._take_note, last, cards))

    def ask_tags(self) -> None:
        """Ask for a tag of the answer on the open card."""
        from tui.dialogs.tag_dialog import ask_tags

        card = self._open_card()
        if card is None:
            return

        def take(said: Line, done: "tuple[TagEffect, Snapshot]") -> None:
            self._panes.base.snapshot_written(done[1])
            self._loader.read_card(anew=True)
            self._app.say(said)

        def send(work: "TagWrite", said: Line) -> None:
            self._app.write(work, partial(take, said))

        name = f"{place(card.thinking, card.sample)} of {card.heading.subject[:40]}"
        ask_tags(self._app, "answer", card.slot, name, send)

    def _take_note(
        self,
        last: LastDecision | None,
        cards: Sequence[DisagreementCard],
        said: "Note | None",
    ) -> None:
        if said is None:
            return
        card, note = cards[said.subject], said.text
        decided = last if last is not None and last.card is card else LastDecision(card, card.slot)
        if self._state.keep_note(card, note):
            work = partial(loader.write_note, decided, note)
            self._app.write(work, self._app.snapshot_changed)
        elif card.own is None and not decided.reason:
            self._app.say(sentences.describe_waiting_note(note))
            self._panes.paint_card()
