"""Labels of responses that are there already, with or without a rationale."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import time_ns
from typing import Any

import numpy as np

import db.grades
import db.label_grids
from core.project import OpenProject
from core.transfer import adjudications
from core.transfer.adjudications import Adjudication, history_of, time_of
from core.transfer.file_formats import LABEL_NEEDS
from core.transfer.import_report import ImportReport
from core.transfer.imported_labels import ImportedGraders, outcomes_there, renumber_grades
from core.transfer.response_keys import ResponseKeys, explain_misfit, parse_cells
from core.transfer.row_values import RowError, quote
from core.transfer.tag_rows import TAG_COLUMNS, TagRows
from db.connection import write_transaction
from db.grades import Graded
from db.tags_and_notes import PlacedTag, StandingNote


@dataclass(slots=True)
class _Batch:
    """Rows on their way: line, grade, rationale (None for none) and history of each."""

    lines: list[int] = field(default_factory=list)
    grades: list[Graded] = field(default_factory=list)
    rationales: list[str | None] = field(default_factory=list)
    histories: list[list[Adjudication]] = field(default_factory=list)
    tags: list[tuple[list[PlacedTag], list[StandingNote]]] = field(default_factory=list)


@dataclass(slots=True)
class _FreshLabels:
    """What a batch brings: grades, and rationales and histories by slot and version."""

    grades: list[Graded] = field(default_factory=list)
    rationales: dict[tuple[int, int], str] = field(default_factory=dict)
    histories: dict[tuple[int, int], list[Adjudication]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How much it is; it grows with every row that brings something."""
        return len(self.grades) + len(self.rationales) + len(self.histories)


class Labels:
    """Takes the rows of one file, batch by batch."""

    def __init__(self, project: OpenProject, report: ImportReport, cells: bool) -> None:
        """`cells` says that values may be text, as in CSV."""
        self._project = project
        self._report = report
        self._cells = cells
        self._keys = ResponseKeys(project.connection, make=False)
        self._tag_rows = TagRows(project, self._keys)
        self._graders = ImportedGraders(project.connection)

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        batch = _Batch()
        tick = self._graders.begin()
        for line, row in rows:
            try:
                if not self._take_tags(batch, line, row):
                    self._take(batch, line, row, tick)
            except (RowError, KeyError, TypeError) as error:
                if isinstance(error, RowError) and _is_mark(row):
                    self._report.refuse(line, str(error))
                    continue
                self._report.refuse(line, explain_misfit(row, LABEL_NEEDS, error))
        connection = self._project.connection
        with write_transaction(connection):
            db.label_grids.catch_up(connection, self._project.grids)
            batch.grades = renumber_grades(batch.grades, self._graders.find_newer())
            fresh = self._find_fresh(batch)
            ids = self._graders.make_graders({grade[1] for grade in fresh.grades})
            db.grades.insert_graded(connection, renumber_grades(fresh.grades, ids))
            for found in batch.tags:
                self._tag_rows.land(*found)
            for (slot, plane), text in fresh.rationales.items():
                db.grades.insert_rationales(connection, ids.get(plane, plane), [(slot, text)])
            for (slot, plane), history in fresh.histories.items():
                adjudications.add(self._project, (slot, ids.get(plane, plane)), history)

    def _take_tags(self, batch: _Batch, line: int, row: dict[str, Any]) -> bool:
        """Take tags and a note; gives whether that is all there is to a row."""
        if not any(row.get(name) for name in TAG_COLUMNS):
            return False
        cells = parse_cells(row) if self._cells else row
        at = time_of(cells.get("at")) or time_ns() // 1_000_000
        found = self._tag_rows.read_row(cells, at)
        new = self._tag_rows.is_new(*found)
        if new:
            batch.tags.append(found)
        if not _is_mark(row):
            return False
        self._report.count(new)
        return True

    def _take(
        self, batch: _Batch, line: int, row: dict[str, Any], tick: Callable[[int], int]
    ) -> None:
        if self._cells:
            row = parse_cells(row)
        plane, outcome, person = self._graders.marks[row["grader"], row["label"]]
        slot = self._keys.slot(row)
        at = (time_of(row.get("at")) or tick(slot)) if person else None
        history = history_of(row.get("history")) if person else []
        rationale = row.get("rationale") or None
        if not isinstance(rationale, str | None):
            raise RowError(f"rationale is {quote(rationale)}, not a text")
        batch.lines.append(line)
        batch.grades.append((slot, plane, outcome, at))
        batch.rationales.append(rationale)
        batch.histories.append(history)

    def _find_fresh(self, batch: _Batch) -> "_FreshLabels":
        """What is to be added; the rest is counted."""
        slots = np.array([grade[0] for grade in batch.grades], np.int64)
        drawn = self._project.grids.at(db.label_grids.DRAWN, slots) > 0
        outcomes = outcomes_there(self._project.grids, batch.grades)
        said = self._rationales(outcomes)
        known = adjudications.times(self._project) if any(batch.histories) else {}
        fresh = _FreshLabels()
        rows = zip(
            batch.lines,
            batch.grades,
            batch.rationales,
            batch.histories,
            drawn.tolist(),
            strict=True,
        )
        for line, grade, rationale, history, is_drawn in rows:
            key = grade[:2]
            reason = (
                _explain_missing(is_drawn)
                or self._graders.clash([grade], outcomes)
                or _other_reason(said.get(key), rationale)
            )
            if reason:
                self._report.refuse(line, reason)
                continue
            before = fresh.size
            if key not in outcomes:
                fresh.grades.append(grade)
                outcomes[key] = grade[2]
            if rationale is not None and key not in said:
                fresh.rationales[key] = said[key] = rationale
            new = [change for change in history if change.at not in known.get(key, ())]
            if new:
                fresh.histories[key] = new
                known[key] = {change.at for change in history}
            self._report.count(fresh.size > before)
        return fresh

    def _rationales(self, there: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], str]:
        slots = defaultdict(list)
        for slot, plane in there:
            slots[plane].append(slot)
        return {
            (slot, plane): text
            for plane, wanted in slots.items()
            for slot, text in db.grades.rationales(self._project.connection, plane, wanted).items()
        }


def _is_mark(row: dict[str, Any]) -> bool:
    """Whether a row has tags or a note and no label."""
    return not row.get("label") and any(row.get(name) for name in TAG_COLUMNS)


def _explain_missing(is_drawn: bool) -> str | None:
    return None if is_drawn else "no such response: import the responses first"


def _other_reason(there: str | None, rationale: str | None) -> str | None:
    if there is None or rationale is None or there == rationale:
        return None
    return "this label is there with another rationale, which is kept"
