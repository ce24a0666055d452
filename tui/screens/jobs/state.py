"""What the Jobs screen knows: the jobs in their order, which one is meant, what was read last."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from core.errors import LostkeysError
from core.jobs.job_view import JobView
from tui.screens.jobs.render_list import merge_jobs, order_jobs

if TYPE_CHECKING:
    from core.jobs.job_list import JobTrouble


@dataclass(frozen=True, slots=True)
class JobsPosition:
    """Where a person is on the Jobs screen: a job, one of its stages, the choice of its log.

    `pane` is the id of the view with the focus; `inside`: the card alone is seen.
    """

    job: int | None = None
    stage: str | None = None
    pane: str = "stages-view"
    inside: bool = False
    log: str = ""
    height: int = 0


@dataclass(slots=True)
class JobsState:
    """The jobs as they are shown, and the one that is meant (its id)."""

    views: list[JobView] = field(default_factory=list)
    job: int | None = None
    stored: Sequence[JobView] = ()
    complete: bool = False
    load_error: LostkeysError | None = None
    trouble: "tuple[int, JobTrouble] | None" = None
    """What went wrong in a job (its id)."""
    sought: JobsPosition | None = None
    """Where to go once the file's jobs are known."""

    @property
    def chosen(self) -> JobView | None:
        """The job that is meant."""
        return next((one for one in self.views if one.id == self.job), None)

    @property
    def known_trouble(self) -> "JobTrouble | None":
        """What went wrong in the job that is meant; None until it is read."""
        return self.trouble[1] if self.trouble and self.trouble[0] == self.job else None

    def clear(self) -> None:
        """No jobs: another database is opened."""
        fresh = JobsState()
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def take(self, here: Sequence[JobView], fresh: bool = False) -> None:
        """Take in what this program works on; `fresh`: in a new order."""
        before = [] if fresh else [one.id for one in self.views]
        self.views = order_jobs(merge_jobs(self.stored, here), before)
        if self.chosen is None:
            self.job = self.views[0].id if self.views else None
