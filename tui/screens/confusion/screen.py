"""The Confusion screen: find where two graders differ, and decide it at the keyboard."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.widget import Widget

from core.audit.board import Board
from core.audit.queue.among import Among
from core.audit.queue.card import Card
from core.names import LABELS, Label, Task
from tui import keys
from tui.screens.confusion import deciding, filtering, words
from tui.screens.confusion.deciding import Done
from tui.screens.confusion.panes import CardView, QueueView
from tui.screens.confusion.reading import Offer
from tui.screens.confusion.showing import CrossingScreen
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.audit.listing import Choices


class ConfusionScreen(CrossingScreen):
    """Decide disagreements one by one. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("confusion")
    tab = "confusion"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        now = self.reading
        if action == "same":
            return now.offer is not None
        if action == "unfilter":
            return filtering.is_set(now.among)
        if action in ("open", "filter", "view", "blind"):
            return now.crossing is not None
        return True

    def action_open(self) -> None:
        """From the queue the card, from there the task; a cell or a row becomes the queue."""
        focused = self.focused
        if focused is self.matrix_view:
            self._cross_cell()
        elif focused is self.agreement_view:
            self._cross_row()
        elif focused is self.card_view:
            if self.reading.card is not None:
                self.lostkeys.look_at(self.reading.card.model)
                self.lostkeys.open_task(self.reading.card.fact, self.reading.card.task)
        elif self.reading.card is not None:
            self.go(self.card_view)

    def _cross_cell(self) -> None:
        """The disagreements of the cell; those of all cells from the diagonal."""
        place = self.matrix_view.bracket
        cell = None if place.a == place.b else (LABELS[place.a], LABELS[place.b])
        self._filter(deciding.with_cell(self.reading.among, cell))
        self.go(self.queue_view)

    def _cross_row(self) -> None:
        """Only this task or model; once more, all of them."""
        row = self.agreement_view.chosen
        if row is None:
            return
        now = self.reading.among
        if self.reading.by == "task":
            self._filter(deciding.with_task(now, Task(row.name)))
        else:
            self._filter(deciding.with_model(now, row.name))

    def action_back(self) -> None:
        """To the queue; there, from one cell back to all."""
        if self.focused is not self.queue_view:
            self.go(self.queue_view)
        elif self.reading.among.cell is not None:
            self._filter(deciding.with_cell(self.reading.among, None))

    def action_side(self, step: int) -> None:
        """The bracket sideways; elsewhere into the card, or back."""
        if self.focused is self.matrix_view:
            self.matrix_view.move(0, step)
        elif self.focused is self.agreement_view:
            self.action_view()
        elif step > 0 and self.reading.card is not None:
            self.go(self.card_view)
        elif step < 0:
            self.go(self.queue_view)

    def action_view(self) -> None:
        """Agreement by model instead of by task, or back."""
        self.reading.by = "model" if self.reading.by == "task" else "task"
        self.paint_matrix()

    def action_blind(self) -> None:
        """Hide the graders' labels until one has decided, or show them."""
        self.reading.blind = not self.reading.blind
        self.queue_view.blind = self.reading.blind
        self.queue_view.settle()
        self.paint_card()
        self.refresh_bindings()
        self.lostkeys.say(words.blind(self.reading.blind))

    def action_filter(self) -> None:
        """Choose what is crossed and queued."""
        self.lostkeys.ask("choices", lambda session: session.choices(), self._offer_filters)

    def _offer_filters(self, choices: "Choices") -> None:
        board = self.lostkeys.board
        if board is not None:
            dialog = filtering.Narrow(self.reading.among, board, choices.topics)
            self.app.push_screen(dialog, self._filter)

    def action_unfilter(self) -> None:
        """Cross and queue everything."""
        self._filter(filtering.cleared(self.reading.among))

    def _filter(self, among: Among | None) -> None:
        if among is not None and among != self.reading.among:
            self.reading.among = among
            self.open_queue()
            self.paint_matrix()
            self.settle_frame()

    def action_same(self) -> None:
        """Label the answers that are the same, too."""
        offer = self.reading.offer
        if offer is not None:
            self.lostkeys.with_name(lambda _: self._label_same(offer))

    # Focus

    def go(self, view: Widget) -> None:
        """Focus a pane; where there is room for one, it is seen instead of the others."""
        self.set_class(view is self.card_view, "-inside")
        self.set_class(view is self.matrix_view, "-crossing")
        view.focus()

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Queue, card, matrix, agreement."""
        return self._focus_by(1)

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self._focus_by(-1)

    def _focus_by(self, step: int) -> Widget:
        order = self.order
        here = order.index(self.focused) if self.focused in order else 0
        view = order[(here + step) % len(order)]
        self.go(view)
        return view

    # Decisions

    @on(CardView.Decided)
    def decided(self, event: CardView.Decided) -> None:
        """Decide the open disagreement, or take the decision back."""
        event.stop()
        card = self.reading.card
        if card is None or card.slot != self.slot:
            return
        label = deciding.label_of(event.what, card)
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
        else:
            self.lostkeys.with_name(lambda _: self._decide(card, label))

    def _decide(self, card: Card, label: Label) -> None:
        queue, place = self.reading.queue, self.queue_view.place
        if queue is None or place is None:
            return
        offer = Offer(label, card.offered, self.reading.hidden)
        work = partial(deciding.decide, queue, place, card.slot, offer)
        self.lostkeys.write(work, partial(self._written, card, offer))

    def _written(self, card: Card, offer: Offer, done: Done) -> None:
        """Take in what a decision has changed, and go on to the next undecided one."""
        now, view, following = self.reading, self.queue_view, None
        self._shown = done.board
        stays = self.slot == card.slot
        if view.place is not None and stays:
            following = done.queue.undecided(view.place)
        now.queue, now.rates = done.queue, done.rates
        now.cards = {one.slot: one for one in done.cards}
        now.offer = offer if offer.slots else None
        view.put(done.queue, None)
        if now.card is not None:
            now.card = now.cards.get(now.card.slot, now.card)
        if following is not None:
            view.go_to(following)
            self.read_card()
        else:
            self.paint_card(from_top=False)
        self.paint_queue_edges()
        self.lostkeys.board_changed(done.board)
        line = words.decided(offer.label, card)
        if now.offer is not None:
            line.join(words.offering(len(offer.slots), self.narrow))
        self.lostkeys.say(line)
        self.refresh_bindings()

    def _withdraw(self, card: Card) -> None:
        self.lostkeys.write(
            lambda session: session.withdraw(card.slot)[1], self.lostkeys.board_changed
        )

    def _label_same(self, offer: Offer) -> None:
        self.reading.offer = None
        work = partial(deciding.cover, offer)
        self.lostkeys.write(work, partial(self._labelled_same, offer))

    def _labelled_same(self, offer: Offer, board: Board) -> None:
        self.lostkeys.board_changed(board)
        self.lostkeys.say(words.covered(offer.label, len(offer.slots)))

    @on(CardView.Noting)
    def noting(self, event: CardView.Noting) -> None:
        """Ask for a note on the decision."""
        event.stop()
        card = self.reading.card
        if card is None or card.slot != self.slot:
            return
        if card.own is None:
            self.lostkeys.say("a note belongs to your decision: decide first, k goes back to it")
            return
        from tui.dialogs.ask import AskLine

        question = f"Why {card.own}? Your note:"
        dialog = AskLine("note", question, card.note or "")
        self.app.push_screen(dialog, partial(self._noted, card))

    def _noted(self, card: Card, note: str | None) -> None:
        if note is not None and note.strip() != (card.note or ""):
            self.lostkeys.write(
                lambda session: session.set_note(card.slot, note.strip())[1],
                self.lostkeys.board_changed,
            )

    # Events

    @on(CardView.Stepped)
    def stepped(self, event: CardView.Stepped) -> None:
        """The next disagreement, or the next undecided one."""
        event.stop()
        view, queue = self.queue_view, self.reading.queue
        if not event.skipping or queue is None or view.place is None:
            view.move_by(event.by)
            return
        place = queue.undecided(view.place)
        if place is None or place == view.place:
            self.lostkeys.say("no other disagreement is undecided")
        else:
            view.go_to(place)

    @on(LineView.Moved)
    def moved(self, event: LineView.Moved) -> None:
        """The cursor is on another disagreement."""
        event.stop()
        if event.view is self.queue_view:
            self.read_card()
            self.paint_queue_edges()

    @on(LineView.Clicked)
    def clicked(self, event: LineView.Clicked) -> None:
        """A second click is as good as enter; task or model can be clicked."""
        event.stop()
        if (event.part or "").startswith("by:"):
            if event.part != f"by:{self.reading.by}":
                self.action_view()
        elif event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    @on(CardView.Resized)
    def resized(self, event: CardView.Resized) -> None:
        """Break the card into lines anew."""
        event.stop()
        self.paint_card(from_top=False)

    @on(QueueView.Scrolled)
    def scrolled(self, event: QueueView.Scrolled) -> None:
        """Other rows are in sight: their answers are to be read."""
        event.stop()
        self.read_texts()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is seen where there is room for one; keys are armed in it."""
        self.set_class(self.inside, "-inside")
        self.set_class(self.focused is self.matrix_view, "-crossing")
        self.paint_card(from_top=False)
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps another number of panes."""
        self.paint(from_top=False)
