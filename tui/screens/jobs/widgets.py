"""The panes of the Jobs screen: stages, jobs, the card of one job, its log."""

from collections.abc import Sequence
from datetime import datetime

from textual import events
from textual.message import Message

from core.engine.run_counters import SERVED
from core.jobs.job_list import JobTrouble
from core.jobs.job_view import JobStage, JobView, LogLine
from tui import keys
from tui.screens.jobs import render_card, render_list, render_log, render_stages, render_trouble
from tui.screens.jobs.render_log import CHOICES, Choice
from tui.screens.jobs.render_stages import StageRow
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.line_widget import LineWidget


class StagesHeading(LineWidget):
    """What the columns hold; nothing while there is no job."""

    def draw(self, width: int) -> Line:
        """The names of the columns, over them."""
        stages = self.screen.query_one(StagesView)
        return render_stages.heading(stages.line_width) if stages.rows else Line()


class StagesView(LineView):
    """Every stage under its job; the cursor is tied to a stage, wherever that stands."""

    BINDINGS = keys.bindings("list")

    def __init__(self) -> None:
        super().__init__(id="stages-view")
        self.rows: list[StageRow] = []

    def row_count(self) -> int:
        """How many there are."""
        return len(self.rows)

    def choosable(self, row: int) -> bool:
        """The cursor stands on stages only."""
        return self.rows[row].key is not None

    def draw(self, row: int, line: int, width: int) -> Line:
        """One row."""
        return render_stages.draw(self.rows[row], width, row == self.cursor, self.look)

    @property
    def chosen(self) -> StageRow | None:
        """The row under the cursor."""
        return None if self.cursor is None or not self.rows else self.rows[self.cursor]

    def put(self, rows: list[StageRow]) -> None:
        """Take in other rows; the cursor stays on its stage, else on its job, and at its height."""
        key = self.chosen.key if self.chosen else None
        height = None if self.cursor is None else self.cursor - int(self.scroll_y)
        moved = [row.key for row in rows] != [row.key for row in self.rows]
        self.rows = rows
        if moved:
            self.cursor = self._place(key)
        self.refresh_changed()
        if moved and self.cursor is not None and height is not None:
            self._scroll(self.cursor - height)
            self.show_row(self.cursor)

    def go_to(self, job: int) -> None:
        """The cursor to a job's first stage that is not through, unless it is on a stage of it."""
        if self.chosen is None or self.chosen.job is None or self.chosen.job.id != job:
            self.move_to(self._place((job, "")), tell=False)
            if self.cursor:
                self.show_row(self.cursor - 1)  # the heading

    def hold(self, job: int | None, stage: str | None, height: int) -> None:
        """The cursor to a stage of a job, at a height on the screen."""
        row = None if job is None else self._place((job, stage or ""))
        if row is not None:
            self.hold_cursor(row, height)

    def _place(self, key: tuple[int, str] | None) -> int | None:
        """The row of a stage, else the first one of its job, else the first there is."""
        keys_ = [row.key for row in self.rows]
        if key is not None and key in keys_:
            return keys_.index(key)
        job = key[0] if key else None
        of_job = (at for at, one in enumerate(keys_) if one is not None and one[0] == job)
        return next(of_job, next((at for at, one in enumerate(keys_) if one is not None), None))


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


class JobCardView(LineView, can_focus=False):
    """The card: lines that are made anew whenever something is told."""

    def __init__(self) -> None:
        super().__init__(id="card-view")
        self._content: list[Line] = []
        self._shown: tuple[JobView | None, JobStage | None, datetime | None] = None, None, None
        self._served: Sequence[str] = ()

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self._content)

    def choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        return Line().join(self._content[row])

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
            self._content = []
        else:
            self._content = render_card.lines(view, stage, room, now, self.look, self._served)
        self.refresh_changed()

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        self._make()


class JobTroubleView(LineView, can_focus=False):
    """What went wrong in one job: lines that are made anew whenever something is told."""

    def __init__(self) -> None:
        super().__init__(id="trouble-view")
        self._content: list[Line] = []

    def row_count(self) -> int:
        """As many rows as lines."""
        return len(self._content)

    def choosable(self, row: int) -> bool:
        """Nothing here takes a cursor."""
        return False

    def draw(self, row: int, line: int, width: int) -> Line:
        """One line."""
        return Line(" ").join(self._content[row])

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
        self._content = (
            render_trouble.lines(view, trouble, served, context)
            if known and view is not None and trouble is not None
            else []
        )
        self.refresh_changed()


class LogView(LineView):
    """The log of one job. It follows what comes until it is scrolled; at its end it follows again.

    `missed` counts lines that have come while it did not follow. `served` are the texts of those
    about served models, each once.
    """

    BINDINGS = keys.bindings("list")

    class FollowingChanged(Message):
        """It follows, or follows no more."""

    def __init__(self) -> None:
        super().__init__(id="log-view")
        self.following = True
        self.missed = 0
        self.served: list[str] = []
        self.choice: Choice = CHOICES[0]
        self._read: list[LogLine] = []
        self._rows: list[Line] = []
        self._for = 0
        self._busy = False

    def row_count(self) -> int:
        """Lines at the present width."""
        return len(self._rows)

    def draw(self, row: int, line: int, width: int) -> Line:
        """One of them."""
        return Line().join(self._rows[row])

    @property
    def newest(self) -> int:
        """The id of the newest line, 0 where there is none."""
        return self._read[-1].id if self._read else 0

    @property
    def empty(self) -> bool:
        """Whether nothing is shown."""
        return not self._rows

    def add(self, lines: Sequence[LogLine]) -> None:
        """Take in lines that have come."""
        if lines:
            self._read += lines
            told = (one.text for one in lines if one.kind == SERVED)
            self.served = list(dict.fromkeys((*self.served, *told)))
            shown = render_log.chosen(lines, self.choice)
            self.missed += 0 if self.following else len(shown)
            self._append(shown)

    def clear(self) -> None:
        """Begin with another log, at its end."""
        self._read, self._rows, self.missed, self.following = [], [], 0, True
        self.served = []
        self._append(())

    def step(self) -> None:
        """Show the next choice of kinds."""
        self.choice = CHOICES[(CHOICES.index(self.choice) + 1) % len(CHOICES)]
        self._break()

    def choose(self, name: str) -> None:
        """Show the choice of kinds of a name, if there is one."""
        self.choice = next((one for one in CHOICES if one.name == name), self.choice)
        self._break()

    def rebuild(self) -> None:
        """Make all lines anew (another theme)."""
        self._break()

    def _append(self, lines: Sequence[LogLine]) -> None:
        self._rows += [line for one in lines for line in render_log.drawn(one, self.size.width)]
        self._busy = True
        self.refresh_changed()
        if self.following:
            self._scroll(len(self._rows))
        self._busy = False

    def _break(self) -> None:
        """Break all lines anew, for another width or choice."""
        self._rows, self.missed, self.following = [], 0, True
        self._append(render_log.chosen(self._read, self.choice))

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken for a width; the newest ones stay in sight."""
        if event.size.width != self._for:
            self._for = event.size.width
            self._break()
        elif self.following:
            self._append(())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow at the end, and only there."""
        super().watch_scroll_y(old_value, new_value)
        if self._busy:
            return
        following = new_value >= self.max_scroll_y
        if following != self.following:
            self.following = following
            self.missed = 0
            self.post_message(self.FollowingChanged())
