"""A session as those see it that work for it: its file, its snapshot, and how it writes."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import db.project_values
from core.project import OpenProject
from core.stats.intervals import ShareEstimate
from core.views.snapshot import Snapshot
from db.connection import write_transaction

T = TypeVar("T")


class GraderAudits(Protocol):
    """What audits say of a grader."""

    def wrong_rate(self, grader: str) -> ShareEstimate | None:
        """How often it is wrong; None without an audit of it alone."""


class SnapshotSource(Protocol):
    """An open session, as far as a screen's reader needs it."""

    @property
    def path(self) -> Path:
        """The database."""

    @property
    def is_open(self) -> bool:
        """Whether there is a project, open for reading."""

    @property
    def project(self) -> OpenProject:
        """The project, open for reading. Raises `LostkeysError` where there is none."""

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot given last."""


class OpenSession(SnapshotSource, Protocol):
    """What job reader, disagreement service and review service need of `Session`."""

    @property
    def name(self) -> str | None:
        """Whose labels are written; None until it is known."""

    @property
    def audits(self) -> GraderAudits:
        """What audits say of graders. Raises as `project` does."""

    def check_file(self) -> None:
        """Refuse to go on with a file that is not at the path any more."""

    def require_name(self) -> str:
        """Whose labels are written. Raises `UsageError` while nobody is named."""

    def write(self, work: Callable[[OpenProject], T], looks: bool = True) -> tuple[T, Snapshot]:
        """Let `work` write to the file; gives what it gives, and the snapshot after it.

        Unless it `looks` the snapshot is that before it.
        """


def identify_file(project: OpenProject) -> None:
    """Give a file of an earlier version its random id as soon as anything is written to it."""
    if db.project_values.value(project.connection, db.project_values.IDENTITY) is None:
        with write_transaction(project.connection):
            db.project_values.identify(project.connection)
