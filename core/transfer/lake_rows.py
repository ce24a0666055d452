"""A lake as rows, and what takes them: facts first, then responses, then labels."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

import db.grades
import db.label_grids
import db.model_rows
import db.responses
from core.exchange.log_reader import text_of
from core.project import OpenProject
from core.scale.lake import (
    FACTS,
    LABELS,
    RESPONSES,
    RUNS,
    VERSION_KEY,
    Lake,
    LakeCell,
    open_lake,
)
from core.scale.lake_queries import FIRST_VERSION
from core.settings.plain_data import read_token_count
from core.transfer.fact_rows import FACTS_AT_ONCE, Facts
from core.transfer.file_formats import KEY, RUN_COLUMNS
from core.transfer.import_report import ImportReport
from core.transfer.imported_labels import ImportedGraders, outcomes_there
from core.transfer.lake_parquet import (
    ROWS_AT_ONCE,
    RowChoice,
    open_parquet,
    read_columns,
    read_distinct,
    read_recipe,
)
from core.transfer.response_keys import QuestionKeys, ResponseKeys, explain_misfit
from core.transfer.response_rows import Responses
from core.transfer.row_source import Row, RowSource
from core.transfer.row_values import RowError, quote
from core.transfer.run_rows import RunRows
from db.connection import write_transaction
from db.grades import Graded

DRAW = ("finish", "reasoning", "reasoning_tokens")
_RESPONSE = ("fact_id", "sample", "response", "shown_order", *DRAW)
_LABEL = ("fact_id", "sample", "label", "version", "at")

PART = "part"
"""Which part of a lake a row is of."""


class LakeFolder(RowSource):
    """A lake, read file by file; rows are numbered over all of them."""

    unit = "row"

    def __init__(self, path: Path) -> None:
        """Looks which files there are. Raises `LostkeysError` for what is no lake."""
        super().__init__(path)
        self.lake: Lake = open_lake(path)
        self.size = sum(file.stat().st_size for file in self._files())

    def keys(self) -> Sequence[str]:
        """That of the version, which tells a lake."""
        return (VERSION_KEY,)

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read every file to its end; gives how many rows there are."""
        count = 0
        for path in self._files():
            with open_parquet(path) as file:
                for batch in file.iter_batches():
                    count += batch.num_rows
                    tell(count)
        return count

    @cached_property
    def recipes(self) -> Mapping[str, Mapping[str, object]]:
        """Recipes by model, of those whose files keep one."""
        found: dict[str, Mapping[str, object]] = {}
        for cell, files in self.lake.responses.items():
            recipe = None if cell.model in found else read_recipe(files[0])
            if recipe is not None:
                found[cell.model] = recipe
        return found

    @cached_property
    def versions(self) -> Mapping[str, Sequence[str]]:
        """The versions of each grader, the oldest first."""
        found: dict[str, set[str]] = {}
        for grader, cells in self.lake.labels.items():
            files = [file for some in cells.values() for file in some]
            for file in files:
                versions = map(_version, read_distinct(file, "version"))
                found.setdefault(grader, set()).update(versions)
        return {
            grader: sorted(some, key=lambda one: (len(one), one)) for grader, some in found.items()
        }

    def _files(self) -> Iterator[Path]:
        yield from self.lake.facts
        for files in self.lake.responses.values():
            yield from files
        for cells in self.lake.labels.values():
            for files in cells.values():
                yield from files
        yield from self.lake.runs

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        yield from enumerate(self._read_rows(), 1)

    def _read_rows(self) -> Iterator[Row]:
        for file in self.lake.facts:
            with open_parquet(file) as there:
                columns = there.schema_arrow.names
            yield from _rows_of(file, columns, {PART: FACTS}, at_once=FACTS_AT_ONCE)
        for cell, files in self.lake.responses.items():
            for file in files:
                yield from self._rows_of_cell(cell, file, _RESPONSE, {PART: RESPONSES})
        for grader, cells in self.lake.labels.items():
            for cell, files in cells.items():
                for file in files:
                    named = {PART: LABELS, "grader": grader}
                    yield from self._rows_of_cell(cell, file, _LABEL, named)
        for file in self.lake.runs:
            yield from _rows_of(file, RUN_COLUMNS, {PART: RUNS})

    def _rows_of_cell(
        self, cell: LakeCell, path: Path, columns: Sequence[str], named: Mapping[str, Any]
    ) -> Iterator[Row]:
        """The rows of answers or labels in a file, with what is named besides."""
        key = {"model": cell.model, "thinking": cell.thinking, "task": cell.task.value}
        return _rows_of(path, columns, {**named, **key}, self._choose_rows(cell))

    def _choose_rows(self, cell: LakeCell) -> RowChoice | None:
        """Which rows of a cell are read; None for all."""
        return None


def _rows_of(
    path: Path,
    columns: Sequence[str],
    named: Mapping[str, Any],
    choose: RowChoice | None = None,
    at_once: int = ROWS_AT_ONCE,
) -> Iterator[Row]:
    for found in read_columns(path, columns, at_once, choose):
        for values in zip(*found.values(), strict=True):
            yield {**named, **dict(zip(columns, values, strict=True))}


def _version(value: object) -> str:
    return FIRST_VERSION if value is None else str(value)


class LakeRows:
    """Takes the rows of one lake, batch by batch."""

    def __init__(self, project: OpenProject, source: RowSource, report: ImportReport) -> None:
        assert isinstance(source, LakeFolder)
        self._project = project
        self._report = report
        self._source = source
        self._facts = Facts(project, report)
        self._responses: Responses | None = None
        self._labels: _Labels | None = None
        self._runs = RunRows(project, source, report)
        self._refused: dict[str, bool] = {}

    def land(self, rows: Iterator[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows: facts some at a time, all else in one transaction."""
        for part, some in groupby(rows, lambda row: row[1].pop(PART)):
            if part == FACTS:
                while facts := list(islice(some, FACTS_AT_ONCE)):
                    self._facts.land(facts)
            elif part == RESPONSES:
                self._land_responses(some)
            elif part == RUNS:
                self._runs.land(some)
            else:
                if self._labels is None:
                    questions = self._responses.questions if self._responses else None
                    self._labels = _Labels(self._project, self._source, self._report, questions)
                self._labels.land(some)

    def _land_responses(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        # Which questions there are is known when the last fact has landed.
        self._responses = self._responses or Responses(self._project, self._report, cells=False)
        kept = [(line, row) for line, row in rows if self._is_of_recipe(line, row["model"])]
        self._responses.land(kept)
        keys = ResponseKeys(
            self._project.connection, make=False, questions=self._responses.questions
        )
        draws = []
        for _, row in kept:
            finish, reasoning, tokens = (row[name] for name in DRAW)
            drawn = (text_of(finish), text_of(reasoning), read_token_count(tokens))
            if any(one is not None for one in drawn):
                try:
                    draws.append((keys.slot(row), row["response"], *drawn))
                except (RowError, KeyError, TypeError):
                    continue  # refused above
        with write_transaction(self._project.connection):
            db.responses.add_draws(self._project.connection, draws)

    def _is_of_recipe(self, line: int, model: str) -> bool:
        """Whether a model here was drawn as the lake says; else its rows are refused."""
        if model not in self._refused:
            connection = self._project.connection
            mine = db.model_rows.recipe_of(connection, model)
            theirs = self._source.recipes.get(model)
            is_new = mine is None and not db.responses.has_responses(connection, model)
            if theirs is not None and is_new:
                with write_transaction(connection):
                    db.model_rows.set_recipe(connection, model, theirs)
            self._refused[model] = None not in (mine, theirs) and mine != theirs
        if self._refused[model]:
            self._report.refuse(line, f"model {quote(model)} was drawn by another recipe here")
        return not self._refused[model]


class _Labels:
    """Takes rows of labels, each with the version of its grader."""

    def __init__(
        self,
        project: OpenProject,
        source: LakeFolder,
        report: ImportReport,
        questions: QuestionKeys | None,
    ) -> None:
        """`questions` are those of the database, where responses were landed before."""
        self._project = project
        self._source = source
        self._report = report
        self._keys = ResponseKeys(project.connection, make=False, questions=questions)
        self._graders = ImportedGraders(project.connection)
        self._planes: dict[tuple[str, str], int | None] = {}

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add the labels that are new, in one transaction."""
        connection, grids = self._project.connection, self._project.grids
        lines: list[int] = []
        grades: list[Graded] = []
        tick = self._graders.begin()
        with write_transaction(connection):
            db.label_grids.catch_up(connection, grids)
            for line, row in rows:
                try:
                    grades.append(self._grade(row, tick))
                    lines.append(line)
                except (RowError, KeyError, TypeError) as error:
                    needs = (*KEY, "grader", "label")
                    self._report.refuse(line, explain_misfit(row, needs, error))
            db.grades.insert_graded(connection, self._find_fresh(lines, grades))

    def _grade(self, row: Mapping[str, Any], tick: Callable[[int], int]) -> Graded:
        grader = row["grader"]
        _, outcome, person = self._graders.marks[grader, row["label"]]
        version = _version(row["version"])
        if (grader, version) not in self._planes:
            self._planes[grader, version] = self._plane(grader, version)
        plane = self._planes[grader, version]
        if plane is None:
            raise RowError(f"{quote(grader)} {version} is not known to be newer than what is here")
        slot = self._keys.slot(row)
        at = (row["at"] or tick(slot)) if person else None
        return slot, plane, outcome, at

    def _plane(self, grader: str, version: str) -> int | None:
        """The id of a grader version, made with those before it; None where a newer one is here."""
        connection = self._project.connection
        for one in self._source.versions[grader]:
            known = [older for _, name, older in db.grades.graders(connection) if name == grader]
            if one not in known and not db.grades.is_newer(one, known):
                if one == version:
                    return None
                continue
            plane = db.grades.ensure_grader(connection, grader, one)
            if one == version:
                return plane
        return None

    def _find_fresh(self, lines: Sequence[int], grades: Sequence[Graded]) -> list[Graded]:
        """The grades that are to be added; the rest is counted."""
        slots = np.array([grade[0] for grade in grades], np.int64)
        drawn = self._project.grids.at(db.label_grids.DRAWN, slots) > 0
        outcomes = outcomes_there(self._project.grids, grades)
        fresh = []
        for line, grade, is_drawn in zip(lines, grades, drawn.tolist(), strict=True):
            there = outcomes.get(grade[:2])
            if not is_drawn:
                self._report.refuse(line, "no such response: its row is not in the lake")
            elif there not in (None, grade[2]):
                self._report.refuse(line, "this response has another label by the same grader")
            else:
                self._report.count(there is None)
                if there is None:
                    fresh.append(grade)
                    outcomes[grade[:2]] = grade[2]
        return fresh
