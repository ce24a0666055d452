"""The panes of the Latent screen: relations above facts at the left, the fact at the right."""

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from core.specs.job_kinds import KINDS
from tui import keys
from tui.screens.latent import render_board, render_fact, sentences
from tui.screens.latent.render_fact import FactRoom
from tui.screens.latent.state import FACT, FACTS, RELATIONS, LatentPosition, LatentState
from tui.screens.screen_panes import NamedPanes
from tui.text.line import Line
from tui.widgets.document_view import DocumentView
from tui.widgets.headed_list import HeadedList
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane, view_title

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

LATENT = "zp-lke"
"""The kind of job that scores facts."""

RELATIONS_HEAD, FACTS_HEAD = 1, 2
"""Lines above the rows of the lists."""


class RelationsView(HeadedList):
    """The relations."""

    def __init__(self, state: LatentState) -> None:
        super().__init__(RELATIONS_HEAD, id="latent-relations-view")
        self._state = state

    @property
    def size_of_list(self) -> int:
        """Relations."""
        return len(self._state.rows)

    def draw_row(self, place: int, width: int) -> Line:
        """A relation."""
        if place < 0:
            return render_board.relations_heading(self._state, width)
        row, chosen = self._state.rows[place], place == self.place
        return render_board.relation_line(self._state, row, width, chosen, self.look)


class RelationFactsView(HeadedList):
    """The facts of a relation; rows are made when they are seen."""

    def __init__(self, state: LatentState) -> None:
        super().__init__(FACTS_HEAD, id="latent-facts-view")
        self._state = state

    @property
    def size_of_list(self) -> int:
        """Facts."""
        return 0 if self._state.facts is None else len(self._state.facts)

    def draw_row(self, place: int, width: int) -> Line:
        """A fact."""
        now = self._state
        assert now.facts is not None
        if place == -FACTS_HEAD:
            sort = keys.cap_of("latent.sort", cast("LostkeysApp", self.app).settings.keys)
            return render_board.facts_note(now, now.facts, width, sort)
        if place < 0:
            return render_board.facts_heading(width, self.look)
        predicted = {} if now.lists is None else now.lists.predicted
        row = render_board.fact_row(now.facts, place, now.model_place, predicted)
        return render_board.fact_line(row, width, place == self.place, self.look)


class LatentFactView(DocumentView):
    """The fact."""

    def __init__(self) -> None:
        super().__init__(id="latent-fact-view")


class RelationSummary(LineWidget):
    """The relation, where there is no room for its pane."""

    def __init__(self, state: LatentState) -> None:
        super().__init__()
        self._state = state

    def draw(self, width: int) -> Line:
        """The relation in a line."""
        return sentences.summary(self._state).clip(width)


class LatentPanes(NamedPanes):
    """Three panes that show a state; below 100 columns one of them; the board has all the room."""

    first_pane = FACTS
    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    LatentPanes { layout: horizontal; }
    LatentPanes #latent-left { width: 42%; }
    LatentPanes #latent-relations { height: 30%; }
    LatentPanes #latent-facts { height: 1fr; }
    LatentPanes #latent-fact { width: 1fr; }
    LatentPanes LatentFactView { overflow-y: scroll; }
    LatentPanes RelationSummary { display: none; dock: top; }
    .-board LatentPanes #latent-left { width: 1fr; }
    .-board LatentPanes #latent-relations { height: 1fr; }
    .-board LatentPanes #latent-facts { display: none; }
    .-board LatentPanes #latent-fact { display: none; }
    .-no-relations LatentPanes #latent-left { width: 1fr; }
    .-no-relations LatentPanes #latent-relations { height: 1fr; }
    .-no-relations LatentPanes #latent-facts { display: none; }
    .-no-relations LatentPanes #latent-fact { display: none; }
    .-narrow LatentPanes #latent-left { width: 1fr; }
    .-narrow LatentPanes #latent-relations { display: none; height: 1fr; }
    .-narrow LatentPanes #latent-fact { display: none; }
    .-narrow.-at-relations LatentPanes #latent-relations { display: block; }
    .-narrow.-at-relations LatentPanes #latent-facts { display: none; }
    .-narrow.-at-fact LatentPanes #latent-left { display: none; }
    .-narrow.-at-fact LatentPanes #latent-fact { display: block; }
    .-narrow LatentPanes RelationSummary { display: block; }
    .-narrow.-at-relations LatentPanes RelationSummary { display: none; }
    """

    def __init__(self, state: LatentState) -> None:
        super().__init__()
        self._state = state
        self.relations_view, self.facts_view = RelationsView(state), RelationFactsView(state)
        self.fact_view = LatentFactView()

    def compose(self) -> ComposeResult:
        """Relations above facts, the fact beside them."""
        yield RelationSummary(self._state)
        with Vertical(id="latent-left"):
            with Pane(id="latent-relations"):
                yield self.relations_view
            with Pane(id="latent-facts"):
                yield self.facts_view
        with Pane(id="latent-fact"):
            yield self.fact_view

    @property
    def facts_pane(self) -> Pane:
        """The pane that says that lists are being read, and why they could not be."""
        return self.query_one("#latent-facts", Pane)

    @property
    def fact_pane(self) -> Pane:
        """The pane that says so of the fact."""
        return self.query_one("#latent-fact", Pane)

    @property
    def views(self) -> dict[str, LineView]:
        """What can have the focus, by the name of the pane."""
        return {RELATIONS: self.relations_view, FACTS: self.facts_view, FACT: self.fact_view}

    # Where a person is

    @property
    def position(self) -> LatentPosition:
        """What is asked for, the rows under the cursors, and how far the fact is scrolled."""
        now = self._state
        if now.sought is not None:
            return now.sought
        row, snapshot = now.row, self.base.lostkeys.snapshot
        fact = None if snapshot is None or now.fact is None else snapshot.fact_id(now.fact)
        return LatentPosition(
            now.setup,
            now.model,
            None if row is None else row.name,
            "" if row is None else row.set_name,
            fact,
            now.order,
            now.board,
            now.whole,
            self.pane,
            self.facts_view.cursor_height,
            self.fact_view.scroll_offset.y,
            now.first,
            now.viewed,
        )

    def hold(self) -> None:
        """Bring the cursor to where it is sought, once its rows are there."""
        sought, view = self._state.sought, self.facts_view
        self._state.sought = None
        if sought is None:
            return
        if view.cursor is not None:
            view.hold_cursor(view.cursor, sought.height)
        self.fact_view.hold_at(sought.scroll)

    # Painting

    def paint(self) -> None:
        """Show all of the state."""
        now = self._state
        empty = now.has_nothing
        self.screen.set_class(empty, "-no-relations")
        if empty and self.pane != RELATIONS:
            self.go(RELATIONS)
        width = self.size.width if now.board else self.relations_view.size.width
        self.relations_view.tail = render_board.board_tail(now, max(0, width - 2))
        self.relations_view.put(now.relation_place, sentences.no_relations() if empty else [])
        self.facts_view.put(now.place, [] if empty else sentences.no_facts(now))
        self.paint_edges()
        self.paint_fact()

    def paint_edges(self) -> None:
        """Titles, and where in the lists the cursors are."""
        now, above = self._state, self.base.edges_above
        self._label(
            "latent-relations",
            view_title("Relations", now.view_title(RELATIONS)),
            now.relation_place,
            len(now.rows),
            above,
        )
        name = "Facts" if now.row is None else now.row.title[:60]
        title = view_title(name, now.view_title(FACTS))
        if now.row is not None and now.model is not None:
            title.add("  ").add(now.model[:60], "ink-3")
        self._label("latent-facts", title, now.place, self.facts_view.size_of_list, above)

    def _label(self, pane: str, title: Line, place: int | None, of: int, above: bool) -> None:
        edge = sentences.position(place, of)
        found = self.query_one(f"#{pane}", Pane)
        found.edge(edge)
        found.title(title.add("  ").join(edge) if above and edge.spans else title)

    def paint_fact(self) -> None:
        """The chosen fact; what was shown stays until it is read."""
        now, view, pane = self._state, self.fact_view, self.fact_pane
        one = now.shown if now.fact is not None else None
        if one is None:
            pane.title(Line())
            pane.edge(Line())
            view.put([], True)
            return
        look = self.base.lostkeys.look
        arrow = look.glyph("arrow")
        title = Line(one.subject[:200]).add(f" {arrow} ").add(one.gold[:200])
        room = max(8, pane.size.width - 6)
        if self.base.edges_above:
            title.right(sentences.position(now.place, self.facts_view.size_of_list), room)
        pane.title(title.clip(room))
        pane.edge(sentences.fact_edge(one).clip(room))
        width = view.size.width - 2
        if width > 0:
            drawn = FactRoom(width, view.size.height, look, now.whole, self._is_scoring)
            view.put(render_fact.lines_of(one, drawn), view.about != one.fact, one.fact)

    @property
    def _is_scoring(self) -> bool:
        """Whether a run scores facts at the moment."""
        progress, kind = self.base.lostkeys.jobs.progress, KINDS[LATENT]
        return progress is not None and kind.doing in progress.doing

    def next_pane(self, step: int) -> Widget:
        """Focus the next pane, or the one before."""
        names = [RELATIONS] if self._state.board else [*self.views]
        at = names.index(self.pane) if self.pane in names else 0
        self.go(names[(at + step) % len(names)])
        return self.views[self.pane]
