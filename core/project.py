"""A project: one open database, and the numbers that follow from it, kept up to date."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

import db.connection
import db.fact_names
import db.grades
import db.index_columns
import db.label_grids
import db.model_rows
import db.project_values
import db.sampling_runs
import db.sqlite_errors
from core.dataset.fact_index import FactIndex, read_index, refresh_index, reread_index
from core.dataset.subsets import Mask, select
from core.errors import LostkeysError, UsageError
from core.modes import is_arm
from core.scoring.label_counts import (
    Counts,
    CurtailedDraws,
    LabelCounts,
    Numbers,
    count_drawn,
    count_labels,
    find_columns,
)
from core.scoring.policy import Policy
from core.scoring.precedence import (
    HUMAN_PREFIX,
    GraderVersion,
    Rank,
    append_choice,
    drop_labelled,
    first_of,
    labels_of,
    rank_graders,
    resolve,
    settle_newest,
)
from core.scoring.verdicts import CELLS, Verdicts, code_cells, code_places, judge
from core.vocabulary import LABELS, TASK_INDEX, TASKS
from db import draft_files
from db.connection import Mode
from db.label_grids import Cells, GridChanges, LabelMatrix

if TYPE_CHECKING:
    from core.scoring.fact_lookups import Codes
    from core.scoring.lake_labels import CountedLabels


class Changes(NamedTuple):
    """What has been written since: answers and labels (`touched`), and facts.

    `facts` also covers questions, golds and flags.
    """

    touched: GridChanges
    facts: bool

    def __bool__(self) -> bool:
        return self.facts or bool(self.touched)


class CountingLabels(NamedTuple):
    """Labels that count, and those of them that people set, shape (samples, questions)."""

    labels: Cells | None
    people: Cells | None


class OpenProject:
    """One database file, opened once; a context manager.

    Facts, graders and labels are read when first needed; `refresh` takes in what this or
    another program has written since.
    """

    def __init__(self, path: Path | str, mode: Mode = "read", counts: bool = False) -> None:
        """Open the file: `read`, `write` (must exist) or `create`; `counts` as `connect`."""
        self.path = Path(path)
        self.connection = db.connection.connect(self.path, mode, counts)
        self._index: FactIndex | None = None
        self._newest = (0, 0, 0, 0, 0)
        self._grids: LabelMatrix | None = None
        self.counted = self._read_counted() if counts else None

    def __enter__(self) -> "OpenProject":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, db.sqlite_errors.OF_THE_FILE):
            raise db.sqlite_errors.explain(error, self.path) from error

    def _read_counted(self) -> "CountedLabels | None":
        """What is counted of a lake; None where all answers are here."""
        if db.project_values.value(self.connection, db.connection.COUNTS_OF) is None:
            return None
        from core.scoring.lake_labels import read_counted

        return read_counted(self.connection)

    def close(self) -> None:
        """Close the file; the project cannot be used after."""
        self.connection.close()

    @property
    def index(self) -> FactIndex:
        """All facts as columns."""
        if self._index is None:
            self._newest = db.index_columns.read_newest_ids(self.connection)
            self._index = read_index(self.connection)
        return self._index

    @property
    def grids(self) -> LabelMatrix:
        """All labels in memory."""
        if self._grids is None:
            self._grids = db.label_grids.load(self.connection)
        return self._grids

    def open_grids(self) -> None:
        """Have each grid of labels read when it is first asked for: see `db.label_grids`."""
        self._grids = db.label_grids.open_grids(self.connection)

    def refresh(self) -> bool:
        """Take in what has landed since; gives whether anything has."""
        return bool(self.catch_up())

    def catch_up(self) -> Changes:
        """Take in what has landed since; gives what has."""
        before = self._index
        if before is not None:
            self._index, self._newest = refresh_index(self.connection, before, self._newest)
        touched = db.label_grids.catch_up(self.connection, self.grids)
        return Changes(touched, self._index is not before)

    def reread(self) -> None:
        """Read the facts anew: something of them is another, and nothing tells what."""
        self._newest = db.index_columns.read_newest_ids(self.connection)
        self._index = reread_index(self.connection, self.index)

    def graders(self) -> list[GraderVersion]:
        """Every grader version that has labelled anything, oldest first."""
        return [
            GraderVersion(*row)
            for row in db.grades.graders(self.connection)
            if row[0] in self.grids.planes
        ]

    def ranks(self, policy: Policy) -> tuple[Rank, ...]:
        """The precedence list of a policy as resolved here, without the implicit `choice`."""
        known = self.graders()
        if self.counted is not None:
            return self.counted.find_ranks(policy.graders, known, self.path)
        primary = db.project_values.value(self.connection, "primary_grader")
        if policy.graders is None:
            known = [one for one in known if one.is_person or self._grades_models(one)]
        return resolve(policy.graders, known, primary)

    def ranks_of(self, graders: Sequence[str]) -> tuple[Rank, ...]:
        """Graders as ranks, to look at their labels on the answers that are here.

        Raises `UsageError` for one without labels; with counts such a rank has no planes.
        """
        return rank_graders(graders, self.graders(), counted=self.counted is not None)

    def _grades_models(self, grader: GraderVersion) -> bool:
        """Whether a grader has labelled responses of models, and not of arms alone."""
        settings = db.model_rows.settings(self.connection)
        labelled = self.grids.settings(grader.plane)
        return any(not is_arm(settings[key][0]) for key in labelled)

    def count_labels(self, grader: str) -> int:
        """How many responses a grader has labelled, in all of its versions."""
        planes = [version.plane for version in self.graders() if version.name == grader]
        return sum(self.grids.count(plane) for plane in planes)

    def set_primary(self, grader: str) -> None:
        """Make a grader the project's primary one. Raises `UsageError` if it has no labels."""
        resolve([grader], self.graders(), None)
        with db.connection.write_transaction(self.connection):
            db.project_values.set_value(self.connection, "primary_grader", grader)

    def models(self, arms: bool = False) -> list[str]:
        """Labels of the models that have responses, in the order of their coming.

        Arms are no models here: profiles, analyses and lists of models know none. With `arms` they
        follow the models, for those who look at responses one by one.
        """
        labels = dict.fromkeys(label for label, _ in self.setting_ids())
        models = [label for label in labels if not is_arm(label)]
        return models + [label for label in labels if is_arm(label)] if arms else models

    def choose_models(
        self, wanted: Sequence[str] | None, arms: bool = False, scored: bool = False
    ) -> list[str]:
        """The models named, or all; with `arms` as `models`.

        With `scored` a model that has nothing but scores of options may be named. Raises
        `UsageError` for one that has no responses, and for an arm where there are none.
        """
        there = self.models(arms)
        if scored and wanted is not None:
            from db import option_scores

            series = option_scores.read_series(self.connection)
            there = list(dict.fromkeys([*there, *(one.key.model for one in series)]))
        unknown = next((name for name in wanted or () if name not in there), None)
        if unknown is not None:
            known = f"models are {', '.join(there) or 'none yet'}"
            if not arms and unknown in self.models(arms=True):
                raise UsageError(f"{unknown} is a model in one mode, which has no profile: {known}")
            raise UsageError(f"no responses of a model named {unknown}: {known}")
        return there if wanted is None else list(dict.fromkeys(wanted))

    def setting_ids(self) -> dict[tuple[str, bool], int]:
        """Ids of the settings that have responses, by label (of arms too) and thinking."""
        drawn = {*self.grids.settings(), *(self.counted.settings if self.counted else ())}
        settings = db.model_rows.settings(self.connection)
        return {name: key for key, name in settings.items() if key in drawn}

    def choice_questions(self) -> Cells:
        """1 at the ids of multiple-choice questions, for `precedence.labels_of`."""
        size = max(self.grids.questions, int(self.index.questions.max(initial=0)) + 1)
        flags = np.zeros(size, np.uint8)
        flags[self.index.questions[:, [task.is_choice for task in TASKS]]] = 1
        flags[0] = 0
        return flags

    def labels(self, ranks: Sequence[Rank], setting: int, choice: Cells) -> Cells | None:
        """The labels that count in a setting, shape (samples, questions), 0 for none."""
        every = range(self.grids.questions)
        return self.find_counting(self.grids, ranks, setting, choice, every).labels

    def find_counting(
        self,
        grids: LabelMatrix,
        ranks: Sequence[Rank],
        setting: int,
        choice: Cells,
        questions: Sequence[int],
    ) -> CountingLabels:
        """The labels that count in a setting of these grids, and those of them by people.

        `questions` has the id of the question in each column.
        """
        found: Cells | None = None
        people: Cells | None = None
        for rank in ranks:
            cells = labels_of(grids, rank, setting, choice)
            if cells is None:
                continue
            if rank.by_time:
                settle_newest(self.connection, grids, cells, rank, setting, questions)
            if rank.name.startswith(HUMAN_PREFIX):
                counted = cells if found is None else drop_labelled(cells, found)
                people = counted if people is None else first_of(people, counted)
            found = cells if found is None else first_of(found, cells)
        return CountingLabels(found, people)

    def tally(
        self,
        ranks: Sequence[Rank],
        models: Sequence[str],
        before: LabelCounts | None = None,
        touched: Collection[int] = (),
        facts: Mask | None = None,
    ) -> LabelCounts:
        """Label counts of these models under a precedence list (`choice` joins it last).

        With an earlier tally of the same facts under the same list, only settings (ids) that
        were touched since are counted again, and of those only these `facts` if given.
        """
        everyone = append_choice(ranks, self.graders())
        settings = self.setting_ids()
        choice = self.choice_questions()
        rows = np.full((len(models), 2), -1, np.intp)
        there = [
            (place, model, thinking)
            for place, model in enumerate(models)
            for thinking in (False, True)
            if (model, thinking) in settings
        ]
        # Filled in place: a million facts have 80 MB of counts a setting.
        shape = self.index.questions.shape[::-1]
        labels = np.empty((len(there), len(LABELS), *shape), np.uint16)
        drawn = np.empty((len(there), *shape), np.uint16)
        columns = find_columns(self.index.questions, self.grids.questions)
        for row, (place, model, thinking) in enumerate(there):
            setting = settings[model, thinking]
            rows[place, int(thinking)] = row
            counted = before.row(model, thinking) if before else None
            if before and counted is not None and (setting not in touched or facts is not None):
                labels[row], drawn[row] = before.labels[counted], before.drawn[counted]
                if setting in touched:
                    some = self._counts_of(everyone, setting, choice, self.index.questions[facts])
                    labels[row][..., facts], drawn[row][..., facts] = some
                continue
            cells = self.labels(everyone, setting, choice)
            count_labels(cells, columns, labels[row])
            count_drawn(self.grids, setting, columns, drawn[row])
            self._add_counted(setting, self.index.questions, labels[row], drawn[row])
        exists = (self.index.questions > 0).T
        return LabelCounts(
            list(models), rows, labels, drawn, exists, self._read_curtailed(ranks, models, rows)
        )

    def _counts_of(
        self,
        ranks: Sequence[Rank],
        setting: int,
        choice: Cells,
        questions: npt.NDArray[np.int64],
    ) -> tuple[Counts, Counts]:
        """Labels and draws of some facts' questions in a setting; the other questions are left."""
        keys, places = np.unique(np.append(0, questions), return_inverse=True)
        columns = find_columns(places[1:].reshape(questions.shape), len(keys))
        part = self.grids.select(setting, keys.tolist())
        cells = self.find_counting(part, ranks, setting, choice[keys], keys.tolist()).labels
        found = count_labels(cells, columns), count_drawn(part, setting, columns)
        self._add_counted(setting, questions, *found)
        return found

    def _add_counted(
        self, setting: int, questions: npt.NDArray[np.int64], labels: Counts, drawn: Counts
    ) -> None:
        if self.counted is not None:
            self.counted.add(self.connection, setting, questions, labels, drawn)

    def _read_curtailed(
        self, ranks: Sequence[Rank], models: Sequence[str], rows: npt.NDArray[np.intp]
    ) -> CurtailedDraws | None:
        """What curtailed runs mean for these models; None where there was none."""
        runs = db.sampling_runs.find_curtailed(self.connection)
        if not runs:
            return None
        from core.scoring import curtailed_runs

        ids = self.setting_ids()
        settings = [[ids.get((model, on)) for on in (False, True)] for model in models]
        known = self.graders()

        def find_policies(
            mine: Sequence[db.sampling_runs.Run], of: Sequence[int]
        ) -> Mapping[str, "Numbers"]:
            if self.counted is not None:  # labels of the lake are not here
                return curtailed_runs.policies(mine, self.counted.accepts)
            heard = frozenset(curtailed_runs.find_heard(known, self.grids, of))
            return curtailed_runs.policies(
                mine, lambda names: curtailed_runs.is_same_list(names, ranks, known, heard)
            )

        return curtailed_runs.count_planned(runs, settings, rows, self.index, find_policies)

    def verdicts(self, tally: LabelCounts, policy: Policy) -> Verdicts:
        """Every fact's verdict for every model of a tally."""
        return judge(code_cells(tally), tally.thinks(), policy, tally.find_skipping(policy))

    def facts(self, where: str | None, models: Sequence[str], policy: Policy) -> Mask:
        """Facts that a filter selects (all but rejected ones without a filter).

        Arms among the models have no say: they have no verdicts.
        """
        from core.scoring.fact_lookups import FactLookups

        judged = [one for one in models if not is_arm(one)]

        def read_codes() -> "Codes":
            found = self.verdicts(self.tally(self.ranks(policy), judged), policy)
            return code_places(found.verdict, found.encodes, found.knows)

        lookups = FactLookups(self.connection, self.index, judged, read_codes)
        return select(where or "", self.index, lookups)

    def entities(self) -> dict[str, tuple[str, str]]:
        """Subject and object of every fact by fact_id, for lists."""
        return db.fact_names.entities(self.connection)

    def is_provisional(self, tally: LabelCounts, facts: Mask) -> bool:
        """Whether a cell of these facts lacks labels for responses, or is still being drawn."""
        runs = db.sampling_runs.find_unfinished(self.connection)
        return any(
            bool((self.find_unsettled(tally, place, runs) & facts).any())
            for place in range(len(tally.models))
        )

    def find_unsettled(
        self, tally: LabelCounts, model: int, runs: Sequence[db.sampling_runs.Run]
    ) -> Mask:
        """Facts with a cell of a model (its place) that lacks labels, or is being drawn by a run.

        Only cells that decide profiles; shape (facts,).
        """
        found = np.zeros(tally.exists.shape[1], np.bool_)
        for task, thinking in CELLS:
            row, which = tally.rows[model, int(thinking)], TASK_INDEX[task]
            if row >= 0:
                labelled = tally.labels[row, :, which].sum(axis=0, dtype=np.int64)
                found |= labelled < tally.drawn[row, which]
        settings = db.model_rows.settings(self.connection) if runs else {}
        for run in runs:
            label, thinking = settings[run.setting]
            if label == tally.models[model]:
                from core.scoring import curtailed_runs

                found |= curtailed_runs.find_open(run, self.index, tally, model, thinking)
        return found


@contextmanager
def open_or_create(path: Path) -> Iterator[OpenProject]:
    """The project at `path`, made if it is not there; if nothing lands in it, it goes again."""
    from db import documents

    is_new = not path.exists()
    with OpenProject(path, "create") as project:
        try:
            yield project
        finally:
            empty = not documents.count(project.connection)
            if is_new and empty and not len(read_index(project.connection)):
                project.close()
                draft_files.remove(path)


def explain(error: BaseException) -> LostkeysError | None:
    """The one line to show for an error that is not a fault of the program, or None."""
    if isinstance(error, LostkeysError):
        return error
    if isinstance(error, sqlite3.Error):
        return db.sqlite_errors.explain(error, "the database")
    if isinstance(error, OSError):
        return LostkeysError(f"{error.filename or 'the system'}: {error.strerror or error}")
    return None
