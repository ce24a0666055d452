"""How the questions of an arm are put: its template, what stands before the question, its limits.

FACT-BENCH, sections 3 to 5 and tables 7 to 11: greedy, one answer, thinking off.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import prompts
from core.modes import ArmMode
from core.providers.capabilities import Capabilities
from core.providers.endpoints import Endpoint
from core.sampling.recipe import Recipe, find_weights
from db.question_rows import StoredQuestion
from prompts import Message

TEMPERATURE = 0.0
QUESTION, CONTEXT = "question", "context"
NEXT_QUESTION = "\nQuestion:"
"""The text before which a raw answer ends: a base model goes on with questions of its own."""


@dataclass(frozen=True, slots=True)
class ArmForm:
    """What the prompts of an arm have in common.

    `template` names the template of the whole, `parts` those of what stands in it; `shared` are
    inputs that all prompts have, `passages` the one that each fact (its id) has for itself.
    """

    mode: ArmMode
    template: str
    max_tokens: int
    parts: tuple[str, ...] = ()
    shared: Mapping[str, str] = field(default_factory=dict)
    passages: Mapping[int, str] | None = None

    def write(self, question: str, context: str = "", folder: Path | None = None) -> str:
        """The prompt of a question, to the letter; `context` is its passage."""
        own = {QUESTION: question} | ({} if self.passages is None else {CONTEXT: context})
        return prompts.load(self.template, folder).render_text(**self.shared, **own)

    def write_for(self, question: StoredQuestion, folder: Path | None) -> str:
        """The prompt of a stored question. `LookupError` for a fact without its passage."""
        context = "" if self.passages is None else self.passages[question.fact]
        return self.write(question.text, context, folder)

    def endpoint(self, known: Capabilities) -> Endpoint:
        """Where the arm is asked unless somebody says it: with exemplars raw, where that is."""
        if known.questions == "raw":
            return "raw"
        return "raw" if self.mode.shots and known.completion == "raw" else "chat"

    def recipe(self, model: str, known: Capabilities, folder: Path | None) -> Recipe:
        """The recipe of a model in this mode; `known` says where it is asked."""
        raw = known.questions == "raw"
        return Recipe(
            model=model,
            completion=known.completion,
            temperature=TEMPERATURE,
            top_p=1.0,
            options=dict(known.options),
            thinking=known.thinking,
            max_tokens={self.template: self.max_tokens},
            prompts={
                name: prompts.load(name, folder).hash for name in (self.template, *self.parts)
            },
            weights=find_weights(model),
            questions=known.questions,
            stop={self.template: NEXT_QUESTION} if raw else {},
            form=self.template,
        )


def as_message(text: str) -> tuple[Message, ...]:
    """A prompt as a chat has it: one message of the user."""
    return (Message("user", text),)
