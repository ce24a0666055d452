"""The jobs of a session's file: what they are, what they say, and answers to be set aside."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from core.project import OpenProject
from core.views.user_errors import tell_user_errors
from core.vocabulary import Task
from db.connection import write_transaction

if TYPE_CHECKING:
    from core.engine.lease_liveness import Liveness
    from core.jobs.job_list import ErrorGroup, JobTrouble
    from core.jobs.job_view import JobView, LogLine
    from core.jobs.stage_losses import LostUnit
    from core.views.session_protocols import OpenSession
    from core.views.snapshot import Snapshot


class JobReader:
    """Jobs as they are filed in the database of a session; without a database there are none."""

    def __init__(self, session: "OpenSession") -> None:
        self._session = session
        self._liveness: Liveness | None = None
        self._lost: set[int] = set()
        """Jobs whose log is known to say that their program is gone."""

    @property
    def path(self) -> Path:
        """The database."""
        return self._session.path

    def forget(self) -> None:
        """Forget whose programs ran: the file is closed."""
        self._liveness = None
        self._lost.clear()

    @tell_user_errors
    def list_jobs(self) -> "list[JobView]":
        """The jobs of the file, newest first; those whose program is gone from the second look."""
        if not self._session.is_open:
            return []
        from core.engine.lease_liveness import Liveness
        from core.jobs.job_list import list_jobs, note_loss

        self._session.check_file()
        self._liveness = self._liveness or Liveness()
        views = list_jobs(self._session.project, self._liveness)
        lost = {view.id for view in views if view.lost} - self._lost

        def write_log(project: OpenProject) -> None:
            with write_transaction(project.connection):
                for job in lost:
                    note_loss(project.connection, job)

        if lost:
            with suppress(sqlite3.Error):  # locked, or read only: it is shown all the same
                self._session.write(write_log, looks=False)
            self._lost |= lost
        return views

    @tell_user_errors
    def find_running(self) -> "JobView | None":
        """The job that a program works on, from the second look; None where none does."""
        if not self._session.is_open:
            return None
        from db import leases

        self._session.check_file()
        if not leases.beats(self._session.project.connection):  # nobody works on any job
            self._liveness = None
            return None
        from core.engine.lease_liveness import Liveness
        from core.jobs.job_list import find_running

        self._liveness = self._liveness or Liveness()
        return find_running(self._session.project, self._liveness)

    def view(self, job: int) -> "JobView | None":
        """One of them."""
        return next((one for one in self.list_jobs() if one.id == job), None)

    @tell_user_errors
    def log(self, job: int, after: int = 0) -> "list[LogLine]":
        """The log of a job, from behind the line with the id `after`."""
        if not self._session.is_open:
            return []
        from core.jobs.job_list import read_log

        return read_log(self._session.project, job, after)

    @tell_user_errors
    def errors(self, job: int) -> "list[ErrorGroup]":
        """What a job's model has not answered, grouped by reason."""
        from core.jobs.job_list import errors

        return errors(self._session.project, job)

    @tell_user_errors
    def trouble(self, view: "JobView") -> "JobTrouble":
        """What went wrong in a job so far, and by which names its model was served."""
        from core.jobs.job_list import trouble

        return trouble(self._session.project, view)

    @tell_user_errors
    def add_reasons(self, view: "JobView", before: "JobView | None") -> "JobView":
        """A build with why its stages lost units; `before` is the view as it was told last."""
        if view.kind != "build":
            return view
        from core.jobs.stage_losses import with_reasons

        return with_reasons(self._session.project.connection, view, before)

    @tell_user_errors
    def list_losses(self, job: int, stage: str) -> "list[LostUnit]":
        """The units that a build's stage has dropped or failed with, and why."""
        from core.jobs.stage_losses import list_losses

        return list_losses(self._session.project.connection, stage, job)

    @tell_user_errors
    def discardable(self, label: str, thinking: Sequence[bool], tasks: Sequence[Task]) -> int:
        """How many answers `discard` would set aside."""
        from core.curation.response_discards import slots_of

        return len(slots_of(self._session.project, label, thinking, tasks))

    def discard(
        self, label: str, thinking: Sequence[bool], tasks: Sequence[Task], reason: str
    ) -> "tuple[int, Snapshot]":
        """Set answers of a model aside, so that they are asked for again; gives how many."""
        from core.curation.response_discards import discard, slots_of

        def work(project: OpenProject) -> int:
            project.refresh()
            slots = slots_of(project, label, thinking, tasks)
            discard(project, slots, reason)
            return len(slots)

        return self._session.write(work)
