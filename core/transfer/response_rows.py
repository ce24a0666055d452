"""Responses, with their labels, from rows into their slots."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

import db.grades
import db.label_grids
import db.responses
from core.dataset import choice_options
from core.project import OpenProject
from core.transfer.file_formats import RESPONSE_NEEDS
from core.transfer.import_report import ImportReport
from core.transfer.imported_labels import (
    ImportedGraders,
    Mark,
    are_different,
    outcomes_there,
    renumber_grades,
)
from core.transfer.response_keys import (
    AnswerKeys,
    QuestionKeys,
    QuestionOptions,
    check_draws,
    check_texts,
    explain_misfit,
    parse_cells,
)
from core.transfer.response_spool import GatheredRows, Ints, ResponseColumns
from core.transfer.row_source import blocks_of
from core.transfer.row_values import RowError, quote
from db.foreign_key_checks import check_answers, write_unchecked
from db.grades import GradeColumns, Graded
from db.slot_ids import QUESTION_SHIFT, SAMPLE_BITS

Answer = tuple[int, str, int | None]
"""Slot, text, number of the order shown."""

NumberedRow = tuple[int, dict[str, Any]]

_VALUES = itemgetter("response", "fact_id", "task", "model", "thinking", "sample")

UNKNOWN = -1
"""The number of an order that is not known."""


@dataclass(slots=True)
class _FreshResponses:
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

    def __init__(self, project: OpenProject, report: ImportReport, cells: bool) -> None:
        """`cells` says that values may be text, as in CSV."""
        self._project = project
        self._report = report
        self._cells = cells
        self._keys = AnswerKeys(project.connection)
        self._graders = ImportedGraders(project.connection)
        self._marks = _MarkPlaces(self._graders)
        self._options = QuestionOptions(project.connection)

    @property
    def questions(self) -> QuestionKeys:
        """The questions of the database."""
        return self._keys.questions

    def land(self, rows: Iterable[NumberedRow]) -> None:
        """Add what is new in these rows, in one transaction."""
        self.add(self.gather(blocks_of(rows)))

    def gather(
        self,
        blocks: Iterable[Sequence[NumberedRow]],
        rows: int = sys.maxsize,
        characters: int = sys.maxsize,
    ) -> ResponseColumns:
        """The rows that can land by themselves, until there are so many; writes nothing.

        Or until their texts are so long. Takes whole blocks, and none only where there are none.
        """
        found = GatheredRows()
        for block in blocks:
            self._read_block(self._parse_block(block) if self._cells else block, found)
            if len(found.texts) >= rows or found.characters >= characters:
                break
        return found.columns()

    def _parse_block(self, block: Sequence[NumberedRow]) -> list[NumberedRow]:
        """The rows of a table with values for their cells; those without any are refused."""
        found = []
        for line, row in block:
            try:
                found.append((line, parse_cells(row)))
            except RowError as error:
                self._refuse(line, row, error)
        return found

    def _read_block(self, block: Sequence[NumberedRow], found: GatheredRows) -> None:
        """Add the rows of a block. Halves one with a bad row until that stands alone."""
        if not block:
            return
        try:
            self._add_rows(block, found)
        except (RowError, AttributeError, KeyError, TypeError) as error:
            if len(block) == 1:
                self._refuse(*block[0], error)
                return
            half = len(block) // 2
            self._read_block(block[:half], found)
            self._read_block(block[half:], found)

    def _add_rows(self, block: Sequence[NumberedRow], found: GatheredRows) -> None:
        """Add rows column by column. Where one is bad, raises `RowError` or what `misfit` takes.

        Written for millions of them.
        """
        lines, rows = zip(*block, strict=True)
        texts, facts, tasks, models, thinking, samples = zip(*map(_VALUES, rows), strict=True)
        check_texts(texts, "response")
        shown = [self._encode_order(row) if "shown_order" in row else UNKNOWN for row in rows]
        grades = [{} if (labels := row.get("grades")) is None else labels for row in rows]
        marks = list(map(self._marks.__getitem__, chain.from_iterable(map(dict.items, grades))))
        check_draws(thinking, samples)
        questions = self._keys.questions
        asked = list(map(questions.__getitem__, zip(facts, tasks, strict=True)))
        settings = list(map(self._keys.settings.__getitem__, zip(models, thinking, strict=True)))
        found.add(
            texts,
            lines=lines,
            questions=asked,
            samples=samples,
            settings=settings,
            shown=shown,
            counts=list(map(len, grades)),
            marks=marks,
        )

    def _refuse(self, line: int, row: Mapping[str, Any], error: Exception) -> None:
        self._report.refuse(line, explain_misfit(row, RESPONSE_NEEDS, error))

    def add(self, batch: ResponseColumns) -> None:
        """Add what is new in a batch, in one transaction."""
        connection = self._project.connection
        with write_unchecked(connection):
            db.label_grids.catch_up(connection, self._project.grids)
            self._graders.find_newer()
            slots = self._find_slots(batch)
            grades = self._find_grades(batch, slots)
            planes = np.unique(grades.planes)
            check_answers(connection, slots, planes[planes > 0].tolist())
            shown = [None if one == UNKNOWN else one for one in batch.shown.tolist()]
            taken = self._project.grids.at(db.label_grids.DRAWN, slots) > 0
            if not taken.any() and are_different(slots):
                self._report.added += slots.size
                db.responses.insert_columns(connection, slots.tolist(), batch.texts, shown)
                made = self._graders.make_graders(planes.tolist())
                db.grades.insert_columns(connection, grades.renumber(made))
                return
            answers = list(zip(slots.tolist(), batch.texts, shown, strict=True))
            there = db.responses.find_existing(connection, slots[taken].tolist())
            fresh = self._sift(batch, answers, grades.to_rows(), there)
            db.responses.insert(connection, fresh.answers)
            db.responses.set_shown(connection, fresh.orders)
            made = self._graders.make_graders({grade[1] for grade in fresh.grades})
            db.grades.insert_graded(connection, renumber_grades(fresh.grades, made))

    def _find_slots(self, batch: ResponseColumns) -> Ints:
        """The slots of a batch; settings that are new are made. In a transaction."""
        ids = np.zeros(len(self._keys.settings), np.int64)
        for place in np.unique(batch.settings).tolist():
            ids[place] = self._keys.settings.find_id(place)
        return (
            batch.questions << QUESTION_SHIFT | ids[batch.settings] << SAMPLE_BITS | batch.samples
        )

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
        return found.renumber(self._graders.ids)

    def _encode_order(self, row: Mapping[str, Any]) -> int:
        shown = row["shown_order"]
        if shown is None:
            return UNKNOWN
        options = self._options[self._keys.questions[row["fact_id"], row["task"]]]
        if options is None:
            raise RowError(f"shown_order: {row['task']} is not multiple choice")
        try:
            return choice_options.encode(shown, options)
        except (ValueError, TypeError):
            raise RowError(f"shown_order is not an order of {quote(list(options))}") from None

    def _sift(
        self,
        batch: ResponseColumns,
        answers: list[Answer],
        graded: list[Graded],
        there: dict[int, tuple[str, int | None]],
    ) -> _FreshResponses:
        """What of a batch is to be added; the rest is counted."""
        outcomes = outcomes_there(self._project.grids, graded)
        fresh = _FreshResponses()
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
