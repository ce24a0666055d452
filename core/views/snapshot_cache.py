"""The snapshots of one open project, with what is kept from one to the next."""

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import db.fact_names
import db.index_columns
import db.option_score_arrays
import db.relations
import db.sampling_runs
from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask
from core.modes import is_arm
from core.project import OpenProject
from core.results.disagreements import (
    UnlikeLabels,
    find_unlike_labels,
    join_unlike,
    places_of,
    read_common,
    weigh,
)
from core.scoring.label_counts import LabelCounts, no_counts, no_facts
from core.scoring.latent_verdicts import LatentMarks, read_latent_marks
from core.scoring.policy import Policy
from core.scoring.precedence import ranked_before
from core.scoring.question_states import CountCodes
from core.scoring.verdicts import Verdicts, code_cells, code_places, judge
from core.views.default_lens import fit_lens, graders
from core.views.lens import Lens
from core.views.snapshot import AT_STAKE, DIFFER, Heading, Snapshot, Stakes
from core.views.sort_keys import SortKeys
from db.index_columns import compute_digest
from db.label_grids import GridChanges

# Where two graders differ on a fact, and which single answers would change its verdict.


def find_unlike(project: OpenProject, lens: Lens, tally: LabelCounts) -> UnlikeLabels:
    """Answers of the lens's model that A and B label differently, under any threshold.

    Answers that somebody has labelled who stands before A in the list are left out: what B says
    changes nothing there. So are those of rejected facts.
    """
    if lens.model is None or lens.a is None or lens.b is None:
        return join_unlike(())
    a, b = project.ranks_of(lens.compared[:2])
    before = project.ranks_of(ranked_before(lens.ranked, lens.a))
    places = places_of(project, ~project.index.rejected)
    model = tally.models.index(lens.model)
    parts = []
    for thinking in (False, True):
        common = read_common(project, a, b, lens.model, thinking, before)
        if common is not None:
            parts.append(find_unlike_labels(common, places, tally, model, thinking))
    return join_unlike(parts)


def find_differences(
    found: UnlikeLabels, lens: Lens, tally: LabelCounts, cells: CountCodes
) -> tuple[npt.NDArray[np.uint8], Stakes]:
    """AGREE, DIFFER or AT_STAKE for every fact, and the answers at stake, by fact.

    `found` is of `find_unlike`, `tally` counts the labels of this lens, `cells` are its codes.
    Nothing is at stake where A's labels do not count.
    """
    differs = np.zeros(tally.labels.shape[-1], np.uint8)
    differs[found.fact] = DIFFER
    if lens.a not in lens.ranked or not found.fact.size:
        return differs, Stakes.none()
    weighed = weigh(found, tally, cells, lens.policy)
    now, after = _codes(weighed.before), _codes(weighed.after)
    changed = np.flatnonzero(now != after)
    at_stake = weighed.moved[changed]
    differs[found.fact[at_stake]] = AT_STAKE
    by_fact = np.lexsort((found.sample[at_stake], found.thinking[at_stake], found.fact[at_stake]))
    which = at_stake[by_fact]
    return differs, Stakes(
        found.fact[which],
        found.task[which],
        found.thinking[which],
        found.sample[which],
        after[changed][by_fact],
    )


def _codes(verdicts: Verdicts) -> npt.NDArray[np.uint8]:
    return code_places(verdicts.verdict[:, 0], verdicts.encodes[:, 0], verdicts.knows[:, 0])


DESCRIBING = (
    "fact",
    "model",
    "setting",
    "grader",
    "recipe",
    "triple_set",
    "relation",
    "triple",
    "preparation",
    "prepared_triple",
    "arm",
    "exemplar",
    "model_trait",
    "input_form",
)
"""Tables of which something is kept from one snapshot to the next, and no change number tells."""

REST = 10
"""How many times as long as looking took is waited before the next look."""

KEPT = 4
"""Tallies kept for graders chosen before; one takes megabytes, counting takes milliseconds."""


@dataclass(slots=True)
class _KeptCounts:
    """A tally with its codes, the questions in it, and what has been written to since."""

    tally: LabelCounts
    profiled: LabelCounts
    """The tally of the models without arms."""
    cells: CountCodes
    questions: npt.NDArray[np.int64]
    touched: GridChanges = field(default_factory=GridChanges)
    unlike: tuple[object, UnlikeLabels] | None = None
    """What no threshold changes, with what it was found for: answers that A and B label unlike."""
    unsettled: tuple[object, Mask] | None = None
    """The same of facts that lack labels or answers."""


class _SideRecords(NamedTuple):
    """What is read beside counts: it changes rarely and is small."""

    noted: tuple[int, ...]
    runs: tuple[db.sampling_runs.Run, ...]
    curtailed: tuple[db.sampling_runs.Run, ...]
    reviews: tuple[int, ...]
    scores: int
    """Another number as soon as scores have come."""
    relations: bool


@dataclass(slots=True)
class FollowedChanges:
    """What has been written since its reader cleared it: to these questions (ids), or to any."""

    questions: set[int] = field(default_factory=set)
    every: bool = False

    def clear(self) -> None:
        """All of it has been taken in."""
        self.questions.clear()
        self.every = False


class SnapshotCache:
    """Makes snapshots; counts what has been written to since, and nothing twice."""

    def __init__(self, project: OpenProject) -> None:
        self._project = project
        self._counted: dict[tuple[str, ...], _KeptCounts] = {}
        self._index: FactIndex | None = None
        self._headings: list[Heading] = []
        self.keys = SortKeys(no_facts(), self._headings)
        """By what facts are sorted into kinds, as of what was counted last."""
        self._edited: Mask = np.zeros(0, np.bool_)
        self._beside = self._read_beside()
        self._latent: tuple[tuple[str | None, int, object], LatentMarks] | None = None
        self._followed: list[FollowedChanges] = []
        self._digest: int | None = None
        self._look_after = 0.0
        self.has_looked = True
        """Whether `catch_descriptions` has looked when it was last asked."""

    def follow(self) -> FollowedChanges:
        """What will be written from now on, kept up to date by `catch_up`."""
        self._followed.append(FollowedChanges())
        return self._followed[-1]

    def start_lens(self) -> Lens:
        """The lens that the project suggests."""
        return fit_lens(self._project, Lens())

    def snapshot(self, lens: Lens, alone: bool = False) -> Snapshot:
        """The snapshot of a lens, or of the nearest one that the project can show (`fit_lens`).

        With `alone` it may be of the lens's model: no labels of the others are read for it.
        """
        project = self._project
        self._read_facts()
        if alone and project.counted is None:
            project.open_grids()
            lens = fit_lens(project, lens)
            if len(project.models(arms=True)) > 1:
                return self._make_snapshot(lens, self._count_model(lens), whole=False)
        project.grids.read_stored()
        lens = fit_lens(project, lens)
        return self._make_snapshot(lens, self._count(lens.ranked), whole=True)

    def _make_snapshot(self, lens: Lens, counted: _KeptCounts, whole: bool) -> Snapshot:
        project, tally = self._project, counted.tally
        unlike = self._find_unlike(lens, counted)
        differs, stakes = find_differences(unlike, lens, tally, counted.cells)
        return Snapshot(
            lens=lens,
            index=project.index,
            headings=self._headings,
            models=tuple(counted.profiled.models),
            arms=tuple(tally.models[len(counted.profiled.models) :]),
            graders=graders(project),
            tally=tally,
            profiled=counted.profiled,
            verdicts=judge(
                counted.cells, tally.thinks(), lens.policy, tally.find_skipping(lens.policy)
            ),
            differs=differs,
            provisional=self._find_provisional(lens, counted),
            edited=self._edited,
            noted=np.isin(project.index.ids, self._beside.noted),
            stakes=stakes,
            latent=self._read_latent(lens.model),
            has_relations=self._beside.relations,
            counted=project.counted,
            whole=whole,
        )

    def counts(self, graders: tuple[str, ...]) -> tuple[LabelCounts, CountCodes]:
        """Label counts of all models, not of arms, under graders as ranked, and their codes."""
        self._read_facts()
        counted = self._count(graders)
        models = len(counted.profiled.models)
        cells = counted.cells._replace(codes=counted.cells.codes[:, :models])
        return counted.profiled, counted.cells if counted.profiled is counted.tally else cells

    def find_unsettled(self, tally: LabelCounts) -> Mask:
        """Where labels or answers are still to come, shape (models, facts)."""
        runs, models = self._beside.runs, range(len(tally.models))
        found = [self._project.find_unsettled(tally, place, runs) for place in models]
        return np.array(found, np.bool_).reshape(len(found), len(self._project.index))

    def catch_up(self) -> bool:
        """Take in what has been written since; gives whether snapshots would be others."""
        try:
            changes = self._project.catch_up()
            beside = self._read_beside()
        except BaseException:  # what was touched is not known any more
            self._counted.clear()
            for one in self._followed:
                one.every = True
            raise
        for one in self._followed:
            one.questions |= changes.touched.questions
        for counted in self._counted.values():
            counted.touched.add(changes.touched)
        if beside.curtailed != self._beside.curtailed:
            self._counted.clear()
        changed = bool(changes) or beside != self._beside
        self._beside = beside
        return changed

    def catch_descriptions(self) -> bool:
        """Read facts anew if a row that describes them, or models, is another.

        Nothing in the file tells that, so all such rows are looked at: not before ten times as
        long has passed as that takes, so `has_looked` may stay False. Gives whether they were
        read.
        """
        started = monotonic()
        self.has_looked = started >= self._look_after
        if not self.has_looked:
            return False
        before, self._digest = self._digest, compute_digest(self._project.connection, DESCRIBING)
        self._look_after = monotonic() + REST * (monotonic() - started)
        if before == self._digest:
            return False
        self._project.reread()
        return True

    def look_first(self) -> None:
        """Note how facts are described, unless that is known."""
        if self._digest is None:
            self._digest = compute_digest(self._project.connection, DESCRIBING)

    def _read_facts(self) -> None:
        """Read what lists show, again only if facts, questions or golds have come."""
        index, before = self._project.index, self._index
        if before is None or index.questions is not before.questions:
            connection = self._project.connection
            headings = [
                Heading(title.replace("_", " ") or subject, subject, object_)
                for title, subject, object_ in db.fact_names.headings(connection)
            ]
            if before is None or before.ids is not index.ids:
                self._counted.clear()
            described = before is None or before.categories is not index.categories
            if described or headings != self._headings:
                self._headings, self.keys = headings, SortKeys(index, headings)
            self._edited = np.isin(index.ids, db.index_columns.find_edited(connection))
        self._index = index

    def _read_beside(self) -> _SideRecords:
        connection = self._project.connection
        runs = db.sampling_runs.find_unfinished(connection)
        curtailed = db.sampling_runs.find_curtailed(connection)
        noted = db.index_columns.find_noted(connection)
        reviews = db.index_columns.read_review_stamp(connection)
        scores = db.option_score_arrays.last_change(connection)
        relations = db.relations.has_relations(connection)
        return _SideRecords(tuple(noted), tuple(runs), tuple(curtailed), reviews, scores, relations)

    def _read_latent(self, model: str | None) -> LatentMarks:
        """What scores say of every fact for a model (None: all), read once for all lenses."""
        ids = self._project.index.ids
        wanted = (model, self._beside.scores, ids)
        before = self._latent
        if before is None or before[0][:2] != wanted[:2] or before[0][2] is not ids:
            connection = self._project.connection
            (marks,) = read_latent_marks(connection, None if model is None else [model], ids)
            self._latent = before = wanted, marks
        return before[1]

    def _count(self, graders: tuple[str, ...]) -> _KeptCounts:
        """The counts under graders as ranked, brought up to date."""
        project = self._project
        questions = project.index.questions
        counted = self._counted.pop(graders, None)
        if counted is None or counted.touched or counted.questions is not questions:
            ranks = project.ranks(Policy(graders=graders))
            models = project.models(arms=True)
            if counted is None:
                tally = project.tally(ranks, models)
            else:
                renewed = (questions != counted.questions).any(axis=1)
                touched = (
                    {*project.setting_ids().values()} if renewed.any() else counted.touched.settings
                )
                facts = np.isin(questions, list(counted.touched.questions)).any(axis=1) | renewed
                tally = project.tally(ranks, models, counted.tally, touched, facts)
            profiled = tally.select_first(len(project.models()))
            counted = _KeptCounts(tally, profiled, code_cells(tally), questions)
        self._counted[graders] = counted
        while len(self._counted) > KEPT:
            del self._counted[next(iter(self._counted))]
        return counted

    def _count_model(self, lens: Lens) -> _KeptCounts:
        """The counts of the lens's model alone; they are not kept."""
        project = self._project
        tally = project.tally(
            project.ranks(Policy(graders=lens.ranked)), [] if lens.model is None else [lens.model]
        )
        profiled = tally.select_first(sum(not is_arm(name) for name in tally.models))
        return _KeptCounts(tally, profiled, code_cells(tally), project.index.questions)

    def _find_unlike(self, lens: Lens, counted: _KeptCounts) -> UnlikeLabels:
        """Answers that A and B label unlike, found once for all thresholds."""
        rejected = self._project.index.rejected.tobytes()
        wanted = (lens.model, lens.compared[:2], ranked_before(lens.ranked, lens.a), rejected)
        if counted.unlike is None or counted.unlike[0] != wanted:
            counted.unlike = wanted, find_unlike(self._project, lens, counted.tally)
        return counted.unlike[1]

    def _find_provisional(self, lens: Lens, counted: _KeptCounts) -> Mask:
        """Facts that lack labels or answers, found once for all thresholds."""
        if lens.model is None:
            return np.zeros(len(self._project.index), np.bool_)
        wanted = (lens.model, self._beside.runs)
        if counted.unsettled is None or counted.unsettled[0] != wanted:
            place = counted.tally.models.index(lens.model)
            found = self._project.find_unsettled(counted.tally, place, self._beside.runs)
            counted.unsettled = wanted, found
        return counted.unsettled[1]


def empty_snapshot(lens: Lens) -> Snapshot:
    """The snapshot of a project that is not there, or has no facts yet."""
    tally, unmarked = no_counts(), np.zeros(0, np.bool_)
    return Snapshot(
        lens=replace(lens, model=None, compared=()),
        index=no_facts(),
        headings=[],
        models=(),
        arms=(),
        graders=(),
        tally=tally,
        profiled=tally,
        verdicts=judge(code_cells(tally), tally.thinks(), lens.policy),
        differs=np.zeros(0, np.uint8),
        provisional=unmarked,
        edited=unmarked,
        noted=unmarked,
    )
