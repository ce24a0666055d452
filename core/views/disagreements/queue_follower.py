"""A queue's marks carried forward: what a decision leaves as it is is not looked up again."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.project import Project
from core.views.disagreements.disagreement_queue import (
    DisagreementColumns,
    DisagreementQueue,
    mark_questions,
    mark_queue,
)
from core.views.disagreements.latest_labels import own_planes, planes_of_others
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache


@dataclass(frozen=True, slots=True, eq=False)
class _Basis:
    """What marks of a queue follow from, labels of single questions apart."""

    columns: DisagreementColumns
    questions: npt.NDArray[np.int64]
    rejected: Mask
    planes: tuple[object, ...]
    """Those of the two graders, of oneself and of each other person."""

    def holds_for(self, other: "_Basis") -> bool:
        """Whether marks made on this basis stand on the other."""
        return (
            self.columns is other.columns
            and self.questions is other.questions
            and self.planes == other.planes
            and np.array_equal(self.rejected, other.rejected)
        )


class QueueFollower:
    """Marks the queue that is open; of the same one only where something has been written since."""

    def __init__(self, project: Project, snapshots: SnapshotCache) -> None:
        self._project = project
        self._changes = snapshots.follow()
        self._known: tuple[_Basis, DisagreementQueue] | None = None

    def mark(
        self, snapshot: Snapshot, opened: DisagreementQueue, name: str | None
    ) -> DisagreementQueue:
        """A queue with people's decisions and the fate of its questions as they are now."""
        basis, known = self._read_basis(snapshot, opened, name), self._known
        changes = self._changes
        if known is None or changes.every or not known[0].holds_for(basis):
            found = mark_queue(self._project, snapshot, opened, name)
        elif changes.questions:
            found = mark_questions(self._project, snapshot, known[1], changes.questions, name)
        else:
            found = known[1]
        self._known = basis, found
        changes.clear()
        return found

    def _read_basis(
        self, snapshot: Snapshot, opened: DisagreementQueue, name: str | None
    ) -> _Basis:
        project, lens = self._project, opened.lens
        graders = tuple(
            project.ranks_of((grader,))[0].planes for grader in (lens.a, lens.b) if grader
        )
        people = tuple(planes_of_others(project, name).items())
        planes = (graders, own_planes(project, name), people)
        return _Basis(opened.columns, snapshot.index.questions, snapshot.index.rejected, planes)
