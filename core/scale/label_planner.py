"""What a plan for a grader asks: what `grade` would ask now, fact by fact, written as lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

import db.grades
import db.question_rows
from core.grading.answer_batches import AnswerBatch, sheet_of
from core.grading.model_grader import register_grader
from core.grading.question_answers import AnswerReader, Row, subject_of
from core.pricing import Price
from core.pricing.prices import BYTES_PER_TOKEN
from core.project import OpenProject
from core.scale.answer_index import write_answers
from core.scale.label_requests import LabelRequestFormat, sum_answer
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.connection import write_transaction
from db.question_rows import StoredQuestion
from db.slot_ids import QUESTION_SHIFT, Slots

BLOCK = 128
"""Facts that are read in one transaction."""

_COLUMNS = [TASK_INDEX[task] for task in TASKS if not task.is_choice]


@dataclass(slots=True)
class LabelSum:
    """What the lines of a plan come to.

    `known`: responses that got the label of an equal answer, or were empty, without being asked
    about. `cost` in US dollars at the most, as a batch.
    """

    tasks: set[Task] = field(default_factory=set)
    known: int = 0
    size: int = 0
    most_out: int = 0
    cost: float = 0.0

    @property
    def tokens_in(self) -> int:
        """Tokens that the requests have, about."""
        return round(self.size / BYTES_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class FactSheets:
    """A fact (its name) with the first sheet of each of its questions that lacks labels."""

    fact_id: str
    sheets: tuple[tuple[Task, AnswerBatch], ...]


@dataclass(frozen=True, slots=True)
class FactLines:
    """The lines of a fact, those that say which answers they are about, and how many these are."""

    requests: list[bytes] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    count: int = 0


class LabelPlanner:
    """Plans the requests for one grader. In the thread that owns the project's connection."""

    def __init__(
        self,
        project: OpenProject,
        written: LabelRequestFormat,
        price: Price | None = None,
        slots: Slots | None = None,
    ) -> None:
        """Register the grader's version.

        price: what requests cost, to be summed. slots: the responses meant; None: all.
        """
        self._connection, self._written, self._price = project.connection, written, price
        with write_transaction(self._connection):
            self.version = register_grader(self._connection, written.grader)
        self._answers = AnswerReader(self._connection, self.version, slots=slots)
        index = project.index
        questions = index.questions[~index.rejected][:, _COLUMNS]
        if slots is not None:
            asked = np.isin(questions, np.unique(slots >> QUESTION_SHIFT))
            questions = np.where(asked, questions, 0)[asked.any(axis=1)]
        self._questions = questions
        self.sum = LabelSum()

    @property
    def facts(self) -> int:
        """How many facts are looked at."""
        return len(self._questions)

    def blocks(self) -> Iterator[tuple[int, list[FactSheets]]]:
        """The facts that lack labels, some at a time, with how many are through by then.

        What needs no request is written, block by block in transactions of its own.
        """
        for start in range(0, self.facts, BLOCK):
            block = self._questions[start : start + BLOCK]
            yield start + len(block), self._read_sheets(block[block > 0].tolist())

    def _read_sheets(self, questions: Sequence[int]) -> list[FactSheets]:
        facts: dict[str, list[tuple[Task, AnswerBatch]]] = {}
        known: list[Row] = []
        with write_transaction(self._connection):
            current = db.question_rows.read_current(self._connection, questions)
            for key in questions:
                if key in current:
                    self._add(current[key], facts, known)
            self.sum.known += db.grades.settle(self._connection, self.version, known)
        return [FactSheets(name, tuple(sheets)) for name, sheets in facts.items()]

    def _add(
        self,
        question: StoredQuestion,
        facts: dict[str, list[tuple[Task, AnswerBatch]]],
        known: list[Row],
    ) -> None:
        found = self._answers.read_answers(question.id)
        known += found.known
        sheet = sheet_of(self._written.grader, subject_of(question), found.unlabelled)
        if sheet is not None:
            facts.setdefault(question.fact_id, []).append((question.task, sheet))

    def lines(self, fact: FactSheets, place: int) -> FactLines:
        """The lines of a fact at a place of the plan; a request is there once."""
        requests, answers, count = dict[bytes, None](), list[bytes](), 0
        for task, first in fact.sheets:
            self.sum.tasks.add(task)
            sheet: AnswerBatch | None = first
            while sheet is not None:
                line = self._written.line(place, task, sheet.request)
                sums = [sum_answer(one.text) for one in sheet.answers]
                requests[line] = None
                answers.append(write_answers(line, sums))
                count += len(sums)
                self._add_up(sheet)
                sheet = sheet.make_next()
        return FactLines(list(requests), answers, count)

    def _add_up(self, sheet: AnswerBatch) -> None:
        request, total = sheet.request, self.sum
        texts = [one.content for one in request.messages or ()]
        total.size += sum([len(text.encode(errors="surrogatepass")) for text in texts])
        total.most_out += request.max_tokens + request.thinking_room
        if self._price is not None:
            total.cost += self._price.most(request, batch=True)
