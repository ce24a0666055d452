"""A database while a session has it open: what is made for it when asked for, and its counts."""

from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from core.project import OpenProject
from core.views.snapshot_cache import SnapshotCache

if TYPE_CHECKING:
    from core.views.audits.audit_service import AuditService
    from core.views.disagreements.disagreement_service import DisagreementService
    from core.views.search_result import Finder
    from core.views.session_protocols import OpenSession


@dataclass
class OpenFile:
    """A project that is open for reading. What the first list does not need is not loaded for it.

    `file` is the file's device and number on it, `version` SQLite's of its data, `pending` whether
    something was written that is not in the snapshot yet.
    """

    session: "OpenSession"
    project: OpenProject
    snapshots: SnapshotCache
    file: tuple[int, int]
    version: int
    pending: bool = False
    due: bool = False
    told: float = field(default_factory=monotonic)

    @cached_property
    def finder(self) -> "Finder":
        """What finds facts by text."""
        from core.views.search_result import Finder

        return Finder(self.project)

    @cached_property
    def confusions(self) -> "DisagreementService":
        """What two graders differ on."""
        from core.views.disagreements.disagreement_service import DisagreementService

        return DisagreementService(self.session, self.project, self.snapshots)

    @cached_property
    def audits(self) -> "AuditService":
        """Audits of this file."""
        from core.views.audits.audit_service import AuditService

        return AuditService(self.session, self.project, self.snapshots)


class SessionSummary(NamedTuple):
    """What the status line counts: facts that are not rejected, and one's own labels."""

    facts: int
    own: int
