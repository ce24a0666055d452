"""The Confusion screen: where two graders differ, audits, what is unsure; decided by keys."""

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from core.views.snapshot import Snapshot
from tui import keys
from tui.dialogs.reject_dialog import ask_reason
from tui.screens.base_screen import BaseScreen
from tui.screens.confusion.align_controller import AlignController
from tui.screens.confusion.align_panes import AlignListView
from tui.screens.confusion.audit_controller import AuditController
from tui.screens.confusion.audit_panes import AuditCardView, AuditFactsView
from tui.screens.confusion.disagreement_controller import DisagreementController
from tui.screens.confusion.disagreement_views import DisagreementCardView
from tui.screens.confusion.position import ConfusionPosition
from tui.screens.confusion.queue_kinds import DecisionQueue, QueueChoiceLine
from tui.screens.confusion.state import ConfusionState
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from tui.screens.confusion.disagreement_saved_views import DisagreementViews


class ConfusionScreen(BaseScreen):
    """Decide disagreements, an audit or what is unsure. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("confusion")
    AUTO_FOCUS = "DisagreementQueueView"
    tab = "confusion"
    outer_pane = "queue"
    position_type = ConfusionPosition
    splits = (
        Split("queue", "card"),
        Split("context", "card"),
        Split("matrix", "agreement"),
        Split("beside", "agreement"),
        Split("upper", "lower", rows=True),
        Split("audit-facts", "audit-card"),
        Split("audit-text", "audit-card"),
        Split("align-list", "align-card"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.state = ConfusionState()
        self.deciding, self.auditing = DisagreementController(self.state), AuditController()
        self.aligning = AlignController()
        self.first_read = self.deciding.loader.queue

    def body(self) -> ComposeResult:
        """Matrix and agreement above, queue and card below; or the panes of an audit."""
        yield self.deciding.panes
        yield self.auditing.panes
        yield self.aligning.panes

    def on_mount(self) -> None:
        """Show what there is, which may be nothing yet."""
        self.paint()

    @property
    def front(self) -> DisagreementController | AuditController | AlignController:
        """What works through the queue in sight."""
        if self.state.aligns:
            return self.aligning
        return self.auditing if self.state.audits else self.deciding

    @property
    def model_words(self) -> str | None:
        """All models are crossed, unless one is filtered for; an audit is seen by the lens's."""
        return self.front.model_words

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Those of the rows in sight, of the card, and of the decision made just before."""
        return self.front.facts_in_sight

    @property
    def takes_keys(self) -> bool:
        """Whether what a key would decide has been painted, or there is none to be had."""
        return super().takes_keys and self.front.takes_keys

    @property
    def summary(self) -> str:
        """How much of the queue is decided."""
        return self.front.summary

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Open the queue under another lens; under the same one take in what was decided."""
        self.deciding.loader.take_snapshot(snapshot)
        if self.state.audits or self.state.aligns:
            self.front.reload()

    @property
    def position(self) -> ConfusionPosition:
        """What is crossed and queued, and what is under the cursors."""
        kind, audit = self.state.kind, self.auditing.position
        return replace(self.deciding.panes.position, kind=kind, audit=audit)

    def take_position(self, position: ConfusionPosition) -> None:
        """Cross, queue and choose what was chosen."""
        self.deciding.loader.go_to(position)
        self.auditing.go_to(position.audit, self.state.audits)
        if self.state.aligns:
            self.aligning.reload()
        self._show_front()

    def forget(self) -> None:
        """Nothing is crossed."""
        self.deciding.forget()
        self.auditing.forget()
        self.aligning.forget()
        self.paint()

    def reload(self) -> None:
        """Read anew, with what has been labelled since."""
        self.front.reload()

    def paint_panes(self) -> None:
        """Those in sight, with the line that names the queues."""
        self._show_kind()
        for line in self.query(QueueChoiceLine):
            line.put(self.state.kind, self.state.sizes)
        self.front.panes.paint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        return self.front.allows(action)

    @property
    def viewed_list(self) -> "DisagreementViews":
        """The queue."""
        from tui.screens.confusion.disagreement_saved_views import DisagreementViews

        return DisagreementViews(self.state, self.deciding.panes, self.deciding.loader)

    def action_open(self) -> None:
        """Into the card, from there to what it is of; a cell or a row becomes the queue."""
        self.front.open()

    @property
    def outermost(self) -> bool:
        """In the queue, with all cells in it."""
        return self.front.outermost

    def step_out(self) -> None:
        """To the queue; there, from one cell back to all."""
        self.front.step_out()

    def action_side(self, step: int) -> None:
        """The bracket sideways; elsewhere into the card, or back."""
        self.front.go_aside(step)

    def action_view(self) -> None:
        """The next queue: disagreements, audit, unsure, align."""
        self.action_choose_queue(self.state.kind.following)

    def action_choose_queue(self, kind: str) -> None:
        """One of the queues."""
        among = self.state.show_kind(DecisionQueue(kind))
        self._show_front()
        if self.state.audits:
            self.auditing.enter()
        elif self.state.aligns:
            self.aligning.enter()
        else:
            self.deciding.panes.go(self.deciding.panes.queue_view)
            self.deciding.filter.take(among)
        self.paint()

    def _show_front(self) -> None:
        """The panes of the queue in sight."""
        self._show_kind()
        if self.state.aligns and self.focused not in self.aligning.panes.order:
            self.aligning.panes.go(self.aligning.panes.list_view)
        if self.state.audits and self.focused not in self.auditing.panes.order:
            self.auditing.panes.go(self.auditing.panes.facts_view)
        self.refresh_bindings()

    def _show_kind(self) -> None:
        self.set_class(self.state.audits, "-auditing")
        self.set_class(self.state.aligns, "-aligning")

    def action_blind(self) -> None:
        """Hide the graders' labels until one has decided, or show them."""
        self.deciding.turn_blind()

    def action_filter(self) -> None:
        """Choose what is crossed and queued, or which audit is looked at."""
        self.front.ask()

    def action_unfilter(self) -> None:
        """Cross and queue everything, as no view."""
        self.deciding.filter.clear()

    def undo_last(self) -> None:
        """Undo what was done last to what is in sight, and go back to where it was."""
        self.front.undo()

    def action_redo(self) -> None:
        """Do again what was undone last, and go to where it was."""
        self.front.undo(redoing=True)

    def action_same(self) -> None:
        """Label the answers that are the same, too."""
        self.deciding.label_same()

    def action_reject(self) -> None:
        """Choose why the question is rejected, or leave that."""
        self.deciding.turn_rejecting()

    def action_because(self, number: int) -> None:
        """Reject the question for one of the reasons, or for one that is typed."""
        ask_reason(self.lostkeys, number, self.deciding.decisions.reject)

    def action_edit(self) -> None:
        """Edit question, gold, aliases or options."""
        self.deciding.decisions.edit()

    def action_also(self) -> None:
        """Accept the answer as an alias."""
        self.deciding.decisions.edit(named=True)

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Queue, card, and what stands beside them."""
        return self.front.panes.go_by(1)

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self.front.panes.go_by(-1)

    @on(DisagreementCardView.LabelDecided)
    def decide(self, event: DisagreementCardView.LabelDecided) -> None:
        """Decide the open disagreement, or take the decision back."""
        event.stop()
        self.deciding.decisions.decide_open(event.what)

    @on(AuditCardView.LabelGiven)
    def label_audited(self, event: AuditCardView.LabelGiven) -> None:
        """Label the answer of an audit or a reference set."""
        event.stop()
        if isinstance(self.front, AuditController | AlignController):
            self.front.label(event.label)

    @on(DisagreementCardView.FlagWanted)
    def flag_fact(self, event: DisagreementCardView.FlagWanted) -> None:
        """Flag the fact of the open card, or take its flag away."""
        event.stop()
        self.deciding.decisions.flag()

    @on(AuditFactsView.DrawWanted)
    def draw_audit(self, event: AuditFactsView.DrawWanted) -> None:
        """Draw an audit through the lens."""
        event.stop()
        self.auditing.draw()

    @on(AlignListView.WorkWanted)
    def work_on_versions(self, event: AlignListView.WorkWanted) -> None:
        """Draw a set, add an example, edit a rubric, try or adopt a version."""
        event.stop()
        self.aligning.work(event.what)

    @on(DocumentView.NoteWanted)
    def ask_note(self, event: DocumentView.NoteWanted) -> None:
        """Ask for a note on the decision made just before, else on the open card."""
        event.stop()
        self.front.ask_note()

    @on(DocumentView.TagsWanted)
    def ask_tags(self, event: DocumentView.TagsWanted) -> None:
        """Tag the answer in sight."""
        event.stop()
        self.front.ask_tags()

    @on(DocumentView.StepWanted)
    def step_card(self, event: DocumentView.StepWanted) -> None:
        """The next card; skipping, the next undecided one, or the next fact of an audit."""
        event.stop()
        self.front.step(event.by, event.skipping)

    @on(LineView.CursorMoved)
    def open_row(self, event: LineView.CursorMoved) -> None:
        """The cursor is on another row of a queue."""
        event.stop()
        lists = (self.auditing.panes.facts_view, self.deciding.panes.queue_view)
        if event.view in (*lists, self.aligning.panes.list_view):
            self.front.take_cursor()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter; task or model can be clicked."""
        event.stop()
        if (event.part or "").startswith("by:"):
            if event.part != f"by:{self.state.by}":
                self.deciding.panes.step_grouping()
        elif event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    @on(DocumentView.SizeChanged)
    def break_card(self, event: DocumentView.SizeChanged) -> None:
        """Break the card into lines anew."""
        event.stop()
        self.front.panes.paint_card()

    @on(LineView.ViewScrolled)
    def read_rows(self, event: LineView.ViewScrolled) -> None:
        """Other rows are in sight: their answers are to be read."""
        event.stop()
        self.deciding.loader.read_texts()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the focus is seen where there is room for one; keys are armed in it."""
        panes = self.front.panes
        panes.reveal(self.focused)
        self.state.rejecting &= self.deciding.panes.can_decide
        panes.paint_card()
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps another number of panes."""
        self.call_after_refresh(self.paint)
        self.deciding.loader.read_context()
