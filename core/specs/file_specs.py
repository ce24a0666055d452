"""What a job is to do that reads, writes or uploads files, as data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.scoring.policy import Policy
from core.specs.answer_specs import alone


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
