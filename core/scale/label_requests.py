"""Requests for labels in a plan: their names, their lines, and how they are made again.

A plan for a grader asks what `grade` would. Which answers a request is about stands beside it
(`answers.jsonl`) by their sums alone, so that labels are matched with what is stored.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.grading.answer_batches import TRIES, AnswerBatch, DistinctAnswer, Subject
from core.grading.model_grader import ModelGrader
from core.grading.question_answers import QuestionAnswers
from core.providers import openai_format
from core.providers.base import Request
from core.scale.request_line import CHECK_LENGTH, URLS, check_of, write_body, write_line
from core.vocabulary import TASKS, Task

URL = URLS["chat"]
"""Where graders are asked."""

_NAME = re.compile(rf"g(0|[1-9]\d{{0,9}})-({'|'.join(TASKS)})-([0-9a-f]{{{CHECK_LENGTH}}})")


@dataclass(frozen=True, slots=True)
class LabelName:
    """The name of a request for labels: its fact's place in the plan, its task, its check."""

    fact: int
    task: Task
    check: str

    @property
    def head(self) -> str:
        """The name without the check."""
        return write_head(self.fact, self.task)

    def __str__(self) -> str:
        return f"{self.head}-{self.check}"


def write_head(fact: int, task: Task) -> str:
    """A name without its check."""
    return f"g{fact}-{task}"


def parse_label_name(name: str) -> LabelName | None:
    """A name taken apart; None for what is none."""
    found = _NAME.fullmatch(name)
    return None if found is None else LabelName(int(found[1]), Task(found[2]), found[3])


def sum_answer(text: str) -> str:
    """The sum by which a plan knows an answer (in the form in which equal ones are equal)."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class AskedLabels:
    """A request of the plan: its place among all, its name, and the sums of its answers."""

    place: int
    name: LabelName
    sums: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelRequestFormat:
    """How requests for labels are written: by which grader, to a model so named.

    `limit` is what chat completions call the token limit. `strict`: whether schemas are written as
    OpenAI takes them.
    """

    grader: ModelGrader
    model: str
    limit: str
    strict: bool = False

    def body(self, request: Request) -> bytes:
        """The body of a request."""
        written = openai_format.body(self.model, request, limit=self.limit, strict=self.strict)
        return write_body(written)

    def check(self, request: Request) -> str:
        """The check of a request."""
        return check_of(URL, self.body(request))

    def line(self, fact: int, task: Task, request: Request) -> bytes:
        """The line of a request about a fact at a place of the plan."""
        return write_line(write_head(fact, task), URL, self.body(request))


class LabelQuestion:
    """A question of the plan as it is now, with its answers, and the requests about them."""

    def __init__(
        self, writing: LabelRequestFormat, subject: Subject, found: QuestionAnswers
    ) -> None:
        self._writing, self._subject, self.found = writing, subject, found
        self._texts = {sum_answer(text): text for text in (*found.labels, *found.places)}

    def make(self, sums: Iterable[str]) -> AnswerBatch | None:
        """The request about these answers as it would be made now; None where one is gone.

        Its reply is read once: who asks again does so by another file.
        """
        texts = [self._texts.get(one) for one in sums]
        here = [text for text in texts if text is not None]
        return self._make(here) if len(here) == len(texts) else None

    def make_alone(self, text: str) -> AnswerBatch:
        """The request about one answer."""
        return self._make([text])

    def _make(self, texts: Sequence[str]) -> AnswerBatch:
        grader, subject = self._writing.grader, self._subject
        form = grader.recipe.replies
        request = grader.request(subject.completion, subject.text, subject.golds, texts, form)
        answers = [DistinctAnswer(text, tuple(self.found.places.get(text, ()))) for text in texts]
        return AnswerBatch(grader, subject, tuple(answers), request, TRIES - 1, form=form)

    def count_labelled(self, sums: Iterable[str]) -> int:
        """How many of these answers have labels."""
        return sum(self._texts.get(one) in self.found.labels for one in sums)

    def is_labelled(self, asked: AskedLabels) -> bool:
        """Whether all answers of a request have labels."""
        return self.count_labelled(asked.sums) == len(asked.sums)

    def remake(self, asked: AskedLabels) -> AnswerBatch | None:
        """A request of the plan; None where it would be another one by now."""
        made = self.make(asked.sums)
        same = made is not None and self._writing.check(made.request) == asked.name.check
        return made if same else None

    def find(
        self, name: LabelName, asked: Sequence[AskedLabels]
    ) -> list[tuple[AskedLabels, AnswerBatch]]:
        """The requests of a name, of the plan or about one answer alone; empty where it is none.

        `asked`: those of the plan about this question. Several have one name where they are the
        same to the letter: of a very long answer the middle is not shown.
        """
        whole = [one for one in asked if one.name == name]
        if whole:
            return [(one, made) for one in whole if (made := self.remake(one)) is not None]
        return [
            (one, made)
            for one in asked
            for sum_ in one.sums
            if (made := self.make([sum_])) is not None
            and self._writing.check(made.request) == name.check
        ]
