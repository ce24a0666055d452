"""Deciding disagreements: the next one is there at once, what is written follows behind it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding

from core.errors import LostkeysError
from core.views.disagreements import grader_rates
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.snapshot import Snapshot
from core.vocabulary import Label
from tui import keys
from tui.app.user import undone_line
from tui.screens.confusion import decision_writer, messages
from tui.screens.confusion.decision_writer import DecisionResult, TakenBack
from tui.screens.confusion.showing import CrossingScreen
from tui.screens.confusion.state import ConfusionState, IdenticalOffer, Last
from tui.screens.confusion.widgets import DisagreementCardView

if TYPE_CHECKING:
    from tui.dialogs.note_dialog import Note

UNDOING = [
    Binding(key.keys, key.action, key.words, id=key.id, show=key.line)
    for key in (keys.BY_ID["undo"],)
]
"""Here undoing goes back to the disagreement, too."""


class DecidingScreen(CrossingScreen):
    """What decides, takes back, notes and undoes.

    A decision is shown before it is written: the screen goes on with what was read ahead. What
    the worker has written comes in behind that, and differs from it only where a card of the same
    fact is open, or nothing could be written.
    """

    @on(DisagreementCardView.Decided)
    def decided(self, event: DisagreementCardView.Decided) -> None:
        """Decide the open disagreement, or take the decision back."""
        event.stop()
        card = self._open_card()
        if card is None:
            return
        label = decision_writer.label_of(event.what, card)
        if event.what is None:
            if card.own is None:
                self.lostkeys.say("you have not decided this")
            else:
                self.lostkeys.with_name(lambda _: self._withdraw(card))
        elif (
            isinstance(event.what, str)
            and not isinstance(event.what, Label)
            and self.reading.hidden
        ):
            self.lostkeys.say("the graders' labels are hidden: say your own, c i p o")
        elif label is None:
            self.lostkeys.say("this grader has no label now")
        elif self.lostkeys.person:
            self._decide(card, label, self.lostkeys.person)
        else:
            self.lostkeys.with_name(partial(self._decide, card, label))

    def _open_card(self) -> DisagreementCard | None:
        """The card under the cursor; where it cannot be had, says so."""
        card = self.reading.card
        if card is not None and card.slot == self.slot:
            return card
        self.lostkeys.say("this answer cannot be read: ctrl+r tries again")
        return None

    def _decide(self, card: DisagreementCard, label: Label, name: str) -> None:
        now, queue, place = self.reading, self.reading.queue, self.queue_view.place
        if queue is None or place is None or queue.row(place).slot != card.slot:
            return
        offer, note = IdenticalOffer(label, card.offered, now.hidden), now.notes.get(card.slot)
        self._go_on(card, place, offer)
        now.last = Last(replace(now.noted(card), own=label), self.slot)
        then = self.slot or card.slot
        work = partial(decision_writer.decide, name, queue, card.slot, then, offer, note)
        now.unwritten += 1
        self.lostkeys.write(
            work, partial(self._written, card), partial(self._not_written, card, place)
        )

    def _go_on(self, card: DisagreementCard, place: int, offer: IdenticalOffer) -> None:
        """Show the decision, and the next undecided disagreement."""
        now, view = self.reading, self.queue_view
        assert now.queue is not None
        now.queue = now.queue.said_at(place, offer.label)
        if now.rates is not None:
            now.rates = grader_rates.one_more(now.rates, now.queue)
        now.offer = offer if offer.slots else None
        now.cards.pop(card.slot, None)
        view.put(now.queue, None)
        line = messages.decided(offer.label, card)
        if now.offer is not None:
            line.join(messages.offering(len(offer.slots), self.narrow))
        following = now.queue.undecided(place)
        if following is None:
            now.card = replace(card, own=offer.label)
            self.paint_card(from_top=False)
        else:
            view.go_to(following)
            self.read_card()
        self.paint_queue_edges()
        self.lostkeys.say(line)
        self.refresh_bindings()

    def _written(self, card: DisagreementCard, done: DecisionResult) -> None:
        """Take in what a decision has changed; what is shown mostly is that already."""
        now = self.reading
        now.unwritten -= 1
        now.notes.pop(card.slot, None)
        self._shown = done.board
        self.lostkeys.board_changed(done.board)
        if now.queue is None or now.queue.columns is not done.queue.columns:
            self.renew_queue()
        elif not now.unwritten:
            self._take(done, card)

    def _take(self, done: DecisionResult, card: DisagreementCard) -> None:
        """Show a queue as it is in the file; cards of the fact decided are not as they were."""
        now = self.reading
        shown = now.card, now.rates and now.rates.counted
        now.queue, now.rates = done.queue, done.rates
        now.cards = {slot: one for slot, one in now.cards.items() if one.fact != card.fact}
        fresh = done.card
        if fresh is not None and fresh.slot == self.slot:
            now.card = fresh
        elif now.card is not None and now.card.fact == card.fact:
            self.read_card(anew=True)
        self.queue_view.put(done.queue, None)
        if (now.card, done.rates.counted) != shown:
            self.paint_card(from_top=False)
            self.refresh_bindings()
        self.paint_queue_edges()
        self.call_after_refresh(self.read_ahead)

    def _not_written(self, card: DisagreementCard, place: int, error: LostkeysError) -> None:
        """Back to what could not be written."""
        now = self.reading
        now.unwritten -= 1
        now.offer = now.last = None
        if now.queue is not None and place < len(now.queue):
            if now.queue.row(place).slot == card.slot:
                now.queue = now.queue.said_at(place, card.own)
                self.queue_view.put(now.queue, place)
            self.renew_queue()
        self.lostkeys.refuse(error)

    def _withdraw(self, card: DisagreementCard) -> None:
        self.lostkeys.write(
            lambda session: session.withdraw(card.slot)[1], self.lostkeys.board_changed
        )

    def action_undo(self) -> None:
        """Undo the person's newest label or flag, and go back to where it was."""
        self.reading.returning = True
        work = partial(decision_writer.undo, self.reading.queue)
        self.lostkeys.write(work, self._undone, partial(self._not_undone, self.reading))

    def _not_undone(self, then: ConfusionState, error: LostkeysError) -> None:
        then.returning = False
        self.lostkeys.refuse(error)

    def _undone(self, back: TakenBack) -> None:
        now, board = self.reading, back.board
        now.returning, now.last = False, None
        self._shown = board
        self.lostkeys.board_changed(board)
        self.lostkeys.say(undone_line(back.undone, back.of, board.lens.model))
        now.offer = None
        if now.queue is None or back.queue is None or now.queue.columns is not back.queue.columns:
            self.renew_queue()
            return
        now.queue, now.rates, now.cards = back.queue, back.rates, {}
        place = back.place
        if back.card is not None and place is not None:
            now.card = back.card
        self.queue_view.put(back.queue, place)
        self.paint(from_top=place is not None)
        if place is None:
            self.read_card(anew=True)
        self.call_after_refresh(self.read_ahead)

    def action_same(self) -> None:
        """Label the answers that are the same, too."""
        offer = self.reading.offer
        if offer is not None:
            self.lostkeys.with_name(lambda _: self._label_same(offer))

    def _label_same(self, offer: IdenticalOffer) -> None:
        self.reading.offer = None
        work = partial(decision_writer.cover, offer)
        self.lostkeys.write(work, partial(self._labelled_same, offer))

    def _labelled_same(self, offer: IdenticalOffer, board: Snapshot) -> None:
        self.lostkeys.board_changed(board)
        self.lostkeys.say(messages.covered(offer.label, len(offer.slots)))

    @on(DisagreementCardView.Noting)
    def noting(self, event: DisagreementCardView.Noting) -> None:
        """Ask for a note: on the decision made just before, else on the open card."""
        event.stop()
        now, card = self.reading, self._open_card()
        if card is None:
            return
        before = now.decided_before(card.slot)
        cards = [one for one in (before, now.noted(card)) if one is not None]
        from tui.dialogs.note_dialog import NoteDialog, Subject

        subjects = [Subject(messages.about(one), one.note or "") for one in cards]
        self.app.push_screen(NoteDialog(subjects), partial(self._noted, cards))

    def _noted(self, cards: Sequence[DisagreementCard], said: "Note | None") -> None:
        if said is None:
            return
        card, note, now = cards[said.subject], said.text, self.reading
        if now.last is not None and now.last.card is card:
            now.last = replace(now.last, card=replace(card, note=note))
        if card.own is None:
            now.notes[card.slot] = note
            self.lostkeys.say(messages.waits(note))
            self.paint_card(from_top=False)
        elif note != (card.note or ""):
            self.lostkeys.write(
                lambda session: session.set_note(card.slot, note)[1], self.lostkeys.board_changed
            )
