"""Jobs: started and steered, what they came to, and what becomes of them when the app quits."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from core.errors import LostkeysError

if TYPE_CHECKING:
    from textual.timer import Timer

    from core.jobs.external_activity import ExternalActivity
    from core.jobs.followed_job import FollowedJob
    from core.jobs.job_progress import JobProgress
    from core.jobs.job_service import Jobs
    from core.jobs.job_view import JobView
    from core.specs.job_kinds import Spec
    from tui.app.app import LostkeysApp
    from tui.app.screen_controller import ScreenController
    from tui.dialogs.quit_dialog import Leaving

PATIENCE = 3.0
"""Seconds that a job gets to stop before the program ends without it."""

LOOK_EVERY = 1.0
"""Seconds between two looks for a job of another program."""

OPEN = ("waiting", "running", "paused")
"""States of a job that the status line tells of."""


class JobChanged(Message):
    """A job has begun, counted or ended."""

    def can_replace(self, message: Message) -> bool:
        """Only the newest state matters."""
        return isinstance(message, JobChanged)


class JobController:
    """The job services of the databases that have been open; jobs outlive screens."""

    def __init__(
        self,
        app: "LostkeysApp",
        screens: "ScreenController",
        job: "Spec | None" = None,
        followed: "FollowedJob | None" = None,
    ) -> None:
        """`job` is begun; `followed` is another program's, and gone on with if that leaves it."""
        self._app, self._screens = app, screens
        self._first_job = job
        self._followed = followed
        self._elsewhere: FollowedJob | None = None
        """A job of another program, which it alone works on."""
        self._services: dict[Path, Jobs] = {}
        self._working = False
        self._quitting = False
        self._others: ExternalActivity | None = None
        self._silence: Timer | None = None
        self._ended: set[tuple[Path, int, datetime]] = set()
        self.failed = False
        """Whether a job has failed and the Jobs screen has not been seen since."""
        self.trusted: set[str] = set()
        """Models at an address that came out of a file, which a person lets be asked."""

    @property
    def service(self) -> "Jobs":
        """The job service of the open database; jobs go on whatever screen is seen."""
        path = self._app.path
        if path not in self._services:
            from core.jobs.job_service import Jobs

            self.serve(path, Jobs(path, lambda: self._app.post_message(JobChanged())))
        return self._services[path]

    def serve(self, path: Path, service: "Jobs") -> None:
        """Have the jobs of a database done by a service."""
        self._services[path] = service

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
        return others or (next(failed, None) if self.failed else None)

    @property
    def progress_here(self) -> "JobProgress | None":
        """The job that this program works on, or has worked on, in the open database."""
        jobs = self._services.get(self._app.path)
        return None if jobs is None else jobs.progress()

    def views(self) -> "list[JobView]":
        """The jobs that this program works on, or has worked on, in the open database."""
        jobs = self._services.get(self._app.path)
        return [] if jobs is None else [view for view in jobs.views() if not view.void]

    def find_present_id(self, job: int) -> int:
        """The present id of a job that this program began: it has another until it is stored."""
        return self.service.view(job).id

    def mark_seen(self) -> None:
        """The Jobs screen is seen: what failed is known."""
        self.failed = False
        self._app.refresh_frame()

    def begin(self) -> None:
        """Begin the job that the program was started with."""
        if self._first_job is not None:
            self.start(self._first_job)

    def close(self) -> None:
        """Leave nothing running."""
        self._stop_jobs()
        for jobs in self._services.values():
            jobs.close(PATIENCE)

    # Steering

    def start(self, spec: "Spec", max_cost: float | None = None) -> None:
        """Begin a job, or put it behind those that run."""
        self._first_job = None
        try:
            job = self.service.start(spec, max_cost)
        except LostkeysError as error:
            self._app.fail(error)
            return
        self._working = True
        self._app.refresh_frame()
        self._screens.show_begun(job)

    def pause(self, view: "JobView") -> None:
        """Let a job begin nothing new, whoever works on it."""
        self._steer(lambda: self.service.pause(view.id))

    def resume(self, view: "JobView") -> None:
        """Let a job go on, here if nobody works on it."""
        self._steer(lambda: self.service.resume(view.id))

    def cancel(self, view: "JobView") -> None:
        """Stop a job for good, whoever works on it."""
        self._steer(lambda: self.service.cancel(view.id))

    def retry(self, view: "JobView") -> None:
        """Ask again for what has failed in a job."""
        self._steer(lambda: self.service.retry(view.id))

    def _steer(self, what: Callable[[], object]) -> None:
        self._app.run_worker(self._tell_service(what), group="steering")

    async def _tell_service(self, what: Callable[[], object]) -> None:
        """Tell the service; where another program has the job that waits for the file."""
        try:
            await asyncio.to_thread(what)
        except LostkeysError as error:
            self._app.report(error)
        self._working = any(jobs.running for jobs in self._services.values())
        self._app.refresh_frame()
        self._screens.show_jobs()
        self._screens.read_jobs()

    # Quitting

    def quit(self) -> None:
        """Quit; where a job runs, ask what becomes of it. A second time nothing is waited for."""
        progress = self.progress if self._working else None
        if self._quitting or progress is None:
            self._app.exit()
            return
        from tui.dialogs.quit_dialog import Quit

        if isinstance(self._app.screen, Quit):
            self._app.screen.dismiss("stop")
        else:
            waiting = sum(one.here and one.state == "waiting" for one in self.views())
            self._app.push_screen(Quit(progress, waiting), self._leave)

    def _leave(self, how: "Leaving | None") -> None:
        if how is None:
            return
        if not self._working:  # it has ended while the question stood
            self._app.exit()
            return
        self._quitting = True
        if how == "background":
            self._app.say("leaving the job to the background", 2 * PATIENCE)
            self._app.run_worker(self._to_background(), group="leaving")
        else:
            self._app.say("stopping the job; what is done is kept", PATIENCE)
            self._stop_jobs()
            self._app.set_timer(PATIENCE, self._app.exit)

    def _stop_jobs(self) -> None:
        for jobs in self._services.values():
            jobs.stop()

    async def _to_background(self) -> None:
        """Let other programs go on with all jobs, then end; stay where that cannot be."""
        try:
            for jobs in self._services.values():
                if not await asyncio.to_thread(jobs.leave, PATIENCE):
                    raise LostkeysError("the job does not let go yet: try again in a moment")
        except LostkeysError as error:
            self._quitting = False
            self._app.report(error)
            return
        self._app.exit()

    def tell(self) -> None:
        """Show how far jobs are; of those that have ended, say what they came to."""
        for jobs in self._services.values():
            for view in jobs.views():
                if view.ended is None or (end := (jobs.path, view.id, view.ended)) in self._ended:
                    continue
                self._ended.add(end)
                self._tell_end(view)
        self._app.refresh_frame()
        self._screens.show_jobs()
        if self._working and not any(jobs.running for jobs in self._services.values()):
            self._working = False
            if self._others is not None:
                self._others.end_here()
            if self._quitting:
                self._app.exit()

    def _tell_end(self, view: "JobView") -> None:
        from core.specs.job_kinds import graders_of
        from tui.screens.jobs.sentences import title

        self._app.poll()
        name = title(view)
        if view.state in ("failed", "stopped") and not self._quitting:
            self.failed = True
            reason = self._app.status.shorten_path(view.reason)
            self._app.say(f"{name} stopped: {reason}", role="label-i", everywhere=True)
        elif view.state == "cancelled":
            self._app.say(f"{name} is cancelled; what is done is kept", everywhere=True)
        else:
            self._app.say(f"{name} is over: {view.reason}", everywhere=True)
            self._app.tell_graders(graders_of(view.spec))
        self._screens.read_jobs()

    # Who else writes to the database

    def poll(self) -> None:
        """Look how the job of another program stands that is followed."""
        followed = self._followed
        if followed is not None and self._app.snapshot is not None and self._app.load_error is None:
            job = followed.job
            self._app.ask(
                "followed", lambda session: session.jobs.view(job), self._follow, _ignore_error
            )

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
        self._app.refresh_frame()

    def look_elsewhere(self) -> None:
        """Look whether another program has a job, where none is told of already."""
        if self._working or self._followed is not None:
            self._elsewhere = None
        elif self._app.snapshot is not None and self._app.load_error is None:
            self._app.ask(
                "elsewhere",
                lambda session: session.jobs.find_running(),
                self._follow_found,
                _ignore_error,
            )

    def _follow_found(self, view: "JobView | None") -> None:
        before = self._elsewhere
        if view is None:
            self._elsewhere = None
            if before is not None:
                self._others = None  # whatever has grown by now was that job's
        else:
            from core.jobs.followed_job import FollowedJob

            same = before if before is not None and before.job == view.id else None
            self._elsewhere = same or FollowedJob(view.id, whose="another program: ")
            self._elsewhere.take(view)
        if before is not None or view is not None:
            self._app.refresh_frame()

    def watch(self, answers: Mapping[str, int], own: bool) -> None:
        """Notice answers, counted by model, that nobody here has brought."""
        from core.jobs.external_activity import QUIET, ExternalActivity

        if self._others is None:
            self._others = ExternalActivity()
        if own:
            self._others.pass_over(answers)
        else:
            self._others.take(answers, self._working)
        if self._others.progress() is not None:
            if self._silence is not None:
                self._silence.stop()
            self._silence = self._app.set_timer(QUIET + 1, self._app.refresh_frame)

    def forget_others(self) -> None:
        """What the file holds next, nobody has brought meanwhile."""
        self._others = None

    def turn_to(self, path: Path) -> None:
        """Follow nobody's job of the present database, as another one is opened (or it, anew)."""
        self._others = self._elsewhere = None
        if path != self._app.path:
            self._followed = None


def _ignore_error(error: LostkeysError) -> None:
    """What is looked at again and again may fail once."""
