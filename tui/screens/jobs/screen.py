"""The Jobs screen: stages and log at the left, jobs and the card of one at the right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from core.errors import LostkeysError
from core.jobs.job_view import JobView, LogLine
from core.specs.job_kinds import asks_models
from tui import keys
from tui.screens.base_screen import BaseScreen
from tui.screens.jobs import job_dialogs
from tui.screens.jobs.log_view import LogView
from tui.screens.jobs.render_card import begins_again
from tui.screens.jobs.stages_view import StagesView
from tui.screens.jobs.state import JobsPosition, JobsState
from tui.screens.jobs.widgets import JobsPanes, JobsView
from tui.text.line import Line
from tui.widgets.line_view import LineView
from tui.widgets.pane_layout import Split

if TYPE_CHECKING:
    from core.jobs.job_list import JobTrouble
    from core.views.session import Session


# What the Jobs screen has the db worker read: jobs, the log of one, what went wrong in it.


@dataclass(frozen=True, slots=True)
class StoredJobs:
    """What the file holds: its jobs, the lines of one job's log behind the one with an id.

    `trouble` is that of the same job, None where that was not asked for.
    """

    jobs: list[JobView]
    job: int | None
    lines: list[LogLine]
    trouble: "JobTrouble | None" = None


def read_jobs(
    session: "Session",
    job: int | None,
    after: int,
    before: JobView | None = None,
    troubled: bool = False,
) -> StoredJobs:
    """Read the jobs, what is new in the log of one of them, and why a build has lost units.

    `before` is the view of that job as it was read last; `troubled`: read what went wrong, too.
    """
    jobs = [
        session.jobs.add_reasons(one, before) if one.id == job else one
        for one in session.jobs.list_jobs()
    ]
    view = next((one for one in jobs if one.id == job), None) if troubled else None
    trouble = None if view is None else session.jobs.trouble(view)
    return StoredJobs(jobs, job, [] if job is None else session.jobs.log(job, after), trouble)


class JobsLoader:
    """Has read what the file holds of jobs, and shows it; `told` is called when that is shown."""

    def __init__(self, state: JobsState, panes: JobsPanes, told: Callable[[], None]) -> None:
        self._state, self._panes, self._told = state, panes, told

    def take(self, fresh: bool = False) -> None:
        """Take in the jobs of this program among those of the file, in a `fresh` order."""
        jobs = self._panes.base.lostkeys.jobs
        if self._state.job is not None and self._state.job < 0:
            self._state.job = jobs.find_present_id(self._state.job)
        self._state.take(jobs.views(), fresh)

    def request_jobs(self) -> None:
        """Read what the file holds."""
        base, state = self._panes.base, self._state
        job, after, troubled = state.job, self._panes.log_view.newest, base.wide
        before = next((one for one in state.stored if one.id == job), None)
        base.lostkeys.ask(
            "jobs",
            lambda session: read_jobs(session, job, after, before, troubled),
            self._take_jobs,
            self._show_read_error,
        )

    def _take_jobs(self, found: StoredJobs) -> None:
        state, log = self._state, self._panes.log_view
        first = not state.complete
        state.complete, state.load_error, state.stored = True, None, found.jobs
        self.take(first)
        if found.trouble is not None and found.job is not None:
            state.trouble = found.job, found.trouble
        if found.job == state.job:
            log.add([one for one in found.lines if one.id > log.newest])
        elif state.job is not None:
            log.clear()
            self.request_jobs()
        self._panes.paint()
        self._told()

    def _show_read_error(self, error: LostkeysError) -> None:
        self._state.load_error = error
        self._panes.paint()


READ_EVERY = 1.0
"""Seconds between two looks into the file while the screen is seen."""


class JobsScreen(BaseScreen):
    """What runs and ran. Below 100 columns the job in one line, stages, the end of the log."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("jobs")
    tab = "jobs"
    outer_pane = "stages"
    position_type = JobsPosition
    splits = (
        Split("left", "side"),
        Split("trouble", "side"),
        Split("stages", "log", rows=True),
        Split("jobs", "card", rows=True),
    )

    def __init__(self) -> None:
        super().__init__()
        self.jobs = JobsState()
        self.panes = JobsPanes(self.jobs)
        self.loader = JobsLoader(self.jobs, self.panes, self._hold)
        self._timer: Timer | None = None

    def body(self) -> ComposeResult:
        """Stages and log, jobs with the card, what went wrong."""
        yield self.panes

    def on_mount(self) -> None:
        """Begin in the stages."""
        self.set_focus(self.stages_view)

    @property
    def stages_view(self) -> StagesView:
        """The stages of all jobs."""
        return self.panes.stages_view

    @property
    def jobs_view(self) -> JobsView:
        """The jobs."""
        return self.panes.jobs_view

    @property
    def log_view(self) -> LogView:
        """The log of the job that is meant."""
        return self.panes.log_view

    @property
    def focus_chain(self) -> list[Widget]:
        """Stages, jobs, log: in this order at every size, wherever they stand."""
        return self.panes.focus_chain

    @property
    def chosen(self) -> JobView | None:
        """The job that keys act on."""
        return self.jobs.chosen

    @property
    def to_go_on(self) -> JobView | None:
        """The job that is meant, if `r` offers it as it was."""
        return self.chosen if self.chosen is not None and begins_again(self.chosen) else None

    @property
    def inside(self) -> bool:
        """Whether the card alone is seen."""
        return self.narrow and self.has_class("-inside")

    # Taking in

    def on_screen_resume(self) -> None:
        """Order the jobs anew, and look into the file again and again from now on."""
        super().on_screen_resume()
        self.lostkeys.jobs.mark_seen()
        self.loader.take(fresh=True)
        self.panes.paint(fresh=True)
        self.loader.request_jobs()
        if self._timer is None:
            self._timer = self.set_interval(READ_EVERY, self.loader.request_jobs)
        self._timer.resume()

    def on_screen_suspend(self) -> None:
        """Leave the file alone while nobody looks."""
        if self._timer is not None:
            self._timer.pause()

    @property
    def position(self) -> JobsPosition:
        """The job and the stage that are meant, and what the log shows."""
        return self.panes.position(self.inside)

    def take_position(self, position: JobsPosition) -> None:
        """Mean the job that was meant, once the file's jobs are known."""
        self.jobs.sought = position
        found = (one for one in self.focus_chain if one.id == position.pane)
        self.set_focus(next(found, self.stages_view))
        self.set_class(position.inside and self.narrow, "-inside")
        self.log_view.choose(position.log)
        if self.jobs.complete:
            self._hold()

    def _hold(self) -> None:
        """Go to the job and the stage that are sought."""
        sought, self.jobs.sought = self.jobs.sought, None
        if sought is not None and any(one.id == sought.job for one in self.jobs.views):
            self.choose(sought.job)
            self.stages_view.hold(sought.job, sought.stage, sought.height)
            self.panes.know_cursors()

    def forget(self) -> None:
        """No jobs."""
        self.jobs.clear()
        self.log_view.clear()
        self.panes.paint()

    def reload(self) -> None:
        """Order the jobs anew, and read them."""
        self.loader.take(fresh=True)
        self.panes.paint(fresh=True)
        self.loader.request_jobs()

    def go_to(self, job: int) -> None:
        """Mean a job that was started just now; it stands first."""
        self.jobs.job = job
        self.log_view.clear()
        self.panes.know_cursors()
        self.show_progress()

    def show_progress(self) -> None:
        """A job of this program has begun, counted or ended."""
        self.lostkeys.jobs.mark_seen()
        self.loader.take()
        self.panes.paint()

    def choose(self, job: int | None) -> None:
        """Mean another job."""
        if job is None or job == self.jobs.job:
            return
        self.jobs.job = job
        self.log_view.clear()
        self.panes.point()
        self.loader.request_jobs()
        self.panes.paint()

    def status(self) -> Line | None:
        """That nothing is lost, while something runs."""
        view = self.chosen
        if view is not None and view.here and asks_models(view.kind):
            return Line("all answers so far are saved", "ink-2")
        return None

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        self.log_view.rebuild()
        super().repaint()

    def paint_panes(self) -> None:
        """All of them, at the present size."""
        self.panes.paint(fresh=True)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that do something now."""
        if action in ("pause", "cancel", "retry", "discard", "open"):
            return self.chosen is not None
        return action != "kinds" or bool(self.jobs.views)

    def action_open(self) -> None:
        """In the stages what is behind the numbers; from the jobs to their stages, or the card."""
        view, row = self.chosen, self.stages_view.chosen
        if self.focused is self.jobs_view:
            if self.narrow and not self.inside:
                self.add_class("-inside")
                self.refresh_frame()
                self.call_after_refresh(self.panes.show_card)
            elif not self.narrow:
                self.set_focus(self.stages_view)
        elif self.focused is self.stages_view and view is not None:
            job_dialogs.open_items(self.lostkeys, view, row.stage if row else None)

    @property
    def outermost(self) -> bool:
        """In the stages, or where there are none."""
        return not self.inside and self.focused is self.focus_chain[0]

    def step_out(self) -> None:
        """Out of the card; from everywhere else to the stages."""
        if self.inside:
            self.remove_class("-inside")
        else:
            self.set_focus(self.stages_view)

    def action_side(self, step: int) -> None:
        """To the jobs, or back to the stages."""
        self.set_focus(self.jobs_view if step > 0 else self.stages_view)

    def action_kinds(self) -> None:
        """The next choice of what the log shows."""
        self.log_view.step()
        self.panes.write_log_edges()

    def action_pause(self) -> None:
        """Pause what runs; go on with what does not."""
        if self.chosen is not None:
            job_dialogs.pause(self.lostkeys, self.chosen)

    def action_cancel(self) -> None:
        """Cancel the job, after asking."""
        if self.chosen is not None:
            job_dialogs.cancel(self.lostkeys, self.chosen)

    def action_retry(self) -> None:
        """Ask again what has failed."""
        if self.chosen is not None:
            job_dialogs.retry(self.lostkeys, self.chosen)

    def action_discard(self) -> None:
        """Set the answers of the job's model aside, after asking."""
        if self.chosen is not None:
            job_dialogs.confirm_discard(self.lostkeys, self.chosen, self.jobs.views)

    # Events

    @on(LineView.CursorMoved)
    def follow_cursor(self, event: LineView.CursorMoved) -> None:
        """Another job or stage is meant."""
        event.stop()
        if event.view is self.jobs_view:
            self.choose(self.jobs_view.chosen.id if self.jobs_view.chosen else None)
        elif event.view is self.stages_view and self.stages_view.chosen is not None:
            job = self.stages_view.chosen.job
            self.choose(job.id if job else None)
        self.panes.know_cursors()
        self.panes.show_card()
        self.panes.write_edges()

    @on(LineView.RowClicked)
    def open_clicked(self, event: LineView.RowClicked) -> None:
        """A second click is as good as enter."""
        event.stop()
        if event.again:
            event.view.focus()
            self.call_after_refresh(self.action_open)

    @on(LogView.FollowingChanged)
    def show_following(self, event: LogView.FollowingChanged) -> None:
        """Say whether the log follows."""
        event.stop()
        self.panes.write_log_edges()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Only from the jobs one goes into the card."""
        if self.focused is not self.jobs_view:
            self.remove_class("-inside")
        self.refresh_frame()
        self.call_after_refresh(self.panes.write_edges)

    def on_resize(self, event: events.Resize) -> None:
        """Other room."""
        self.panes.share_width(event.size.width)
        if not self.narrow:
            self.remove_class("-inside")
        self.call_after_refresh(self.panes.paint, fresh=True)
