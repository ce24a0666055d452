"""Two graders' labels of all answers compared, and every disagreement weighed."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

import db.sampling_runs
from core.dataset.subsets import Mask
from core.project import OpenProject
from core.results.crossed_labels import CrossedLabels, cross_setting, join_settings
from core.results.disagreements import (
    UnlikeLabels,
    distances,
    find_unlike_labels,
    join_unlike,
    places_of,
    read_common,
    weigh,
)
from core.scoring.precedence import PEOPLE, Rank
from core.scoring.question_states import grades
from core.scoring.verdicts import code_cells, code_places
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.lens import Lens
from core.views.snapshot import Snapshot
from core.views.snapshot_cache import SnapshotCache
from core.vocabulary import TASKS
from db.label_grids import DRAWN
from db.sampling_runs import Run

Codes = npt.NDArray[np.uint8]
Grades = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CrossedGraders:
    """Labels of two graders, counted, and the answers that they label differently.

    `category` has the place of each fact's category in `categories`.
    """

    labels: CrossedLabels
    found: UnlikeLabels
    categories: tuple[str, ...]
    category: npt.NDArray[np.intp]

    def filter_labels(self, among: DisagreementFilter, models: tuple[str, ...]) -> CrossedLabels:
        """The labels of the answers looked at; a cell is not minded."""
        return self.labels.filter(self._takes(self.labels, among, models))

    def mask_disagreements(self, among: DisagreementFilter, models: tuple[str, ...]) -> Mask:
        """Which disagreements are looked at; a cell is not minded."""
        return self._takes(self.found, among, models)

    def _takes(
        self, rows: CrossedLabels | UnlikeLabels, among: DisagreementFilter, models: tuple[str, ...]
    ) -> Mask:
        keep: Mask = np.isin(rows.thinking, among.thinking.settings)
        keep &= np.array([among.takes(task) for task in TASKS])[rows.task]
        if among.model is not None:
            keep &= np.array([model == among.model for model in models], np.bool_)[rows.model]
        if among.category is not None:
            wanted = np.array([one == among.category for one in self.categories], np.bool_)
            keep &= wanted[self.category[rows.fact]]
        return keep


@dataclass(frozen=True, slots=True)
class GraderComparison:
    """Crossed labels under a lens, with what each disagreement would change.

    `snapshot` is that of A's labels alone. Columns are by disagreement: whether B's label alone
    changes the state of the question (`state`) and the verdict on the fact (`profile`), codes of
    the fact and grades of the question before and after, and `flips` (see `Queue`).
    """

    snapshot: Snapshot
    crossed: CrossedGraders
    state: Mask
    profile: Mask
    before: Codes
    after: Codes
    g: Grades
    g_after: Grades
    flips: npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _State:
    """What of a project comparisons of programs and of some people follow from."""

    seq: int
    stamp: int
    questions: npt.NDArray[np.int64]
    rejected: Mask
    curtailed: tuple[Run, ...]

    def equals(self, other: "_State") -> bool:
        """Whether nothing has changed that matters."""
        return (
            self.stamp == other.stamp
            and self.questions is other.questions
            and self.curtailed == other.curtailed
            and np.array_equal(self.rejected, other.rejected)
        )


class Comparer:
    """Compares the graders of a lens; what has not changed is not counted or weighed again.

    Labels that people set change nothing where neither grader is a person, so that decisions
    leave all of it as it is.
    """

    def __init__(self, project: OpenProject, snapshots: SnapshotCache) -> None:
        self._project = project
        self._snapshots = snapshots
        self._state: _State | None = None
        self._crossed: dict[tuple[str, str], CrossedGraders] = {}
        self._compared: dict[Lens, GraderComparison] = {}

    def compare_graders(self, lens: Lens) -> GraderComparison | None:
        """Everything about the lens's graders, all models together; None if one is missing."""
        if lens.a is None or lens.b is None:
            return None
        state = self._read_state(lens.a, lens.b)
        if self._state is None or not state.equals(self._state):
            self._crossed.clear()
            self._compared.clear()
        self._state = state
        key = Lens(policy=lens.policy).with_graders((lens.a,), lens.compared[:2])
        if key not in self._compared:
            found = self._compare(key, lens.a, lens.b)
            self._compared = {key: found}
        return self._compared[key]

    def _compare(self, lens: Lens, a: str, b: str) -> GraderComparison:
        snapshot = self._snapshots.snapshot(lens)
        if (a, b) not in self._crossed:
            rank_a, rank_b = self._project.ranks_of((a, b))
            self._crossed = {(a, b): _cross(self._project, snapshot, rank_a, rank_b)}
        return _weigh_disagreements(snapshot, self._crossed[a, b])

    def _read_state(self, a: str, b: str) -> _State:
        project, before = self._project, self._state
        index = project.index
        curtailed = tuple(db.sampling_runs.find_curtailed(project.connection))
        seq = project.grids.seq
        same = before is not None and before.seq == seq and (a, b) in self._crossed
        stamp = before.stamp if before and same else self._stamp(a, b)
        return _State(seq, stamp, index.questions, index.rejected, curtailed)

    def _stamp(self, a: str, b: str) -> int:
        """A number that is another when any answer is, or any label that matters."""
        grids = self._project.grids
        versions = self._project.graders()
        named = {name.partition("#")[0] for name in (a, b)}
        if PEOPLE in named:
            return grids.seq
        planes = [one.plane for one in versions if not one.is_person or one.name in named]
        stamp = crc32(repr((a, b)).encode())
        for plane in (DRAWN, *planes):
            for setting in sorted(grids.planes.get(plane, {})):
                cells = grids.cells(plane, setting)
                if cells is not None:
                    stamp = crc32(np.ascontiguousarray(cells).data, stamp)
        return stamp


def _cross(project: OpenProject, snapshot: Snapshot, a: Rank, b: Rank) -> CrossedGraders:
    index, models = snapshot.index, snapshot.answerers
    places = places_of(project, ~index.rejected)
    categories, category = np.unique(np.array(index.categories, object), return_inverse=True)
    labels: list[CrossedLabels] = []
    parts: list[UnlikeLabels] = []
    for place, model in enumerate(models):
        for thinking in (False, True):
            common = read_common(project, a, b, model, thinking)
            if common is not None:
                labels.append(cross_setting(common, places, place, thinking))
                parts.append(find_unlike_labels(common, places, snapshot.tally, place, thinking))
    return CrossedGraders(
        join_settings(labels), join_unlike(parts), tuple(categories.tolist()), category
    )


def _weigh_disagreements(snapshot: Snapshot, crossed: CrossedGraders) -> GraderComparison:
    found, tally, policy = crossed.found, snapshot.tally, snapshot.lens.policy
    weighed = weigh(found, tally, code_cells(tally), policy)
    moved, after_all = weighed.moved, weighed.after
    profile = np.zeros(found.row.size, np.bool_)
    profile[moved] = weighed.before.verdict[:, 0] != after_all.verdict[:, 0]
    here = found.model, found.fact
    verdicts = snapshot.verdicts
    before = code_places(verdicts.verdict[here], verdicts.encodes[here], verdicts.knows[here])
    after = before.copy()
    after[moved] = code_places(
        after_all.verdict[:, 0], after_all.encodes[:, 0], after_all.knows[:, 0]
    )
    counts = tally.labels[found.row, :, found.task, found.fact].T.astype(np.int64)
    g = grades(counts, policy)
    each = np.arange(found.row.size)
    counts[found.a, each] -= 1
    counts[found.b, each] += 1
    return GraderComparison(
        snapshot,
        crossed,
        weighed.state,
        profile,
        before,
        after,
        g,
        grades(counts, policy),
        distances(found, tally, policy),
    )
