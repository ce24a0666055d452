"""What the Review screen shows: it reads a queue and the card of one question, and paints."""

from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer

from core.errors import LostkeysError
from core.views.review.question_card import QuestionCard
from core.views.snapshot import Snapshot
from core.vocabulary import QueueKind
from tui import keys
from tui.screens.audit_screen import AuditScreen
from tui.screens.review import render_card, render_rate, state
from tui.screens.review.render_rate import RateReport
from tui.screens.review.state import SAMPLED, ReviewState, ShownQueue
from tui.screens.review.widgets import QuestionCardView, RateView, ReviewQueueView
from tui.text.line import Line, wrapped
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane, news_line

RATE = 7
"""Lines of the pane of the error rate, without its parts."""

SINCE = 1.0
"""Seconds from a change of the file to looking what the queue would have of it."""

SLOW = 0.2
"""Seconds after which the queue says that it is still read."""

EMPTY = {
    QueueKind.SUSPICIOUS: (
        "No question that all strong models fail, or all but one of four or more."
    ),
    QueueKind.STAGE: "This stage has changed no question of these facts.",
    QueueKind.EDITED: "Nothing has been edited.",
}


class RateLine(LineWidget):
    """The error rate, where there is no room for its pane."""

    def draw(self, width: int) -> Line:
        """The rate in a line."""
        screen = self.screen
        shown = screen.reading.shown if isinstance(screen, LookingScreen) else None
        if shown is None:
            return Line()
        return render_rate.one_line(RateReport(shown.rated, shown.rates, shown.quality), width)


class LookingScreen(AuditScreen):
    """Queue and card above, error rate below. Everything follows from `reading`."""

    DEFAULT_CSS = """
    LookingScreen #review-upper { height: 1fr; }
    LookingScreen #review-queue { width: 43%; }
    LookingScreen #review-card { width: 1fr; }
    LookingScreen #review-rate { height: 7; }
    LookingScreen QuestionCardView { overflow-y: scroll; }
    LookingScreen RateLine { display: none; }
    LookingScreen.-narrow #review-rate { display: none; }
    LookingScreen.-narrow RateLine { display: block; }
    LookingScreen.-narrow #review-queue { width: 1fr; }
    LookingScreen.-narrow #review-card { display: none; }
    LookingScreen.-narrow.-inside #review-card { display: block; }
    LookingScreen.-narrow.-inside #review-queue { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.reading = ReviewState()
        self._slow: Timer | None = None
        self._looking: Timer | None = None
        self._opening = self._renewing = False
        self._board: Snapshot | None = None

    def body(self) -> ComposeResult:
        """Queue and card, the rate below them."""
        yield RateLine()
        with Horizontal(id="review-upper"):
            with Pane(id="review-queue"):
                yield ReviewQueueView(self.reading)
            with Pane(id="review-card"):
                yield QuestionCardView()
        with Pane(id="review-rate"):
            yield RateView()

    def on_mount(self) -> None:
        """Begin in the queue."""
        self.queue_view.focus()
        self.paint()

    @property
    def queue_view(self) -> ReviewQueueView:
        """The questions."""
        return self.query_one(ReviewQueueView)

    @property
    def card_view(self) -> QuestionCardView:
        """The open question."""
        return self.query_one(QuestionCardView)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the card."""
        return self.focused is self.card_view

    @property
    def model_words(self) -> str | None:
        """By which models questions are measured."""
        shown = self.reading.shown
        if shown is None or not shown.queue.models:
            return None
        count = len(shown.queue.models)
        if count == 1:
            return shown.queue.models[0]
        return f"{count} strong models" if self.narrow or self.wide else f"{count} strong"

    # What the app asks for

    @property
    def card(self) -> QuestionCard | None:
        """The card of the question under the cursor; None while that is read."""
        return self.reading.card_at(self.queue_view.place)

    @property
    def takes_keys(self) -> bool:
        """Whether the card under the cursor has been painted, or there is none to be had."""
        now, card = self.reading, self.card
        if not self.inside or now.unreadable or now.shown is None or now.shown.place is None:
            return True
        return not now.going and card is not None and self.card_view.has_painted(card.queued)

    def show_board(self, board: Snapshot) -> None:
        """Open the queue, or take in what has changed; the order stays, where there is one."""
        before, self._board = self._board, board
        shown = self.reading.shown
        empty = shown is None or not len(shown.queue)
        if before is None or before.lens.ranked != board.lens.ranked or empty:
            self.open_queue()
        else:
            self.renew_queue()
            self._look_soon()

    def forget(self) -> None:
        """Nothing is looked over."""
        self.reading = ReviewState(self.reading.wanted)
        self.queue_view.reading = self.reading
        self._board = None
        self._opening = self._renewing = False
        self.paint()

    def renew(self) -> None:
        """Open the queue anew, with what is new; the cursor stays on its question."""
        self.open_queue(None if self.card is None else self.card.queued)

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.paint()
        for pane in self.query(Pane):
            pane.repaint()
        super().repaint()

    # Reading

    def open_queue(self, question: int | None = None) -> None:
        """Read the queue that is wanted; what is shown stays until then."""
        if self._board is None or not len(self._board.index):
            return
        if self._slow is None:
            self._slow = self.set_timer(SLOW, self._say_reading)
        self._opening = True
        self.reading.forget_fact(None)
        work = partial(state.opened, self.reading.wanted, question=question)
        self.lostkeys.ask("review", work, self.opened, self._failed)

    def opened(self, shown: ShownQueue) -> None:
        """Show a queue that was read."""
        self._opening = False
        self._done()
        self.queue_view.texts = {}
        self.reading.new = 0
        self.take(shown)

    def renew_queue(self) -> None:
        """Take in verdicts, whoever gave them."""
        shown = self.reading.shown
        if shown is not None and not self._opening:
            self._renewing = True
            self.reading.forget_fact(None)
            work = partial(state.renewed, shown.queue, self.queue_view.place)
            self.lostkeys.ask("review", work, self._renewed, self._failed)

    def _renewed(self, shown: ShownQueue) -> None:
        if not self.reading.unwritten:  # else what is shown already would vanish for a moment
            self.take(shown, from_top=False)

    def _look_soon(self) -> None:
        """Look at what is new, but not at every label that a job writes."""
        if self._looking is None:
            self._looking = self.set_timer(SINCE, self._look)

    def _look(self) -> None:
        self._looking = None
        shown = self.reading.shown
        if shown is not None and not self._opening:
            work = partial(state.news, shown.queue)
            told = partial(self._told, shown.queue.questions)
            self.lostkeys.ask("review news", work, told, _nothing, patient=True)

    def _told(self, of: tuple[int, ...], new: int) -> None:
        now = self.reading
        if now.shown is not None and now.shown.queue.questions is of and not self._opening:
            now.new = new
            self._paint_edges()

    def take(self, shown: ShownQueue, from_top: bool = True) -> None:
        """Show what has been read."""
        now = self.reading
        self._renewing = False
        before, now.shown = now.shown, shown
        now.unreadable = shown.card is None
        now.rejecting &= before is not None and before.place == shown.place
        self.queue_view.texts |= shown.texts
        self.paint(from_top)
        self.read_ahead()

    def read_ahead(self) -> None:
        """Have the cards read that verdicts go on to: where verdicts are given, in the card."""
        now = self.reading
        if self.inside and now.shown is not None and not now.looking_ahead:
            now.looking_ahead = True
            work = partial(state.ahead, now.shown, tuple(now.ahead))
            self.lostkeys.ask(
                "review ahead", work, partial(self._ahead, now), partial(self._not_ahead, now)
            )

    def _ahead(self, then: ReviewState, found: tuple[list[int], list[QuestionCard]]) -> None:
        wanted, cards = found
        cards_now = then.ahead | {card.queued: card for card in cards}
        then.looking_ahead = False
        then.ahead = {key: cards_now[key] for key in wanted if key in cards_now}
        if cards and self.is_mounted:
            self.read_ahead()

    def _not_ahead(self, then: ReviewState, error: LostkeysError) -> None:
        then.looking_ahead = False

    def read_card(self) -> None:
        """Read the card of the question under the cursor."""
        self.reading.rejecting = self.reading.unreadable = False
        shown = self.reading.shown
        if self._renewing:
            self.renew_queue()
        elif shown is not None and not self._opening:
            work = partial(state.moved, shown, self.queue_view.place)
            self.lostkeys.ask("review", work, self._renewed, self._failed)

    def read_texts(self) -> None:
        """Read the questions of the rows in sight."""
        shown, view = self.reading.shown, self.queue_view
        if shown is None:
            return
        seen = [at for at in view.places_in_sight if shown.queue.questions[at] not in view.texts]
        if not seen:
            return
        near = range(max(0, seen[0] - state.AHEAD), min(len(shown.queue), seen[-1] + state.AHEAD))
        work = partial(state.texts, shown.queue, near)
        self.lostkeys.ask("review texts", work, self._texts, _nothing)

    def _texts(self, found: dict[int, str]) -> None:
        self.queue_view.texts |= found
        self.queue_view.settle()

    def _say_reading(self) -> None:
        self.query_one("#review-queue", Pane).edge(Line("reading…", "ink-3"))

    def _done(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    def _failed(self, error: LostkeysError) -> None:
        self._opening = False
        self.reading.unreadable = True
        self._done()
        pane = self.query_one("#review-queue", Pane)
        pane.edge(pane.trouble(error))

    # Painting

    def paint(self, from_top: bool = True) -> None:
        """Let all panes show what has been read."""
        if not self.is_mounted:
            return
        shown = self.reading.shown
        self.queue_view.put(shown.place if shown else None, self._words())
        self._paint_edges()
        self.paint_card(from_top)
        self._paint_rate()
        self.settle_frame()
        self.refresh_bindings()

    def _words(self) -> list[Line]:
        """Why there is no row."""
        shown, board = self.reading.shown, self._board
        if board is None or not len(board.index):
            return [Line("No facts yet: import some on the Facts screen.", "ink-2")]
        if shown is None:
            return []
        if self.reading.wanted.kind in SAMPLED:
            return render_rate.sizes(max(20, self.queue_view.size.width - 2))
        kind = self.reading.wanted.kind
        said = Line(EMPTY[kind], "ink-2")
        if kind is QueueKind.SUSPICIOUS and not shown.queue.models:
            said = Line("No model has answered yet, so nothing is suspicious.", "ink-2")
        width = max(20, self.queue_view.size.width - 2)
        return [*wrapped(said.spans, width), Line(), *self._elsewhere(width)]

    def _elsewhere(self, width: int) -> list[Line]:
        """Where there is something to look at."""
        line = Line(self._key("review.view"), "accent bold").add(
            " goes to a sample of all, ", "ink-3"
        )
        line.add(self._key("review.filter"), "accent bold").add(" to any queue", "ink-3")
        return list(wrapped(line.spans, width))

    def _key(self, name: str) -> str:
        changed = self.lostkeys.settings.keys
        return keys.cap(changed.get(name, keys.BY_ID[name].keys).partition(",")[0])

    def _paint_edges(self) -> None:
        shown, pane = self.reading.shown, self.query_one("#review-queue", Pane)
        title = Line("Questions to review")
        edge = Line()
        if shown is not None and len(shown.queue):
            at = self.queue_view.place
            size = len(shown.queue)
            edge = news_line(self.reading.new, self.narrow)
            edge.add(f"{(at or 0) + 1:,} of {size:,}", "ink-3")
        pane.edge(edge)
        pane.title(title.add("  ").join(edge) if self.narrow else title)

    def paint_card(self, from_top: bool = False) -> None:
        """The open question."""
        shown, pane = self.reading.shown, self.query_one("#review-card", Pane)
        card = shown.card if shown is not None else None
        if card is None:
            pane.title(Line())
            pane.edge(Line())
            self.card_view.put([], True)
            return
        room = max(8, pane.size.width - 6)
        called = f"{card.heading.subject[:200]} → {card.heading.object[:200]}"
        pane.title(Line(called).clip(room))
        views = "views unknown" if card.views is None else f"{card.views:,} views"
        parts = [card.category[:60], views, f"{card.tier} 20%" if card.tier != "unknown" else ""]
        if card.tier == "middle":
            parts[2] = "middle 60%"
        edge = Line(" · ".join(part for part in parts if part), "ink-3")
        pane.edge(Line("rejected · ", "label-i").join(edge).clip(room) if card.rejected else edge)
        width = self.card_view.size.width - 2
        if width > 0:
            setting = render_card.ReviewCardContext(
                width,
                self.card_view.size.height,
                self.lostkeys.look,
                render_card.caps(self.lostkeys.settings.keys),
                not self.low and not self.narrow,
                self.inside,
                self.reading.rejecting,
            )
            self.card_view.put(render_card.lines_of(card, setting), from_top, card.queued)

    def _paint_rate(self) -> None:
        shown, pane = self.reading.shown, self.query_one("#review-rate", Pane)
        view = self.query_one(RateView)
        if shown is None:
            pane.title(Line())
            pane.edge(Line())
            view.put([])
            return
        sampled = shown.rated.sample is not None
        pane.title(Line("Error rate of all questions"))
        kind = shown.rated.wanted.kind
        pane.edge(Line(f"from the {kind} sample only" if sampled else "", "ink-3"))
        width = max(10, view.size.width - 2)
        told = RateReport(shown.rated, shown.rates, shown.quality)
        view.put(render_rate.lines_of(told, width, self.lostkeys.look, self._key("review.view")))
        pane.styles.height = self._rate_height(told, width)

    def _rate_height(self, told: RateReport, width: int) -> int:
        """Room for the rate, and as far as there is any for its parts; verdicts do not move it."""
        more = len(render_rate.parts(told, width)) if told.rates.strata or self.high else 0
        return min(RATE + more, max(RATE, self.app.size.height // 3))


def _nothing(error: LostkeysError) -> None:
    """What was only read ahead is read again when it is wanted."""
