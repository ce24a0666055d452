"""What a grader is asked: a question, its gold, and the answers as quoted data.

Each answer is one JSON string on a line of its own, so that nothing in it can begin a line, close
a tag or pass for another answer.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import prompts
from core.vocabulary import Task
from prompts import Message
from prompts.reply_shape import ReplyForm, ReplyShape
from prompts.template import quote_text

MOST_ANSWERS = 16
"""Answers in one request: more, and graders begin to lose count."""

LONGEST_ANSWER = 4_000
"""Characters of an answer that a grader sees, half of them its end: rambling need not be paid."""

ANSWER, COMPLETION, JUDGE = "grade-answer", "grade-completion", "judge"
NOUNS = {ANSWER: "answer", COMPLETION: "completion"}
"""What answers are called in the tags of a template."""


def template_for(task: Task) -> str:
    """The template that grades answers to a task."""
    return COMPLETION if task is Task.COMPLETION else ANSWER


def messages(
    template: str,
    question: str,
    golds: Sequence[str],
    answers: Sequence[str],
    folder: Path | None = None,
    form: ReplyForm = "text",
) -> tuple[Message, ...]:
    """The messages that ask for labels of these answers.

    `question` is the left context for `grade-completion`; `golds` the gold answer and its
    aliases. `folder` may hold templates of the user's own.
    """
    prompt = prompts.load(template, folder, form)
    gold = " or ".join(map(quote_text, golds))
    if template == JUDGE:
        (answer,) = answers
        return prompt.render(
            question=quote_text(question), answer=gold, response=_quote_answer(answer)
        )
    asked = "left_context" if template == COMPLETION else "question"
    noun = NOUNS[template]
    listed = "\n".join(
        f"{noun.capitalize()} {number}: {_quote_answer(answer)}"
        for number, answer in enumerate(answers, 1)
    )
    return prompt.render(**{asked: quote_text(question), "gold": gold, f"{noun}s": listed})


@cache
def shape_of(template: str, count: int, folder: Path | None = None) -> ReplyShape | None:
    """The shape of a reply to a request about so many answers; None without a declared one."""
    shape = prompts.load(template, folder, "schema").reply
    return shape if shape is None or template == JUDGE else shape.repeat(count)


def _quote_answer(answer: str) -> str:
    if len(answer) <= LONGEST_ANSWER:
        return quote_text(answer)
    half = LONGEST_ANSWER // 2
    return quote_text(f"{answer[:half]} … {answer[-half:]}")
