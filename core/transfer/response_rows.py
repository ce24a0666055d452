"""Responses, with their labels, from rows into their slots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import db.facts
import db.grades
import db.label_grids
import db.responses
from core.dataset import choice_options
from core.project import Project
from core.transfer.fields import RowError, quoted
from core.transfer.formats import RESPONSE_NEEDS
from core.transfer.import_report import ImportReport
from core.transfer.imported_labels import ImportedGraders, outcomes_there, renumbered
from core.transfer.keys import ResponseKeys, misfit, typed
from db.connection import writing
from db.grades import Graded

Answer = tuple[int, str, int | None]
"""Slot, text, number of the order shown."""


@dataclass(slots=True)
class _Batch:
    """Rows on their way, column by column; row i's grades end at `ends[i]`.

    `orders` are shown orders (number, slot) of responses that came without one before.
    """

    lines: list[int] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    grades: list[Graded] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    orders: list[tuple[int, int]] = field(default_factory=list)


class Responses:
    """Takes the rows of one file, batch by batch."""

    def __init__(self, project: Project, report: ImportReport, cells: bool) -> None:
        """`cells` says that values may be text, as in CSV."""
        self._project = project
        self._report = report
        self._cells = cells
        self._keys = ResponseKeys(project.connection, make=True)
        self._graders = ImportedGraders(project.connection)
        self._options = db.facts.choices_of(project.connection)

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        batch = self._gather(rows)
        connection = self._project.connection
        with writing(connection):
            db.label_grids.catch_up(connection, self._project.grids)
            batch.grades = renumbered(batch.grades, self._graders.found())
            fresh = self._fresh(batch)
            db.responses.insert(connection, fresh.answers)
            db.responses.set_shown(connection, fresh.orders)
            ids = self._graders.made(fresh.grades)
            db.grades.insert_graded(connection, renumbered(fresh.grades, ids))

    def _gather(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> _Batch:
        """The rows that can land by themselves; written for millions of them."""
        batch = _Batch()
        lines, answers, grades, ends = batch.lines, batch.answers, batch.grades, batch.ends
        slot_of, marks_of, tick = self._keys.slot, self._graders.marks, self._graders.begin()
        for line, row in rows:
            try:
                if self._cells:
                    row = typed(row)  # noqa: PLW2901
                text = row["response"]
                if type(text) is not str:
                    raise RowError(f"response is {quoted(text)}, not a text")
                shown = self._shown(row) if "shown_order" in row else None
                labels = row.get("grades")
                marks = () if labels is None else [marks_of[item] for item in labels.items()]
                slot = slot_of(row)
            except (RowError, AttributeError, KeyError, TypeError) as error:
                self._report.refuse(line, misfit(row, RESPONSE_NEEDS, error))
                continue
            lines.append(line)
            answers.append((slot, text, shown))
            for plane, outcome, person in marks:
                grades.append((slot, plane, outcome, tick(slot) if person else None))
            ends.append(len(grades))
        return batch

    def _shown(self, row: Mapping[str, Any]) -> int | None:
        shown = row["shown_order"]
        if shown is None:
            return None
        options = self._options.get(self._keys.questions[row["fact_id"], row["task"]])
        if options is None:
            raise RowError(f"shown_order: {row['task']} is not multiple choice")
        try:
            return choice_options.encode(shown, options)
        except (ValueError, TypeError):
            raise RowError(f"shown_order is not an order of {quoted(list(options))}") from None

    def _fresh(self, batch: _Batch) -> _Batch:
        """What of a batch is to be added; the rest is counted."""
        slots = np.array([answer[0] for answer in batch.answers], np.int64)
        taken = self._project.grids.at(db.label_grids.DRAWN, slots) > 0
        if not taken.any() and np.unique(slots).size == slots.size:
            self._report.added += len(batch.lines)
            return batch
        connection = self._project.connection
        return self._sift(batch, db.responses.existing(connection, slots[taken].tolist()))

    def _sift(self, batch: _Batch, there: dict[int, tuple[str, int | None]]) -> _Batch:
        outcomes = outcomes_there(self._project.grids, batch.grades)
        fresh = _Batch()
        start = 0
        for line, answer, end in zip(batch.lines, batch.answers, batch.ends, strict=True):
            grades, start = batch.grades[start:end], end
            slot, text, shown = answer
            old = there.get(slot)
            reason = (old and _clash(old, text, shown)) or self._graders.clash(grades, outcomes)
            if reason:
                self._report.refuse(line, reason)
                continue
            news = [grade for grade in grades if grade[:2] not in outcomes]
            outcomes.update((grade[:2], grade[2]) for grade in news)
            fresh.grades += news
            ordered = shown is not None and old is not None and old[1] is None
            if old is None:
                fresh.answers.append(answer)
            elif ordered:
                fresh.orders.append((shown or 0, slot))
            if old is None or ordered:
                there[slot] = (text, shown)
            self._report.count(old is None or ordered or bool(news))
        return fresh


def _clash(old: tuple[str, int | None], text: str, shown: int | None) -> str | None:
    if old[0] != text:
        return "this response is there with another text, which is kept"
    if shown is not None and old[1] not in (None, shown):
        return "this response is there with another shown_order, which is kept"
    return None
