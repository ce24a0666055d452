"""The panes of the Confusion screen: matrix and agreement above, queue and card below."""

from time import time_ns

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from core.views.write_target import AnswerKey
from core.vocabulary import LABELS
from tui.screens.confusion import render_card, sentences
from tui.screens.confusion.disagreement_views import (
    DisagreementCardView,
    DisagreementQueueView,
    QueueHeading,
)
from tui.screens.confusion.matrix_view import AgreementLine, AgreementView, MatrixView
from tui.screens.confusion.position import ConfusionPosition
from tui.screens.confusion.queue_kinds import QueueChoiceLine
from tui.screens.confusion.render_card import CardContext
from tui.screens.confusion.render_matrix import MatrixCell
from tui.screens.confusion.state import ConfusionState
from tui.screens.screen_panes import OrderedPanes
from tui.text.line import Line
from tui.text.line_wrap import wrap_spans
from tui.widgets.context_lines import column_lines
from tui.widgets.document_view import DecisionFoot, DocumentView
from tui.widgets.pane import Pane, view_title


class ConfusionPanes(OrderedPanes):
    """Four panes that show a state, six from 160 columns; below 100 one at a time.

    Lines that are the same stay as they are.
    """

    SCOPED_CSS = False  # what is seen depends on the screen's classes
    DEFAULT_CSS = """
    ConfusionPanes #upper { height: 12; }
    .-high ConfusionPanes #upper { height: 16; }
    ConfusionPanes #lower { height: 1fr; }
    ConfusionPanes #matrix { width: 58%; }
    ConfusionPanes #agreement { width: 1fr; }
    ConfusionPanes #beside { display: none; }
    ConfusionPanes #queue { width: 45%; }
    ConfusionPanes #card { width: 1fr; }
    ConfusionPanes #context { display: none; }
    .-wide ConfusionPanes #matrix { width: 34%; }
    .-wide ConfusionPanes #beside { display: block; width: 33%; }
    .-wide ConfusionPanes #queue { width: 31%; }
    .-wide ConfusionPanes #context { display: block; width: 33%; }
    ConfusionPanes DisagreementCardView { overflow-y: scroll; }
    ConfusionPanes AgreementLine { display: none; }
    .-narrow ConfusionPanes #upper { display: none; }
    .-narrow ConfusionPanes #agreement { display: none; }
    .-narrow ConfusionPanes #matrix { width: 1fr; }
    .-narrow ConfusionPanes #queue { width: 1fr; }
    .-narrow ConfusionPanes AgreementLine { display: block; }
    .-narrow ConfusionPanes #card { display: none; }
    .-narrow.-inside ConfusionPanes #card { display: block; }
    .-narrow.-inside ConfusionPanes #queue { display: none; }
    .-narrow.-crossing ConfusionPanes #upper { display: block; height: 1fr; }
    .-narrow.-crossing ConfusionPanes #lower { display: none; }
    """

    def __init__(self, state: ConfusionState) -> None:
        super().__init__()
        self._state = state
        self.matrix_view, self.agreement_view = MatrixView(), AgreementView()
        self.beside_view = AgreementView(beside=True)
        """By model where the agreement is by task, and the other way round."""
        self.queue_view, self.card_view = DisagreementQueueView(), DisagreementCardView()
        self.card_foot = DecisionFoot()
        self.context_view = DocumentView(id="context-view")

    def compose(self) -> ComposeResult:
        """Matrix and agreement above, queue and card below."""
        with Horizontal(id="upper"):
            with Pane(id="matrix"):
                yield self.matrix_view
            with Pane(id="agreement"):
                yield self.agreement_view
            with Pane(id="beside"):
                yield self.beside_view
        with Horizontal(id="lower"):
            with Pane(id="queue"):
                yield QueueChoiceLine()
                yield AgreementLine(self._state)
                yield QueueHeading()
                yield self.queue_view
            with Pane(id="card"):
                yield self.card_view
                yield self.card_foot
            with Pane(id="context"):
                yield self.context_view

    def on_mount(self) -> None:
        """Titles that stay."""
        self.query_one("#agreement", Pane).title(Line("Agreement"))
        self.query_one("#queue", Pane).title(Line("Disagreements"))
        self.query_one("#context", Pane).title(Line("Text"))

    @property
    def queue_pane(self) -> Pane:
        """The pane that says what is being read, and what could not be."""
        return self.query_one("#queue", Pane)

    @property
    def slot(self) -> int | None:
        """The disagreement under the cursor."""
        row = self.queue_view.row
        return row.slot if row else None

    # Focus

    @property
    def inside(self) -> bool:
        """Whether the focus is in the card."""
        return self.screen.focused is self.card_view

    @property
    def can_decide(self) -> bool:
        """Whether the card is in sight, and the focus in it or in the list beside it."""
        focused = self.screen.focused
        return focused in (self.card_view, self.queue_view) and self.card_view.sees_card

    @property
    def order(self) -> list[Widget]:
        """The panes in the order of the focus, as far as there is room for them."""
        views: list[Widget] = [self.queue_view, self.card_view]
        views += [self.context_view] * self.base.wide
        views += [self.matrix_view]
        views += [self.agreement_view] * (not self.base.narrow)
        return [*views, self.beside_view] if self.base.wide else views

    def go_aside(self, step: int) -> None:
        """Move the bracket sideways; elsewhere go into the card, or back."""
        focused = self.screen.focused
        if focused is self.matrix_view:
            self.matrix_view.move(0, step)
        elif isinstance(focused, AgreementView):
            self.step_grouping()
        elif step > 0 and self._state.card is not None:
            self.go(self.card_view)
        elif step < 0:
            self.go(self.queue_view)

    def step_grouping(self) -> None:
        """Show agreement by model instead of by task, or back."""
        self._state.step_grouping()
        self.paint_matrix()

    def reveal(self, view: Widget | None) -> None:
        """Have a pane seen where there is room for one."""
        self.screen.set_class(view is self.card_view, "-inside")
        self.screen.set_class(view is self.matrix_view, "-crossing")

    # Where a person is

    @property
    def position(self) -> ConfusionPosition:
        """What is crossed and queued, and what is under the cursors."""
        now, row, view = self._state, self.queue_view.row, self.queue_view
        if now.sought is not None:
            return now.sought
        fact = now.queue.index.fact_ids[row.fact] if row and now.queue else None
        answer = AnswerKey(row.task, row.model, row.thinking, row.sample) if row else None
        focused = self.screen.focused if self.screen.focused in self.order else view
        chosen, beside = self.agreement_view.chosen, self.beside_view.chosen
        return ConfusionPosition(
            now.among,
            now.by,
            now.blind,
            (focused and focused.id) or "",
            fact,
            answer,
            view.cursor_height,
            self.card_view.scroll_offset.y,
            (self.matrix_view.bracket.a, self.matrix_view.bracket.b),
            chosen.name if chosen else None,
            now.viewed,
            beside=beside.name if beside else None,
        )

    def focus_called(self, pane: str) -> None:
        """Focus a pane, the queue where there is no room for that one."""
        self.go(next((view for view in self.order if view.id == pane), self.queue_view))

    def hold(self) -> None:
        """Bring the cursors to where they are sought, once what they stand on is there."""
        now, view, sought = self._state, self.queue_view, self._state.sought
        if sought is None or now.queue is None:
            return
        now.sought = None
        place = sought.place_in(now.queue)
        self.matrix_view.bracket = MatrixCell(*sought.cell).cell_beside(0, 0)
        self.agreement_view.go_to(sought.row)
        self.beside_view.go_to(sought.beside)
        self.paint_matrix()
        if place is None or view.layout_ is None:
            return
        view.go_to(place)
        view.hold_cursor(view.layout_.row(place), sought.height)
        if now.card_of(self.slot) is not None:
            self.card_view.hold_at(sought.scroll)

    # Painting

    def paint(self, from_top: bool = False) -> None:
        """Show all of the state."""
        self.paint_matrix()
        if self._state.queue is None:
            self.paint_queue()
        else:
            self.paint_position()
        self.paint_card(from_top)

    def paint_matrix(self) -> None:
        """Matrix and agreement."""
        now, pane = self._state, self.query_one("#matrix", Pane)
        snapshot = self.base.lostkeys.snapshot
        pane.title(sentences.title(snapshot, now.among))
        pane.edge(Line(sentences.crossed_answers(snapshot) if now.crossing else "", "ink-3"))
        cell = now.among.cell
        picked = MatrixCell(*map(LABELS.index, cell)) if cell else None
        self.matrix_view.put(now.crossing.whole.table if now.crossing else None, picked)
        self.agreement_view.put(now.crossing, now.by)
        self.beside_view.put(now.crossing, now.by_other)
        beside, count = self.query_one("#beside", Pane), len(self.beside_view.entries)
        beside.title(Line(f"By {now.by_other}"))
        beside.edge(Line(f"{count:,} {now.by_other}{'s' * (count != 1)}", "ink-3"))

    def paint_queue(self, place: int | None = None) -> None:
        """The rows, with the cursor at a place, else where it is; or why there are none."""
        now, view, snapshot = self._state, self.queue_view, self.base.lostkeys.snapshot
        view.blind, view.texts = now.blind, now.texts
        if now.queue is None or now.crossing is None:
            words = sentences.explain_no_matrix(snapshot, now.among) if snapshot else None
            view.say(self._break_words(words or []))
        elif not len(now.queue):
            view.say(self._break_words(sentences.explain_no_difference(now.crossing, now.among)))
        else:
            view.put(now.queue, place)
        self.query_one(QueueHeading).refresh_changed()
        self._paint_progress()
        self.paint_position()

    def _break_words(self, words: list[Line]) -> list[Line]:
        """Words in place of rows, whole at any width."""
        width = max(20, self.queue_view.size.width - 2)
        return [line for one in words for line in wrap_spans(one.spans, width)]

    def _paint_progress(self) -> None:
        """How much of the queue is decided, beside how far the graders agree."""
        now = self._state
        others = now.queue.done_by_others if now.queue is not None else 0
        self.agreement_view.show_rates(now.rates, others)
        self.query_one(AgreementLine).refresh_changed()

    def paint_position(self) -> None:
        """Which cell it is, and where the cursor stands."""
        now, pane = self._state, self.queue_pane
        name = "Unsure" if now.among.unsure else "Disagreements"
        title = view_title(name, now.words.title(now.viewed))
        if now.among.cell is not None:
            a, b = now.among.cell
            title.add(f"  A {a.lower()}, B {b.lower()}", "ink-2")
        edge = self._position()
        pane.edge(edge)
        pane.title(title.add("  ").join(edge) if self.base.edges_above else title)

    def _position(self) -> Line:
        return sentences.position(self._state, self.queue_view.place, self.base.narrow)

    def paint_card(self, from_top: bool = False) -> None:
        """The open disagreement, and how often each grader was wrong; from its top if it is new."""
        now, view, pane = self._state, self.card_view, self.query_one("#card", Pane)
        shown, narrow = now.shown_card, self.base.narrow
        if view.hides != now.hidden:
            view.hides = self.queue_view.hides = now.hidden
            self.base.refresh_bindings()
        if shown is None:
            pane.title(Line())
            pane.edge(Line())
            view.put([], True)
            self.card_foot.put([])
            self.paint_context()
            return
        room = max(8, pane.size.width - 6)
        called = render_card.title(shown)
        pane.title((self._position().add("  ").join(called) if narrow else called).clip(room))
        pane.edge(render_card.edge(shown).clip(room))
        width = view.size.width - 2
        if width > 0:
            setting = self._card_context(width)
            self.card_foot.put(render_card.decision_lines(shown, setting))
            lines = render_card.lines_of(shown, now.rates, setting)
            if narrow:
                lines.insert(0, render_card.format_place(shown))
            view.put(lines, from_top or view.about != shown.slot, shown.slot)
        self.paint_context()

    def paint_context(self) -> None:
        """What stands around the question of the open card; blind nothing with labels."""
        now, view, pane = self._state, self.context_view, self.query_one("#context", Pane)
        card, context, width = now.shown_card, now.context, view.size.width - 2
        if not self.base.wide or width <= 0 or card is None or context is None:
            view.put([], True)
            pane.edge(Line())
            return
        lines = column_lines(context, card.slot, now.hidden, width, view.look)
        view.put(lines, view.about != card.slot, card.slot)
        pane.edge(Line(card.heading.title[:200], "ink-3").clip(max(8, width - 4)))

    def _card_context(self, width: int) -> CardContext:
        screen = self.base
        return CardContext(
            width,
            screen.lostkeys.look,
            render_card.caps(screen.lostkeys.settings.keys),
            roomy=not screen.low and not screen.narrow,
            armed=self.can_decide,
            blind=self._state.hidden,
            rejecting=self._state.rejecting,
            beside=screen.wide,
            now=time_ns() // 1_000_000,
        )
