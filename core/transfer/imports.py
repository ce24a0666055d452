"""Importing a file: read to its end first, then landed in short batches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import db.connection
import db.label_grids
from core.project import Project
from core.transfer import formats
from core.transfer.document_rows import Documents
from core.transfer.fact_rows import Facts
from core.transfer.fields import listed
from core.transfer.folders import open_source
from core.transfer.import_report import ImportReport
from core.transfer.label_rows import Labels
from core.transfer.readers import BadRow, RowSource
from core.transfer.response_rows import Responses

FACTS_AT_ONCE = 2_000
DOCUMENTS_AT_ONCE = 2_000
ROWS_AT_ONCE = 20_000
"""Rows a transaction: long enough to be fast, short enough that others hardly wait."""

BYTES_AT_ONCE = 2**26
"""About so many bytes of the file a transaction, for files with long responses."""

FOLD_EVERY = 8
"""Batches between two foldings of the label grids: what waits stays a few megabytes."""

Progress = Callable[[int, int], None]
"""Told how many rows are through, and how many there are as far as the file has been read."""


class _Lander(Protocol):
    def land(self, rows: Iterator[tuple[int, dict[str, Any]]]) -> None: ...


def import_file(
    project: Project | None,
    path: Path | str,
    format: str = formats.AUTO,  # noqa: A002 (the word of the contract)
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import facts, documents, responses or labels; bad rows are reported and the good ones land.

    A file that cannot be read to its end lands nothing and raises `LostkeysError`, a format
    there is not `UsageError`. `dry_run` does the same to a passing copy of the project, or to
    an empty one if `project` is None.
    """
    if dry_run:
        with rehearsal(project) as copy:
            return import_file(copy, path, format, False, progress)
    assert project is not None, "only a dry run needs no project"
    source = open_source(Path(path))
    name = formats.choose(source, format)
    tell = progress or (lambda done, total: None)
    count = source.scan(lambda rows: tell(0, rows))
    report = ImportReport(name, source.unit, notices=list(source.notices))
    with db.connection.relaxed(project.connection):
        _land(project, source, report, count, tell)
    db.label_grids.fold_if_due(project.connection)
    project.refresh()
    report.problems.sort(key=lambda problem: problem.line)
    tell(count, count)
    return report


def _land(
    project: Project, source: RowSource, report: ImportReport, count: int, tell: Progress
) -> None:
    lander, most, known = _lander(project, source, report)
    size = max(1, min(most, BYTES_AT_ONCE * count // max(1, source.size)))
    unknown: dict[str, None] = {}
    rows = _usable(source, report, frozenset(known), unknown)
    batches = 0
    before = -1
    while report.read > before:
        before = report.read
        lander.land(islice(rows, size))
        batches += 1
        if batches % FOLD_EVERY == 0:
            db.label_grids.fold_if_due(project.connection)
        tell(report.read, count)
    if unknown:
        report.notices.append(f"ignored, not part of the format: {listed(unknown)}")


def _lander(
    project: Project, source: RowSource, report: ImportReport
) -> tuple[_Lander, int, tuple[str, ...]]:
    cells = source.cells
    if report.format == "responses":
        return Responses(project, report, cells), ROWS_AT_ONCE, formats.RESPONSE_COLUMNS
    if report.format == "labels":
        return Labels(project, report, cells), ROWS_AT_ONCE, formats.DECISION_COLUMNS
    if report.format == "documents":
        return Documents(project, report), DOCUMENTS_AT_ONCE, formats.DOCUMENT_COLUMNS
    known = (*formats.FACT_COLUMNS, *formats.ALIAS_COLUMNS)
    return Facts(project, report), FACTS_AT_ONCE, known


def _usable(
    source: RowSource, report: ImportReport, known: frozenset[str], unknown: dict[str, None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows that are objects; collects the keys that nobody knows."""
    for line, row in source.rows():
        if isinstance(row, BadRow):
            report.refuse(line, row.reason)
            continue
        if not row.keys() <= known:
            unknown.update((key, None) for key in row if key not in known)
        yield line, row


@contextmanager
def rehearsal(project: Project | None) -> Iterator[Project]:
    """A passing copy of a project, or an empty project, to try imports on."""
    with TemporaryDirectory(prefix="lostkeys-") as folder:
        path = Path(folder) / "rehearsal.db"
        if project is not None:
            db.connection.copy(project.connection, path)
        with Project(path, "create") as copy:
            yield copy
