"""What a job is to do that asks models for answers, grades or scores, as data."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.graders.grader_record import is_model, model_of
from core.providers.endpoints import Endpoints, Word
from core.providers.model_names import EMBEDDED_MODEL, label_of
from core.scoring.policy import Policy
from core.vocabulary import Task

ReplyWord = Literal["auto", "schema", "text"]
"""In what form replies that are read are asked for; `auto`: as the model was found to take it."""


@dataclass(frozen=True, slots=True)
class AnsweringSpec:
    """Draw responses from a model and grade them: `sample`, and `run` where graders are named.

    `where` is a filter of the reading commands, `first` how many of its facts are meant (None:
    all). `curtailed` is the policy whose verdicts are wanted with fewer calls. `via`: by single
    requests or by the service's batches. `raw`: keep requests and responses beside the database.
    `prompts` is a folder with templates of the user's own. `only_failed`: nothing but the slots
    that could not be filled before. `completion` and `questions`: the endpoints to ask at.
    `timeout`: seconds after which a request is given up (None: by what was seen). `in_flight`:
    requests at once (None: as many as the model takes). `temperature`, `effort` and `limits`
    (`questions=64`) are settings of the recipe; unset they are as the label began.
    """

    model: str
    label: str
    samples: int = 8
    thinking: tuple[bool, ...] = (False, True)
    tasks: tuple[Task, ...] | None = None
    where: str = ""
    first: int | None = None
    graders: tuple[str, ...] = ()
    curtailed: Policy | None = None
    via: Literal["requests", "batch"] = "requests"
    unchecked: bool = False
    raw: bool = False
    prompts: str | None = None
    only_failed: bool = False
    completion: Word = "auto"
    questions: Word = "auto"
    timeout: float | None = None
    in_flight: int | None = None
    temperature: float | None = None
    effort: str | None = None
    limits: tuple[str, ...] = ()

    @property
    def endpoints(self) -> Endpoints:
        """Where the model is to be asked."""
        return Endpoints(self.completion, self.questions)

    @property
    def kind(self) -> str:
        """What the command and the job are called."""
        return "run" if self.graders else "sample"

    @property
    def subject(self) -> str:
        """What the job is done to, as lists call it."""
        return self.label if self.label != self.model else alone(self.model)

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The names of all models that the job asks, graders included."""
        return (self.model, *models_of(self.graders))


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """Put the bundled facts (the first `facts` of them) there, ask the embedded model, grade."""

    facts: int | None = None
    samples: int = 8
    kind: Literal["demo"] = "demo"

    @property
    def subject(self) -> str:
        """The embedded model."""
        return EMBEDDED_MODEL


@dataclass(frozen=True, slots=True)
class GradingSpec:
    """Grade what graders have not graded yet; the rest as in `AnsweringSpec`.

    Where the first grader is less sure than `sure` the answer is `unsure`. `cascade`: the other
    graders, models, are asked about these alone. `where`, `models` and `tasks` narrow it; `size`:
    only so many responses, in the seeded order of `seed`. `effort`: that of graders which are
    models with a reasoning mode; `replies`: the form in which models are asked for labels.
    `rubric`: what a person adds to their prompts, as `NAME#VERSION`. `reference_set`: only the
    answers of these `parts` of it, which notes the trial.
    """

    graders: tuple[str, ...]
    prompts: str | None = None
    timeout: float | None = None
    in_flight: int | None = None
    sure: float | None = None
    cascade: bool = False
    where: str = ""
    models: tuple[str, ...] | None = None
    tasks: tuple[Task, ...] | None = None
    size: int | None = None
    seed: int = 0
    effort: str | None = None
    replies: ReplyWord = "auto"
    rubric: str | None = None
    reference_set: str | None = None
    parts: tuple[str, ...] = ()
    kind: Literal["grade"] = "grade"

    @property
    def subject(self) -> str:
        """The graders."""
        return ", ".join(self.graders)

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The names of the graders that are models."""
        return models_of(self.graders)


@dataclass(frozen=True, slots=True)
class ScoringSpec:
    """Score facts of relations, in any of the tests `choice`, `response` and `positions`.

    These are options by their probability, what a model goes on with, and the object at each
    place of one long input. Every number of `examples` goes with every seed, order, form and
    injection. `first`: so many facts of each relation (None: all). `tokens`: how far the model
    goes on in the test `response`. The rest as in `AnsweringSpec`.
    """

    model: str
    label: str
    relations: tuple[str, ...] | None = None
    set_name: str | None = None
    examples: tuple[int, ...] = (50,)
    seeds: tuple[int, ...] = (0,)
    orders: tuple[int, ...] = (0,)
    forms: tuple[str, ...] = ("zero-prompt",)
    injects: tuple[str | None, ...] = (None,)
    options: int = 100
    tokens: int = 10
    tests: tuple[str, ...] = ("choice",)
    first: int | None = None
    where: str = ""
    unchecked: bool = False
    timeout: float | None = None
    in_flight: int | None = None
    kind: Literal["zp-lke"] = "zp-lke"

    @property
    def subject(self) -> str:
        """What the scores are kept under, as lists call it."""
        return self.label if self.label != self.model else alone(self.model)

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The name of the model."""
        return (self.model,)


@dataclass(frozen=True, slots=True)
class ArmsSpec:
    """Ask a model about the triples of a set, in these modes one after another, and grade.

    `set_name` None: the only set. `split`: which of its triples (None: the subset, else eval),
    `first` how many of them. `known_by`: the grader that says what the model knows. `endpoint`:
    where it is asked. The rest as in `AnsweringSpec`.
    """

    model: str
    label: str
    modes: tuple[str, ...]
    set_name: str | None = None
    split: str | None = None
    where: str = ""
    first: int | None = None
    known_by: str | None = None
    endpoint: Word = "auto"
    graders: tuple[str, ...] = ()
    via: Literal["requests", "batch"] = "requests"
    unchecked: bool = False
    raw: bool = False
    prompts: str | None = None
    only_failed: bool = False
    timeout: float | None = None
    in_flight: int | None = None
    kind: Literal["fact-bench"] = "fact-bench"

    @property
    def subject(self) -> str:
        """What the answers are kept under, as lists call it, with the modes."""
        base = self.label if self.label != self.model else alone(self.model)
        return f"{base}, {', '.join(self.modes)}"

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The names of all models that the job asks, graders included."""
        graders = (*self.graders, *([self.known_by] if self.known_by else []))
        return (self.model, *models_of(dict.fromkeys(graders)))

    def spec_of_arm(self, arm: str) -> AnsweringSpec:
        """What is asked in one arm, so labelled: one greedy answer to each direct question."""
        return AnsweringSpec(
            self.model,
            arm,
            samples=1,
            thinking=(False,),
            tasks=(Task.DIRECT,),
            where=self.where,
            first=self.first,
            graders=self.graders,
            via=self.via,
            unchecked=self.unchecked,
            raw=self.raw,
            prompts=self.prompts,
            only_failed=self.only_failed,
            questions=self.endpoint,
            timeout=self.timeout,
            in_flight=self.in_flight,
        )


def models_of(graders: Iterable[str]) -> tuple[str, ...]:
    """The models that these graders are."""
    return tuple(model_of(name) for name in graders if is_model(name))


def alone(name: str) -> str:
    """A model by its name alone, without its provider and address."""
    return label_of(name).partition(":")[2].partition("@http")[0] or name
