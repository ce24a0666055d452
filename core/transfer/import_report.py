"""What an import came to."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.errors import LostkeysError
from core.exchange.notices import Notices
from core.stats.number_format import format_amount
from core.transfer.row_values import RowError
from db.sqlite_errors import DatabaseError

_Value = TypeVar("_Value")

PROBLEMS_KEPT = 10_000
"""More than anybody reads; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that did not land: its line (or row number, from 1; of a log `ID/EPOCH`) and why."""

    line: int | str
    reason: str


@dataclass(slots=True)
class ImportReport:
    """Counts of rows.

    A row that brought anything new counts as added. `unit` says what `Problem.line` counts:
    `line` or `row`. `unlabelled` are values of a log that are no labels: grader, reason, count.
    `mapping`: what the file has for words of ours, and what became of each grader's scores.
    The first problems are kept, `bad` counts them all, `reasons` groups them. `told` is what a
    person should know of how the file was read. `error`: why nothing of the file landed,
    where that is reported beside other files.
    """

    format: str
    unit: str
    added: int = 0
    unchanged: int = 0
    bad: int = 0
    problems: list[Problem] = field(default_factory=list)
    told: Notices = field(default_factory=Notices)
    reasons: Notices = field(default_factory=Notices, compare=False)
    unlabelled: list[tuple[str, str, int]] = field(default_factory=list)
    mapping: list[tuple[str, str]] = field(default_factory=list)
    error: LostkeysError | None = None

    @property
    def notices(self) -> list[str]:
        """What a person should know of how the file was read, a line each."""
        return self.told.lines(self.unit)

    @property
    def read(self) -> int:
        """All rows of the file."""
        return self.added + self.unchanged + self.bad

    @property
    def is_useless(self) -> bool:
        """Whether nothing of the file can be used."""
        return self.error is not None or 0 < self.bad == self.read

    def count(self, is_new: bool) -> None:
        """Count a good row."""
        if is_new:
            self.added += 1
        else:
            self.unchanged += 1

    def refuse(self, line: int | str, reason: str) -> None:
        """Count a bad row."""
        self.bad += 1
        self.reasons.add(reason, line)
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(Problem(line, reason))

    def parse_each(
        self, rows: Iterable[tuple[int, dict[str, Any]]], parse: Callable[[dict[str, Any]], _Value]
    ) -> list[tuple[int, _Value]]:
        """What the rows hold, with their lines; one of which `parse` raises `RowError` is bad."""
        found = []
        for line, row in rows:
            try:
                found.append((line, parse(row)))
            except RowError as error:
                self.refuse(line, str(error))
        return found

    def sort(self) -> None:
        """Bring problems in the order of their lines; those of a log stand as it does."""
        if all(isinstance(one.line, int) for one in self.problems):
            self.problems.sort(key=lambda one: int(one.line))
        self.reasons.sort()

    def lines(self, file: str, most: int | None = None) -> list[str]:
        """What is to be known of the file (its name), a line each; bad rows last, one by one.

        Where that makes more than `most` lines, bad rows are grouped by their reasons, and what is
        still too much is counted.
        """
        found = self._list_lines(file)
        if most is None or len(found) <= most:
            return found
        found = found[: -len(self.problems) - (self.bad > len(self.problems)) or None]
        found += [f"{file}: {one.describe(self.unit)}" for one in self.reasons.by_place()]
        if len(found) <= most:
            return found
        return [*found[: most - 1], f"{file}: and {len(found) - most + 1:,} more lines"]

    def _list_lines(self, file: str) -> list[str]:
        if self.error is not None:
            return [str(self.error)]
        found = [f"{file}: {notice}" for notice in self.notices]
        for grader, reason, count in self.unlabelled:
            values = format_amount(count, "value")
            found.append(f"{file}: {values} of {grader}: no label, {reason}")
        found += [f"{file}, {self.unit} {one.line}: {one.reason}" for one in self.problems]
        if more := self.bad - len(self.problems):
            found.append(f"{file}: and {format_amount(more, 'more bad row')}")
        return found

    def as_json(self, file: str) -> dict[str, Any]:
        """The report on a file (its name), as `lostkeys import --json` prints it.

        One that could not be read has `error`, and no format.
        """
        broken = {} if self.error is None else {"error": str(self.error)}
        return {
            "file": file,
            "format": self.format or None,
            **broken,
            "rows": self.read,
            "added": self.added,
            "there": self.unchanged,
            "bad": [{"row": one.line, "reason": one.reason} for one in self.problems],
            "reasons": [
                {"reason": one.describe(self.unit), "rows": one.rows}
                for one in self.reasons.by_place()
            ],
            "unlabelled": [
                {"grader": grader, "reason": reason, "count": count}
                for grader, reason, count in self.unlabelled
            ],
            "notices": self.notices,
        }


def group_lines(found: Sequence[tuple[str, ImportReport]]) -> list[str]:
    """What is to be known of several files (by their names), alike things as one line.

    Bad rows come last.
    """
    told, reasons = Notices(), Notices()
    unlabelled: dict[tuple[str, str], int] = {}
    for file, report in found:
        told.add_file(report.told, report.unit, file)
        reasons.add_file(report.reasons, report.unit, file)
        for grader, reason, count in report.unlabelled:
            unlabelled[grader, reason] = unlabelled.get((grader, reason), 0) + count
    lines = [one.describe() for one in told]
    for (grader, reason), count in unlabelled.items():
        lines.append(f"{format_amount(count, 'value')} of {grader}: no label, {reason}")
    return lines + [one.describe() for one in reasons]


def report_broken(error: LostkeysError) -> ImportReport:
    """The report on a file that lands nothing, for others to go on beside it.

    What is no fault of the file is raised again.
    """
    if isinstance(error, DatabaseError):
        raise error
    return ImportReport("", "line", error=error)
