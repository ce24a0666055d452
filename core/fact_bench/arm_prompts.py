"""The text that an arm sends: an instruction, exemplars, and the question.

FACT-BENCH, tables 8 to 11. It is one text: a raw endpoint gets it as it is, a chat as the one
message of the user.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.modes import ArmMode, AskingWay
from prompts.template import RenderedText, join_texts, load

QUESTION = "{QUESTION}"
"""Stands where each question goes, in the prompt of an arm as it is shown and kept."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """An exemplar as it is shown; `recitation` is said before the answer where a mode recites."""

    question: str
    answer: str
    recitation: str = ""


def write_prompt(
    mode: ArmMode, exemplars: Sequence[AnsweredQuestion], question: str
) -> RenderedText:
    """The prompt of a mode without a passage to read."""
    if not mode.shots:
        return load("zero-shot").render_text(question=question)
    if mode.way is AskingWay.RECITE:
        part = load("recited-exemplar")
        texts = [
            part.render_text(question=one.question, recitation=one.recitation, answer=one.answer)
            for one in exemplars
        ]
    else:
        part = load("exemplar")
        texts = [part.render_text(question=one.question, answer=one.answer) for one in exemplars]
    name = "recite" if mode.recites else "few-shot"
    return load(name).render_text(exemplars=join_texts(texts), question=question)
