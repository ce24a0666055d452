"""The record of an analysis, which the command, its help, tables and intervals follow."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates


class ColumnKind(Enum):
    """How a column of a table writes its values."""

    TEXT = auto()
    LIST = auto()
    """Several texts, which may take several lines."""
    SWITCH = auto()
    """On or off."""
    YES = auto()
    """Yes or no; a dash where nothing can be said."""
    COUNT = auto()
    """A whole number."""
    SHARE = auto()
    """A part of one, in points."""
    GAP = auto()
    """A difference of two shares, in points with its sign."""
    SPAN = auto()
    """An interval of a gap, in points."""
    CHANCE = auto()
    """A p value."""
    VALUE = auto()
    """A number as it was given, such as a threshold."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an analysis's table.

    Its values are the rows' fields of the name `key`, or what `of` works out from a row.
    """

    key: str
    kind: ColumnKind = ColumnKind.TEXT
    header: str = ""
    """What stands above it; the key, if empty."""
    of: Callable[[Any], object] | None = None
    only_by: str = ""
    """The value of `--by` without which it is left out; empty if it is always there."""

    @property
    def title(self) -> str:
        """What stands above it."""
        return self.header or self.key

    def value(self, row: AnalysisRow) -> Any:
        """What stands in it for a row."""
        return self.of(row) if self.of else getattr(row, self.key)


@dataclass(frozen=True, slots=True)
class Pivot:
    """Rows of a table that stand side by side: a line for all with the same `keys`.

    The values of the field `over` become columns, whose shares are those of the field `value`.
    """

    keys: tuple[str, ...]
    over: str
    value: str
    shown: Mapping[object, str] = field(default_factory=dict)
    """The values of `over` with their headers, in order; of numbers as many as there is room."""
    total: str = ""
    """A count whose sum over a line stands before the shares as `n`."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """The gaps that an analysis is about: rows that differ in one field, first less second."""

    key: str
    first: object
    second: object
    header: str


@dataclass(frozen=True, slots=True)
class AnalysisPart:
    """A further table of an analysis: its key in the JSON, its rows, and how they are shown."""

    key: str
    title: str
    compute: Callable[[Evidence], Sequence[AnalysisRow]]
    columns: tuple[Column, ...]
    note: str = ""
    """What its numbers are counted over."""
    only_by: str = ""
    """The value of `--by` without which it is left out; empty if it is always there."""
    measured: Callable[[Evidence], Iterable[tuple[AnalysisRow, Rates]]] | None = None
    """The rows with their shares as masks of facts; None where they have no intervals."""
    contrasts: tuple[Contrast, ...] = ()
    """The gaps between its rows."""


BY_CHOICE = "multiple choice is labelled by choice where no grader named did"
"""Said of analyses in which multiple choice counts: no list of graders has `choice`."""


@dataclass(frozen=True, slots=True)
class AnalysisOption:
    """An option that an analysis takes, as `--NAME`; without it the paper's own value holds."""

    name: str
    help: str
    read: Callable[[str], object]
    """Gives the value that a text means. Raises `UsageError` for one that cannot be."""


@dataclass(frozen=True, slots=True)
class AnalysisRecord:
    """An analysis: its name, the question it answers, its rows, and how a table shows them."""

    name: str
    question: str
    compute: Callable[[Evidence], Sequence[AnalysisRow]]
    columns: tuple[Column, ...]
    note: str = ""
    """What the numbers of the table are counted over."""
    summary: Callable[[int, int], str] | None = None
    """What a table says in place of a note, from its number of rows and that of the facts."""
    pivot: Pivot | None = None
    measured: Callable[[Evidence], Iterable[tuple[AnalysisRow, Rates]]] | None = None
    """The rows with their shares as masks of facts: what intervals are made from."""
    unmeasured: str = ""
    """Why there are no intervals, where `measured` is None."""
    contrast: Contrast | None = None
    recorded: Mapping[str, int] = field(default_factory=dict)
    """What else a reader of the JSON needs to get the same rows again."""
    lacking: Callable[[Evidence, int], int] | None = None
    """How many questions of a curtailed model (its place) the analysis needs and has not."""
    lacking_reason: str = ""
    """What is said of them, with their `{count}`."""
    no_thinking: str = ""
    """What is said where no model was asked with thinking; empty if that does not matter."""
    is_of_judged: bool = False
    """Whether its facts are those that are complete and gradable."""
    is_of_choice: bool = False
    """Whether multiple choice counts in it."""
    is_of_facts: bool = False
    """Whether it is about the facts alone, so that it needs no model and no label."""
    parts: tuple[AnalysisPart, ...] = ()
    """Its further tables."""
    options: tuple[AnalysisOption, ...] = ()
    """The options that it takes beside those that all take."""

    def name_choice(self, words: str) -> str:
        """Words about its numbers, with who labels multiple choice where that counts."""
        return f"{words}; {BY_CHOICE}" if self.is_of_choice else words

    def items(self, evidence: Evidence) -> list[tuple[AnalysisRow, Rates]]:
        """The rows with their shares. Raises `ValueError` for an analysis without shares."""
        if self.measured is None:
            raise ValueError(self.unmeasured)
        return list(self.measured(evidence))

    @property
    def titles(self) -> Mapping[str, str]:
        """What stands above each column, by its key."""
        return {column.key: column.title for column in self.columns}
