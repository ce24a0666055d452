"""What every stage of building is: what it takes, what it asks, how a reply is read and checked.

A stage is a plain value without state. It sees one unit at a time, through a `View` of what the
stages before it kept, and comes to one of three ends: it keeps the unit with a value, drops it
for a stated reason, or finds the reply off its format, which is then asked for again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from core.vocabulary import Side
from db.prepared_triples import SetTriple

Said = str | Mapping[str, Any]
"""A reply: its text, or what it says where it was asked for as JSON of a shape."""

Value = Mapping[str, Any]
"""What a stage kept, as it is stored (JSON): its own names, such as `question`, `category`."""


@dataclass(frozen=True, slots=True)
class ReplyRoom:
    """How many tokens a reply may take: `tokens`, and `share` for each character of the inputs.

    The share is for replies that give their text back: a token of a script that models know less
    well may be a character or two.
    """

    tokens: int
    share: float = 0.0

    def count_tokens(self, characters: int) -> int:
        """Tokens for inputs of so many characters."""
        return self.tokens + round(self.share * characters)


WORD, VERDICT, LINES, PROSE = ReplyRoom(32), ReplyRoom(96), ReplyRoom(192), ReplyRoom(384)
"""For a word of a list; a verdict and its reason; a question, names or options; free text."""

BACK = ReplyRoom(192, 0.5)
"""For the text itself with something in it."""


class UnitKind(StrEnum):
    """What a stage's units are."""

    PASSAGE = "passage"
    CANDIDATE = "candidate"


class OffFormatError(Exception):
    """A reply that is not in the form that was asked for; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class KeptUnit:
    """The unit goes on; `value` is what the stage found."""

    value: Value = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DroppedUnit:
    """The unit ends here; `reason` is one of few short phrases, so that drops can be counted.

    `detail` says more of this one unit.
    """

    reason: str
    detail: str = ""


End = KeptUnit | DroppedUnit

LONGEST_FOUND = 80
"""Characters that are told of what a stage found."""


def describe_kept(end: KeptUnit) -> str:
    """What a stage found, for people, in short."""
    found = next(iter(end.value.values()), "kept")
    if isinstance(found, list):
        names = [
            str(one.get("text", "")) if isinstance(one, Mapping) else str(one) for one in found
        ]
        found = ", ".join(filter(None, names)) or "kept"
    line = " ".join(str(found).split())
    return line if len(line) <= LONGEST_FOUND else f"{line[: LONGEST_FOUND - 1]}…"


@dataclass(frozen=True, slots=True)
class View:
    """One unit as a stage sees it.

    `values` holds what each earlier stage kept, by the stage's name. For a fact that was imported
    its own questions and entities stand there as if the stages had made them, and `aliases` has
    the aliases of its golds, and `triple` the triple that it is, if it is one. For a passage
    `object` is empty. `is_own`: it is of a document that is no Wikipedia page.
    """

    unit: int
    title: str
    text: str
    object: str = ""
    object_type: str = ""
    start: int = 0
    values: Mapping[str, Value] = field(default_factory=dict)
    aliases: Mapping[Side, Sequence[str]] = field(default_factory=dict)
    triple: SetTriple | None = None
    is_own: bool = False

    @property
    def left_context(self) -> str:
        """All text before the object."""
        return self.text[: self.start]

    def __getitem__(self, stage: str) -> Value:
        """What a stage kept; KeyError where it has not."""
        return self.values[stage]


@dataclass(frozen=True, slots=True)
class ReportedCounts:
    """What the paper reports of a stage, for comparison: counts where it prints them, else a share.

    `since` names the first of several stages that it reports as one, this stage being the last.
    Source: Calderon et al., section 3, appendices A.2 to A.4.
    """

    taken: int | None = None
    kept: int | None = None
    dropped: float | None = None
    since: str = ""

    @property
    def dropped_share(self) -> float | None:
        """The share dropped, as printed or from the counts; None where the paper has neither."""
        if self.dropped is not None or not self.taken or self.kept is None:
            return self.dropped
        return (self.taken - self.kept) / self.taken


@dataclass(frozen=True, slots=True)
class Stage:
    """One row of the pipeline.

    `after` names the stages whose values it needs; it takes a unit once they have kept it (stages
    of passages in `after` of a candidate's stage are those of its passage). With
    a `prompt` (a template's name) a model is asked with `inputs`, and `read` turns its reply into
    an end or raises `OffFormatError`; without one `decide` does the work alone. `grounded`: the
    question of `inputs` is asked with search, by the template of the grounding, and its sources
    are kept. `whole`: it decides over all units at once, when nothing before it waits any more
    (`downsample`).
    `title` is what lists call it, `makes` the question (task) that it writes or changes. For a
    `room` is what its reply may take, doubled at each further try. For a
    fact that was imported `task` is the task whose making the stage is part of (it is left out
    where that task was given), and `needs_tasks` are those that must be there for it.
    """

    name: str
    title: str
    of: UnitKind
    after: tuple[str, ...]
    prompt: str | None = None
    inputs: Callable[[View], Mapping[str, str]] | None = None
    read: Callable[[Said, View], End] | None = None
    decide: Callable[[View], End] | None = None
    grounded: bool = False
    whole: bool = False
    makes: str | None = None
    task: str | None = None
    needs_tasks: Sequence[str] = ()
    reported: ReportedCounts | None = None
    room: ReplyRoom = LINES
