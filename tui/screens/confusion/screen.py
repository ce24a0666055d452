"""The Confusion screen: find where two graders differ, and decide it at the keyboard."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from core.views.snapshot import Snapshot
from tui import keys
from tui.dialogs.reject_dialog import ask_reason
from tui.screens.audit_screen import AuditScreen
from tui.screens.confusion import messages
from tui.screens.confusion.decision_writer import DecisionWriter
from tui.screens.confusion.disagreement_reader import DisagreementReader
from tui.screens.confusion.queue_filter import QueueFilter
from tui.screens.confusion.state import ConfusionPosition, ConfusionState
from tui.screens.confusion.widgets import ConfusionPanes, DisagreementCardView
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from tui.screens.confusion.disagreement_views import DisagreementViews


class ConfusionScreen(AuditScreen):
    """Decide disagreements one by one. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("confusion")
    AUTO_FOCUS = "DisagreementQueueView"
    tab = "confusion"
    outer_pane = "queue"
    position_type = ConfusionPosition
    splits = (
        Split("queue", "card"),
        Split("context", "card"),
        Split("matrix", "agreement"),
        Split("upper", "lower", rows=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self.state = ConfusionState()
        self.panes = ConfusionPanes(self.state)
        self.reader = DisagreementReader(self.state, self.panes)
        self.filter = QueueFilter(self.state, self.panes, self.reader)
        self.decisions = DecisionWriter(self.state, self.panes, self.reader)

    def body(self) -> ComposeResult:
        """Matrix and agreement above, queue and card below."""
        yield self.panes

    def on_mount(self) -> None:
        """Show what there is, which may be nothing yet."""
        self.paint()

    # What the app asks for

    @property
    def model_words(self) -> str:
        """All models are crossed, unless one is filtered for."""
        return self.state.among.model or "all models"

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Those of the rows in sight, of the card, and of the decision made just before."""
        return self.state.facts_among(self.panes.queue_view.places_near)

    @property
    def takes_keys(self) -> bool:
        """Whether the card under the cursor has been painted, or there is none to be had."""
        slot, now = self.panes.slot, self.state
        if not self.panes.inside or slot is None:
            return True
        painted = self.panes.card_view.has_painted(slot)
        return not now.returning and (slot in now.unreadable or painted)

    @property
    def summary(self) -> str:
        """How much of the queue is decided."""
        rates = self.state.rates
        return f"{rates.decided:,} of {rates.total:,} decided" if rates else ""

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Open the queue under another lens; under the same one take in what was decided."""
        self.reader.take_snapshot(snapshot)

    @property
    def position(self) -> ConfusionPosition:
        """What is crossed and queued, and what is under the cursors."""
        return self.panes.position

    def take_position(self, position: ConfusionPosition) -> None:
        """Cross, queue and choose what was chosen."""
        self.reader.go_to(position)

    def forget(self) -> None:
        """Nothing is crossed."""
        self.state.clear()
        self.reader.end_waiting()
        self.paint()

    def reload(self) -> None:
        """Cross and queue anew, with what has been labelled since."""
        self.reader.open_queue()

    def paint_panes(self) -> None:
        """All four."""
        self.panes.paint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        now = self.state
        if action == "same":
            return now.offer is not None
        if action == "unfilter":
            return now.among.is_set
        if action == "because":
            return now.rejecting
        if action in ("reject", "edit", "also"):
            return self.panes.inside and now.card is not None
        if action in ("open", "filter", "view", "blind"):
            return now.crossing is not None
        return True

    @property
    def viewed_list(self) -> "DisagreementViews":
        """The queue."""
        from tui.screens.confusion.disagreement_views import DisagreementViews

        return DisagreementViews(self.state, self.panes, self.reader)

    def action_open(self) -> None:
        """From the queue the card, from there the task; a cell or a row becomes the queue."""
        focused, card = self.focused, self.state.card
        if focused is self.panes.matrix_view:
            self.filter.cross_cell()
        elif focused is self.panes.agreement_view:
            self.filter.cross_row()
        elif card is not None and focused is self.panes.card_view:
            answer = card.thinking, card.sample
            self.lostkeys.places.jump("task", card.fact, card.task, answer, model=card.model)
        elif card is not None:
            self.panes.go(self.panes.card_view)

    @property
    def outermost(self) -> bool:
        """In the queue, with all cells in it."""
        now = self.state
        inside = self.focused is not self.panes.queue_view
        return not inside and now.among.cell is None and not now.rejecting

    def step_out(self) -> None:
        """To the queue; there, from one cell back to all."""
        if self.state.rejecting:
            self.action_reject()
        elif self.focused is not self.panes.queue_view:
            self.panes.go(self.panes.queue_view)
        else:
            self.filter.leave_cell()

    def action_side(self, step: int) -> None:
        """The bracket sideways; elsewhere into the card, or back."""
        self.panes.go_aside(step)

    def action_view(self) -> None:
        """Agreement by model instead of by task, or back."""
        self.panes.step_grouping()

    def action_blind(self) -> None:
        """Hide the graders' labels until one has decided, or show them."""
        self.state.blind = not self.state.blind
        self.panes.paint_queue()
        self.panes.card_view.begin_anew()
        self.panes.paint_card()
        self.refresh_bindings()
        self.lostkeys.say(messages.blind(self.state.blind))

    def action_filter(self) -> None:
        """Choose what is crossed and queued."""
        self.filter.ask()

    def action_unfilter(self) -> None:
        """Cross and queue everything, as no view."""
        self.filter.clear()

    def action_undo(self) -> None:
        """Undo what was done last to what is in sight, and go back to where it was."""
        self.decisions.undo()

    def action_redo(self) -> None:
        """Do again what was undone last, and go to where it was."""
        self.decisions.undo(redoing=True)

    def action_same(self) -> None:
        """Label the answers that are the same, too."""
        offer = self.state.offer
        if offer is not None:
            self.lostkeys.with_name(partial(self.decisions.label_same, offer))

    def action_reject(self) -> None:
        """Choose why the question is rejected, or leave that."""
        self.state.rejecting = not self.state.rejecting
        self.panes.paint_card()
        self.refresh_bindings()

    def action_because(self, number: int) -> None:
        """Reject the question for one of the reasons, or for one that is typed."""
        ask_reason(self.lostkeys, number, self.decisions.reject)

    def action_edit(self) -> None:
        """Edit question, gold, its other names or options."""
        self.decisions.edit()

    def action_also(self) -> None:
        """Accept the answer as another name of the gold."""
        self.decisions.edit(named=True)

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Queue, card, matrix, agreement."""
        return self.panes.go_by(1)

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self.panes.go_by(-1)

    # Events

    @on(DisagreementCardView.Decided)
    def decide(self, event: DisagreementCardView.Decided) -> None:
        """Decide the open disagreement, or take the decision back."""
        event.stop()
        self.decisions.decide_open(event.what)

    @on(DisagreementCardView.FlagWanted)
    def flag_fact(self, event: DisagreementCardView.FlagWanted) -> None:
        """Flag the fact of the open card, or take its flag away."""
        event.stop()
        self.decisions.flag()

    @on(DisagreementCardView.NoteWanted)
    def ask_note(self, event: DisagreementCardView.NoteWanted) -> None:
        """Ask for a note on the decision made just before, else on the open card."""
        event.stop()
        self.decisions.ask_note()

    @on(DisagreementCardView.Stepped)
    def step_card(self, event: DisagreementCardView.Stepped) -> None:
        """The next disagreement, or the next undecided one."""
        event.stop()
        self.decisions.step(event.by, event.skipping)

    @on(LineView.Moved)
    def open_row(self, event: LineView.Moved) -> None:
        """The cursor is on another disagreement."""
        event.stop()
        if event.view is self.panes.queue_view:
            self.state.rejecting = False
            self.state.sought = None
            self.reader.read_card()
            self.panes.paint_position()

    @on(LineView.Clicked)
    def open_clicked(self, event: LineView.Clicked) -> None:
        """A second click is as good as enter; task or model can be clicked."""
        event.stop()
        if (event.part or "").startswith("by:"):
            if event.part != f"by:{self.state.by}":
                self.action_view()
        elif event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    @on(DisagreementCardView.Resized)
    def break_card(self, event: DisagreementCardView.Resized) -> None:
        """Break the card into lines anew."""
        event.stop()
        self.panes.paint_card()

    @on(LineView.Scrolled)
    def read_rows(self, event: LineView.Scrolled) -> None:
        """Other rows are in sight: their answers are to be read."""
        event.stop()
        self.reader.read_texts()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is seen where there is room for one; keys are armed in it."""
        self.panes.reveal(self.focused)
        self.state.rejecting &= self.panes.inside
        self.panes.paint_card()
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps another number of panes."""
        self.paint()
        self.reader.read_context()
