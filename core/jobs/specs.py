"""What a job is to do, as data: kept with the job, so that any program can go on with it."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from core.errors import LostkeysError
from core.names import Strategy, Task
from core.policy import Policy


@dataclass(frozen=True, slots=True)
class AnsweringSpec:
    """Draw responses from a model and grade them: `sample`, and `run` where graders are named.

    `where` is a filter of the reading commands, `first` how many of its facts are meant (None:
    all). `curtailed` is the policy whose verdicts are wanted with fewer calls. `via`: by single
    requests or by the service's batches. `raw`: keep requests and responses beside the database.
    `prompts` is a folder with templates of the user's own.
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

    @property
    def kind(self) -> str:
        """What the command and the job are called."""
        return "run" if self.graders else "sample"


@dataclass(frozen=True, slots=True)
class GradingSpec:
    """Grade what graders have not graded yet."""

    graders: tuple[str, ...]
    kind: Literal["grade"] = "grade"


@dataclass(frozen=True, slots=True)
class ImportingSpec:
    """Import a file."""

    file: str
    format: str = "auto"
    kind: Literal["import"] = "import"


@dataclass(frozen=True, slots=True)
class ExportingSpec:
    """Export `what` to a file."""

    what: str
    file: str
    kind: Literal["export"] = "export"


Spec = AnsweringSpec | GradingSpec | ImportingSpec | ExportingSpec

_KINDS: dict[str, type[Any]] = {
    "sample": AnsweringSpec,
    "run": AnsweringSpec,
    "grade": GradingSpec,
    "import": ImportingSpec,
    "export": ExportingSpec,
}


def as_json(spec: Spec) -> str:
    """The spec as it is stored: equal specs give equal texts."""
    return json.dumps({"kind": spec.kind, **asdict(spec)}, sort_keys=True, ensure_ascii=False)


def from_json(text: str) -> Spec:
    """The spec stored so. Raises `LostkeysError` for what this program does not know."""
    try:
        stored = json.loads(text)
        kind = _KINDS[stored.pop("kind")]
        known = {one.name for one in fields(kind)}
        values = {name: value for name, value in stored.items() if name in known}
        for name in ("thinking", "graders"):
            if name in values:
                values[name] = tuple(values[name])
        if values.get("tasks") is not None:
            values["tasks"] = tuple(map(Task, values["tasks"]))
        if values.get("curtailed") is not None:
            values["curtailed"] = _policy(values["curtailed"])
        spec: Spec = kind(**values)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LostkeysError(
            f"a job of this file cannot be read ({error}): update Lostkeys"
        ) from error
    return spec


def _policy(stored: dict[str, Any]) -> Policy:
    graders = stored.get("graders")
    return Policy(
        **{
            **stored,
            "strategy": Strategy(stored["strategy"]),
            "graders": None if graders is None else tuple(graders),
        }
    )
