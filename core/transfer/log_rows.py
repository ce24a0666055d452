"""Rows of logs into facts, responses and labels, with where they came from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise, repeat
from typing import Any, TypeVar

import numpy as np
import orjson

import db.grades
import db.label_grids
import db.response_sources
import db.responses
from core.dataset import choice_options
from core.exchange.log_columns import KeptScore, LogColumns, select_few
from core.project import OpenProject
from core.transfer.import_report import ImportReport
from core.transfer.imported_labels import ImportedGraders, are_different, outcomes_there
from core.transfer.log_facts import AskedQuestions, Ints, LogFacts
from core.transfer.log_files import LogFile
from core.transfer.response_keys import QuestionOptions, ResponseKeys
from core.transfer.row_values import NO_MODEL, RowError
from db.foreign_key_checks import check_answers, write_unchecked
from db.grades import GradeColumns
from db.response_sources import SourceFile
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS

OTHER_MODEL = (
    "kept as another model (--as) both are here, `lostkeys import --pool` adds further samples"
)

_Value = TypeVar("_Value")


@dataclass(slots=True)
class _Batch:
    """Rows on their way, as in `LogColumns`; what stands there for a row stands here for an answer.

    `slots` say whose answer each is, `orders` in which its options were shown.
    """

    places: list[Any] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    orders: list[int | None] = field(default_factory=list)
    sample_ids: list[str | None] = field(default_factory=list)
    epochs: list[int | None] = field(default_factory=list)
    uuids: list[str | None] = field(default_factory=list)
    prompts: list[str | None] = field(default_factory=list)
    grades: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    reasonings: dict[int, str] = field(default_factory=dict)
    times: dict[int, int] = field(default_factory=dict)
    rationales: dict[int, str] = field(default_factory=dict)
    scores: dict[int, KeptScore] = field(default_factory=dict)

    def add(self, block: LogColumns, slots: list[int], orders: list[int | None]) -> None:
        """Take in the rows of a block."""
        answers, grades, counts = len(self.texts), len(self.marks), block.answers
        self.places += block.places
        self.answers += counts
        self.slots += slots
        self.texts += block.texts
        self.orders += _spread(orders, counts)
        self.sample_ids += _spread(_dump_each(block.sample_ids), counts)
        self.epochs += _spread(block.epochs, counts)
        self.uuids += _spread(block.uuids, counts)
        self.prompts += _spread(block.prompts, counts)
        self.grades += block.grades
        self.marks += block.marks
        self.reasonings.update((answers + key, one) for key, one in block.reasonings.items())
        self.times.update((grades + key, one) for key, one in block.times.items())
        self.rationales.update((grades + key, one) for key, one in block.rationales.items())
        self.scores.update((grades + key, one) for key, one in block.scores.items())


@dataclass(slots=True)
class _FreshAnswers:
    """Answers and grades of a batch (by place) that are new, and answers whose source is kept."""

    answers: list[int] = field(default_factory=list)
    grades: list[int] = field(default_factory=list)
    sourced: list[int] = field(default_factory=list)
    scored: list[int] = field(default_factory=list)


class LogRows:
    """Takes the rows of one log, batch by batch."""

    def __init__(self, project: OpenProject, report: ImportReport, log: LogFile) -> None:
        self._project = project
        self._connection = project.connection
        self._report = report
        self._log = log
        self._keys = ResponseKeys(project.connection, make=True)
        self._facts = LogFacts(project)
        self._graders = ImportedGraders(project.connection)
        self._options = QuestionOptions(project.connection)
        self._model, self._thinking = log.model, log.thinking
        self._before = dict(log.pool or {})
        self._file = 0
        self._bad_marks: dict[int, str] = {}

    def land(self, blocks: Iterable[LogColumns]) -> None:
        """Add what is new in these rows, in one transaction."""
        with write_unchecked(self._connection):
            db.label_grids.catch_up(self._connection, self._project.grids)
            self._graders.find_newer()
            if not self._file:
                source = SourceFile(self._log.path.name, self._report.format, self._log.eval_id)
                self._file = db.response_sources.ensure_file(self._connection, source)
            self._facts.begin()
            self._bad_marks = self._find_bad_marks()
            batch = _Batch()
            for block in blocks:
                for place, reason in block.bad:
                    self._report.refuse(place, reason)
                self._add(block, batch)
            if batch.slots:
                self._write(batch)

    def _add(self, block: LogColumns, batch: _Batch) -> None:
        """Add the rows of a block that can land to a batch, and their facts to the project."""
        refused: dict[int, str] = {}
        settings = self._find_settings(block, refused)
        self._check_marks(block, refused)
        if refused:
            block, left = self._drop_refused(block, refused)
            settings = [settings[row] for row in left]
        if not block.places:
            return
        refused = {}
        asked = self._facts.find_questions(block, refused)
        slots = self._find_slots(block, asked, settings, refused)
        orders = self._find_orders(block, asked.ids)
        if refused:
            of_row = list(pairwise(accumulate(block.answers, initial=0)))
            block, left = self._drop_refused(block, refused)
            slots = [slot for row in left for slot in slots[slice(*of_row[row])]]
            orders = [orders[row] for row in left]
        batch.add(block, slots, orders)

    def _drop_refused(
        self, block: LogColumns, refused: dict[int, str]
    ) -> tuple[LogColumns, Sequence[int]]:
        """The rows that are not refused, and which these are; the others are reported."""
        for row, reason in sorted(refused.items()):
            self._report.refuse(block.places[row], reason)
        left = [row for row in range(len(block.places)) if row not in refused]
        return block.select_rows(left), left

    def _find_settings(self, block: LogColumns, refused: dict[int, str]) -> list[int]:
        """The setting of each row; one without a model is refused."""
        renamed = self._log.is_renamed or not any(block.models)
        models = [None] * len(block.models) if renamed else block.models
        found: dict[str | None, int] = {}
        bad: dict[str | None, str] = {}
        for name in dict.fromkeys(models):
            try:
                model = name or self._model
                if model is None:
                    raise RowError(NO_MODEL)
                found[name] = self._keys.setting(model, self._thinking)
            except RowError as error:
                found[name], bad[name] = 0, str(error)
        if bad:
            refused.update((row, bad[name]) for row, name in enumerate(models) if name in bad)
        return list(map(found.__getitem__, models))

    def _find_bad_marks(self) -> dict[int, str]:
        """Marks (by place) of graders that can be none, and why."""
        bad = {}
        for place, mark in enumerate(self._log.marks):
            try:
                self._graders.marks[mark]
            except RowError as error:
                bad[place] = str(error)
        return bad

    def _check_marks(self, block: LogColumns, refused: dict[int, str]) -> None:
        """Refuse the rows with such a mark."""
        if self._bad_marks.keys().isdisjoint(block.marks):
            return
        of_answer = list(accumulate(block.grades, initial=0))
        for row, (start, end) in enumerate(pairwise(accumulate(block.answers, initial=0))):
            for mark in block.marks[of_answer[start] : of_answer[end]]:
                if mark in self._bad_marks:
                    refused.setdefault(row, self._bad_marks[mark])

    def _find_slots(
        self,
        block: LogColumns,
        asked: AskedQuestions,
        settings: list[int],
        refused: dict[int, str],
    ) -> list[int]:
        """The slot of each answer; a row with more samples than a question has is refused."""
        samples = block.samples
        if self._log.pool is not None or max(samples) > MAX_SAMPLE:
            samples = self._number_samples(block, asked, settings, refused)
        questions = np.array(_spread(asked.ids, block.answers), np.int64)
        of_setting = np.array(_spread(settings, block.answers), np.int64)
        drawn = np.array(samples, np.int64)
        slots: list[int] = (
            questions << QUESTION_SHIFT | of_setting << SAMPLE_BITS | drawn
        ).tolist()
        return slots

    def _number_samples(
        self,
        block: LogColumns,
        asked: AskedQuestions,
        settings: list[int],
        refused: dict[int, str],
    ) -> list[int]:
        """The sample that each answer is, behind those of the files before."""
        samples, pool = list(block.samples), self._log.pool
        for row, answers in enumerate(pairwise(accumulate(block.answers, initial=0))):
            if row in refused:
                continue
            model = self._model if self._log.is_renamed else block.models[row] or self._model
            cell = (asked.fact_ids[row], asked.tasks[row], model or "", self._thinking)
            first = self._before.get(cell, 0)
            for place in range(*answers):
                samples[place] += first
                if samples[place] > MAX_SAMPLE:
                    told = f"is sample {samples[place]:,} of its question"
                    refused[row] = f"{told}: {MAX_SAMPLE:,} is the last"
                elif pool is not None:
                    pool[cell] = max(pool.get(cell, 0), samples[place] + 1)
        return samples

    def _find_orders(self, block: LogColumns, questions: list[int]) -> list[int | None]:
        """The number of the order in which options were shown; None where it is not known."""
        if not any(block.choices):
            return [None] * len(questions)
        return [
            self._order(question, choices) if shown and choices else None
            for question, choices, shown in zip(questions, block.choices, block.shown, strict=True)
        ]

    def _order(self, question: int, choices: Sequence[str]) -> int | None:
        if not question or (options := self._options[question]) is None:
            return None
        try:
            return choice_options.encode(choices, options)
        except (ValueError, TypeError):
            return None

    # Landing

    def _find_grades(self, batch: _Batch) -> GradeColumns:
        """The grades of a batch, with the times of those by people."""
        tick = self._graders.begin()
        seen = [
            (0, 0) if place in self._bad_marks else self._graders.marks[mark]
            for place, mark in enumerate(self._log.marks)
        ]
        planes, outcomes = (
            np.array([mark[column] for mark in seen], np.int64)[batch.marks] for column in range(2)
        )
        slots = np.repeat(np.array(batch.slots, np.int64), batch.grades)
        times: list[int | None] = [None] * slots.size
        for place, at in batch.times.items():
            times[place] = at or tick(int(slots[place]))
        return GradeColumns(slots, planes, outcomes.astype(np.uint8), times)

    def _sift(self, batch: _Batch, grades: GradeColumns) -> _FreshAnswers | None:
        """What of the rows is to be added, None for all of it; the rest is counted."""
        slots = np.array(batch.slots, np.int64)
        taken = self._project.grids.at(db.label_grids.DRAWN, slots) > 0
        if not taken.any() and are_different(slots):
            self._report.added += len(batch.places)
            return None
        stored = db.responses.find_existing(self._connection, slots[taken].tolist())
        there = {key: text for key, (text, _) in stored.items()}
        graded = grades.to_rows()
        outcomes = outcomes_there(self._project.grids, graded)
        fresh = _FreshAnswers()
        of_row = list(pairwise(accumulate(batch.answers, initial=0)))
        of_answer = list(accumulate(batch.grades, initial=0))
        for place, (start, end) in zip(batch.places, of_row, strict=True):
            answers = range(start, end)
            mine = range(of_answer[start], of_answer[end])
            other = any(
                there.get(batch.slots[one], batch.texts[one]) != batch.texts[one] for one in answers
            )
            reason = self._graders.clash([graded[one] for one in mine], outcomes)
            if other:
                reason = f"this response is there with another text, which is kept: {OTHER_MODEL}"
            if reason:
                self._report.refuse(place, reason)
                continue
            new = [one for one in answers if batch.slots[one] not in there]
            there.update((batch.slots[one], batch.texts[one]) for one in new)
            said = [one for one in mine if graded[one][:2] not in outcomes]
            outcomes.update((graded[one][:2], graded[one][2]) for one in said)
            fresh.answers += new
            fresh.grades += said
            fresh.sourced += answers
            fresh.scored += mine
            self._report.count(bool(new or said))
        return fresh

    def _write(self, batch: _Batch) -> None:
        """Add what is new in a batch."""
        connection, every = self._connection, self._find_grades(batch)
        fresh = self._sift(batch, every)
        grades = every if fresh is None else every.select(fresh.grades)
        answers = None if fresh is None else fresh.answers
        slots = _choose(batch.slots, answers)
        planes = np.unique(grades.planes)
        self._check(batch, planes)
        texts, orders = _choose(batch.texts, answers), _choose(batch.orders, answers)
        db.responses.insert_columns(connection, slots, texts, orders)
        self._graders.make_graders(planes.tolist())
        grades = grades.renumber(self._graders.ids)
        db.grades.insert_columns(connection, grades)
        rationales = (
            batch.rationales if fresh is None else select_few(batch.rationales, fresh.grades)
        )
        by_plane: dict[int, list[tuple[int, str]]] = {}
        for place, why in rationales.items():
            key, plane = int(grades.slots[place]), int(grades.planes[place])
            by_plane.setdefault(plane, []).append((key, why))
        for plane, explained in by_plane.items():
            db.grades.insert_rationales(connection, plane, explained)
        reasonings = batch.reasonings if answers is None else select_few(batch.reasonings, answers)
        db.responses.insert_reasoning(
            connection, [(slots[place], text) for place, text in reasonings.items()]
        )
        self._write_sources(batch, fresh, every)

    def _check(self, batch: _Batch, planes: Ints) -> None:
        """Prove that all that answers and grades refer to is there."""
        slots = np.array(batch.slots, np.int64)
        made = self._facts.is_made(slots >> QUESTION_SHIFT)
        _, of_settings = np.unique(slots >> SAMPLE_BITS & MAX_SETTING, return_index=True)
        doubtful = np.concatenate([slots[~made], slots[of_settings]])
        check_answers(self._connection, doubtful, planes[planes > 0].tolist())

    def _write_sources(
        self, batch: _Batch, fresh: _FreshAnswers | None, every: GradeColumns
    ) -> None:
        """Note where the answers of rows that landed came from, and their scores as they stood."""
        sourced = None if fresh is None else fresh.sourced
        db.response_sources.insert_columns(
            self._connection,
            self._file,
            _choose(batch.slots, sourced),
            sample_id=_choose(batch.sample_ids, sourced),
            epoch=_choose(batch.epochs, sourced),
            uuid=_choose(batch.uuids, sourced),
            prompt=_choose(batch.prompts, sourced),
        )
        if not batch.scores:
            return
        planes = every.renumber(self._graders.ids).planes
        scored = range(planes.size) if fresh is None else fresh.scored
        db.response_sources.insert_scores(
            self._connection,
            [
                (int(every.slots[place]), int(planes[place]), score, part, _dump_json(value))
                for place in scored
                if place in batch.scores and planes[place] > 0
                for score, part, value in [batch.scores[place]]
            ],
        )


def _spread(values: list[_Value], counts: Sequence[int]) -> list[_Value]:
    """What rows have for each of their answers."""
    if len(counts) == sum(counts) and 0 not in counts:
        return values
    return list(chain.from_iterable(map(repeat, values, counts)))


def _choose(values: Sequence[_Value], places: Sequence[int] | None) -> Sequence[_Value]:
    """Those at some places, None for all."""
    return values if places is None else [values[place] for place in places]


def _dump_each(values: list[Any]) -> list[str | None]:
    """Each as JSON, but for None."""
    if set(map(type, values)) == {int}:
        return list(map(str, values))
    return [None if value is None else _dump_json(value) for value in values]


def _dump_json(value: Any) -> str:
    return orjson.dumps(value).decode()
