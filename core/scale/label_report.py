"""How a plan for a grader stands: which answers have labels, and what is to be asked again."""

from collections.abc import Sequence
from itertools import islice

import db.grades
from core.grading.answer_batches import AnswerBatch
from core.grading.label_work import REASONS
from core.grading.question_answers import Row
from core.scale.collect_report import PlanProgress, RetryFiles, StageProgress
from core.scale.label_collector import PlanAnswers
from core.scale.label_requests import URL, AskedLabels, LabelQuestion
from core.scale.plan_index import FAILED
from core.scale.plan_manifest import PlanFolder
from core.scale.request_line import name_in
from core.vocabulary import Outcome
from db.connection import write_transaction

FACTS_AT_ONCE = 64
AGAIN = (Outcome.UNPARSED, Outcome.ERROR)
"""What a reply came to after which each answer is asked about alone."""


class LabelReport:
    """Looks through a plan to its end: writes labels of equal answers, and what to ask again.

    A request that got no reply is asked again as it is. Of any other each answer without a label
    is asked about alone, so that none bears what another did to the grader.
    """

    def __init__(self, answers: PlanAnswers, plan: PlanFolder) -> None:
        self._answers, self._plan = answers, plan
        self._found = PlanProgress("labels")
        self._stage = StageProgress()

    def write(self) -> PlanProgress:
        """How the plan stands; the retry files are new then."""
        self._found.by_stage[self._answers.written.grader.stage] = self._stage
        facts = iter(self._answers.index.facts())
        with RetryFiles(self._plan) as retry:
            while block := list(islice(facts, FACTS_AT_ONCE)):
                self._look(block, retry)
            self._found.retry = retry.requests
        return self._found

    def _look(self, facts: Sequence[int], retry: RetryFiles) -> None:
        ids = self._answers.ids(facts)
        rows: list[Row] = []
        with write_transaction(self._answers.connection):
            questions = self._answers.read_questions([key for key in ids.values() if key])
            for question in questions.values():
                rows += question.found.known
            db.grades.settle(self._answers.connection, self._answers.version, rows)
        for (fact, task), key in ids.items():
            names = set[bytes]()
            for asked in self._answers.list_requests(fact, task):
                self._found.requests += 1
                self._found.answers += len(asked.sums)
                for line in self._judge(questions.get(key), asked, bool(key)):
                    if name_in(line) not in names:
                        names.add(name_in(line))
                        retry.add_line(URL, line)

    def _judge(
        self, question: LabelQuestion | None, asked: AskedLabels, is_here: bool
    ) -> list[bytes]:
        """Count a request by what became of it; gives the lines that ask again.

        `is_here`: the question is in this database, if perhaps not in use.
        """
        labelled = 0 if question is None else question.count_labelled(asked.sums)
        self._found.here += labelled
        self._stage.here += labelled
        if labelled == len(asked.sums):
            return []
        made = None if question is None else question.remake(asked)
        if question is None or made is None:
            self._found.absent += question is None and not is_here
            self._found.outdated += question is not None or is_here
            return []
        return self._ask_again(question, asked, made)

    def _ask_again(
        self, question: LabelQuestion, asked: AskedLabels, made: AnswerBatch
    ) -> list[bytes]:
        found = question.found
        texts = [one.text for one in made.answers if one.text not in found.labels]
        left = [text for text in texts if found.states.get(text) is not Outcome.REFUSED]
        self._stage.refused += len(texts) - len(left)
        if not left:
            self._found.refused += 1
            self._found.reasons[REASONS[Outcome.REFUSED]] += 1
            return []
        failed = bool(self._answers.index.marks[asked.place] & FAILED)
        unread = any(found.states.get(text) in AGAIN for text in left)
        replied = unread or len(left) < len(made.answers)
        self._count(failed, unread, replied, len(left))
        again = [question.make_alone(text) for text in left] if replied else [made]
        line, name = self._answers.written.line, asked.name
        return [line(name.fact, name.task, one.request) for one in again]

    def _count(self, failed: bool, unread: bool, replied: bool, left: int) -> None:
        """Count a request that is asked again, and the answers that it is about."""
        if failed:
            self._found.failed += 1
        elif unread:
            self._found.unread += 1
        elif replied:
            self._found.short += 1
        else:
            self._found.missing += 1
        if failed or replied:
            self._stage.lost += left
        else:
            self._stage.out += left
