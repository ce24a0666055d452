"""Samples of logs into facts, responses and labels, with where they came from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

import db.facts
import db.grades
import db.label_grids
import db.response_sources
import db.responses
from core.dataset import choice_options
from core.project import Project
from core.transfer.import_report import ImportReport
from core.transfer.imported_labels import ImportedGraders, are_different, outcomes_there, renumbered
from core.transfer.log_files import LogFile
from core.transfer.response_keys import QuestionOptions, ResponseKeys
from core.transfer.row_source import blocks_of
from core.transfer.row_values import RowError, quoted
from core.vocabulary import Side, Task
from db.facts import Fact
from db.foreign_key_checks import check_answers, write_unchecked
from db.grades import Graded
from db.question_rows import Gold, Question
from db.response_sources import ScoreRow, SourceFile, SourceRow
from db.slot_ids import MAX_SAMPLE, slot

NumberedRow = tuple[Any, dict[str, Any]]
"""What the log calls a row, and the row."""

OTHER_MODEL = "--as names another model, --pool adds them as further samples"


@dataclass(slots=True)
class _NewRow:
    """A row on its way: its answers (slot, text, shown), and what they bring."""

    place: Any
    answers: list[tuple[int, str, int | None]]
    grades: list[Graded]
    rationales: dict[tuple[int, int], str]
    scores: list[ScoreRow]
    sources: list[SourceRow]
    reasonings: list[tuple[int, str]]


@dataclass(slots=True)
class _Batch:
    """What a batch of rows brings."""

    rows: list[_NewRow] = field(default_factory=list)
    answers: list[tuple[int, str, int | None]] = field(default_factory=list)
    grades: list[Graded] = field(default_factory=list)
    rationales: dict[tuple[int, int], str] = field(default_factory=dict)


class LogRows:
    """Takes the rows of one log, batch by batch."""

    def __init__(self, project: Project, report: ImportReport, log: LogFile) -> None:
        self._project = project
        self._connection = project.connection
        self._report = report
        self._log = log
        self._keys = ResponseKeys(project.connection, make=True)
        self._graders = ImportedGraders(project.connection)
        self._options = QuestionOptions(project.connection)
        self._facts: set[str] = set()
        self._asked: dict[tuple[str, Task], int] = {}
        self._model, self._thinking = log.model, log.thinking
        self._before = dict(log.pool or {})
        self._file = 0

    def land(self, rows: Iterable[NumberedRow]) -> None:
        """Add what is new in these rows, in one transaction."""
        with write_unchecked(self._connection):
            db.label_grids.catch_up(self._connection, self._project.grids)
            self._graders.found()
            if not self._file:
                source = SourceFile(self._log.path.name, self._report.format, self._log.eval_id)
                self._file = db.response_sources.ensure_file(self._connection, source)
            tick = self._graders.begin()
            made: list[_NewRow] = []
            for block in blocks_of(rows):
                named = [(place, row) for place, row in block if self._name(place, row)]
                for place, row in self._add_facts(named):
                    try:
                        made.append(self._make(place, row, tick))
                    except RowError as error:
                        self._report.refuse(place, str(error))
            self._write(self._sift(made))

    def _name(self, place: Any, row: dict[str, Any]) -> bool:
        """Say of a row which task and setting it is of; one without a model is bad.

        A sample that names a question that is here, by fact and task, asks that one.
        """
        ours = row["ours"]
        row["ours"] = ours is not None and self._keys.questions.has(tuple(ours))
        if row["ours"]:
            row["fact_id"], row["task"] = ours
        else:
            row["task"] = Task.MC_DIRECT if row["choices"] else Task.DIRECT
        model = self._model if self._log.is_renamed else row["model"] or self._model
        try:
            if model is None:
                raise RowError("names no model: --as LABEL names one")
            row["model"] = model
            row["setting"] = self._keys.setting(model, self._thinking)
        except RowError as error:
            self._report.refuse(place, str(error))
            return False
        return True

    # Facts

    def _add_facts(self, rows: list[NumberedRow]) -> list[NumberedRow]:
        """Add facts that are new; gives the rows whose fact is there and the same."""
        asked = {row["fact_id"] for _, row in rows if not row["ours"]}
        for fact in db.facts.read_facts(self._connection, asked - self._facts):
            self._remember(fact)
        fresh: dict[str, Fact] = {}
        found = [one for one in rows if one[1]["ours"] or self._fits(*one, fresh)]
        self._insert_facts(fresh)
        return found

    def _fits(self, place: Any, row: dict[str, Any], fresh: dict[str, Fact]) -> bool:
        """Whether the fact of a row is there and the same; a new one is added to `fresh`."""
        key, task = row["fact_id"], row["task"]
        identity = _identity(row["question"], row["golds"], row["choices"])
        if key not in self._facts:
            fresh[key] = _fact(row)
            if row["choices"]:
                self._remember(fresh[key])
            else:
                self._facts.add(key)
                self._asked[key, task] = identity
        if self._asked.get((key, task)) == identity:
            return True
        known = fresh.get(key) or self._read_fact(key)
        self._report.refuse(place, _difference(known, row))
        return False

    def _remember(self, fact: Fact) -> None:
        self._facts.add(fact.fact_id)
        if gold := fact.golds.get(Side.OBJECT):
            for task in (Task.DIRECT, Task.MC_DIRECT):
                if asked := fact.questions.get(task):
                    identity = _identity(asked.text, gold.texts, asked.choices)
                    self._asked[fact.fact_id, task] = identity

    def _read_fact(self, fact_id: str) -> Fact:
        return next(iter(db.facts.read_facts(self._connection, [fact_id])))

    def _insert_facts(self, facts: Mapping[str, Fact]) -> None:
        if not facts:
            return
        _, keys = db.facts.insert(self._connection, facts.values())
        self._keys.questions.update(keys)

    # Answers

    def _make(self, place: Any, row: dict[str, Any], tick: Any) -> _NewRow:
        """The row in the terms of the database. Raises `RowError`."""
        question = self._keys.questions[row["fact_id"], row["task"]]
        cell = (row["fact_id"], row["task"], row["model"], self._thinking)
        first = self._before.get(cell, 0)
        shown = self._shown(question, row)
        made, pool = _NewRow(place, [], [], {}, [], [], []), self._log.pool
        sample_id = row["sample_id"]
        told = None if sample_id is None else orjson.dumps(sample_id).decode()
        for answer in row["answers"]:
            sample = first + answer["sample"]
            if sample > MAX_SAMPLE:
                raise RowError(f"is sample {sample:,} of its question: {MAX_SAMPLE:,} is the last")
            key = slot(question, row["setting"], sample)
            if pool is not None:
                pool[cell] = max(pool.get(cell, 0), sample + 1)
            made.answers.append((key, answer["text"], shown))
            made.sources.append((key, self._file, told, row["epoch"], row["uuid"], row["prompt"]))
            if answer["reasoning"]:
                made.reasonings.append((key, answer["reasoning"]))
            self._grade(made, key, answer, tick)
        return made

    def _grade(self, made: _NewRow, key: int, answer: Mapping[str, Any], tick: Any) -> None:
        marks = self._graders.marks
        for grader, label in answer["grades"].items():
            plane, outcome, _ = marks[grader, label]
            made.grades.append((key, plane, outcome, None))
            if rationale := answer["rationales"].get(grader):
                made.rationales[key, plane] = rationale
            if kept := answer["scores"].get(grader):
                score, part, value = kept
                told = orjson.dumps(value).decode()
                made.scores.append((key, plane, score, part, told))
        for grader, (label, reason, at) in answer["people"].items():
            plane, outcome, _ = marks[grader, label]
            made.grades.append((key, plane, outcome, at or tick(key)))
            if reason:
                made.rationales[key, plane] = reason

    def _shown(self, question: int, row: Mapping[str, Any]) -> int | None:
        """The number of the order in which options were shown; None where it is not known."""
        if not row["shown"] or not row["choices"]:
            return None
        if (options := self._options[question]) is None:
            return None
        try:
            return choice_options.encode(row["choices"], options)
        except (ValueError, TypeError):
            return None

    # Landing

    def _sift(self, rows: list[_NewRow]) -> _Batch:
        """What of the rows is to be added; the rest is counted."""
        answers = [answer for row in rows for answer in row.answers]
        slots = np.array([answer[0] for answer in answers], np.int64)
        grids = self._project.grids
        taken = grids.at(db.label_grids.DRAWN, slots) > 0
        if not taken.any() and are_different(slots):
            self._report.added += len(rows)
            grades = [grade for row in rows for grade in row.grades]
            rationales = [item for row in rows for item in row.rationales.items()]
            return _Batch(rows, answers, grades, dict(rationales))
        there = {
            key: text
            for key, (text, _) in db.responses.find_existing(
                self._connection, slots[taken].tolist()
            ).items()
        }
        outcomes = outcomes_there(self._project.grids, [one for row in rows for one in row.grades])
        batch = _Batch()
        for row in rows:
            other = any(there.get(key, text) != text for key, text, _ in row.answers)
            reason = self._graders.clash(row.grades, outcomes)
            if other:
                reason = f"this response is there with another text, which is kept: {OTHER_MODEL}"
            if reason:
                self._report.refuse(row.place, reason)
                continue
            answers = [one for one in row.answers if one[0] not in there]
            there.update((key, text) for key, text, _ in answers)
            grades = [one for one in row.grades if one[:2] not in outcomes]
            outcomes.update((one[:2], one[2]) for one in grades)
            new = {one[:2] for one in grades}
            batch.answers += answers
            batch.grades += grades
            batch.rationales.update((key, why) for key, why in row.rationales.items() if key in new)
            batch.rows.append(row)
            self._report.count(bool(answers or grades))
        return batch

    def _write(self, batch: _Batch) -> None:
        connection = self._connection
        slots, planes = [one[0] for one in batch.grades], {one[1] for one in batch.grades}
        answered = [answer[0] for answer in batch.answers]
        check_answers(connection, answered + slots, [plane for plane in planes if plane > 0])
        db.responses.insert(connection, batch.answers)
        ids = self._graders.made(planes)
        db.grades.insert_graded(connection, renumbered(batch.grades, ids))
        by_plane: dict[int, list[tuple[int, str]]] = {}
        for (key, plane), why in batch.rationales.items():
            by_plane.setdefault(ids.get(plane, plane), []).append((key, why))
        for plane, rationales in by_plane.items():
            db.grades.insert_rationales(connection, plane, rationales)
        new = set(answered)
        db.responses.insert_reasoning(
            connection, [one for row in batch.rows for one in row.reasonings if one[0] in new]
        )
        db.response_sources.insert(connection, [one for row in batch.rows for one in row.sources])
        db.response_sources.insert_scores(
            connection,
            [
                (key, ids.get(plane, plane), score, part, value)
                for row in batch.rows
                for key, plane, score, part, value in row.scores
                if ids.get(plane, plane) > 0
            ],
        )


def _fact(row: Mapping[str, Any]) -> Fact:
    """The fact that a row asks; multiple choice has the plain question beside it."""
    gold, *aliases = row["golds"]
    questions = {Task.DIRECT: Question(row["question"])}
    if row["choices"]:
        questions[Task.MC_DIRECT] = Question(row["question"], tuple(row["choices"]))
    golds = {Side.OBJECT: Gold(gold, tuple(aliases))}
    return Fact(row["fact_id"], object=gold, golds=golds, questions=questions)


def _identity(question: str, golds: Iterable[str], choices: Iterable[str] | None) -> int:
    """Equal for rows that ask the same; options may stand in any order."""
    return hash((question, tuple(golds), frozenset(choices) if choices else None))


def _difference(fact: Fact, row: Mapping[str, Any]) -> str:
    """Why a row is of another fact than the one of its id."""
    asked = fact.questions.get(row["task"]) or fact.questions.get(Task.DIRECT)
    gold = fact.golds.get(Side.OBJECT)
    if asked is None or asked.text != row["question"]:
        what = "question"
    elif gold is None or gold.texts != tuple(row["golds"]):
        what = "gold"
    else:
        what = "list of options"
    name = quoted(fact.fact_id)
    return f"fact {name} is there with another {what}: --prefix gives these another id"
