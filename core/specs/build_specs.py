"""What a job is to do that writes facts or questions with a model, as data."""

from dataclasses import dataclass
from typing import Literal

from core.specs.answer_specs import alone


@dataclass(frozen=True, slots=True)
class BuildingSpec:
    """Build facts from the imported documents, and the tasks that imported facts lack.

    `model` None: what needs none. `until` and `only` name a stage, `redo` one that is to be done
    anew. `target`: candidates that go on after verifying (None: all), drawn with `seed`.
    `paragraphs`: of each document. The rest as in `AnsweringSpec`.
    """

    model: str | None = None
    grounding: str = "local"
    until: str | None = None
    only: str | None = None
    target: int | None = None
    seed: int = 0
    paragraphs: Literal["first", "all"] = "first"
    redo: str | None = None
    prompts: str | None = None
    only_failed: bool = False
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


@dataclass(frozen=True, slots=True)
class QuestionsSpec:
    """Have a model write the questions of a set's triples that have none (None: the only set).

    The rest as in `AnsweringSpec`.
    """

    model: str
    set_name: str | None = None
    prompts: str | None = None
    timeout: float | None = None
    in_flight: int | None = None
    kind: Literal["questions"] = "questions"

    @property
    def subject(self) -> str:
        """The model."""
        return alone(self.model)

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The name of the model."""
        return (self.model,)
