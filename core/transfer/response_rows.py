"""Responses, with their labels, from rows into their slots."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
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
from core.transfer.imported_labels import ImportedGraders, Mark, outcomes_there, renumbered
from core.transfer.keys import AnswerKeys, misfit, typed
from core.transfer.response_spool import Ints, ResponseColumns
from db.connection import writing
from db.grades import GradeColumns, Graded
from db.slots import MAX_SAMPLE, QUESTION_SHIFT, SAMPLE_BITS

Answer = tuple[int, str, int | None]
"""Slot, text, number of the order shown."""

UNKNOWN = -1
"""The number of an order that is not known."""


@dataclass(slots=True)
class _Fresh:
    """What of a batch is new, where some of it is there already.

    `orders` are shown orders (number, slot) of responses that came without one before.
    """

    answers: list[Answer] = field(default_factory=list)
    grades: list[Graded] = field(default_factory=list)
    orders: list[tuple[int, int]] = field(default_factory=list)


class _MarkPlaces(dict[tuple[str, str], int]):
    """Places of marks in `seen`, by (grader, label); a bad one raises `RowError`."""

    def __init__(self, graders: ImportedGraders) -> None:
        super().__init__()
        self._graders = graders
        self.seen: list[Mark] = []

    def __missing__(self, key: tuple[str, str]) -> int:
        self.seen.append(self._graders.marks[key])
        self[key] = len(self.seen) - 1
        return self[key]


class Responses:
    """Takes the rows of one file: `gather` reads them, `add` lands what was gathered."""

    def __init__(self, project: Project, report: ImportReport, cells: bool) -> None:
        """`cells` says that values may be text, as in CSV."""
        self._project = project
        self._report = report
        self._cells = cells
        self._keys = AnswerKeys(project.connection)
        self._graders = ImportedGraders(project.connection)
        self._marks = _MarkPlaces(self._graders)
        self._options = db.facts.choices_of(project.connection)

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        self.add(self.gather(rows))

    def gather(
        self, rows: Iterable[tuple[int, dict[str, Any]]], characters: int = sys.maxsize
    ) -> ResponseColumns:
        """The rows that can land by themselves, until their texts are so long; writes nothing.

        Written for millions of them.
        """
        lines, texts = list[int](), list[str]()
        places, settings, orders, counts, marks = (list[int]() for _ in range(5))
        place_of, setting_of, marks_of = self._keys.place, self._keys.settings, self._marks
        for line, row in rows:
            try:
                if self._cells:
                    row = typed(row)  # noqa: PLW2901
                text = row["response"]
                if type(text) is not str:
                    raise RowError(f"response is {quoted(text)}, not a text")
                shown = self._shown(row) if "shown_order" in row else UNKNOWN
                labels = row.get("grades")
                mine = () if labels is None else [marks_of[item] for item in labels.items()]
                place = place_of(row)
                settings.append(setting_of[row["model"], row["thinking"]])
            except (RowError, AttributeError, KeyError, TypeError) as error:
                self._report.refuse(line, misfit(row, RESPONSE_NEEDS, error))
                continue
            lines.append(line)
            places.append(place)
            orders.append(shown)
            texts.append(text)
            counts.append(len(mine))
            marks += mine
            characters -= len(text)
            if characters < 0:
                break
        columns = (lines, places, settings, orders, counts, marks)
        return ResponseColumns(texts, *(np.array(column, np.int64) for column in columns))

    def add(self, batch: ResponseColumns) -> None:
        """Add what is new in a batch, in one transaction."""
        connection = self._project.connection
        with writing(connection):
            db.label_grids.catch_up(connection, self._project.grids)
            self._graders.found()
            slots = self._find_slots(batch)
            grades = self._find_grades(batch, slots)
            shown = [None if one == UNKNOWN else one for one in batch.shown.tolist()]
            answers = list(zip(slots.tolist(), batch.texts, shown, strict=True))
            taken = self._project.grids.at(db.label_grids.DRAWN, slots) > 0
            if not taken.any() and np.unique(slots).size == slots.size:
                self._report.added += slots.size
                db.responses.insert(connection, answers)
                planes = self._graders.made(np.unique(grades.planes).tolist())
                db.grades.insert_columns(connection, grades.renumbered(planes))
                return
            there = db.responses.existing(connection, slots[taken].tolist())
            fresh = self._sift(batch, answers, grades.rows(), there)
            db.responses.insert(connection, fresh.answers)
            db.responses.set_shown(connection, fresh.orders)
            planes = self._graders.made({grade[1] for grade in fresh.grades})
            db.grades.insert_graded(connection, renumbered(fresh.grades, planes))

    def _find_slots(self, batch: ResponseColumns) -> Ints:
        """The slots of a batch; settings that are new are made. In a transaction."""
        ids = np.zeros(len(self._keys.settings), np.int64)
        for place in np.unique(batch.settings).tolist():
            ids[place] = self._keys.settings.find_id(place)
        questions, samples = batch.places >> SAMPLE_BITS, batch.places & MAX_SAMPLE
        return questions << QUESTION_SHIFT | ids[batch.settings] << SAMPLE_BITS | samples

    def _find_grades(self, batch: ResponseColumns, slots: Ints) -> GradeColumns:
        """The grades of a batch, under the ids that graders have by now."""
        tick = self._graders.begin()
        seen = self._marks.seen
        planes, outcomes, people = (
            np.array([mark[column] for mark in seen], np.int64)[batch.marks] for column in range(3)
        )
        graded = np.repeat(slots, batch.counts)
        times: list[int | None] = [None] * graded.size
        for place in np.flatnonzero(people).tolist():
            times[place] = tick(int(graded[place]))
        found = GradeColumns(graded, planes, outcomes.astype(np.uint8), times)
        return found.renumbered(self._graders.ids)

    def _shown(self, row: Mapping[str, Any]) -> int:
        shown = row["shown_order"]
        if shown is None:
            return UNKNOWN
        options = self._options.get(self._keys.questions[row["fact_id"], row["task"]])
        if options is None:
            raise RowError(f"shown_order: {row['task']} is not multiple choice")
        try:
            return choice_options.encode(shown, options)
        except (ValueError, TypeError):
            raise RowError(f"shown_order is not an order of {quoted(list(options))}") from None

    def _sift(
        self,
        batch: ResponseColumns,
        answers: list[Answer],
        graded: list[Graded],
        there: dict[int, tuple[str, int | None]],
    ) -> _Fresh:
        """What of a batch is to be added; the rest is counted."""
        outcomes = outcomes_there(self._project.grids, graded)
        fresh = _Fresh()
        ends = pairwise(accumulate(batch.counts.tolist(), initial=0))
        for line, answer, (start, end) in zip(batch.lines.tolist(), answers, ends, strict=True):
            grades = graded[start:end]
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
