"""The Confusion screen: find where two graders differ, and decide it at the keyboard."""

from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.widget import Widget

from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.vocabulary import LABELS, Task
from tui import keys
from tui.screens.confusion import decision_writer, filter_choice, messages
from tui.screens.confusion.decisions import UNDOING, DecidingScreen
from tui.screens.confusion.widgets import DisagreementCardView, DisagreementQueueView
from tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from core.views.fact_query import Choices


class ConfusionScreen(DecidingScreen):
    """Decide disagreements one by one. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("confusion"), *UNDOING]
    tab = "confusion"

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        now = self.reading
        if action == "same":
            return now.offer is not None
        if action == "unfilter":
            return filter_choice.is_set(now.among)
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
            if (card := self.reading.card) is not None:
                answer = card.thinking, card.sample
                self.lostkeys.open_task(card.fact, card.task, card.model, answer)
        elif self.reading.card is not None:
            self.go(self.card_view)

    def _cross_cell(self) -> None:
        """The disagreements of the cell; those of all cells from the diagonal."""
        place = self.matrix_view.bracket
        cell = None if place.a == place.b else (LABELS[place.a], LABELS[place.b])
        self._filter(decision_writer.with_cell(self.reading.among, cell))
        self.go(self.queue_view)

    def _cross_row(self) -> None:
        """Only this task or model; once more, all of them."""
        row = self.agreement_view.chosen
        if row is None:
            return
        now = self.reading.among
        if self.reading.by == "task":
            self._filter(decision_writer.with_task(now, Task(row.name)))
        else:
            self._filter(decision_writer.with_model(now, row.name))

    def action_back(self) -> None:
        """To the queue; there, from one cell back to all."""
        if self.focused is not self.queue_view:
            self.go(self.queue_view)
        elif self.reading.among.cell is not None:
            self._filter(decision_writer.with_cell(self.reading.among, None))

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
        self.lostkeys.say(messages.blind(self.reading.blind))

    def action_filter(self) -> None:
        """Choose what is crossed and queued."""
        self.lostkeys.ask("choices", lambda session: session.choices(), self._offer_filters)

    def _offer_filters(self, choices: "Choices") -> None:
        board = self.lostkeys.board
        if board is not None:
            dialog = filter_choice.Narrow(self.reading.among, board, choices.topics)
            self.app.push_screen(dialog, self._filter)

    def action_unfilter(self) -> None:
        """Cross and queue everything."""
        self._filter(filter_choice.cleared(self.reading.among))

    def _filter(self, among: DisagreementFilter | None) -> None:
        if among is not None and among != self.reading.among:
            self.reading.among = among
            self.open_queue()
            self.paint_matrix()
            self.settle_frame()

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

    # Events

    @on(DisagreementCardView.Stepped)
    def stepped(self, event: DisagreementCardView.Stepped) -> None:
        """The next disagreement, or the next undecided one."""
        event.stop()
        view, queue = self.queue_view, self.reading.queue
        self.reading.last = None
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

    @on(DisagreementCardView.Resized)
    def resized(self, event: DisagreementCardView.Resized) -> None:
        """Break the card into lines anew."""
        event.stop()
        self.paint_card(from_top=False)

    @on(DisagreementQueueView.Scrolled)
    def scrolled(self, event: DisagreementQueueView.Scrolled) -> None:
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
