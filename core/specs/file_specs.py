"""What a job is to do that reads, writes or uploads files, as data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.providers.endpoints import Endpoints, Word
from core.scoring.policy import Policy
from core.specs.answer_specs import ReplyWord, alone
from core.vocabulary import Task

EngineName = Literal["vllm", "sglang", "openai", "plain"]
"""Engines whose fields request files are written with."""

ThinkingWay = Literal["steps", "template", "effort"]
"""How a model that nobody asks beforehand is made to think."""


@dataclass(frozen=True, slots=True)
class ImportWords:
    """What an import is told of a file beside its format.

    `set_name`: the set of its triples (None: the file's stem). `subject`, `properties`, `domain`
    and `popularity` name columns of a wide table, a property as `COLUMN`, `COLUMN=P569` or
    `COLUMN=RELATION`. `relation`, `model` and `examples` are what the file itself does not say.
    `encoding` is that of a text file without a mark, `sheet` names one of a workbook.
    `mapping` has `TARGET=SOURCE,...` for a table of any columns.

    Of logs of other tools: `as_label` names the model, `prefix` stands before the `/` of ids of
    facts, `thinking` is `on` or `off` (None: as the log says), `scores` are the scorers that are
    read (none named: all), `correct_at` is the number from which on a score is CORRECT, `words`
    are labels of further words, as `SCORER:WORD=LABEL,...`. `pool`: samples follow those of files
    before in one command. `arguments` are those of a task that the ids of its facts name.
    """

    set_name: str | None = None
    subject: str | None = None
    properties: tuple[str, ...] = ()
    domain: str | None = None
    popularity: str | None = None
    relation: str | None = None
    model: str | None = None
    examples: int | None = None
    encoding: str | None = None
    sheet: str | None = None
    mapping: tuple[str, ...] = ()
    as_label: str | None = None
    prefix: str | None = None
    thinking: str | None = None
    scores: tuple[str, ...] = ()
    correct_at: float | None = None
    words: str = ""
    pool: bool = False
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportingSpec:
    """Import a file. `lenient`: one without any good row fails with its report.

    `more` are files that go in after it, in the same job.
    """

    file: str
    format: str = "auto"
    lenient: bool = False
    words: ImportWords = ImportWords()
    more: tuple[str, ...] = ()
    kind: Literal["import"] = "import"

    @property
    def subject(self) -> str:
        """The file, and how many more."""
        name = Path(self.file).name
        return f"{name} and {len(self.more):,} more" if self.more else name


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
class TuningSpec:
    """Have a service fine-tune a model with a file of examples, and perhaps validate it by another.

    `epochs`, `suffix` (part of the new model's name), `learning_rate` (times the service's own),
    `batch` (examples in each) and `seed` are left to the service where None.
    """

    model: str
    file: str
    validation: str | None = None
    epochs: int | None = None
    suffix: str | None = None
    learning_rate: float | None = None
    batch: int | None = None
    seed: int | None = None
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
class FilesSpec:
    """Write what a model is to be asked to files in a new `folder`, for engines elsewhere.

    `shards` None: as few as keep files small. `per_request`: answers to a request at the most.
    With `anonymous` label and grader are called without names of people. `plan` is the name of
    what was written, empty before. `grader`: whose labels are asked for in place of answers; then
    `model` is its model, and `where`, `models`, `tasks`, `size` and `seed` choose the responses and
    `replies` is the form of labels as in `GradingSpec`. The rest as in `AnsweringSpec`.
    """

    folder: str
    model: str
    label: str
    engine: EngineName | None = None
    thinking_by: ThinkingWay = "steps"
    shards: int | None = None
    per_request: int = 8
    samples: int = 8
    thinking: tuple[bool, ...] = (False, True)
    tasks: tuple[Task, ...] | None = None
    where: str = ""
    first: int | None = None
    curtailed: Policy | None = None
    prompts: str | None = None
    only_failed: bool = False
    completion: Word = "auto"
    questions: Word = "auto"
    unchecked: bool = False
    plan: str = ""
    grader: str = ""
    anonymous: bool = False
    temperature: float | None = None
    effort: str | None = None
    limits: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None
    size: int | None = None
    seed: int = 0
    replies: ReplyWord = "auto"
    kind: Literal["files"] = "files"

    @property
    def subject(self) -> str:
        """The label or the grader, as lists call it."""
        if self.grader:
            return self.grader.partition("@http")[0]
        return self.label if self.label != self.model else alone(self.model)

    @property
    def endpoints(self) -> Endpoints:
        """Where the model is to be asked."""
        return Endpoints(self.completion, self.questions)

    @property
    def asked_models(self) -> tuple[str, ...]:
        """The name of the model that stands for the many; none where nobody is asked."""
        return () if self.model.startswith("file:") else (self.model,)
