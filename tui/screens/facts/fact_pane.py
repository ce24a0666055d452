"""The fact pane: everything about the fact under the cursor, and its chosen task unfolded."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.geometry import Size
from textual.message import Message

from core.stats.number_format import format_amount
from core.vocabulary import Task
from tui.app.loader import Loader
from tui.screens.facts.page_shape import MARGINS, PageShape
from tui.screens.facts.state import FactsPosition
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.widgets.line_view import LineView, SteadyView
from tui.widgets.line_widget import LineWidget
from tui.widgets.pane import Pane

if TYPE_CHECKING:
    from core.views.fact_view import FactView, UnfoldedQuestion
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from core.views.task_view import TaskView
    from tui.screens.base_screen import BaseScreen
    from tui.screens.facts.render_fact import Content, PageRow


class PageView(SteadyView):
    """The lines of a page; the cursor stands on tasks only."""

    DEFAULT_CSS = "PageView { padding-left: 1; }"
    spoken_lines = 2

    def __init__(self) -> None:
        super().__init__(id="page")
        self.rows: list[PageRow] = []

    def show(self, rows: "list[PageRow]", task: Task) -> None:
        """Take in other lines, with the cursor on a task."""
        self.rows = rows
        self.cursor = next((at for at, row in enumerate(rows) if row.task is task), None)
        self.refresh_changed()

    def row_count(self) -> int:
        """Lines of the page."""
        return len(self.rows)

    def is_choosable(self, row: int) -> bool:
        """Whether the line is a task's."""
        return self.rows[row].task is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them."""
        return self.rows[row].line

    def move_by(self, rows: int) -> None:
        """Move to another task; at the last one scroll on."""
        before = self.cursor
        super().move_by(rows)
        if self.cursor == before:
            self.scroll_relative(y=rows, animate=False)

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        """Break the lines for another width before they are painted; Resize comes after that."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if changed:
            self.screen.query_one(FactPane).rebuild()
        return changed

    def action_page_down(self) -> None:
        """Scroll a screenful down."""
        self.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        """Scroll a screenful up."""
        self.scroll_page_up(animate=False)


class FactPane(Pane):
    """One fact. What is shown stays until what is asked for has been read."""

    class TaskOpened(Message):
        """The chosen task is to be opened."""

    class FactShown(Message):
        """Another view of a fact is shown."""

    def __init__(self) -> None:
        super().__init__(id="fact")
        self.fact: int | None = None
        self.chosen = Task.DIRECT
        self.content: Content | None = None
        self.folded: bool | None = None
        """Whether the task is folded; None where the height decides."""
        self.whole = False
        self.position = Line()
        self._sought: tuple[str | None, bool, int] | None = None
        """A fact that is to come, whether with all of its text, and how far it is scrolled."""
        self._is_ample = False
        """Whether what was read last is enough for a page with all there is."""
        self._loader = Loader(self, lambda: self, self.write_edges)

    def compose(self) -> ComposeResult:
        """One page."""
        yield PageView()

    @property
    def page(self) -> PageView:
        """The page itself."""
        return self.query_one(PageView)

    @property
    def view(self) -> "FactView | None":
        """The fact that is shown."""
        return None if self.content is None else self.content.view

    @property
    def shape(self) -> PageShape:
        """What the page is laid out for."""
        screen = cast("BaseScreen", self.screen)
        folded = screen.low if self.folded is None else self.folded
        width = max(1, self.page.outer_size.width - MARGINS)
        height = self.page.outer_size.height
        return PageShape(
            width,
            height,
            screen.narrow,
            screen.low,
            screen.wide,
            screen.high,
            folded,
            self.whole,
        )

    # What the screen asks for

    def show(self, fact: int | None) -> None:
        """Read a fact, or read it again."""
        if fact != self.fact:
            self.whole = False
        self.fact = fact
        snapshot = cast("BaseScreen", self.screen).lostkeys.snapshot
        if fact is None or (snapshot is not None and not snapshot.whole):
            return  # once other models are counted it is read
        task, ample = self.chosen, self.shape.ample
        self._is_ample = ample
        self._loader.load("fact", partial(_read_content, fact, task, ample), self._take)

    @property
    def held(self) -> tuple[bool, int]:
        """Whether all of the text is shown, and how far the page is scrolled."""
        return self._sought[1:] if self._sought else (self.whole, self.page.scroll_offset.y)

    def go_to(self, position: FactsPosition) -> None:
        """Show a fact with a task chosen, scrolled so far: now, or when it comes."""
        self.folded = position.folded
        self._sought = position.fact, position.whole, position.scroll
        self.choose(position.task)
        self.rebuild()

    def forget(self) -> None:
        """Show no fact."""
        self.fact = self.content = self._sought = None
        self._loader.stop()
        self.page.show([], self.chosen)
        self.title(Line())
        self.edge(Line())

    def choose(self, task: Task) -> None:
        """Choose another task of the fact."""
        if task is self.chosen:
            return
        self.chosen = task
        self.rebuild()
        self.page.show_row(self.page.cursor or 0)
        self._read_task()

    def fold(self) -> None:
        """Fold the chosen task, or unfold it."""
        self.folded = not self.shape.folded
        self.rebuild()
        if self.page.cursor is not None:
            self.page.show_row(self.page.cursor)

    def turn_text(self) -> None:
        """Show all of the source text, or its end."""
        self.whole = not self.whole
        self.rebuild()
        self.page.scroll_to(y=0, animate=False)

    def rebuild(self) -> None:
        """Lay the page out anew."""
        if self.content is None or not self.page.size.width:
            return
        from tui.screens.facts.render_fact import page

        sought = self._sought
        if sought is not None and sought[0] == self.content.view.fact_id:
            self.whole, self._sought = sought[1], None
        content, shape = replace(self.content, task=self.chosen), self.shape
        if shape.ample and not self._is_ample:
            self._read_task()
        self.page.show(page(content, shape, self.page.look), self.chosen)
        self.write_edges()
        if sought is not None and self._sought is None:
            self.page.scroll_to(y=sought[2], animate=False, immediate=True)

    def turn_flag(self) -> None:
        """Flag the fact, or take its flag away."""
        lostkeys, fact, view = cast("BaseScreen", self.screen).lostkeys, self.fact, self.view
        snapshot = lostkeys.snapshot
        place = None if snapshot is None or fact is None else snapshot.place(fact)
        if snapshot is None or fact is None or place is None or view is None:
            return
        flagged = not snapshot.index.flagged[place]
        lostkeys.write(
            lambda session: session.set_flag(fact, flagged),
            partial(self._take_flag, view.subject, flagged),
        )

    def _take_flag(self, name: str, flagged: bool, done: "tuple[object, Snapshot]") -> None:
        lostkeys = cast("BaseScreen", self.screen).lostkeys
        lostkeys.snapshot_changed(done[1])
        said = Line(name[:80], "ink").add(" is flagged" if flagged else " has no flag now", "ink-2")
        lostkeys.say(said.add(". ", "ink-2").add("u", "accent").add(" undoes it", "ink-2"))

    # Reading

    def _read_task(self) -> None:
        fact, task, ample = self.fact, self.chosen, self.shape.ample
        self._is_ample = ample
        if fact is not None:
            work = partial(_read_task, fact, task, ample)
            self._loader.load("unfolded", work, self._take_task)

    def _take(self, content: "Content | None") -> None:
        if content is None or content.view.fact != self.fact:
            return
        before, self.content = self.content, content
        if before is None or before.view.fact != content.view.fact:
            self.page.scroll_to(y=0, animate=False)
        self.rebuild()
        if content.task is not self.chosen:
            self._read_task()
        self.post_message(self.FactShown())

    def _take_task(self, read: "tuple[UnfoldedQuestion | None, TaskView | None]") -> None:
        if self.content is not None:
            unfolded, detail = read
            self.content = replace(self.content, task=self.chosen, unfolded=unfolded, detail=detail)
            self.rebuild()

    # Writing

    def write_edges(self) -> None:
        """Title above; below where the fact is from, or what is the matter."""
        view = self.view
        narrow = cast("BaseScreen", self.screen).narrow
        if view is None:
            return
        name = view.title or f"{view.subject} {self.page.look.glyph('arrow')} {view.object}"
        title, edge = Line(name[:400]), self._loader.edge() or source_line(view)
        if narrow:
            title = Line().add(self.position.text).add("  ").join(title)
            if self._loader.slow:
                title.add("  ").join(edge)
        self.title(edge if narrow and self._loader.error is not None else title)
        self.edge(edge)

    # Events

    @on(LineView.CursorMoved)
    def choose_task(self, event: LineView.CursorMoved) -> None:
        """Another task has been chosen."""
        event.stop()
        task = self.page.rows[event.row].task if event.row < len(self.page.rows) else None
        if task is not None:
            self.choose(task)

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click opens the task."""
        event.stop()
        if event.again and self.page.is_choosable(event.row):
            self.post_message(self.TaskOpened())


class VerdictSummary(LineWidget):
    """The verdict on the fact in one line."""

    def draw(self, width: int) -> Line:
        """The line, blank until a fact has been read."""
        view = self.screen.query_one(FactPane).view
        if view is None:
            return Line()
        from tui.screens.facts.render_verdict import summary_line

        return Line(" ").join(summary_line(view, width - 1, self.look))


class SummaryPane(Pane):
    """Under the list, where there is no room for the fact."""

    DEFAULT_CSS = "SummaryPane { height: 2; }"

    def compose(self) -> ComposeResult:
        """One line."""
        yield VerdictSummary()

    def refresh_changed(self, view: "FactView | None") -> None:
        """Show another fact."""
        if view is not None:
            self.title(Line(view.title[:400] or view.subject[:400]))
        self.query_one(VerdictSummary).refresh_changed()


def source_line(view: "FactView") -> Line:
    """Where a fact is from: id, topic, views."""
    parts = [view.fact_id, view.category]
    parts += [] if view.views is None else [format_amount(view.views, "view")]
    return Line(spell(" · ").join(part[:80] for part in parts if part), "ink-3")


def topic_line(view: "FactView") -> Line:
    """Topic and views, for the status line."""
    line = Line(view.category[:80], "ink-2")
    return (
        line if view.views is None else line.add(f"  {format_amount(view.views, 'view')}", "ink-3")
    )


def _read_content(fact: int, task: Task, ample: bool, session: "Session") -> "Content | None":
    from tui.screens.facts.render_fact import Content

    view = session.fact(fact)
    return None if view is None else Content(view, task, *_read_task(fact, task, ample, session))


def _read_task(
    fact: int, task: Task, ample: bool, session: "Session"
) -> "tuple[UnfoldedQuestion | None, TaskView | None]":
    from tui.screens.facts.render_answers import find_most_disputed

    unfolded = session.unfold(fact, task)
    disputed = ample and unfolded is not None and find_most_disputed(unfolded) is not None
    return unfolded, session.task(fact, task) if disputed else None
