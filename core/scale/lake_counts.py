"""The label counts of a lake, as a database has them of its own labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from core.dataset.fact_index import FactIndex
from core.dataset.subsets import Mask, select
from core.errors import LostkeysError, UsageError
from core.modes import is_arm
from core.project import OpenProject
from core.scale.lake import RUNS, Lake, LakeCell, open_lake
from core.scale.lake_columns import LabelFiles, LabelSource
from core.scale.lake_queries import LakeQueries
from core.scoring import curtailed_runs
from core.scoring.curtailment import as_text
from core.scoring.label_counts import CurtailedDraws, LabelCounts, Numbers
from core.scoring.policy import Policy
from core.scoring.precedence import GraderVersion, Rank, append_choice, resolve
from core.scoring.verdicts import CELLS, Verdicts, code_cells, code_places, judge
from core.vocabulary import CODE_ORDER, LABELS, TASK_INDEX, TASKS
from db.sampling_runs import Run, group_asked
from db.slot_ids import MAX_SAMPLE

# What curtailed and open runs of a lake asked: without it gaps would mean something else.

LakeRun = tuple[Run, bool, bool]
"""A run, whether it was with thinking, and whether it is finished."""


def read_runs(lake: Lake, queries: LakeQueries, index: FactIndex, model: str) -> list[LakeRun]:
    """Runs of a model, oldest first; of its settings, thinking off is number 0, on number 1.

    Facts must have been numbered. Raises `LostkeysError` for what is no run.
    """
    if not lake.runs:
        return []
    found = []
    for row, facts, bits in queries.read_runs(lake.runs, model):
        thinking, samples, *policy, at, done = row
        try:
            _check_types((thinking, samples, at, done), (bool, int, str, bool))
            curtailed = _read_policy(policy)
            if not 0 < samples <= MAX_SAMPLE + 1:
                raise UsageError(f"{samples:,} samples")
        except UsageError as error:
            raise LostkeysError(
                f"{lake.path / RUNS} has a run of {model} that cannot be read ({error}): copy its "
                "files again, or take them away"
            ) from None
        there = (bits[:, None] >> np.arange(len(TASKS)) & 1).astype(np.bool_)
        asked = tuple(group_asked(TASKS, index.ids[facts], there))
        found.append((Run(int(thinking), asked, samples, curtailed), thinking, done))
    return found


def _check_types(values: Sequence[object], kinds: Sequence[type]) -> None:
    for value, kind in zip(values, kinds, strict=True):
        if type(value) is not kind:
            raise UsageError(f"{value!r:.40} is a value of another type")


def _read_policy(values: Sequence[Any]) -> str | None:
    """The policy of a run as text; None for a run that draws everything. Raises `UsageError`."""
    tau, strategy, weight, graders = values
    if tau is None:
        return None
    _check_types((graders,), (list,))
    return as_text(Policy(tau, strategy, weight, graders))


class LakeCounts:
    """A lake whose facts are numbered and whose cells are counted when asked for.

    It answers what `core.results.count_source.CountSource` asks; a context manager. Of a model, the
    counts of one precedence list are kept until others are asked for.
    """

    def __init__(self, path: Path, database: Path | None = None) -> None:
        """Open the lake; facts rejected or flagged in `database` are so here.

        Raises `LostkeysError` for what is no lake, or where DuckDB is not installed.
        """
        self.lake: Lake = open_lake(path)
        self.queries = LakeQueries(path)
        self._database = database
        self._index: FactIndex | None = None
        self._exists: Mask = np.zeros((len(TASKS), 0), np.bool_)
        self._versions: dict[str, list[str]] = {}
        self._runs: dict[str, list[LakeRun]] = {}

    def __enter__(self) -> "LakeCounts":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.queries.__exit__(kind, error, trace)

    @property
    def index(self) -> FactIndex:
        """All facts as columns; a question's id is its place among ten a fact, from 1."""
        if self._index is None:
            found = self.queries.read_facts(self.lake.facts)
            size = len(found.fact_ids)
            self._exists = np.ascontiguousarray(found.exists.T)
            places = np.arange(1, size * len(TASKS) + 1).reshape(size, len(TASKS))
            flagged, rejected = self._read_reviews(found.fact_ids)
            self._index = FactIndex(
                np.arange(1, size + 1),
                found.fact_ids,
                found.views,
                found.categories,
                found.subject_types,
                found.object_types,
                found.years,
                flagged,
                rejected,
                places * found.exists,
            )
        return self._index

    def _read_reviews(self, fact_ids: Sequence[str]) -> tuple[Mask, Mask]:
        """Which facts are flagged, and which rejected, in the database that was named."""
        flagged, rejected = np.zeros((2, len(fact_ids)), np.bool_)
        if self._database is None:
            return flagged, rejected
        with OpenProject(self._database, "read", counts=True) as project:
            there = project.index
            for mask, found in ((there.flagged, flagged), (there.rejected, rejected)):
                named = {there.fact_ids[place] for place in np.flatnonzero(mask)}
                if named:
                    found[:] = [fact_id in named for fact_id in fact_ids]
        return flagged, rejected

    def choose_models(self, wanted: Sequence[str] | None) -> list[str]:
        """The models named, or all but arms. Raises `UsageError` for one without responses."""
        there = [model for model in self.lake.models if not is_arm(model)]
        unknown = next((name for name in wanted or () if name not in there), None)
        if unknown is not None:
            raise UsageError(
                f"no responses of a model named {unknown}: models are "
                f"{', '.join(there) or 'none yet'}"
            )
        return there if wanted is None else list(dict.fromkeys(wanted))

    def graders(self, versions: bool = False) -> list[GraderVersion]:
        """Every grader that has labelled anything, by name; with its versions if asked for."""
        pairs = [
            (grader, version)
            for grader in self.lake.graders
            for version in (self.versions(grader) if versions else [""])
        ]
        return [GraderVersion(place, *pair) for place, pair in enumerate(pairs, 1)]

    def versions(self, grader: str) -> list[str]:
        """The versions of a grader whose labels are here, the oldest first."""
        if grader not in self._versions:
            files = [file for some in self.lake.labels[grader].values() for file in some]
            self._versions[grader] = self.queries.versions(files)
        return self._versions[grader]

    def ranks(self, policy: Policy) -> tuple[Rank, ...]:
        """The precedence list of a policy as resolved here, without the implicit `choice`.

        Raises `UsageError` as `OpenProject.ranks` does; a lake has no primary grader.
        """
        known = self._list_graders(policy.graders or ())
        if policy.graders is None:
            known = [one for one in known if one.is_person or self._grades_models(one.name)]
        return resolve(policy.graders, known, None)

    def _list_graders(self, names: Sequence[str]) -> list[GraderVersion]:
        return self.graders(any("#" in name for name in names))

    def _grades_models(self, grader: str) -> bool:
        return any(not is_arm(cell.model) for cell in self.lake.labels[grader])

    def tally(self, ranks: Sequence[Rank], models: Sequence[str]) -> LabelCounts:
        """Label counts of these models under a precedence list (`choice` joins it last)."""
        size = len(self.index)
        settings = [(model, on) for model in models for on in self._settings(model)]
        rows = np.full((len(models), 2), -1, np.intp)
        labels = np.zeros((len(settings), len(LABELS), len(TASKS), size), np.uint16)
        drawn = np.zeros((len(settings), len(TASKS), size), np.uint16)
        for row, (model, on) in enumerate(settings):
            rows[models.index(model), int(on)] = row
            for number, task in enumerate(TASKS):
                cell = LakeCell(model, on, task)
                if cell in self.lake.responses:
                    self._count(cell, ranks, labels[row, :, number], drawn[row, number])
        curtailed = self._read_curtailed(ranks, models, rows)
        return LabelCounts(list(models), rows, labels, drawn, self._exists, curtailed)

    def _settings(self, model: str) -> list[bool]:
        """With which thinking a model has responses, or was to be drawn; off first."""
        asked = {thinking for _, thinking, _ in self._read_runs(model)}
        return sorted(asked.union(self.lake.settings(model)))

    def _read_runs(self, model: str) -> list[LakeRun]:
        if model not in self._runs:
            self._runs[model] = read_runs(self.lake, self.queries, self.index, model)
        return self._runs[model]

    def _read_curtailed(
        self, ranks: Sequence[Rank], models: Sequence[str], rows: npt.NDArray[np.intp]
    ) -> CurtailedDraws | None:
        """What curtailed runs mean for these models; None where there was none."""
        runs: list[Run] = []
        settings: list[tuple[str, bool]] = []
        for model in models:
            runs += [
                run._replace(setting=len(settings) + run.setting)
                for run, _, _ in self._read_runs(model)
                if run.curtailed is not None
            ]
            settings += [(model, False), (model, True)]
        if not runs:
            return None

        def find_policies(mine: Sequence[Run], of: Sequence[int]) -> Mapping[str, Numbers]:
            places = [settings[place] for place in of]
            return curtailed_runs.policies(mine, lambda names: self._is_same(names, ranks, places))

        pairs = [(2 * place, 2 * place + 1) for place in range(len(models))]
        return curtailed_runs.count_planned(runs, pairs, rows, self.index, find_policies)

    def _is_same(
        self, names: Sequence[str], ranks: Sequence[Rank], settings: Sequence[tuple[str, bool]]
    ) -> bool:
        """Whether a list of graders gives the labels that `ranks` give in these settings."""
        mine = [rank.name for rank in ranks]
        known = self._list_graders([*names, *mine])
        heard = {one.plane for one in known if self._has_labelled(one, settings)}
        resolved = resolve(mine, known, None)
        return curtailed_runs.is_same_list(names, resolved, known, heard)

    def _has_labelled(self, grader: GraderVersion, settings: Sequence[tuple[str, bool]]) -> bool:
        """Whether a grader, or its version where it names one, has labels in these settings."""
        cells = self.lake.labels[grader.name].items()
        files = [
            file for cell, some in cells if (cell.model, cell.thinking) in settings for file in some
        ]
        if not files or not grader.version:
            return bool(files)
        return grader.version in self.queries.versions(files)

    def _count(
        self, cell: LakeCell, ranks: Sequence[Rank], labels: np.ndarray, drawn: np.ndarray
    ) -> None:
        """Count a cell into `labels` (labels, facts) and `drawn` (facts,)."""
        exists = self._exists[TASK_INDEX[cell.task]]
        responses = self.lake.responses[cell]
        known = self._list_graders([rank.name for rank in ranks])
        sources = self.sources(cell, append_choice(ranks, known))
        found = self.queries.count_labels(str(cell), sources) if sources else None
        if found is not None:
            labels[:, found.facts] = found.labels
        labelled = labels.sum(axis=0)
        if int(labelled.sum()) == self.queries.count_rows(responses) and self._is_whole(
            sources, responses
        ):
            drawn[:] = labelled
        else:
            facts, many, bits = self.queries.count_drawn(str(cell), responses)
            drawn[facts] = many
            if found is not None:
                there = np.zeros(len(self.index), np.int64)
                there[facts] = bits
                lone = found.facts[
                    (found.bits & ~there[found.facts] != 0)
                    | (labelled[found.facts] > drawn[found.facts])
                ]
                for fact in lone[:1].tolist():
                    raise LostkeysError(
                        f"{self.lake.path}: {cell} has labels of the fact "
                        f"{self.index.fact_ids[fact]!r} without their responses: copy the part of "
                        "responses that is missing there, or take these labels away"
                    )
        labels *= exists
        drawn *= exists

    def _is_whole(self, sources: Sequence[LabelSource], responses: Sequence[Path]) -> bool:
        """Whether the labels of one grader are those of all responses and of no other."""
        every = [one for source in sources for one in source]
        if len(every) != 1 or every[0].version is not None:
            return False
        return self.queries.have_same_keys(every[0].files, responses)

    def sources(self, cell: LakeCell, ranks: Sequence[Rank]) -> list[list[LabelFiles]]:
        """Where the labels of a cell are by each rank that has any."""
        by_plane = {one.plane: one for one in self._list_graders([rank.name for rank in ranks])}
        found = []
        for rank in ranks:
            if rank.only_choice and not cell.task.is_choice:
                continue
            named = dict.fromkeys(by_plane[plane].name for plane in rank.planes)
            some = [
                LabelFiles(name, files, self._version(rank, name))
                for name in named
                if (files := self.lake.labels[name].get(cell))
            ]
            # Of people whose labels have no time the last by name counts, as the newest would.
            if some:
                found.append(some[::-1])
        return found

    def _version(self, rank: Rank, grader: str) -> str | None:
        """The version that a rank names, None where it means the newest."""
        if rank.by_time or rank.name == grader:
            return None
        return rank.name.rpartition("#")[2]

    def verdicts(self, tally: LabelCounts, policy: Policy) -> Verdicts:
        """Every fact's verdict for every model of a tally."""
        return judge(code_cells(tally), tally.thinks(), policy, tally.find_skipping(policy))

    def facts(self, where: str | None, models: Sequence[str], policy: Policy) -> Mask:
        """Facts that a filter selects; rejected are those that the database named says."""
        return select(where or "", self.index, _LakeLookups(self, models, policy))

    def find_text(self, text: str) -> Mask:
        """Facts in which a text occurs."""
        found = set(self.queries.find_text(self.lake.facts, text))
        return np.array([fact_id in found for fact_id in self.index.fact_ids], np.bool_)

    def entities(self) -> dict[str, tuple[str, str]]:
        """Subject and object of every fact by fact_id, for lists."""
        return self.queries.read_entities(self.lake.facts)

    def is_provisional(self, tally: LabelCounts, facts: Mask) -> bool:
        """Whether a cell of these facts lacks labels for responses, or was still being drawn."""
        for task, thinking in CELLS:
            rows = tally.rows[:, int(thinking)]
            for row in rows[rows >= 0]:
                labelled = tally.labels[row, :, TASK_INDEX[task]].sum(axis=0, dtype=np.int64)
                if bool(((labelled < tally.drawn[row, TASK_INDEX[task]]) & facts).any()):
                    return True
        return any(
            bool((curtailed_runs.find_open(run, self.index, tally, place, thinking) & facts).any())
            for place, model in enumerate(tally.models)
            for run, thinking, done in self._read_runs(model)
            if not done
        )


@dataclass(frozen=True, slots=True)
class _LakeLookups:
    """What filters ask of a lake."""

    counts: LakeCounts
    models: Sequence[str]
    policy: Policy

    def find_text(self, text: str) -> Mask:
        """Facts in which a text occurs."""
        return self.counts.find_text(text)

    def find_codes(self, codes: frozenset[str]) -> Mask:
        """Facts whose verdict for any of the models has one of these codes."""
        asked = [place for place, code in enumerate(CODE_ORDER) if code in codes]
        ranks = self.counts.ranks(self.policy)
        found = np.zeros(len(self.counts.index), np.bool_)
        for model in self.models:
            one = self.counts.verdicts(self.counts.tally(ranks, [model]), self.policy)
            found |= np.isin(code_places(one.verdict, one.encodes, one.knows)[0], asked)
        return found

    def find_reviews(self, names: frozenset[str]) -> Mask:
        """Facts that are flagged in the database named; a lake knows of no edits and notes."""
        if names != {"flagged"}:
            raise _unknown_word(", ".join(sorted(names - {"flagged"})))
        return self.counts.index.flagged.copy()

    def find_latent(self, words: frozenset[str]) -> Mask:
        """A lake has no scores of options."""
        raise _unknown_word("zp:")

    def find_source(self, name: str) -> Mask:
        """A lake does not say which files its responses came from."""
        raise _unknown_word("source:")

    def find_tag(self, tag: str) -> Mask:
        """A lake has no tags."""
        raise _unknown_word("tag:")

    def find_differences(self, kind: str) -> Mask:
        """Two graders are compared in a list of a database."""
        raise _unknown_word("differs")


def _unknown_word(word: str) -> UsageError:
    return UsageError(f"--where {word} asks a database: leave it out, or import the lake")
