"""What every stage of building is: what it takes, what it asks, how a reply is read and checked.

A stage is a plain value without state. It sees one unit at a time, through a `View` of what the
stages before it kept, and comes to one of three ends: it keeps the unit with a value, drops it
for a stated reason, or finds the reply off its format, which is then asked for again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Value = Mapping[str, Any]
"""What a stage kept, as it is stored (JSON): its own names, such as `question`, `category`."""


class Of(StrEnum):
    """What a stage's units are."""

    PASSAGE = "passage"
    CANDIDATE = "candidate"


class OffFormatError(Exception):
    """A reply that is not in the form that was asked for; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The unit goes on; `value` is what the stage found."""

    value: Value = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dropped:
    """The unit ends here; `reason` is one of few short phrases, so that drops can be counted.

    `detail` says more of this one unit.
    """

    reason: str
    detail: str = ""


End = Kept | Dropped


@dataclass(frozen=True, slots=True)
class View:
    """One unit as a stage sees it.

    `values` holds what each earlier stage kept, by the stage's name. For a fact that was imported
    its own questions and entities stand there as if the stages had made them. For a passage
    `object` is empty.
    """

    unit: int
    title: str
    text: str
    object: str = ""
    object_type: str = ""
    start: int = 0
    values: Mapping[str, Value] = field(default_factory=dict)

    @property
    def left_context(self) -> str:
        """All text before the object."""
        return self.text[: self.start]

    def __getitem__(self, stage: str) -> Value:
        """What a stage kept; KeyError where it has not."""
        return self.values[stage]


@dataclass(frozen=True, slots=True)
class Stage:
    """One row of the pipeline.

    `after` names the stages whose values it needs; it takes a unit once they have kept it. With
    a `prompt` (a template's name) a model is asked with `inputs`, and `read` turns its text into
    an end or raises `OffFormatError`; without one `decide` does the work alone. `grounded`: the
    reply is drawn with search, and its sources are kept. `whole`: it decides over all units at
    once, when nothing before it waits any more (`downsample`).
    `title` is what lists call it, `makes` the question (task) that it writes or changes.
    """

    name: str
    title: str
    of: Of
    after: tuple[str, ...]
    prompt: str | None = None
    inputs: Callable[[View], Mapping[str, str]] | None = None
    read: Callable[[str, View], End] | None = None
    decide: Callable[[View], End] | None = None
    grounded: bool = False
    whole: bool = False
    makes: str | None = None
    needs_tasks: Sequence[str] = ()
