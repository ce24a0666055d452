"""What the app does with jobs: starts them, says how they end, stops them before it quits."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.timer import Timer

from core.errors import LostkeysError
from tui.looking import LookingApp

if TYPE_CHECKING:
    from core.audit.board import Board
    from core.audit.indexer import Indexer
    from core.jobs import Job, Jobs, Progress
    from core.jobs.others import Others

PATIENCE = 3.0
"""Seconds that a job gets to stop before the program ends without it."""

INDEX_AFTER = 0.5
"""Seconds from a new board to indexing it: what is on screen comes first."""


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

    def __init__(self, path: Path, job: "Job | None" = None) -> None:
        super().__init__(path)
        self._first_job = job
        self._jobs: Jobs | None = None
        self._working = False
        self._quitting = False
        self._remembered: Path | None = None
        self._others: Others | None = None
        self._silence: Timer | None = None
        self._opened = False
        self._indexer: Indexer | None = None
        self._texts: object = None
        self._answers: Mapping[str, int] = {}
        self.refused: LostkeysError | None = None
        """Why the program ended at once: the database it was started on cannot be opened."""

    @property
    def jobs(self) -> "Jobs":
        """The job service; jobs go on whatever screen is seen."""
        if self._jobs is None:
            from core.jobs import Jobs

            self._jobs = Jobs(lambda: self.post_message(JobTold()))
        return self._jobs

    @property
    def working(self) -> bool:
        """Whether a job runs here, or is about to."""
        return self._working or self._first_job is not None

    @property
    def progress(self) -> "Progress | None":
        """The job that runs here, else another program's, else the last one if it failed."""
        here = self._jobs.progress() if self._jobs is not None else None
        if here is not None and here.state == "running":
            return here
        others = self._others.progress() if self._others is not None else None
        return others or (here if here is not None and here.state == "failed" else None)

    def on_mount(self) -> None:
        """Begin the job that the program was started with, once there is something to see."""
        if self._first_job is not None:
            self.call_after_refresh(self.start_job, self._first_job)

    def on_unmount(self) -> None:
        """Leave nothing running, and the database among the recent ones."""
        self._stop_indexing()
        if self._jobs is not None:
            self._jobs.close(PATIENCE)
        self._remember()

    def start_job(self, job: "Job") -> None:
        """Begin a job, unless one is running."""
        self._first_job = None
        try:
            self.jobs.start(job)
        except LostkeysError as error:
            self.fail(error)
            return
        self._working = True
        self.settle_frame()

    def fail(self, error: LostkeysError) -> None:
        """Show what went wrong until it has been seen."""
        self.report(error)

    async def action_quit(self) -> None:
        """Quit; a running job is stopped first, at the second time not waited for."""
        if self._quitting or not self._working:
            self.exit()
            return
        self._quitting = True
        self.jobs.cancel()
        self.say("stopping the job; what is done is kept", PATIENCE)
        self.set_timer(PATIENCE, self.exit)

    def on_job_told(self) -> None:
        """Show how far the job is; at its end, say what it came to."""
        self.settle_frame()
        if not self._working or self.jobs.running:
            return
        self._working = False
        progress = self.jobs.progress()
        if self._quitting:
            self.exit()
        elif progress is not None:
            self._ended(progress)

    def _ended(self, progress: "Progress") -> None:
        self.tick()
        title = f"{progress.doing} {progress.name}"
        if progress.state == "failed":
            self.fail(LostkeysError(f"{title} stopped: {progress.reason}"))
        else:
            self.say(f"{title} is over: {progress.reason}")

    # The database and who else writes to it

    def open_desk(self, path: Path) -> None:
        """Work on another database; the present one is remembered as it is now."""
        self._remember()
        self._stop_indexing()
        self._others = None
        super().open_desk(path)

    def board_changed(self, board: "Board | None") -> None:
        """Take in a board; the first one with facts puts its database among the recent ones."""
        before = self.board
        super().board_changed(board)
        if board is None:
            return
        self._opened = True
        if before is None or before.tally is not board.tally:  # else nothing has been written
            self._watch(board)
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
            from core.audit.indexer import Indexer

            self._indexer = Indexer(self.path, self._index_told)
        self._indexer.wake()

    def _index_told(self) -> None:
        self.post_message(IndexTold())

    def _stop_indexing(self) -> None:
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            indexer.close(PATIENCE)

    def _watch(self, board: "Board") -> None:
        """Notice answers that no job here has brought, and have new texts indexed."""
        from core.jobs.others import QUIET, Others, answers

        if self._others is None:
            self._others = Others()
        counted = answers(board.tally)
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
        from core import recent

        if self.board is not None and len(self.board.index):
            recent.remember(self.path, len(self.board.index), len(self.board.models))
