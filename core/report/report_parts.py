"""What a report is made of, as plain text that each kind of file escapes in its own way."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.figures.figure import Figure


@dataclass(frozen=True, slots=True)
class ReportParagraph:
    """A few sentences; `warning` where a reader must not miss them."""

    text: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list, a line each."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table: its heading, whether numbers stand in it, the profile it is of."""

    heading: str
    number: bool = True
    code: str = ""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with its title; `note` says what its numbers are counted over."""

    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure, and the same as tables."""

    figure: Figure
    tables: Sequence[ReportTable]


Block = ReportParagraph | Bullets | ReportTable | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a report."""

    title: str
    blocks: Sequence[Block] = field(default=())


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report; `summary` is said below the title."""

    title: str
    summary: Sequence[str]
    sections: Sequence[Section]


def text(heading: str) -> TableColumn:
    """A column of words."""
    return TableColumn(heading, number=False)


def numbers(*headings: str) -> list[TableColumn]:
    """Columns of numbers."""
    return [TableColumn(heading) for heading in headings]
