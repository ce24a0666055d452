"""What a job is to do, as data: kept with the job, so that any program can go on with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from core.errors import LostkeysError, UsageError
from core.graders.grader_names import is_model, model_of
from core.providers.endpoints import Endpoints, Word
from core.providers.model_names import EMBEDDED_MODEL
from core.scoring.policy import Policy
from core.vocabulary import Task


@dataclass(frozen=True, slots=True)
class AnsweringSpec:
    """Draw responses from a model and grade them: `sample`, and `run` where graders are named.

    `where` is a filter of the reading commands, `first` how many of its facts are meant (None:
    all). `curtailed` is the policy whose verdicts are wanted with fewer calls. `via`: by single
    requests or by the service's batches. `raw`: keep requests and responses beside the database.
    `prompts` is a folder with templates of the user's own. `only_failed`: nothing but the slots
    that could not be filled before. `completion` and `questions`: the endpoints to ask at.
    `timeout`: seconds after which a request is given up (None: by what was seen). `in_flight`:
    requests at once (None: as many as the model takes).
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
    """Grade what graders have not graded yet; the rest as in `AnsweringSpec`."""

    graders: tuple[str, ...]
    prompts: str | None = None
    timeout: float | None = None
    in_flight: int | None = None
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
class ImportWords:
    """What an import is told of a file beside its format.

    `set_name`: the set of its triples (None: the file's stem). `subject`, `properties`, `domain`
    and `popularity` name columns of a wide table, a property as `COLUMN`, `COLUMN=P569` or
    `COLUMN=RELATION`. `relation`, `model` and `examples` are what the file itself does not say.
    """

    set_name: str | None = None
    subject: str | None = None
    properties: tuple[str, ...] = ()
    domain: str | None = None
    popularity: str | None = None
    relation: str | None = None
    model: str | None = None
    examples: int | None = None


@dataclass(frozen=True, slots=True)
class ImportingSpec:
    """Import a file. `lenient`: one without any good row fails with its report."""

    file: str
    format: str = "auto"
    lenient: bool = False
    words: ImportWords = ImportWords()
    kind: Literal["import"] = "import"

    @property
    def subject(self) -> str:
        """The file."""
        return Path(self.file).name


@dataclass(frozen=True, slots=True)
class ExportingSpec:
    """Export `what` to a file: of these models (None: all), of facts that a filter selects.

    Without a filter of all facts but the rejected ones, which `rejected` adds.
    """

    what: str
    file: str
    models: tuple[str, ...] | None = None
    where: str = ""
    policy: Policy | None = None
    excel_safe: bool = False
    rejected: bool = False
    kind: Literal["export"] = "export"

    @property
    def subject(self) -> str:
        """The file."""
        return Path(self.file).name


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
class ScoringSpec:
    """Score facts of relations, in any of the tests `choice`, `response` and `positions`.

    These are options by their probability, what a model goes on with, and the object at each
    place of one long input. Every number of `examples` goes with every seed, order, form and
    injection. `first`: so many facts of each relation (None: all). The rest as in
    `AnsweringSpec`.
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


@dataclass(frozen=True, slots=True)
class TuningSpec:
    """Have a service fine-tune a model with a file of examples, and perhaps validate it by another.

    `epochs` and `suffix` (part of the new model's name) are left to the service where None.
    """

    model: str
    file: str
    validation: str | None = None
    epochs: int | None = None
    suffix: str | None = None
    kind: Literal["tune"] = "tune"

    @property
    def subject(self) -> str:
        """The model."""
        return alone(self.model)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are uploaded."""
        return (self.file, *([self.validation] if self.validation else []))

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The name of the model, at whose address examples are uploaded."""
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

    def answering(self, arm: str) -> AnsweringSpec:
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


AskingSpec = AnsweringSpec | GradingSpec | BuildingSpec | ScoringSpec | QuestionsSpec | ArmsSpec
"""Specs that say how models are asked."""

Spec = AskingSpec | DemoSpec | ImportingSpec | ExportingSpec | TuningSpec


ANSWERING = "answering"
"""What a job does that draws answers."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: its spec, and the module whose `run` does it.

    `title` is what lists call it, `doing` and `unit` what a status line says it does and counts,
    `product` what its figures count. `grows`: its work brings more, so that what waits says
    nothing of how long it takes. `makes_file`: the database is made where there is none,
    `as_import` only if rows can be used. `mistakes`: errors of these are what was asked for in
    wrong words, which leaves no job behind if nothing had begun.
    """

    name: str
    spec: type[Any]
    module: str
    doing: str = ANSWERING
    unit: str = "answers"
    product: str = "answers"
    title: str = ""
    grows: bool = False
    makes_file: Literal["never", "always", "as_import"] = "never"
    mistakes: type[LostkeysError] = UsageError


_TABLE = (
    JobKind("sample", AnsweringSpec, "core.jobs.answer_job"),
    JobKind("run", AnsweringSpec, "core.jobs.answer_job", title="profile"),
    JobKind("demo", DemoSpec, "core.jobs.demo_job", makes_file="always"),
    JobKind("grade", GradingSpec, "core.jobs.grade_job", "grading", "questions", "grades"),
    JobKind(
        "import",
        ImportingSpec,
        "core.jobs.import_job",
        "importing",
        "rows",
        "rows",
        makes_file="as_import",
        mistakes=LostkeysError,
    ),
    JobKind("export", ExportingSpec, "core.jobs.export_job", "exporting", "rows", "rows"),
    JobKind(
        "zp-lke", ScoringSpec, "core.jobs.latent_job", "scoring", "facts", "scores", title="score"
    ),
    JobKind("fact-bench", ArmsSpec, "core.jobs.arms_job", title="benchmark"),
    JobKind(
        "questions", QuestionsSpec, "core.jobs.question_job", "writing", "questions", "questions"
    ),
    JobKind(
        "tune", TuningSpec, "core.jobs.tune_job", "fine-tuning", "steps", "steps", title="fine-tune"
    ),
    JobKind("build", BuildingSpec, "core.jobs.build_job", "building", "steps", "steps", grows=True),
)

KINDS: Mapping[str, JobKind] = {kind.name: kind for kind in _TABLE}
"""Every kind of job by its name."""


def asks_models(kind: str) -> bool:
    """Whether jobs of a kind, so named, may ask a model."""
    return kind in KINDS and KINDS[kind].spec in (*get_args(AskingSpec), DemoSpec)


def models_of(graders: Iterable[str]) -> tuple[str, ...]:
    """The models that these graders are."""
    return tuple(model_of(name) for name in graders if is_model(name))


def asked_models(spec: Spec) -> tuple[str, ...]:
    """The names of all models that a job asks, and that somebody has to name."""
    return spec.asked_models if isinstance(spec, AskingSpec | TuningSpec) else ()


def graders_of(spec: Spec | None) -> tuple[str, ...]:
    """The graders that a job names."""
    return spec.graders if isinstance(spec, AnsweringSpec | GradingSpec | ArmsSpec) else ()


def alone(name: str) -> str:
    """A model by its name alone, without its provider and address."""
    return name.partition(":")[2].partition("@http")[0] or name


def lasting(seconds: float) -> str:
    """A time as people say it: `40 s`, `12 min`, `1 h 47`."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"
