"""The panes of the Jobs screen: stages and log, jobs and the card of one, what went wrong."""

from collections.abc import Sequence
from datetime import datetime

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from core.jobs.job_list import JobTrouble
from core.jobs.job_view import JobStage, JobView
from tui import keys
from tui.screens.jobs import render_card, render_list, render_stages, render_trouble, sentences
from tui.screens.jobs.log_view import LogView
from tui.screens.jobs.stages_view import StagesHeading, StagesView
from tui.screens.jobs.start_pane import JobsStartPane
from tui.screens.jobs.state import JobsPosition, JobsState
from tui.screens.screen_panes import ScreenPanes
from tui.text.line import Line
from tui.widgets.document_view import ReadOnlyLines
from tui.widgets.line_view import LineView
from tui.widgets.offers import Offers
from tui.widgets.pane import Pane

SIDE, LEFT_SHARE = 44, 0.46
"""Columns of jobs and card beside stages and log, and the share of these where there are more."""

STAGES_SHARE, EDGES = 0.6, 3
"""The share of the lines that stages take at most; edges and heading are lines of their pane."""


class JobsView(LineView):
    """The jobs; the cursor is tied to a job."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="jobs-view")
        self.views: list[JobView] = []

    def row_count(self) -> int:
        """How many there are."""
        return len(self.views)

    def draw(self, row: int, line: int, width: int) -> Line:
        """A job."""
        view, chosen = self.views[row], row == self.cursor
        return render_list.draw(view, width, chosen, self.look, datetime.now().astimezone())

    @property
    def chosen(self) -> JobView | None:
        """The job under the cursor."""
        return None if self.cursor is None else self.views[self.cursor]

    def put(self, views: list[JobView]) -> None:
        """Take in the jobs as they are now, in their order."""
        job = self.chosen.id if self.chosen else None
        self.views = views
        place = next((at for at, one in enumerate(views) if one.id == job), 0 if views else None)
        if place != self.cursor:
            self.move_to(place, tell=False)
        self.refresh_changed()

    def go_to(self, job: int) -> None:
        """The cursor to a job."""
        place = next((at for at, one in enumerate(self.views) if one.id == job), None)
        if place is not None and place != self.cursor:
            self.move_to(place, tell=False)


class JobCardView(ReadOnlyLines, can_focus=False):
    """The card: lines that are made anew whenever something is told."""

    def __init__(self) -> None:
        super().__init__(id="card-view")
        self._shown: tuple[JobView | None, JobStage | None, datetime | None] = None, None, None
        self._served: Sequence[str] = ()

    def put(
        self,
        view: JobView | None,
        stage: JobStage | None,
        now: datetime,
        served: Sequence[str],
    ) -> None:
        """Show a job, why things of a stage were dropped or failed, what its log says is served."""
        self._shown, self._served = (view, stage, now), served
        self._make()

    def _make(self) -> None:
        view, stage, now = self._shown
        room = render_card.CardRoom(self.size.width, self.size.height)
        if view is None or now is None or not room.width:
            self.show_lines([])
        else:
            lines = render_card.lines(view, stage, room, now, self.look, self._served)
            self.show_lines(lines)

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        self._make()


class JobTroubleView(ReadOnlyLines, can_focus=False):
    """What went wrong in one job: lines that are made anew whenever something is told."""

    indent = 1

    def __init__(self) -> None:
        super().__init__(id="trouble-view")

    def put(
        self,
        view: JobView | None,
        trouble: JobTrouble | None,
        now: datetime,
        served: Sequence[str],
    ) -> None:
        """Show a job's errors, slow requests, and as what its models were served."""
        width = self.size.width - 2
        known = view is not None and trouble is not None and width > 0
        context = render_trouble.TroubleContext(width, now, self.look)
        self.show_lines(
            render_trouble.lines(view, trouble, served, context)
            if known and view is not None and trouble is not None
            else []
        )


class JobSide(Container):
    """Jobs and card; below 100 columns above everything."""


class JobsPanes(ScreenPanes):
    """Panes that show a state; below 100 columns the job in one line, stages, the log's end."""

    SCOPED_CSS = False  # what is seen depends on the screen's size class
    DEFAULT_CSS = """
    JobsPanes { layout: horizontal; }
    JobsPanes JobSide { width: 1fr; height: 100%; }
    JobsPanes #trouble { display: none; width: 27%; }
    .-wide JobsPanes #trouble { display: block; }
    JobsPanes #stages { height: 1fr; }
    JobsPanes #log { height: 1fr; }
    JobsPanes #jobs { height: 8; }
    .-high JobsPanes #jobs { height: 14; }
    JobsPanes #card { height: 1fr; }
    JobsPanes JobsStartPane { display: none; width: 1fr; height: 100%; }
    JobsPanes.-none JobsStartPane { display: block; }
    JobsPanes.-none #left, JobsPanes.-none JobSide, JobsPanes.-none #trouble { display: none; }
    JobsPanes.-calm #trouble { display: none; }
    .-narrow JobsPanes { layout: vertical; }
    .-narrow JobsPanes JobSide { dock: top; width: 100%; height: auto; }
    .-narrow JobsPanes #card { display: none; }
    .-narrow JobsPanes #jobs { height: 2; }
    .-narrow JobsPanes JobsView { scrollbar-size-vertical: 0; }
    .-narrow JobsPanes #jobs:focus-within { height: 7; }
    .-narrow JobsPanes #log { height: 4; }
    .-narrow JobsPanes #log:focus-within { height: 60%; }
    .-narrow.-inside JobsPanes JobSide { height: 100%; }
    .-narrow.-inside JobsPanes #card { display: block; }
    .-narrow.-inside JobsPanes #jobs, .-narrow.-inside JobsPanes #jobs:focus-within { height: 2; }
    .-narrow.-inside JobsPanes #stages, .-narrow.-inside JobsPanes #log { display: none; }
    """

    def __init__(self, state: JobsState) -> None:
        super().__init__()
        self._state = state
        self._cursors: tuple[object, object] = None, None
        """What the cursors of jobs and stages are known to be on."""
        self._told: object = None
        """What has been shown of jobs, apart from their counts."""

    def compose(self) -> ComposeResult:
        """Stages and log, jobs with the card, what went wrong."""
        with Container(id="left"):
            with Pane(id="stages"):
                yield StagesHeading()
                yield StagesView()
            with Pane(id="log"):
                yield LogView()
        with JobSide(id="side"):
            with Pane(id="jobs"):
                yield JobsView()
            with Pane(id="card"):
                yield JobCardView()
        with Pane(id="trouble"):
            yield JobTroubleView()
        yield JobsStartPane()

    def on_mount(self) -> None:
        """Titles that stay."""
        for name in ("stages", "jobs", "trouble"):
            self.query_one(f"#{name}", Pane).title(Line(name.capitalize()))

    @property
    def stages_view(self) -> StagesView:
        """The stages of all jobs."""
        return self.query_one(StagesView)

    @property
    def jobs_view(self) -> JobsView:
        """The jobs."""
        return self.query_one(JobsView)

    @property
    def log_view(self) -> LogView:
        """The log of the job that is meant."""
        return self.query_one(LogView)

    # Where a person is

    @property
    def focus_chain(self) -> list[Widget]:
        """Stages, jobs, log: in this order at every size, wherever they stand."""
        if self.has_class("-none"):
            return [self.query_one(Offers)]
        views: tuple[Widget, ...] = self.stages_view, self.jobs_view, self.log_view
        return [view for view in views if view.focusable and view.parent.display]  # type: ignore[union-attr]

    def position(self, inside: bool) -> JobsPosition:
        """The job and the stage that are meant, and what the log shows."""
        if self._state.sought is not None:
            return self._state.sought
        row, focused = self.stages_view.chosen, self.screen.focused
        stage = row.key[1] if row is not None and row.key is not None else None
        pane = str(focused.id) if focused in self.focus_chain else "stages-view"
        log, height = self.log_view.choice.name, self.stages_view.cursor_height
        return JobsPosition(self._state.job, stage, pane, inside, log, height)

    # Showing

    def paint(self, fresh: bool = False) -> None:
        """Show what is known; only lines that differ are painted.

        Who hears it is told when a job or a stage of it is another than before, not of counts.
        """
        now = self._state
        told = now.complete, sentences.list_news(now.views, now.job)
        if self.base.is_spoken and told == self._told and not fresh:
            return
        self._told = told
        views, moves = self._state.views, self._seen_cursors != self._cursors
        self._show_offers(self._state.complete and not views)
        self.stages_view.put(render_stages.list_rows(views, not self.base.low))
        self._share_height()
        self.query_one(StagesHeading).refresh_changed()
        self.jobs_view.put(views)
        if not moves:  # else a key has moved one, and the message of it is on the way
            self.point()
        self.show_card()
        self.write_edges()
        self.base.refresh_frame()

    def _show_offers(self, on: bool) -> None:
        """Show what can be started where nothing has run, in place of all panes."""
        self.set_class(on, "-none")
        if on:
            snapshot = self.base.lostkeys.snapshot
            self.query_one(JobsStartPane).put(snapshot is not None and bool(len(snapshot.index)))
        leading = self.query_one(Offers) if on else self.stages_view
        if on is not (self.screen.focused is self.query_one(Offers)):
            self.screen.set_focus(leading)

    def _share_height(self) -> None:
        """The stages take the lines that they need, up to a share; the log has the rest."""
        rows = len(self.stages_view.rows)
        most = int(STAGES_SHARE * self.app.size.height)
        self.base.layouts.start(
            "stages", min(rows + EDGES, most) if rows and not self.base.narrow else None
        )

    def point(self) -> None:
        """Both cursors to the job that is meant."""
        if self._state.job is not None:
            self.jobs_view.go_to(self._state.job)
            self.stages_view.go_to(self._state.job)
        self.know_cursors()

    def know_cursors(self) -> None:
        """Take the places of both cursors as known."""
        self._cursors = self._seen_cursors

    @property
    def _seen_cursors(self) -> tuple[object, object]:
        job, row = self.jobs_view.chosen, self.stages_view.chosen
        return job and job.id, row and row.key

    def show_card(self) -> None:
        """The card of the job that is meant, and what went wrong in it."""
        row = self.stages_view.chosen
        stage = row.stage if row is not None else None
        self.query_one(JobCardView).put(self._state.chosen, stage, _now(), self.log_view.served)
        view = self._state.chosen
        self.set_class(view is None or not sentences.may_fail(view), "-calm")
        if self.base.wide:
            trouble = self.query_one(JobTroubleView)
            trouble.put(self._state.chosen, self._state.known_trouble, _now(), self.log_view.served)

    def write_edges(self) -> None:
        """What the edges of all panes say."""
        view, pane = self._state.chosen, self.query_one("#stages", Pane)
        pane.edge(pane.error_line(self._state.load_error) if self._state.load_error else Line())
        count = len(self._state.views) if self._state.complete else None
        self.query_one("#jobs", Pane).edge(render_list.position(count, self.jobs_view.cursor))
        card = self.query_one("#card", Pane)
        card.title(Line(f"job {sentences.numbered_title(view)}") if view else Line())
        card.edge(Line(sentences.describe_begin(view, _now()), "ink-3") if view else Line())
        self.write_log_edges()

    def write_log_edges(self) -> None:
        """Which lines the log shows, and whether it follows."""
        pane, log = self.query_one("#log", Pane), self.log_view
        title = Line("Log")
        if log.choice.name:
            title.add(f" {log.choice.name} only", "ink-2")
        edge = Line("following", "ink-3") if not log.empty else Line()
        if not log.following:
            edge = Line(f"{log.missed:,} new, " if log.missed else "", "ink-2")
            edge.add("end", "accent").add(" follows again", "ink-2")
        pane.edge(edge)
        pane.title(title.add("  ").join(edge) if self.base.narrow and not log.following else title)

    def share_width(self, columns: int) -> None:
        """Share the columns of the screen out."""
        left = round(LEFT_SHARE * columns) if self.base.wide else columns - SIDE
        self.base.layouts.start("left", None if self.base.narrow else left)


def _now() -> datetime:
    return datetime.now().astimezone()
