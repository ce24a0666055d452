"""What the Confusion screen shows: it reads crossing, queue and cards, and paints four panes."""

from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.timer import Timer
from textual.widget import Widget

from core.errors import LostkeysError
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_queue import DisagreementQueue
from core.views.disagreements.grader_rates import GraderRates
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.vocabulary import LABELS
from tui.screens.audit_screen import AuditScreen
from tui.screens.confusion import filter_choice, messages, render_agreement, render_card, state
from tui.screens.confusion.matrix_view import AgreementView, MatrixView
from tui.screens.confusion.render_card import CardContext
from tui.screens.confusion.render_matrix import MatrixCell
from tui.screens.confusion.state import NO_NEWS, ConfusionState, News, OpenedQueue
from tui.screens.confusion.widgets import DisagreementCardView, DisagreementQueueView
from tui.screens.task.task_names import numbered
from tui.text.line import Line
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane

SLOW = 0.2
"""Seconds after which a pane says that it is still reading."""

AHEAD = 40
"""Rows on either side of those on screen whose answers are read with them."""

CARDS = 4
"""Cards that are read in one go: what is wanted at once waits for no more."""

SINCE = 1.0
"""Seconds between two looks at what labels written meanwhile would show."""


class AgreementLine(LineWidget):
    """Agreement over everything, where there is no room for its pane."""

    def draw(self, width: int) -> Line:
        """The summary."""
        shown = self.screen.query_one(AgreementView).crossing
        return render_agreement.summary(shown) if shown is not None else Line()


class CrossingScreen(AuditScreen):
    """Matrix and agreement above, queue and card below. Everything follows from `reading`."""

    DEFAULT_CSS = """
    CrossingScreen #upper { height: 12; }
    CrossingScreen.-high #upper { height: 18; }
    CrossingScreen #lower { height: 1fr; }
    CrossingScreen #matrix { width: 58%; }
    CrossingScreen #agreement { width: 1fr; }
    CrossingScreen #queue { width: 45%; }
    CrossingScreen #card { width: 1fr; }
    CrossingScreen DisagreementCardView { overflow-y: scroll; }
    CrossingScreen AgreementLine { display: none; }
    CrossingScreen.-narrow #upper { display: none; }
    CrossingScreen.-narrow #agreement { display: none; }
    CrossingScreen.-narrow #matrix { width: 1fr; }
    CrossingScreen.-narrow #queue { width: 1fr; }
    CrossingScreen.-narrow AgreementLine { display: block; }
    CrossingScreen.-narrow #card { display: none; }
    CrossingScreen.-narrow.-inside #card { display: block; }
    CrossingScreen.-narrow.-inside #queue { display: none; }
    CrossingScreen.-narrow.-crossing #upper { display: block; height: 1fr; }
    CrossingScreen.-narrow.-crossing #lower { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.reading = ConfusionState()
        self._slow: Timer | None = None
        self._looking: Timer | None = None
        self._lens: Lens | None = None

    def body(self) -> ComposeResult:
        """Matrix and agreement above, queue and card below."""
        with Horizontal(id="upper"):
            with Pane(id="matrix"):
                yield MatrixView()
            with Pane(id="agreement"):
                yield AgreementView()
        with Horizontal(id="lower"):
            with Pane(id="queue"):
                yield AgreementLine()
                yield DisagreementQueueView()
            with Pane(id="card"):
                yield DisagreementCardView()

    def on_mount(self) -> None:
        """Begin in the queue."""
        self.query_one("#agreement", Pane).title(Line("Agreement"))
        self.query_one("#queue", Pane).title(Line("Disagreements"))
        self.queue_view.focus()
        self.paint()

    @property
    def matrix_view(self) -> MatrixView:
        """The matrix."""
        return self.query_one(MatrixView)

    @property
    def agreement_view(self) -> AgreementView:
        """Agreement by task or model."""
        return self.query_one(AgreementView)

    @property
    def queue_view(self) -> DisagreementQueueView:
        """The disagreements."""
        return self.query_one(DisagreementQueueView)

    @property
    def card_view(self) -> DisagreementCardView:
        """The open disagreement."""
        return self.query_one(DisagreementCardView)

    @property
    def inside(self) -> bool:
        """Whether the focus is in the card."""
        return self.focused is self.card_view

    @property
    def order(self) -> list[Widget]:
        """The panes in the order of the focus; the last has no room on narrow screens."""
        views: list[Widget] = [self.queue_view, self.card_view, self.matrix_view]
        return views if self.narrow else [*views, self.agreement_view]

    @property
    def model_words(self) -> str:
        """All models are crossed, unless one is filtered for."""
        return self.reading.among.model or "all models"

    # What the app asks for

    @property
    def takes_keys(self) -> bool:
        """Whether the card under the cursor has been painted, or there is none to be had."""
        slot, now = self.slot, self.reading
        if not self.inside or slot is None:
            return True
        return not now.returning and (slot in now.unreadable or self.card_view.has_painted(slot))

    def show_board(self, board: Snapshot) -> None:
        """Open the queue under another lens; under the same one take in what was decided."""
        before, self._lens = self._lens, board.lens
        if messages.unable(board) is not None:
            was = self.reading
            self.reading = ConfusionState(by=was.by, blind=was.blind, unwritten=was.unwritten)
            self._done()
            self.paint()
        elif before is None or _key(before) != _key(board.lens) or self.reading.queue is None:
            self.open_queue()
        else:
            self.renew_queue()
            self._look_soon()

    def forget(self) -> None:
        """Nothing is crossed."""
        self.reading, self._lens = ConfusionState(), None
        self._done()
        self.paint()

    def renew(self) -> None:
        """Cross and queue anew, with what has been labelled since."""
        if self._lens is not None:
            self.open_queue()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.paint()
        for pane in self.query(Pane):
            pane.repaint()
        super().repaint()

    # Reading

    @property
    def slot(self) -> int | None:
        """The disagreement under the cursor."""
        row = self.queue_view.row
        return row.slot if row else None

    def open_queue(self) -> None:
        """Cross and queue; what is shown stays until that is read."""
        if self._lens is None or self._lens.a is None or self._lens.b is None:
            return
        now = self.reading
        now.among = filter_choice.through(now.among, self._lens)
        self._wait()
        self.lostkeys.ask(
            "queue", partial(state.opened, now.among, self.slot), self._opened, self._failed
        )

    def _opened(self, found: OpenedQueue) -> None:
        self._done()
        now, view = self.reading, self.queue_view
        now.crossing, now.queue, now.rates = found.crossing, found.queue, found.rates
        now.card, now.cards, now.offer, now.news = found.card, {}, None, NO_NEWS
        now.unreadable, now.last = set(), None
        view.texts = found.texts
        self._put_queue(found.queue.place_of(found.card.slot) if found.card else 0)
        self.paint()
        self.call_after_refresh(self.read_ahead)

    def renew_queue(self) -> None:
        """Take in decisions, one's own and undone ones; the order stays."""
        queue = self.reading.queue
        if queue is not None:
            work = partial(state.renewed, queue, self.slot)
            self.lostkeys.ask("queue", work, self._renewed, self._failed)

    def _renewed(
        self, found: tuple[DisagreementQueue, GraderRates, DisagreementCard | None]
    ) -> None:
        queue, rates, now_open = found
        now = self.reading
        if now.unwritten:  # what is being written brings all of it
            return
        now.cards, now.unreadable = {}, set()
        now.queue, now.rates = queue, rates
        self._put_queue(None)
        if now_open is not None and now_open.slot == self.slot:
            now.card = now_open
        self.paint(from_top=False)
        self.call_after_refresh(self.read_ahead)

    def read_card(self, anew: bool = False) -> None:
        """The card under the cursor: at once if it was read ahead."""
        now, slot = self.reading, self.slot
        if slot is None or (now.card is not None and now.card.slot == slot and not anew):
            return
        if slot in now.cards and not anew:
            self._carded(slot, [now.cards[slot]])
        else:
            failed = partial(self._not_carded, slot)
            work = partial(state.cards, (slot,))
            self.lostkeys.ask("card", work, partial(self._carded, slot), failed)

    def _carded(self, slot: int, found: list[DisagreementCard]) -> None:
        now = self.reading
        if not found:
            now.unreadable.add(slot)
        for one in found:
            if one.slot == self.slot:
                again = now.card is not None and now.card.slot == one.slot
                now.card = one
                self.paint_card(from_top=not again)
                self.refresh_bindings()
        self.call_after_refresh(self.read_ahead)

    def _not_carded(self, slot: int, error: LostkeysError) -> None:
        self.reading.unreadable.add(slot)
        self._failed(error)

    def read_ahead(self) -> None:
        """Have the cards read that may be wanted next, and the answers of rows in sight."""
        now, place = self.reading, self.queue_view.place
        if now.queue is None or place is None:
            return
        wanted = now.missing(place)[:CARDS]
        if wanted and not now.ahead:
            now.ahead = True
            work, came = partial(state.cards, wanted), partial(self._ahead, now, wanted)
            self.lostkeys.ask("ahead", work, came, lambda _: now.take_ahead((), ()))
        self.read_texts()

    def _ahead(self, then: ConfusionState, asked: list[int], found: list[DisagreementCard]) -> None:
        then.take_ahead(asked, found)
        if self.is_mounted:
            self.read_ahead()

    def read_texts(self) -> None:
        """The answers of the rows on screen, and of those around them."""
        queue, view = self.reading.queue, self.queue_view
        seen = view.places_in_sight
        if queue is None or not seen or all(queue.row(at).slot in view.texts for at in seen):
            return
        near = range(max(0, seen[0] - AHEAD), min(len(queue), seen[-1] + AHEAD))
        self.lostkeys.ask(
            "texts", lambda session: session.confusions.answers(queue, near), self._texts, _nothing
        )

    def _texts(self, found: dict[int, str]) -> None:
        self.queue_view.texts = found
        self.queue_view.settle()

    def _look_soon(self) -> None:
        """Look at what is new, but not at every label that a job writes."""
        if self._looking is None:
            self._looking = self.set_timer(SINCE, self._look)

    def _look(self) -> None:
        self._looking = None
        now = self.reading
        if now.queue is not None and now.crossing is not None:
            work = partial(state.news, now.crossing, now.queue)
            self.lostkeys.ask("news", work, partial(self._told, now.queue), _nothing, patient=True)

    def _told(self, of: DisagreementQueue, news: News) -> None:
        now = self.reading
        if now.queue is not None and now.queue.columns is of.columns:
            now.news = news
            self.paint_queue_edges()

    def _wait(self) -> None:
        if self._slow is None:
            self._slow = self.set_timer(SLOW, self._say_reading)

    def _say_reading(self) -> None:
        self.query_one("#queue", Pane).edge(Line("reading…", "ink-3"))

    def _done(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    def _failed(self, error: LostkeysError) -> None:
        self._done()
        pane = self.query_one("#queue", Pane)
        pane.edge(pane.trouble(error))

    # Painting: everything follows from what has been read

    def paint(self, from_top: bool = True) -> None:
        """Let all panes show what has been read; lines that are the same stay as they are."""
        if not self.is_mounted:
            return
        self.paint_matrix()
        if self.reading.queue is None:
            self._put_queue(None)
        self.paint_card(from_top)
        self.settle_frame()
        self.refresh_bindings()

    def paint_matrix(self) -> None:
        """Matrix and agreement."""
        now, board = self.reading, self.lostkeys.board
        pane, crossing = self.query_one("#matrix", Pane), now.crossing
        pane.title(messages.title(board, now.among))
        pane.edge(Line("answers labelled by both" if crossing else "", "ink-3"))
        cell = now.among.cell
        picked = MatrixCell(*map(LABELS.index, cell)) if cell else None
        self.matrix_view.put(crossing.whole.table if crossing else None, picked)
        self.agreement_view.put(crossing, now.by)

    def _put_queue(self, place: int | None) -> None:
        now, view, board = self.reading, self.queue_view, self.lostkeys.board
        view.blind = now.blind
        if now.queue is None or now.crossing is None:
            view.say((messages.unable(board) if board else None) or [])
        elif not len(now.queue):
            view.say(messages.alike(now.crossing, now.among))
        else:
            view.put(now.queue, view.place if place is None else place)
        self.paint_queue_edges()

    def paint_queue_edges(self) -> None:
        """Which cell it is, and where the cursor stands."""
        now, pane = self.reading, self.query_one("#queue", Pane)
        title = Line("Disagreements")
        if now.among.cell is not None:
            a, b = now.among.cell
            title.add(f"  A {a.lower()}, B {b.lower()}", "ink-2")
        edge = self._position()
        pane.edge(edge)
        pane.title(title.add("  ").join(edge) if self.narrow else title)

    def _position(self) -> Line:
        queue, place = self.reading.queue, self.queue_view.place
        if queue is None or not len(queue):
            return messages.news(self.reading.news, self.narrow)
        at = f"{place + 1:,} of {len(queue):,}" if place is not None else f"{len(queue):,}"
        return messages.news(self.reading.news, self.narrow).add(at, "ink-3")

    def paint_card(self, from_top: bool = True) -> None:
        """The open disagreement, and how often each grader was wrong so far."""
        now, pane = self.reading, self.query_one("#card", Pane)
        shown = now.noted(now.card) if now.queue is not None and now.card is not None else None
        if shown is None:
            pane.title(Line())
            pane.edge(Line())
            self.card_view.put([], True)
            return
        called = Line(f"{shown.heading.subject[:200]} → {shown.heading.object[:200]}")
        room = max(8, pane.size.width - 6)
        if self.narrow:
            called = self._position().add("  ").join(called)
        pane.title(called.clip(room))
        where = f"{numbered(shown.task)} · {shown.model} · {'on' if shown.thinking else 'off'}"
        pane.edge(Line(where, "ink-3").clip(room))
        width = self.card_view.size.width - 2
        if width > 0:
            lines = render_card.lines_of(shown, now.rates, self._setting(width))
            if self.narrow:
                lines.insert(0, render_card.where(shown))
            self.card_view.put(lines, from_top, shown.slot)

    def _setting(self, width: int) -> CardContext:
        return CardContext(
            width,
            self.lostkeys.look,
            render_card.caps(self.lostkeys.settings.keys),
            roomy=not self.low and not self.narrow,
            armed=self.inside,
            blind=self.reading.hidden,
        )


def _key(lens: Lens) -> tuple[object, ...]:
    """What of a lens decides the queue; the model does not: all are crossed."""
    return lens.thinking, lens.a, lens.b, lens.people, lens.policy


def _nothing(error: LostkeysError) -> None:
    """What was only read ahead is read again when it is wanted."""
