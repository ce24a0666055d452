"""Labels of responses that are there already, with or without a rationale."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import db.grades
import db.grids
from core.project import Project
from core.transfer.fields import RowError, quoted
from core.transfer.formats import LABEL_NEEDS
from core.transfer.grading import Graders, outcomes_there, renumbered
from core.transfer.keys import Keys, misfit, typed
from core.transfer.report import Report
from db.connection import writing
from db.grades import Graded


@dataclass(slots=True)
class _Batch:
    """Rows on their way: line, grade and rationale (None for none) of each."""

    lines: list[int]
    grades: list[Graded]
    rationales: list[str | None]


class Labels:
    """Takes the rows of one file, batch by batch."""

    def __init__(self, project: Project, report: Report, cells: bool) -> None:
        """`cells` says that values may be text, as in CSV."""
        self._project = project
        self._report = report
        self._cells = cells
        self._keys = Keys(project.connection, make=False)
        self._graders = Graders(project.connection)

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        batch = _Batch([], [], [])
        tick = self._graders.begin()
        for line, row in rows:
            try:
                self._take(batch, line, row, tick)
            except (RowError, KeyError, TypeError) as error:
                self._report.refuse(line, misfit(row, LABEL_NEEDS, error))
        connection = self._project.connection
        with writing(connection):
            db.grids.catch_up(connection, self._project.grids)
            batch.grades = renumbered(batch.grades, self._graders.found())
            grades, rationales = self._fresh(batch)
            ids = self._graders.made(grades)
            db.grades.insert_graded(connection, renumbered(grades, ids))
            for (slot, plane), text in rationales.items():
                db.grades.insert_rationales(connection, ids.get(plane, plane), [(slot, text)])

    def _take(
        self, batch: _Batch, line: int, row: dict[str, Any], tick: Callable[[int], int]
    ) -> None:
        if self._cells:
            row = typed(row)
        plane, outcome, person = self._graders.marks[row["grader"], row["label"]]
        slot = self._keys.slot(row)
        rationale = row.get("rationale") or None
        if not isinstance(rationale, str | None):
            raise RowError(f"rationale is {quoted(rationale)}, not a text")
        batch.lines.append(line)
        batch.grades.append((slot, plane, outcome, tick(slot) if person else None))
        batch.rationales.append(rationale)

    def _fresh(self, batch: _Batch) -> tuple[list[Graded], dict[tuple[int, int], str]]:
        """Grades and rationales (by slot and version) to be added; the rest is counted."""
        slots = np.array([grade[0] for grade in batch.grades], np.int64)
        drawn = self._project.grids.at(db.grids.DRAWN, slots) > 0
        outcomes = outcomes_there(self._project.grids, batch.grades)
        said = self._rationales(outcomes)
        grades: list[Graded] = []
        rationales: dict[tuple[int, int], str] = {}
        rows = zip(batch.lines, batch.grades, batch.rationales, drawn.tolist(), strict=True)
        for line, grade, rationale, is_drawn in rows:
            key = grade[:2]
            reason = (
                _missing(is_drawn)
                or self._graders.clash([grade], outcomes)
                or _other_reason(said.get(key), rationale)
            )
            if reason:
                self._report.refuse(line, reason)
                continue
            before = len(grades) + len(rationales)
            if key not in outcomes:
                grades.append(grade)
                outcomes[key] = grade[2]
            if rationale is not None and key not in said:
                rationales[key] = said[key] = rationale
            self._report.count(len(grades) + len(rationales) > before)
        return grades, rationales

    def _rationales(self, there: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], str]:
        slots = defaultdict(list)
        for slot, plane in there:
            slots[plane].append(slot)
        return {
            (slot, plane): text
            for plane, wanted in slots.items()
            for slot, text in db.grades.rationales(self._project.connection, plane, wanted).items()
        }


def _missing(is_drawn: bool) -> str | None:
    return None if is_drawn else "no such response: import the responses first"


def _other_reason(there: str | None, rationale: str | None) -> str | None:
    if there is None or rationale is None or there == rationale:
        return None
    return "this label is there with another rationale, which is kept"
