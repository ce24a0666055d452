"""What the app does with jobs: starts and steers them, says how they end, asks before it quits."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message
from textual.timer import Timer

from core.errors import LostkeysError
from tui.app.lens_controller import LookingApp

if TYPE_CHECKING:
    from core.jobs import JobProgress, Jobs
    from core.jobs.external_activity import ExternalActivity, Followed
    from core.jobs.job_view import JobView
    from core.specs import Spec
    from core.views.indexer import Indexer
    from core.views.snapshot import Snapshot
    from tui.dialogs.quit_dialog import Leaving

PATIENCE = 3.0
"""Seconds that a job gets to stop before the program ends without it."""

INDEX_AFTER = 0.5
"""Seconds from a new board to indexing it: what is on screen comes first."""

LOOK_EVERY = 1.0
"""Seconds between two looks for a job of another program."""

OPEN = ("waiting", "running", "paused")
"""States of a job that the status line tells of."""


class JobTold(Message):
    """A job has begun, counted or ended."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest state matters."""
        return isinstance(message, JobTold)


class IndexTold(Message):
    """The search index is further than it was."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest state matters."""
        return isinstance(message, IndexTold)


class WorkingApp(LookingApp):
    """An app with a job service, which outlives its screens."""

    def __init__(
        self, path: Path, job: "Spec | None" = None, followed: "Followed | None" = None
    ) -> None:
        """`job` is begun; `followed` is another program's, and gone on with if that leaves it."""
        super().__init__(path)
        self._first_job = job
        self._followed = followed
        self._elsewhere: Followed | None = None
        """A job of another program, which it alone works on."""
        self._services: dict[Path, Jobs] = {}
        self._working = False
        self._quitting = False
        self._remembered: Path | None = None
        self._others: ExternalActivity | None = None
        self._silence: Timer | None = None
        self._opened = False
        self._indexer: Indexer | None = None
        self._texts: object = None
        self._answers: Mapping[str, int] = {}
        self._ended: set[tuple[Path, int, datetime]] = set()
        self.job_failed = False
        """Whether a job has failed and the Jobs screen has not been seen since."""
        self.refused: LostkeysError | None = None
        """Why the program ended at once: the database it was started on cannot be opened."""

    @property
    def jobs(self) -> "Jobs":
        """The job service of the open database; jobs go on whatever screen is seen."""
        if self.path not in self._services:
            from core.jobs import Jobs

            self._services[self.path] = Jobs(self.path, lambda: self.post_message(JobTold()))
        return self._services[self.path]

    @property
    def working(self) -> bool:
        """Whether a job runs here, or is about to."""
        return self._working or self._first_job is not None

    @property
    def progress(self) -> "JobProgress | None":
        """The job that runs here, else another program's, else one that failed and was not seen."""
        told = [one for one in (jobs.progress() for jobs in self._services.values()) if one]
        here = next((one for one in told if one.state in OPEN), None)
        if here is not None:
            return here
        seen = self._followed, self._elsewhere, self._others
        others = next(filter(None, (one.progress() for one in seen if one is not None)), None)
        failed = (one for one in told if one.state in ("failed", "stopped"))
        return others or (next(failed, None) if self.job_failed else None)

    def job_views(self) -> "list[JobView]":
        """The jobs that this program works on, or has worked on, in the open database."""
        jobs = self._services.get(self.path)
        return [] if jobs is None else [view for view in jobs.views() if not view.void]

    def known_as(self, job: int) -> int:
        """The present id of a job that this program began: it has another until it is stored."""
        return self.jobs.view(job).id

    def jobs_seen(self) -> None:
        """The Jobs screen is seen: what failed is known."""
        self.job_failed = False
        self.settle_frame()

    def show_jobs(self) -> None:
        """Let the Jobs screen show how far jobs are."""

    def show_begun(self, job: int) -> None:
        """Let the Jobs screen go to a job that was started just now."""

    def read_jobs(self) -> None:
        """Let the Jobs screen read what the file holds of jobs."""

    def on_mount(self) -> None:
        """Look for jobs of others, and begin the one that the program was started with."""
        self.set_interval(LOOK_EVERY, self._look_elsewhere)
        if self._first_job is not None:
            self.call_after_refresh(self.start, self._first_job)

    def on_unmount(self) -> None:
        """Leave nothing running, and the database among the recent ones."""
        self._stop_indexing()
        self._stop_jobs()
        for jobs in self._services.values():
            jobs.close(PATIENCE)
        self._remember()

    # Steering

    def start(self, spec: "Spec", max_cost: float | None = None) -> None:
        """Begin a job, or put it behind those that run."""
        self._first_job = None
        try:
            job = self.jobs.start(spec, max_cost)
        except LostkeysError as error:
            self.fail(error)
            return
        self._working = True
        self.settle_frame()
        self.show_begun(job)

    def pause_job(self, view: "JobView") -> None:
        """Let a job begin nothing new, whoever works on it."""
        self._steer(lambda: self.jobs.pause(view.id))

    def resume_job(self, view: "JobView") -> None:
        """Let a job go on, here if nobody works on it."""
        self._steer(lambda: self.jobs.resume(view.id))

    def cancel_job(self, view: "JobView") -> None:
        """Stop a job for good, whoever works on it."""
        self._steer(lambda: self.jobs.cancel(view.id))

    def retry_job(self, view: "JobView") -> None:
        """Ask again for what has failed in a job."""
        self._steer(lambda: self.jobs.retry(view.id))

    @work(group="steering")
    async def _steer(self, what: Callable[[], object]) -> None:
        """Tell the service; where another program has the job that waits for the file."""
        try:
            await asyncio.to_thread(what)
        except LostkeysError as error:
            self.report(error)
        self._working = any(jobs.running for jobs in self._services.values())
        self.settle_frame()
        self.show_jobs()
        self.read_jobs()

    def fail(self, error: LostkeysError) -> None:
        """Show what went wrong until it has been seen."""
        self.report(error)

    # Quitting

    async def action_quit(self) -> None:
        """Quit; where a job runs, ask what becomes of it. A second time nothing is waited for."""
        progress = self.progress if self._working else None
        if self._quitting or progress is None:
            self.exit()
            return
        from tui.dialogs.quit_dialog import Quit

        if isinstance(self.screen, Quit):
            self.screen.dismiss("stop")
        else:
            waiting = sum(one.here and one.state == "waiting" for one in self.job_views())
            self.push_screen(Quit(progress, waiting), self._leave)

    def _leave(self, how: "Leaving | None") -> None:
        if how is None:
            return
        if not self._working:  # it has ended while the question stood
            self.exit()
            return
        self._quitting = True
        if how == "background":
            self.say("leaving the job to the background", 2 * PATIENCE)
            self._to_background()
        else:
            self.say("stopping the job; what is done is kept", PATIENCE)
            self._stop_jobs()
            self.set_timer(PATIENCE, self.exit)

    def _stop_jobs(self) -> None:
        for jobs in self._services.values():
            jobs.stop()

    @work
    async def _to_background(self) -> None:
        """Let other programs go on with all jobs, then end; stay where that cannot be."""
        try:
            for jobs in self._services.values():
                if not await asyncio.to_thread(jobs.leave, PATIENCE):
                    raise LostkeysError("the job does not let go yet: try again in a moment")
        except LostkeysError as error:
            self._quitting = False
            self.report(error)
            return
        self.exit()

    def on_job_told(self) -> None:
        """Show how far jobs are; of those that have ended, say what they came to."""
        for jobs in self._services.values():
            for view in jobs.views():
                if view.ended is None or (end := (jobs.path, view.id, view.ended)) in self._ended:
                    continue
                self._ended.add(end)
                self._tell_end(view)
        self.settle_frame()
        self.show_jobs()
        if self._working and not any(jobs.running for jobs in self._services.values()):
            self._working = False
            if self._quitting:
                self.exit()

    def _tell_end(self, view: "JobView") -> None:
        from tui.screens.jobs.messages import title

        self.tick()
        name = title(view)
        if view.state in ("failed", "stopped") and not self._quitting:
            self.job_failed = True
            self.say(f"{name} stopped: {view.reason}", role="label-i")
        elif view.state == "cancelled":
            self.say(f"{name} is cancelled; what is done is kept")
        else:
            self.say(f"{name} is over: {view.reason}")
        self.read_jobs()

    # The database and who else writes to it

    def tick(self) -> None:
        """Look for what is new, and how the job of another program stands that is followed."""
        super().tick()
        followed = self._followed
        if followed is not None and self.board is not None and self.trouble is None:
            job = followed.job
            self.ask("followed", lambda session: session.jobs.view(job), self._follow, _nothing)

    def _follow(self, view: "JobView | None") -> None:
        followed = self._followed
        if followed is None:
            return
        if view is not None and view.state in OPEN:
            followed.take(view)
        else:
            self._followed = self._others = None  # whatever has grown by now was that job's
            if view is not None and view.spec is not None and view.state == "stopped":
                self.start(view.spec, view.max_cost)
            elif view is not None:
                self._tell_end(view)
        self.settle_frame()

    def _look_elsewhere(self) -> None:
        """Look whether another program has a job, where none is told of already."""
        if self._working or self._followed is not None:
            self._elsewhere = None
        elif self.board is not None and self.trouble is None:
            self.ask("elsewhere", lambda session: session.jobs.held(), self._found, _nothing)

    def _found(self, view: "JobView | None") -> None:
        from core.jobs.external_activity import Followed

        before = self._elsewhere
        same = before is not None and view is not None and before.job == view.id
        if not same:
            whose = "another program: "
            self._elsewhere = None if view is None else Followed(view.id, whose=whose)
        if self._elsewhere is not None and view is not None:
            self._elsewhere.take(view)
        if before is not None or view is not None:
            self.settle_frame()

    def open_db_worker(self, path: Path) -> None:
        """Work on another database; the present one is remembered as it is now."""
        self._remember()
        self._stop_indexing()
        self._others = self._elsewhere = None
        if path != self.path:
            self._followed = None
        super().open_db_worker(path)

    def board_changed(self, board: "Snapshot | None", own: bool = True) -> None:
        """Take in a board; the first one with facts puts its database among the recent ones."""
        before = self.board
        super().board_changed(board, own)
        if board is None:
            return
        self._opened = True
        if before is None or before.tally is not board.tally:  # else nothing has been written
            self._watch(board, own)
        if len(board.index) and self._remembered != self.path:
            self._remembered = self.path
            self.call_after_refresh(self._remember)

    # The search index

    @property
    def indexed(self) -> float | None:
        """How much of what is new can be found already, 0 to 1; None where nothing is new."""
        return self._indexer.share if self._indexer is not None else None

    def on_index_told(self) -> None:
        """Let searches take in what can be found now."""
        if self.is_running:
            self.show_index()

    def show_index(self) -> None:
        """Let every screen take in that more can be found than before."""

    def _index(self) -> None:
        if self._indexer is None:
            from core.views.indexer import Indexer

            self._indexer = Indexer(self.path, self._index_told)
        self._indexer.wake()

    def _index_told(self) -> None:
        self.post_message(IndexTold())

    def _stop_indexing(self) -> None:
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            indexer.close(PATIENCE)

    def _watch(self, board: "Snapshot", own: bool) -> None:
        """Notice answers that nobody here has brought, and have new texts indexed."""
        from core.jobs.external_activity import QUIET, ExternalActivity, answers

        if self._others is None:
            self._others = ExternalActivity()
        counted = answers(board.tally)
        if own:
            self._others.pass_over(counted)
        else:
            self._others.take(counted, self._working)
        if board.index.questions is not self._texts or counted != self._answers:
            self._texts, self._answers = board.index.questions, counted
            if len(board.index):
                self.set_timer(INDEX_AFTER, self._index)
        if self._others.progress() is not None:
            if self._silence is not None:
                self._silence.stop()
            self._silence = self.set_timer(QUIET + 1, self.settle_frame)

    def _in_trouble(self, error: LostkeysError) -> None:
        """Say why the database cannot be read; if it never could, end."""
        super()._in_trouble(error)
        self._others = None  # what the file holds afterwards, nobody has brought meanwhile
        if not self._opened:
            self.refused = error
            self.exit(return_code=error.exit_code)

    def _remember(self) -> None:
        from core.settings import recent_files

        if self.board is not None and len(self.board.index):
            recent_files.remember(self.path, len(self.board.index), len(self.board.models))


def _nothing(error: LostkeysError) -> None:
    """What is looked at again and again may fail once."""
