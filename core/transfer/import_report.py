"""What an import came to."""

from dataclasses import dataclass, field

PROBLEMS_KEPT = 10_000
"""More than anybody reads; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that did not land: its line (or row number, from 1) and why."""

    line: int
    reason: str


@dataclass(slots=True)
class ImportReport:
    """Counts of rows.

    A row that brought anything new counts as added. `unit` says what `Problem.line` counts:
    `line` or `row`. The first problems are kept, `bad` counts them all.
    """

    format: str
    unit: str
    added: int = 0
    unchanged: int = 0
    bad: int = 0
    problems: list[Problem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def read(self) -> int:
        """All rows of the file."""
        return self.added + self.unchanged + self.bad

    def count(self, is_new: bool) -> None:
        """Count a good row."""
        if is_new:
            self.added += 1
        else:
            self.unchanged += 1

    def refuse(self, line: int, reason: str) -> None:
        """Count a bad row."""
        self.bad += 1
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(Problem(line, reason))
