"""Taking in what engines said of answers: each is labelled once, whatever is lost or doubled.

A line is known by its name. It is taken if the request that would be made now has this name, whole
or about one answer alone, and if it says something new. What is here already stays.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import db.grades
import db.question_rows
from core.grading.answer_batches import AnswerBatch, GradedAnswer, apply_reply
from core.grading.question_answers import AnswerReader, Row, subject_of
from core.project import OpenProject
from core.providers.base import Reply
from core.scale.answer_index import AnswerIndex
from core.scale.collector import LineCounts
from core.scale.engine_output import (
    EngineAnswer,
    LineBlock,
    read_answer,
    read_blocks,
    read_row,
)
from core.scale.label_requests import (
    AskedLabels,
    LabelName,
    LabelQuestion,
    LabelRequestFormat,
    parse_label_name,
)
from core.scale.plan_index import FAILED
from core.scale.plan_questions import PlanQuestions
from core.scoring.precedence import LAST_LABEL
from core.vocabulary import TASK_INDEX, Outcome, Task
from db.connection import write_transaction

LINES = 256
"""Lines that are looked at together and taken in by one transaction."""


class PlanAnswers:
    """The questions of a plan for a grader with their answers, as they are now.

    In the thread that owns the project's connection.
    """

    def __init__(
        self,
        project: OpenProject,
        index: AnswerIndex,
        questions: PlanQuestions,
        written: LabelRequestFormat,
        version: int,
    ) -> None:
        """`version`: the id of the grader's version."""
        self.connection, self.index, self.version = project.connection, index, version
        self.written = written
        self._questions = questions
        self._answers = AnswerReader(project.connection, version)

    def ids(self, facts: Iterable[int]) -> dict[tuple[int, Task], int]:
        """Ids of the questions that are asked about facts, by place and task; 0 for none."""
        return {
            (fact, one.name.task): int(self._questions.ids[fact, TASK_INDEX[one.name.task]])
            for fact in facts
            for one in self.index.find_requests(fact)
        }

    def read_questions(self, questions: Iterable[int]) -> dict[int, LabelQuestion]:
        """Those of these questions that are in use, by id."""
        found = db.question_rows.read_current(self.connection, questions)
        return {
            key: LabelQuestion(self.written, subject_of(one), self._answers.read_answers(key))
            for key, one in found.items()
        }

    def list_requests(self, fact: int, task: Task) -> list[AskedLabels]:
        """The requests of the plan about a question."""
        return [one for one in self.index.find_requests(fact) if one.name.task is task]


@dataclass(frozen=True, slots=True)
class _NamedLine:
    block: LineBlock
    line: int
    name: LabelName


class LabelCollector:
    """Takes the lines of one plan in. In the thread that owns the project's connection."""

    def __init__(self, answers: PlanAnswers) -> None:
        self._answers = answers
        self.counts = LineCounts()

    def take(
        self, files: Iterable[Path], tell: Callable[[int], object] = lambda lines: None
    ) -> LineCounts:
        """Take in all lines; `tell` hears how many are through."""
        for block in chain.from_iterable(map(read_blocks, files)):
            self.counts.lines += len(block.names) + block.malformed
            self.counts.malformed += block.malformed
            for start in range(0, len(block.names), LINES):
                self._take(block, range(start, min(start + LINES, len(block.names))))
            tell(self.counts.lines)
        return self.counts

    def _take(self, block: LineBlock, lines: range) -> None:
        by_question = self._group_by_question(block, lines)
        if not by_question:
            return
        rows: list[Row] = []
        with write_transaction(self._answers.connection):
            questions = self._answers.read_questions(by_question)
            for key, mine in by_question.items():
                if key in questions:
                    rows += [row for one in mine for row in self._take_line(questions[key], one)]
                else:
                    self.counts.stale += len(mine)
            db.grades.settle(self._answers.connection, self._answers.version, rows)

    def _group_by_question(self, block: LineBlock, lines: range) -> dict[int, list[_NamedLine]]:
        """Lines by the ids of their questions; those of no request of the plan are counted."""
        found: defaultdict[int, list[_NamedLine]] = defaultdict(list)
        names = {line: parse_label_name(block.names[line]) for line in lines}
        ids = self._answers.ids({name.fact for name in names.values() if name is not None})
        for line, name in names.items():
            key = 0 if name is None else ids.get((name.fact, name.task), 0)
            if name is None or (name.fact, name.task) not in ids:
                self.counts.unknown += 1
            elif not key:
                self.counts.elsewhere += 1
            else:
                found[key].append(_NamedLine(block, line, name))
        return found

    def _take_line(self, question: LabelQuestion, one: _NamedLine) -> list[Row]:
        """What a line says of answers that have no label."""
        asked = self._answers.list_requests(one.name.fact, one.name.task)
        whole = [request for request in asked if request.name == one.name]
        if whole and all(map(question.is_labelled, whole)):
            self.counts.duplicate += 1
            return []
        found = question.find(one.name, asked)
        if not found:
            self.counts.stale += 1
            return []
        labels = question.found.labels
        fresh = [
            pair for pair in found if any(answer.text not in labels for answer in pair[1].answers)
        ]
        if not fresh:
            self.counts.duplicate += 1
            return []
        row = read_row(one.block.contents[one.line])
        answer = read_answer(row)
        self.counts.extra += max(0, len(answer.draws) - 1)
        rows = [row for pair in fresh for row in self._take_answer(question, *pair, answer)]
        if not rows and (answer.draws or answer.refused):
            self.counts.duplicate += 1
        return rows

    def _take_answer(
        self, question: LabelQuestion, asked: AskedLabels, made: AnswerBatch, answer: EngineAnswer
    ) -> list[Row]:
        if answer.draws:
            return self._keep(question, made, apply_reply(made, Reply(answer.draws[:1])).graded)
        if answer.refused:
            refused = [GradedAnswer(one, Outcome.REFUSED) for one in made.answers]
            return self._keep(question, made, refused)
        self._answers.index.marks[asked.place] |= FAILED
        return []

    def _keep(
        self, question: LabelQuestion, made: AnswerBatch, graded: Sequence[GradedAnswer]
    ) -> list[Row]:
        """Rows of what is new. A refusal is the last word on an answer that was alone."""
        found, rows = question.found, list[Row]()
        for one in graded:
            text, outcome = one.answer.text, one.outcome
            if text in found.labels or found.states.get(text) is outcome:
                continue
            if outcome <= LAST_LABEL:
                found.labels[text] = (int(outcome), one.why)
                self.counts.taken += 1
            elif found.states.get(text) is Outcome.REFUSED:
                continue
            else:
                if outcome is Outcome.REFUSED and len(made.answers) > 1:
                    outcome = Outcome.ERROR
                found.states[text] = outcome
            rows += [(key, int(outcome), one.why) for key in one.answer.places]
        return rows
