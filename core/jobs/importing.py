"""The job that imports a file, and what can be said of a file before."""

from dataclasses import dataclass
from pathlib import Path

from core.errors import LostkeysError
from core.jobs.service import Control
from core.project import Project, created_for
from core.transfer import Report, import_file
from core.transfer.formats import AUTO, choose
from core.transfer.readers import open_source

MOST_TRIED = 16_000_000
"""Bytes of a file, and of a database, up to which an import is rehearsed while one waits."""


@dataclass(frozen=True, slots=True)
class Importing:
    """Import a file into the database at `path`, which is made if it is not there."""

    path: Path
    file: Path
    doing: str = "importing"
    unit: str = "bytes"

    @property
    def name(self) -> str:
        """The file's name."""
        return self.file.name

    def run(self, control: Control) -> str:
        """Read the file and land its rows; gives what it came to.

        Raises `LostkeysError` where not a single row could land.
        """
        with created_for(self.path) as project:
            report = import_file(project, self.file, progress=control.reach)
        control.fail(report.bad)
        if report.bad and report.bad == report.read:
            raise LostkeysError(f"nothing of {self.file} could be used: {first_problem(report)}")
        return summary(report)


@dataclass(frozen=True, slots=True)
class Glance:
    """What a file is: its kind and size; `report` of a rehearsal, None where it is too large."""

    kind: str
    size: int
    report: Report | None


def glance(path: Path, file: Path) -> Glance:
    """What importing a file into the database at `path` would do; nothing is written.

    Raises `LostkeysError` where the file cannot be imported.
    """
    source = open_source(file)
    kind = choose(source, AUTO)
    there = path.exists() and path.stat().st_size > 0
    if source.size > MOST_TRIED or (there and path.stat().st_size > MOST_TRIED):
        return Glance(kind, source.size, None)
    if not there:
        return Glance(kind, source.size, import_file(None, file, dry_run=True))
    with Project(path, "read") as project:
        return Glance(kind, source.size, import_file(project, file, dry_run=True))


def summary(report: Report, would: str = "") -> str:
    """What an import came to (or `would`), in one line."""
    noun = "facts" if report.format == "wikiprofile" else report.format
    said = f"{report.added:,} {noun if report.added != 1 else noun[:-1]}{would} added"
    if report.unchanged:
        said += f", {report.unchanged:,} there already"
    if report.bad:
        said += f", {report.bad:,} bad ({first_problem(report)})"
    return "; ".join([said, *report.notices[:1]])


def first_problem(report: Report) -> str:
    """The first row that could not be used, and why."""
    problem = report.problems[0]
    return f"{report.unit} {problem.line}: {problem.reason}"
