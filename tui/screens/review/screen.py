"""The Review screen: look questions over one by one, and know the error rate of the rest."""

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from core.views.review.review_queue import QueueRequest
from core.views.snapshot import Snapshot
from core.vocabulary import QueueKind
from tui import keys
from tui.dialogs.choice_dialog import Choose, Option
from tui.dialogs.input_dialog import AskNumber
from tui.dialogs.reject_dialog import ask_reason
from tui.screens.base_screen import BaseScreen
from tui.screens.review import loader, sentences
from tui.screens.review.loader import ReviewLoader
from tui.screens.review.review_writer import ReviewWriter
from tui.screens.review.state import SAMPLED, ReviewPosition, ReviewState, next_kind, parts
from tui.screens.review.widgets import QuestionCardView, ReviewPanes, ReviewQueueView
from tui.text.typed_number import parse_count
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from tui.screens.review.question_saved_views import QuestionViews


# Which questions are reviewed: the kind of queue, and the size of a sample.

FIRST_SAMPLE = 200
"""Questions that are offered for a first sample."""

MOST_SAMPLED = 100_000


class QueueChoice:
    """The queue that is wanted, as it is chosen in the panes and dialogs."""

    def __init__(self, state: ReviewState, panes: ReviewPanes, loader: ReviewLoader) -> None:
        self._state, self._panes, self._loader = state, panes, loader

    def step(self) -> None:
        """The next kind of queue."""
        self._take(next_kind(self._state.wanted))

    def open_kind(self, kind: QueueKind) -> None:
        """A kind of queue."""
        self._state.want_kind(kind)
        self._loader.open_queue()

    def ask(self) -> None:
        """Choose among all queues."""
        options = [Option(wanted, words) for wanted, words in parts()]
        dialog = Choose("questions to review", options, self._state.wanted)
        self._panes.base.lostkeys.push_screen(dialog, self._take)

    def _take(self, wanted: QueueRequest | None) -> None:
        if self._state.want(wanted):
            self._loader.open_queue()

    def ask_sample(self) -> None:
        """Draw a sample, or let it grow."""
        shown = self._state.shown
        had = len(shown.queue) if shown is not None else 0
        question = f"How many in all? {had:,} now" if had else "How many questions?"
        size = str(max(FIRST_SAMPLE, 2 * had))
        dialog = AskNumber("sample", question, size, wrong_number, does="draws it")
        self._panes.base.lostkeys.push_screen(dialog, self._draw)

    def _draw(self, text: str | None) -> None:
        if text is not None:
            work = partial(loader.draw_sample, parse_count(text), self._state.wanted)
            self._panes.base.lostkeys.write(work, self._loader.take_opened)


def wrong_number(text: str) -> str | None:
    """What is wrong with a typed number of questions, if anything is."""
    try:
        fits = 1 <= parse_count(text) <= MOST_SAMPLED
    except ValueError:
        fits = False
    return None if fits else f"a number from 1 to {MOST_SAMPLED:,}"


IN_CARD = ("accept", "reject", "because", "edit", "skip", "note", "also")


class ReviewScreen(BaseScreen):
    """Accept, reject, edit. Below 100 columns one pane at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("review")
    tab = "review"
    outer_pane = "queue"
    position_type = ReviewPosition
    splits = (
        Split("review-queue", "review-card"),
        Split("review-rate", "review-upper", rows=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self.state = ReviewState()
        self.panes = ReviewPanes(self.state)
        self.loader = ReviewLoader(self.state, self.panes)
        self.choice = QueueChoice(self.state, self.panes, self.loader)
        self.writer = ReviewWriter(self.state, self.panes, self.loader)

    def body(self) -> ComposeResult:
        """Queue and card, the rate below them."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the queue."""
        self.set_focus(self.panes.queue_view)
        self.paint()

    # What the app asks for

    @property
    def model_words(self) -> str | None:
        """By which models questions are measured."""
        shown = self.state.shown
        if shown is None:
            return None
        snapshot = self.lostkeys.snapshot
        of = len(snapshot.models) if snapshot else 0
        return sentences.model_words(shown.queue.models, of, self.narrow or self.wide)

    @property
    def facts_in_sight(self) -> frozenset[int]:
        """Those of the rows in sight, of the card, and of the verdict given just before."""
        return self.state.facts_among(self.panes.queue_view.places_near)

    @property
    def takes_keys(self) -> bool:
        """Whether the card under the cursor has been painted, or there is none to be had."""
        now, card, key = self.state, self.panes.card, self.lostkeys.key_queue.next_key
        if not self.panes.waits_for_card(key) or now.unreadable or not now.has_place:
            return True
        painted = card is not None and self.panes.card_view.has_painted(card.queued)
        return not now.going and painted

    @property
    def summary(self) -> str:
        """Where in the queue the cursor is."""
        return sentences.position(self.state, self.panes.queue_view.place, True).text

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Open the queue, or take in what has changed; the order stays, where there is one."""
        opened = self.state.is_opened_for(snapshot)
        self.state.snapshot = snapshot
        if opened:
            self.loader.mark_queue()
            self.loader.look_soon()
        else:
            self.loader.open_queue()

    @property
    def position(self) -> ReviewPosition:
        """The queue, and the question under the cursor."""
        return self.panes.position

    def take_position(self, position: ReviewPosition) -> None:
        """Open the queue that was open, at its question."""
        self.state.go_to(position)
        self.panes.go(self.panes.card_view if position.inside else self.panes.queue_view)
        self.loader.open_queue()

    def forget(self) -> None:
        """Nothing is looked over."""
        self.state.clear()
        self.loader.stop()
        self.paint()

    def reload(self) -> None:
        """Open the queue anew, with what is new; the cursor stays on its question."""
        card = self.panes.card
        self.loader.open_queue(None if card is None else card.queued)

    def paint_panes(self) -> None:
        """All three."""
        self.panes.paint()

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        now = self.state
        if action == "because":
            return now.rejecting
        if action in IN_CARD:
            return self.panes.can_decide and (self.panes.card is not None or now.unreadable)
        if action == "open":
            return now.has_place
        if action == "sample":
            return now.wanted.kind in SAMPLED
        return True

    def action_open(self) -> None:
        """From the queue into the card, from there to the fact's task."""
        if not self.panes.inside:
            self.panes.go(self.panes.card_view)
        elif (card := self.writer.open_card()) is not None:
            self.lostkeys.places.jump("task", card.fact, card.task)

    @property
    def outermost(self) -> bool:
        """In the queue."""
        return self.focused is self.panes.queue_view and not self.state.rejecting

    def step_out(self) -> None:
        """Out of the reasons, out of the card."""
        if self.state.rejecting:
            self._reject(False)
        else:
            self.panes.go(self.panes.queue_view)

    def action_side(self, step: int) -> None:
        """Into the card, or back."""
        if step < 0:
            self.panes.go(self.panes.queue_view)
        elif self.state.has_place:
            self.panes.go(self.panes.card_view)

    @property
    def viewed_list(self) -> "QuestionViews":
        """The queue."""
        from tui.screens.review.question_saved_views import QuestionViews

        return QuestionViews(self.state, self.panes, self.loader)

    def action_view(self) -> None:
        """The next kind of queue."""
        self.choice.step()

    def action_filter(self) -> None:
        """Choose among all queues."""
        self.choice.ask()

    def action_sample(self) -> None:
        """Draw a sample, or let it grow."""
        self.choice.ask_sample()

    # Deciding

    def action_accept(self) -> None:
        """The question is well."""
        self.writer.accept()

    def action_reject(self) -> None:
        """Choose why it is rejected."""
        self._reject(not self.state.rejecting)

    def _reject(self, choosing: bool) -> None:
        self.state.rejecting = choosing
        self.panes.paint_card()
        self.refresh_bindings()

    def action_because(self, number: int) -> None:
        """Reject for one of the reasons, or for one that is typed."""
        ask_reason(self.lostkeys, number, self.writer.reject)

    def action_skip(self) -> None:
        """Put it off."""
        self.writer.skip()

    def action_note(self) -> None:
        """Write a note: on the question decided just before, else on the open one."""
        self.writer.ask_note()

    def action_edit(self) -> None:
        """Edit question, gold, aliases or options."""
        self.writer.edit()

    def action_also(self) -> None:
        """Accept an alias, such as what models agree on."""
        self.writer.accept_name()

    def undo_last(self) -> None:
        """Undo what was done last to what is in sight, and go back to that question."""
        self.writer.undo()

    def action_redo(self) -> None:
        """Do again what was undone last, and go to that question."""
        self.writer.undo(redoing=True)

    # Focus

    def focus_next(self, selector: object = "*") -> Widget | None:
        """Queue and card."""
        panes = self.panes
        view: Widget = panes.queue_view if panes.inside else panes.card_view
        panes.go(view)
        return view

    def focus_previous(self, selector: object = "*") -> Widget | None:
        """The other way round."""
        return self.focus_next()

    # Events

    @on(QuestionCardView.StepWanted)
    def step_question(self, event: QuestionCardView.StepWanted) -> None:
        """The next or previous question."""
        event.stop()
        self.state.last = None
        self.panes.queue_view.move_by(event.by)

    @on(LineView.CursorMoved)
    def go_to_question(self, event: LineView.CursorMoved) -> None:
        """The cursor is on another question."""
        event.stop()
        if event.view is self.panes.queue_view:
            self.state.sought = None
            self.loader.read_card()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A click on a kind of queue opens it; a second click is as good as enter."""
        event.stop()
        part = event.part or ""
        if part.startswith("kind:"):
            self.choice.open_kind(QueueKind(part.removeprefix("kind:")))
        elif event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    @on(ReviewQueueView.QueueWidened)
    def break_words(self, event: ReviewQueueView.QueueWidened) -> None:
        """Another room for words in place of rows."""
        event.stop()
        self.paint()

    @on(QuestionCardView.SizeChanged)
    def break_card(self, event: QuestionCardView.SizeChanged) -> None:
        """Break the card into lines anew."""
        event.stop()
        self.panes.paint_card()

    @on(LineView.ViewScrolled)
    def read_rows(self, event: LineView.ViewScrolled) -> None:
        """Other rows are in sight."""
        event.stop()
        self.loader.read_texts()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keys are armed where the card is in sight."""
        self.set_class(self.panes.inside, "-inside")
        self.state.rejecting &= self.panes.can_decide
        self.panes.paint_card()
        self.refresh_bindings()
        self.loader.read_ahead()

    def on_resize(self, event: events.Resize) -> None:
        """Other room, and perhaps another number of panes."""
        self.call_after_refresh(self.paint)
        self.loader.read_context()
