"""The panes of an audit: the numbers above, the facts and the answer to decide below."""

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from core.views.audits.audit_board import AuditBoard
from core.views.audits.audit_card import AuditCell
from core.views.snapshot import Heading
from core.vocabulary import Label
from tui import keys
from tui.screens.confusion import (
    audit_sentences,
    render_audit_card,
    render_audit_numbers,
    render_audit_queue,
)
from tui.screens.confusion.audit_state import AuditState
from tui.screens.confusion.queue_kinds import QueueChoiceLine
from tui.screens.confusion.render_audit_card import AuditCardContext
from tui.screens.screen_panes import OrderedPanes
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane
from tui.widgets.queue_view import QueueView
from tui.widgets.text_block import TextBlock

SUMMARY = 12
"""Lines of the summary where there is height for it."""

LEAST_FACTS = 8
"""Lines that are left for the facts, or the summary goes."""


class RoomChanged(Message):
    """Another room: what stands beside or below has to be laid out anew."""


class AuditFactsView(QueueView):
    """The facts of an audit up to the present one, which has its questions below it."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("list"), *keys.bindings("audits")]

    class DrawWanted(Message):
        """An audit is to be drawn."""

    def __init__(self) -> None:
        super().__init__(id="audit-facts-view")
        self.board: AuditBoard | None = None
        self.headings: list[Heading] = []
        self._cells: tuple[AuditCell, ...] = ()

    def row_count(self) -> int:
        """A heading, the facts, the questions of the one looked at, what comes next; or words."""
        if self.board is None:
            return len(self.words)
        return 1 + self.board.listed + len(self._cells) + (self.board.frontier is not None)

    @property
    def pinned(self) -> int:
        """The heading stays where facts scroll."""
        return int(self.board is not None)

    def place_at(self, row: int) -> int | None:
        """The place of a fact in the audit."""
        board = self.board
        if board is None or row < 1:
            return None
        below = len(self._cells) if board.place is not None else 0
        at, here = row - 1, board.place if board.place is not None else board.listed
        if at <= here:
            return at if at < board.listed else None
        at -= below
        return at if here < at < board.listed else None

    def row_of(self, place: int) -> int:
        """The row of a fact."""
        after = self.board is not None and self.board.place is not None and place > self.board.place
        return 1 + place + (len(self._cells) if after else 0)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A heading, a fact, a question of it, or words."""
        board = self.board
        if board is None:
            return Line(" ").join(self.words[row])
        if not row:
            return render_audit_queue.heading(width)
        place = self.place_at(row)
        if place is not None:
            return render_audit_queue.fact_row(board, place, self._heading(place), width, self.look)
        at = row - 2 - (board.place if board.place is not None else board.listed)
        if 0 <= at < len(self._cells):
            return render_audit_queue.cell_row(self._cells[at], width, self.look)
        return Line(f"   {render_audit_queue.NEXT}", "ink-3").clip(width)

    def sentence(self, row: int) -> Line | None:
        """A fact, what is decided of it and what is left."""
        place = self.place_at(row)
        if place is None or self.board is None:
            return None
        return render_audit_queue.fact_words(self.board, place, self._heading(place))

    def _heading(self, place: int) -> Heading:
        assert self.board is not None
        return self.headings[int(self.board.report.evidence.frame.facts[place])]

    def put(self, board: AuditBoard, headings: list[Heading]) -> None:
        """Show an audit, with the cursor on the fact that is looked at.

        Where a key has moved it on meanwhile it stays: that fact is looked at next.
        """
        before, place = self.board.place if self.board is not None else None, self.place
        gone_on = place is not None and before is not None and place != before
        self.board, self.headings, self.words = board, headings, []
        self._cells = board.card.cells if board.card is not None else ()
        self.refresh_changed()
        wanted = place if gone_on else board.place
        if wanted is not None:
            self.move_to(self.row_of(wanted), tell=False)
            self._show_cells()

    def _show_cells(self) -> None:
        """Have the questions of the fact in sight, and the fact itself above them."""
        if self.cursor is not None:
            self.show_row(min(self.row_count() - 1, self.cursor + len(self._cells) + 1))
            self.show_row(self.cursor)

    def on_resize(self, event: events.Resize) -> None:
        """The summary takes height from the facts once it is there."""
        super().on_resize(event)
        self._show_cells()
        self.post_message(RoomChanged())

    def say(self, words: list[Line]) -> None:
        """Say why there is nothing."""
        self.board, self.cursor, self._cells, self.words = None, None, (), words
        self.refresh_changed()

    def action_draw_audit(self) -> None:
        """Draw an audit."""
        self.post_message(self.DrawWanted())


class AuditCardView(DocumentView):
    """The answer to decide. Only here labels are set."""

    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("audit"), *keys.bindings("list")]

    class LabelGiven(Message):
        """A label is to be set."""

        def __init__(self, label: Label) -> None:
            super().__init__()
            self.label = label

    def __init__(self, id: str = "audit-card-view") -> None:  # noqa: A002
        super().__init__(id=id)

    def action_label(self, label: str) -> None:
        """Your label."""
        self.post_message(self.LabelGiven(Label(label)))

    def action_put_off(self) -> None:
        """Other facts go before this one."""
        self.post_message(self.StepWanted(1, skipping=True))

    def action_note(self) -> None:
        """Write a note."""
        self.post_message(self.NoteWanted())

    def action_tags(self) -> None:
        """Set a tag, or take one off."""
        self.post_message(DocumentView.TagsWanted())


class NumbersBlock(LineView, can_focus=False):
    """Lines of numbers, which nobody chooses from."""

    def __init__(self) -> None:
        super().__init__(id="audit-numbers-view")
        self.lines: list[Line] = []

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self.lines)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them."""
        return Line(" ").join(self.lines[row])

    def put(self, lines: list[Line]) -> None:
        """Show other lines."""
        self.lines = lines
        self.refresh_changed()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are made for a width."""
        self.post_message(RoomChanged())


class AuditLine(LineWidget):
    """The number that is watched in one line, where there is no room for the pane."""

    def draw(self, width: int) -> Line:
        """The line that the panes have made."""
        panes = next((one for one in self.ancestors if isinstance(one, AuditQueuePanes)), None)
        return panes.one_line(width) if panes is not None else Line()


class AuditQueuePanes(OrderedPanes):
    """Numbers above, facts and card below; below 100 columns one at a time."""

    SCOPED_CSS = False  # what is seen depends on the screen's classes
    DEFAULT_CSS = f"""
    AuditQueuePanes {{ display: none; }}
    .-auditing AuditQueuePanes {{ display: block; }}
    .-auditing ConfusionPanes {{ display: none; }}
    AuditQueuePanes #audit-numbers {{ height: 9; }}
    .-high AuditQueuePanes #audit-numbers {{ height: 13; }}
    AuditQueuePanes #audit-lower {{ height: 1fr; }}
    AuditQueuePanes #audit-facts {{ width: 45%; }}
    AuditQueuePanes #audit-card {{ width: 1fr; }}
    AuditQueuePanes #audit-text {{ display: none; }}
    AuditQueuePanes #audit-summary {{ height: auto; max-height: {SUMMARY}; padding: 0 1; }}
    .-wide AuditQueuePanes #audit-facts {{ width: 31%; }}
    .-wide AuditQueuePanes #audit-text {{ display: block; width: 33%; }}
    AuditQueuePanes AuditCardView {{ overflow-y: scroll; }}
    AuditQueuePanes AuditLine {{ display: none; }}
    .-low AuditQueuePanes #audit-numbers, .-narrow AuditQueuePanes #audit-numbers {{
        display: none;
    }}
    .-low AuditQueuePanes AuditLine, .-narrow AuditQueuePanes AuditLine {{ display: block; }}
    .-low AuditQueuePanes #audit-summary {{ display: none; }}
    .-narrow AuditQueuePanes #audit-facts {{ width: 1fr; }}
    .-narrow AuditQueuePanes #audit-card {{ display: none; }}
    .-narrow.-inside AuditQueuePanes #audit-card {{ display: block; }}
    .-narrow.-inside AuditQueuePanes #audit-facts {{ display: none; }}
    """

    def __init__(self, state: AuditState) -> None:
        super().__init__()
        self._state = state
        self.facts_view, self.card_view = AuditFactsView(), AuditCardView()
        self.text_view, self.numbers_view = DocumentView(id="audit-text-view"), NumbersBlock()
        self.summary = TextBlock([], id="audit-summary")
        self.choice = QueueChoiceLine()

    def compose(self) -> ComposeResult:
        """Numbers, then facts, card and text."""
        with Pane(id="audit-numbers"):
            yield self.numbers_view
        yield AuditLine()
        with Horizontal(id="audit-lower"):
            with Pane(id="audit-facts"):
                yield self.choice
                yield self.facts_view
                yield self.summary
            with Pane(id="audit-card"):
                yield self.card_view
            with Pane(id="audit-text"):
                yield self.text_view

    def on_mount(self) -> None:
        """Titles that stay."""
        self._pane("audit-text").title(Line("Text"))

    def _pane(self, name: str) -> Pane:
        return self.query_one(f"#{name}", Pane)

    @property
    def facts_pane(self) -> Pane:
        """The pane that says what is being read, and what could not be."""
        return self._pane("audit-facts")

    @property
    def model(self) -> str | None:
        """The model whose numbers are shown."""
        lens = self.base.lostkeys.lens
        return self._state.model(lens.model if lens else None)

    # Focus

    @property
    def inside(self) -> bool:
        """Whether the focus is in the card."""
        return self.screen.focused is self.card_view

    @property
    def order(self) -> list[Widget]:
        """The panes in the order of the focus."""
        views: list[Widget] = [self.facts_view, self.card_view]
        return [*views, self.text_view] if self.base.wide else views

    def reveal(self, view: Widget | None) -> None:
        """Have a pane seen where there is room for one."""
        self.screen.set_class(view is self.card_view, "-inside")
        self.screen.set_class(False, "-crossing")

    # Painting

    @on(RoomChanged)
    def fit_room(self, event: RoomChanged) -> None:
        """Lay out anew what is made for a width, once every pane has its size."""
        event.stop()
        self.call_after_refresh(self.paint)

    def one_line(self, width: int) -> Line:
        """The number that is watched."""
        now, model = self._state, self.model
        if now.board is None or model is None:
            return Line()
        look = self.base.lostkeys.look
        return render_audit_numbers.one_line(now.board, model, now, width, look)

    def paint(self) -> None:
        """Show all of the state."""
        self.paint_numbers()
        self.paint_facts()
        self.paint_card()

    def paint_numbers(self) -> None:
        """The numbers, and what is left."""
        board, model, pane = self._state.board, self.model, self._pane("audit-numbers")
        if board is None or model is None:
            pane.title(Line("Audit"))
            pane.edge(Line())
            self.numbers_view.put([])
        else:
            look, width = self.base.lostkeys.look, self.numbers_view.size.width - 2
            pane.title(render_audit_numbers.title(board, model).clip(max(8, pane.size.width - 6)))
            pane.edge(render_audit_numbers.edge(board))
            if width > 0:
                every = self.base.high
                self.numbers_view.put(
                    render_audit_numbers.number_lines(board, model, self._state, width, look, every)
                )
        for line in self.query(AuditLine):
            line.refresh_changed()

    def paint_facts(self) -> None:
        """The facts, what was done so far, what is left; or why there is nothing."""
        now, view, snapshot = self._state, self.facts_view, self.base.lostkeys.snapshot
        pane, board, model = self.facts_pane, now.board, self.model
        title = Line("Audit")
        if board is None or model is None or snapshot is None:
            words = audit_sentences.no_audit(now.page.offer, self.base.low) if now.page else []
            width = max(20, view.size.width - 2)
            view.say([one for line in words for one in _fit(line, width)])
            self._say_summary([])
            pane.title(title)
            pane.edge(Line())
            return
        view.put(board, snapshot.headings)
        width = max(20, pane.size.width - 4)
        self._say_summary(render_audit_queue.summary_lines(board, now, model, width))
        edge = audit_sentences.position(board)
        pane.title(title.add("  ").join(edge) if self.base.edges_above else title)
        pane.edge(edge)

    def _say_summary(self, lines: list[Line]) -> None:
        """The summary, where it leaves room for the facts."""
        room = self.facts_pane.size.height - 3 - LEAST_FACTS
        shown = lines if len(lines) <= room else []
        if [one.text for one in shown] != [one.text for one in self.summary.paragraphs]:
            self.summary.say(shown)
            self.summary.refresh(layout=True)

    def paint_card(self) -> None:
        """The answer to decide, or what was decided of a settled fact."""
        now, view, pane = self._state, self.card_view, self._pane("audit-card")
        board = now.board
        width, about = view.size.width - 2, None if board is None else board.place
        shown = None if board is None else board.card or board.fact
        if board is None or shown is None or width <= 0:
            pane.title(Line())
            pane.edge(Line())
            view.put([], True)
            self._paint_text()
            return
        room, context = max(8, pane.size.width - 6), self._card_context(width)
        called = render_audit_card.title(shown)
        if self.base.edges_above:
            called = audit_sentences.position(board).add("  ").join(called)
        pane.title(called.clip(room))
        if board.card is not None:
            about = board.card.slot
            lines = render_audit_card.card_lines(board.card, context)
            pane.edge(render_audit_card.edge(board.card).clip(room))
            if self.base.edges_above:
                lines.insert(0, render_audit_card.edge(board.card).clip(width))
        else:
            assert board.fact is not None
            lines = render_audit_card.settled_lines(board.fact, context)
            pane.edge(Line())
        view.put(lines, view.about != about, about)
        self._paint_text()

    def _paint_text(self) -> None:
        """The source text of the fact, where there is a column for it."""
        view, board = self.text_view, self._state.board
        width = view.size.width - 2
        if not self.base.wide or width <= 0 or board is None or board.card is None:
            view.put([], True)
            return
        card = board.card
        view.put(
            render_audit_card.text_lines(card, width, None), view.about != card.fact, card.fact
        )

    def _card_context(self, width: int) -> AuditCardContext:
        screen, now = self.base, self._state
        card = now.card
        return AuditCardContext(
            width,
            screen.lostkeys.look,
            render_audit_card.caps(screen.lostkeys.settings.keys),
            roomy=not screen.low and not screen.narrow,
            armed=self.inside,
            texts=not screen.wide,
            note=now.notes.get(card.slot, "") if card else "",
        )


def _fit(line: Line, width: int) -> list[Line]:
    from tui.text.line_wrap import wrap_spans

    return list(wrap_spans(line.spans, width))
