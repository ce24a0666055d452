"""Every kind of job: its spec, which is kept with it, and the module that does it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.errors import LostkeysError, UsageError
from core.specs.answer_specs import (
    AnsweringSpec,
    ArmsSpec,
    DemoSpec,
    GradingSpec,
    ScoringSpec,
)
from core.specs.build_specs import BuildingSpec
from core.specs.file_specs import ExportingSpec, FilesSpec, ImportingSpec, TuningSpec

AskingSpec = AnsweringSpec | GradingSpec | BuildingSpec | ScoringSpec | ArmsSpec
"""Specs that say how models are asked."""

Spec = AskingSpec | DemoSpec | ImportingSpec | ExportingSpec | TuningSpec | FilesSpec


ANSWERING = "answering"
"""What a job does that draws answers."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: its spec, and the module whose `run` does it.

    `title` is what people see where that is not `name`; `doing` what a status line says it does,
    `unit` what it counts, `product` what its figures count. `grows`: its work brings more, so that
    what waits says nothing of how long it takes. `makes_file`: it makes a missing database,
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
    JobKind("run", AnsweringSpec, "core.jobs.answer_job"),
    JobKind("demo", DemoSpec, "core.jobs.demo_job", makes_file="always"),
    JobKind("grade", GradingSpec, "core.jobs.grade_job", "grading", product="labels"),
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
    JobKind("zp-lke", ScoringSpec, "core.jobs.latent_job", "scoring", "facts", "scores"),
    JobKind("fact-bench", ArmsSpec, "core.jobs.arms_job"),
    JobKind("tune", TuningSpec, "core.jobs.tune_job", "fine-tuning", "steps", "steps"),
    JobKind(
        "files",
        FilesSpec,
        "core.jobs.files_job",
        "writing requests for",
        "facts",
        title="requests",
    ),
    JobKind("build", BuildingSpec, "core.jobs.build_job", "building", "steps", "steps", grows=True),
)

KINDS: Mapping[str, JobKind] = {kind.name: kind for kind in _TABLE}
"""Every kind of job by its name."""


def title_of(kind: str) -> str:
    """What jobs of a kind, so named, are called everywhere: as the command that starts them."""
    return (KINDS[kind].title if kind in KINDS else "") or kind


def asks_models(kind: str) -> bool:
    """Whether jobs of a kind, so named, may ask a model."""
    return kind in KINDS and KINDS[kind].spec in (*get_args(AskingSpec), DemoSpec)


def asked_models(spec: Spec) -> tuple[str, ...]:
    """The names of all models that a job asks, and that somebody has to name."""
    return spec.asked_models if isinstance(spec, AskingSpec | TuningSpec | FilesSpec) else ()


def graders_of(spec: Spec | None) -> tuple[str, ...]:
    """The graders that a job names."""
    return spec.graders if isinstance(spec, AnsweringSpec | GradingSpec | ArmsSpec) else ()
