"""Answers of a project with their labels, as columns, in an order that their keys determine.

Facts come in the order of their import, then tasks, models by name, thinking, samples: so a file
that is imported elsewhere is exported from there as it was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import db.grades
import db.label_grids
import db.model_rows
import db.question_rows
import db.responses
from core.dataset import choice_options
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, LAST_LABEL
from core.transfer.column_blocks import Block, CodedColumn, Codes, PairsColumn
from core.vocabulary import LABELS
from db.label_grids import Cells, LabelMatrix
from db.question_rows import StoredQuestion
from db.slot_ids import MAX_SAMPLE, MAX_SETTING, QUESTION_SHIFT, SAMPLE_BITS
from db.stored_values import RowsById

ANSWERS_AT_ONCE = 1 << 15
LABEL_NAMES = tuple(map(str, LABELS))

Remarks = Mapping[tuple[int, int], tuple[int | None, str | None]]
"""Time and rationale of a grade, by slot and grader version."""

Progress = Callable[[int, int], None]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Graders:
    """Graders by name, people last; with the ids of their versions, oldest first."""

    names: tuple[str, ...]
    planes: tuple[tuple[int, ...], ...]
    people: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labels of some answers, those of one answer in the order in which they are imported.

    Graders stand by name, then people, the newest last: so the same person's label becomes the
    newest again. `answers` and `graders` are places, `labels` those of `LABEL_NAMES`.
    """

    answers: Codes
    graders: Codes
    labels: Codes
    rationales: list[str | None]


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers to some questions: `places` are those of their questions."""

    questions: Sequence[StoredQuestion]
    places: Codes
    slots: Ints
    texts: list[str]
    shown: list[int | None]


class AnswerColumns:
    """The answers to questions of some facts (ids) by some models, as blocks of columns."""

    def __init__(
        self, project: OpenProject, facts: Sequence[int], models: Iterable[str], tell: Progress
    ) -> None:
        self._connection = project.connection
        self._facts, self._tell = facts, tell
        self._grids = db.label_grids.load(project.connection)
        self._graders = _find_graders(project, self._grids)
        self._settings = db.model_rows.settings(project.connection)
        wanted = set(models)
        known = sorted((name, key) for key, name in self._settings.items() if name[0] in wanted)
        self._ranks = np.full(MAX_SETTING + 1, -1)
        self._ranks[[key for _, key in known]] = np.arange(len(known))
        self._names = [model for (model, _), _ in known]
        self._thinking = np.array([thinking for (_, thinking), _ in known], np.bool_)

    def responses(self) -> Iterator[Block]:
        """A row an answer: its key, text, the options as shown, its grades."""
        for answers in self._blocks():
            labels = self._find_labels(answers, {})
            counts = np.bincount(labels.answers, minlength=answers.slots.size)
            yield {
                **self._key_columns(answers),
                "response": answers.texts,
                "shown_order": _shown_orders(answers),
                "grades": PairsColumn(
                    np.concatenate([[0], np.cumsum(counts)]),
                    CodedColumn(labels.graders, self._graders.names),
                    CodedColumn(labels.labels, LABEL_NAMES),
                ),
            }

    def labels(self) -> Iterator[Block]:
        """A row a label: the key of its answer, the grader, the label, the rationale."""
        for answers in self._blocks():
            questions = [question.id for question in answers.questions]
            remarks = db.grades.remarks_in(self._connection, questions)
            labels = self._find_labels(answers, remarks)
            yield {
                **self._key_columns(answers, labels.answers),
                "grader": CodedColumn(labels.graders, self._graders.names),
                "label": CodedColumn(labels.labels, LABEL_NAMES),
                "rationale": labels.rationales,
            }

    def _blocks(self) -> Iterator[_Answers]:
        """The answers to as many questions at once as have some ten thousands."""
        questions = db.question_rows.questions(self._connection, self._facts)
        counts = db.label_grids.per_question(self._grids)
        ends = np.cumsum([counts[question.id] for question in questions])
        done = 0
        while done < len(questions):
            before = ends[done - 1] if done else 0
            end = int(np.searchsorted(ends, before + ANSWERS_AT_ONCE, "right"))
            end = max(end, done + 1)
            answers = self._read_answers(questions[done:end])
            if answers.texts:
                yield answers
            done = end
            self._tell(done, len(questions))

    def _read_answers(self, questions: Sequence[StoredQuestion]) -> _Answers:
        ids = np.array([one.id for one in questions], np.int64)
        rows = db.responses.read_answers(self._connection, ids.tolist())
        keys, texts, shown = zip(*rows, strict=True) if rows else ((), (), ())
        slots = np.array(keys, np.int64)
        by_id = np.argsort(ids)
        places = by_id[np.searchsorted(ids, slots >> QUESTION_SHIFT, sorter=by_id)]
        settings = slots >> SAMPLE_BITS & MAX_SETTING
        for one in np.unique(settings).tolist():
            self._settings[one]  # raises for one that is not there
        ranks = self._ranks[settings]
        order = np.lexsort((slots & MAX_SAMPLE, ranks, places))
        order = order[ranks[order] >= 0]
        if np.array_equal(order, np.arange(slots.size)):
            return _Answers(questions, places, slots, list(texts), list(shown))
        there = order.tolist()
        return _Answers(
            questions,
            places[order],
            slots[order],
            [texts[place] for place in there],
            [shown[place] for place in there],
        )

    def _key_columns(self, answers: _Answers, rows: Codes | None = None) -> Block:
        """The natural key of each answer, or of the answers in some rows."""
        some = slice(None) if rows is None else rows
        places, slots = answers.places[some], answers.slots[some]
        ranks = self._ranks[slots >> SAMPLE_BITS & MAX_SETTING]
        return {
            "fact_id": CodedColumn(places, [one.fact_id for one in answers.questions]),
            "task": CodedColumn(places, [one.task.value for one in answers.questions]),
            "model": CodedColumn(ranks, self._names),
            "thinking": self._thinking[ranks],
            "sample": slots & MAX_SAMPLE,
        }

    def _find_labels(self, answers: _Answers, remarks: Remarks) -> _Labels:
        """Each grader's label by its newest version."""
        graders, slots = self._graders, answers.slots
        outcomes = np.zeros((slots.size, len(graders.names)), np.uint8)
        planes = np.zeros(outcomes.shape, np.int64)
        for column, versions in enumerate(graders.planes):
            for plane in versions:
                found = self._grids.at(plane, slots)
                is_label = _is_label(found)
                outcomes[is_label, column] = found[is_label]
                planes[is_label, column] = plane
        rows, columns = outcomes.nonzero()
        by_people = graders.people[columns]
        if by_people.any() and not remarks:
            questions = [question.id for question in answers.questions]
            remarks = db.grades.remarks_in(self._connection, questions)
        rationales: list[str | None] = [None] * rows.size
        if remarks:
            pairs = zip(slots[rows].tolist(), planes[rows, columns].tolist(), strict=True)
            said = [remarks.get(pair, (None, None)) for pair in pairs]
            times = np.array([at or 0 for at, _ in said], np.int64) * by_people
            order = np.lexsort((columns, times, by_people, rows))
            rows, columns = rows[order], columns[order]
            rationales = [said[place][1] for place in order.tolist()]
        labels = outcomes[rows, columns].astype(np.intp) - 1
        return _Labels(rows, columns, labels, rationales)


def _find_graders(project: OpenProject, grids: LabelMatrix) -> _Graders:
    """The graders that have said anything."""
    rows = db.grades.graders(project.connection)
    names = RowsById("grader", ((key, name) for key, name, _ in rows))
    planes: dict[str, list[int]] = {}
    for plane in sorted(grids.planes.keys() - {db.label_grids.DRAWN}):
        planes.setdefault(names[plane], []).append(plane)
    order = sorted(planes, key=lambda name: (name.startswith(HUMAN_PREFIX), name))
    return _Graders(
        tuple(order),
        tuple(tuple(planes[name]) for name in order),
        np.array([name.startswith(HUMAN_PREFIX) for name in order], np.bool_),
    )


def _is_label(outcomes: Cells) -> npt.NDArray[np.bool_]:
    return (outcomes > 0) & (outcomes <= LAST_LABEL)


def _shown_orders(answers: _Answers) -> list[Any]:
    """The options of each answer from A to D, None where they are not known."""
    found: list[Any] = [None] * len(answers.shown)
    for row, shown in enumerate(answers.shown):
        if shown is not None:
            choices = answers.questions[answers.places[row]].choices
            found[row] = list(choice_options.decode(shown, choices)) if choices else None
    return found
