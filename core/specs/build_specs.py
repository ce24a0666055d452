"""What a job is to do that writes facts or questions with a model, as data."""

from dataclasses import dataclass
from typing import Literal

from core.specs.answer_specs import ReplyWord, alone

ParagraphChoice = Literal["auto", "first", "all"]
"""Paragraphs of a document: its first, all, or (`auto`) the first of a page of Wikipedia and all of
any other document."""


@dataclass(frozen=True, slots=True)
class BuildingSpec:
    """Build facts from the imported documents, and the tasks that imported facts lack.

    `set_name`: whose triples get questions (None: those of all sets).

    `model` None: what needs none. `until` and `only` name a stage, `redo` one that is to be done
    anew. `target`: candidates that go on after verifying (None: all), drawn with `seed`.
    `paragraphs`: of each document. `replies`: the form in which the model is asked. The rest as in
    `AnsweringSpec`.
    """

    model: str | None = None
    grounding: str = "local"
    until: str | None = None
    only: str | None = None
    target: int | None = None
    seed: int = 0
    paragraphs: ParagraphChoice = "auto"
    redo: str | None = None
    prompts: str | None = None
    only_failed: bool = False
    set_name: str | None = None
    replies: ReplyWord = "auto"
    timeout: float | None = None
    in_flight: int | None = None
    kind: Literal["build"] = "build"

    @property
    def subject(self) -> str:
        """The model."""
        return alone(self.model) if self.model else "without a model"

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The names of the model and of the one that searches, if it asks any."""
        if self.model is None:
            return ()
        return (self.model, *([self.grounding] if self.grounding.count(":") else []))
