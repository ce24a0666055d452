"""Importing a file: read to its end first, then landed in short batches."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import db.connection
import db.label_grids
import db.option_score_arrays
import db.prepared_triples
from core.errors import UsageError
from core.exchange.log_columns import LogColumns
from core.exchange.score_labels import ScoreReader, parse_words
from core.project import OpenProject
from core.scale.lake import check_marker
from core.specs.file_specs import ImportWords
from core.transfer import fact_rows, file_formats
from core.transfer.column_map import TableMapping, find_mapping, parse_mapping
from core.transfer.file_kinds import check_file, open_source
from core.transfer.import_report import ImportReport
from core.transfer.log_files import LogFile, SamplePool, check_companion, find_log_format
from core.transfer.log_rows import LogRows
from core.transfer.mapped_table import MappedTable
from core.transfer.response_rows import Responses
from core.transfer.response_spool import ResponseSpool
from core.transfer.row_source import BadRow, RowSource
from core.transfer.row_values import quote_names

SCORES_AT_ONCE = 5_000
ROWS_AT_ONCE = 20_000
"""Rows a transaction: long enough to be fast, short enough that others hardly wait."""

BYTES_AT_ONCE = 2**26
"""About so many bytes of the file a transaction, for files with long responses."""

FOLD_EVERY = 16
"""Batches between two foldings of the label grids: what waits stays a few megabytes."""

Source = RowSource | LogFile

Progress = Callable[[int, int], None]
"""Told how many rows are through, and how many there are as far as the file has been read."""


class _Lander(Protocol):
    def land(self, rows: Iterator[tuple[Any, dict[str, Any]]]) -> None: ...


def import_file(
    project: OpenProject | None,
    path: Path | str,
    format: str = file_formats.AUTO,  # noqa: A002 (the word of the contract)
    dry_run: bool = False,
    progress: Progress | None = None,
    words: ImportWords | None = None,
    pool: SamplePool | None = None,
) -> ImportReport:
    """Import a file of one of `FORMATS`; bad rows are reported and the good ones land.

    A file that cannot be read to its end lands nothing and raises `LostkeysError`, a format
    there is not `UsageError`. `words` say what the file does not. `dry_run` does the same to a
    passing copy of the project, or to an empty one if `project` is None. `pool` has the samples
    of the files before, which those of a log follow if the words say so.
    """
    if dry_run:
        with rehearsal(project) as copy:
            return import_file(copy, path, format, False, progress, words, pool)
    assert project is not None, "only a dry run needs no project"
    source, name = open_file(Path(path), format, words or ImportWords())
    if words is not None and words.pool and pool is not None and isinstance(source, LogFile):
        source.pool = pool
    with closing(source):
        return import_source(project, source, name, progress, words or ImportWords())


def import_source(
    project: OpenProject,
    source: Source,
    name: str,
    progress: Progress | None = None,
    words: ImportWords | None = None,
) -> ImportReport:
    """Land the rows of a source in a format, as `import_file` does those of a file."""
    tell = progress or (lambda done, total: None)
    report = ImportReport(name, source.unit)
    with db.connection.relax_sync(project.connection):
        count = _read_and_land(project, source, report, tell, words or ImportWords())
    db.label_grids.fold_if_due(project.connection)
    db.option_score_arrays.fold_if_due(project.connection)
    project.refresh()
    if db.prepared_triples.sets(project.connection):
        from core.fact_bench.bench_evidence import keep_all_scores

        with db.connection.relax_sync(project.connection):
            keep_all_scores(project)
    if isinstance(source, LogFile | MappedTable):
        report.unlabelled = source.unlabelled
    report.sort()
    tell(count, count)
    return report


def open_file(
    path: Path,
    format: str = file_formats.AUTO,  # noqa: A002
    words: ImportWords | None = None,
) -> tuple[Source, str]:
    """The rows of a file, and the format they are in. Raises as `import_file` does."""
    if format == "lake":
        check_marker(path)
    words = words or ImportWords()
    log = None if words.mapping else find_log(path, format, words)
    if log is not None:
        return log
    source = open_source(path, words)
    if words.mapping:
        return _map_table(source, format, words)
    if words.subject is not None:
        from core.transfer.property_table import WideTable

        source = WideTable(source, words)
    elif format == file_formats.AUTO and (mapping := _find_mapping(source, words.relation)):
        way = "`lostkeys import --map` says otherwise"
        told = f"a table of questions and answers: {mapping.described} ({way})"
        return MappedTable(source, mapping, _score_reader(words), [told]), file_formats.TABLE
    elif format == "zp-reference":
        from core.transfer.reference_rows import ReferenceFile

        source = ReferenceFile(path)
    return source, file_formats.choose(source, format, words.relation)


def find_log(path: Path, format: str, words: ImportWords) -> tuple[LogFile, str] | None:  # noqa: A002
    """The log in a file, and its format; None where it is none."""
    name = format if format in file_formats.LOG_FORMATS else None
    if format == file_formats.AUTO and words.subject is None:
        check_companion(path)
        name = find_log_format(path)
    if name is None:
        return None
    check_file(path)
    return LogFile(path, name, words), name


def _map_table(source: RowSource, format: str, words: ImportWords) -> tuple[RowSource, str]:  # noqa: A002
    """A table whose columns the words map."""
    if format not in (file_formats.AUTO, file_formats.TABLE):
        raise UsageError(f"--map says what the columns are: leave --format {format} out")
    if words.subject is not None:
        raise UsageError("--map and --subject are two ways to read a table: choose one")
    mapping = parse_mapping(words.mapping)
    return MappedTable(source, mapping, _score_reader(words)), file_formats.TABLE


def _score_reader(words: ImportWords) -> ScoreReader:
    return ScoreReader(words.correct_at, parse_words(words.words), frozenset(words.scores))


def _find_mapping(source: RowSource, relation: str | None) -> TableMapping | None:
    """What a table that no format takes says by the names of its columns."""
    if file_formats.find_format(source, relation) is not None:
        return None
    return find_mapping(source.keys())


def _read_and_land(
    project: OpenProject, source: Source, report: ImportReport, tell: Progress, words: ImportWords
) -> int:
    """Read a file to its end, then land its rows; gives how many there are."""
    unknown: dict[str, None] = {}
    if isinstance(source, LogFile):
        with pause_collection():
            count = _land_log(project, source, report, tell)
    elif report.format == "responses":
        count = _land_gathered(project, source, report, tell, unknown)
    else:
        count = source.scan(lambda rows: tell(0, rows))
        lander = _make_lander(report.format, project, source, report, words)
        _land(project, lander, source, report, count, tell, unknown)
    report.mapping = list(source.mapping)
    for text in source.notices:
        report.told.add(text)
    if unknown:
        report.told.add(f"ignored, not part of the format: {quote_names(unknown)}")
    return count


def _land_gathered(
    project: OpenProject,
    source: RowSource,
    report: ImportReport,
    tell: Progress,
    unknown: dict[str, None],
) -> int:
    """Land rows that wait as columns while the file is read: so they are read once."""
    lander = Responses(project, report, source.cells)
    with closing(ResponseSpool()) as spool:
        blocks = _list_usable(source, report, unknown)
        count = 0
        with pause_collection():
            while (batch := lander.gather(blocks, ROWS_AT_ONCE, BYTES_AT_ONCE)).texts:
                spool.keep(batch)
                count += len(batch.texts)
                tell(0, count + report.bad)
        count += report.bad
        for batches, batch in enumerate(spool, 1):
            with pause_collection():
                lander.add(batch)
            if batches % FOLD_EVERY == 0:
                db.label_grids.fold_if_due(project.connection)
            tell(report.read, count)
    return count


def _land_log(project: OpenProject, log: LogFile, report: ImportReport, tell: Progress) -> int:
    """Land the rows of a log, which wait as columns while it is read."""
    count = log.scan(lambda rows: tell(0, rows))
    lander = LogRows(project, report, log)
    for landed, batch in enumerate(_batches(log.blocks()), 1):
        lander.land(batch)
        if landed % FOLD_EVERY == 0:
            db.label_grids.fold_if_due(project.connection)
        tell(report.read, count)
    return count


def _batches(blocks: Iterable[tuple[int, LogColumns]]) -> Iterator[list[LogColumns]]:
    """Blocks that go into one transaction."""
    batch: list[LogColumns] = []
    rows = size = 0
    for more, block in blocks:
        batch.append(block)
        rows, size = rows + len(block.places), size + more
        if rows >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            yield batch
            batch, rows, size = [], 0, 0
    if batch:
        yield batch


def _land(
    project: OpenProject,
    lander: _Lander,
    source: RowSource,
    report: ImportReport,
    count: int,
    tell: Progress,
    unknown: dict[str, None],
) -> None:
    """Land the rows of a file that has been read to its end."""
    size = max(1, min(_rows_at_once(report.format), BYTES_AT_ONCE * count // max(1, source.size)))
    rows = chain.from_iterable(_list_usable(source, report, unknown))
    for batches, first in enumerate(rows, 1):
        with pause_collection():
            lander.land(chain([first], islice(rows, size - 1)))
        if batches % FOLD_EVERY == 0:
            db.label_grids.fold_if_due(project.connection)
        tell(report.read, count)


@contextmanager
def pause_collection() -> Iterator[None]:
    """Look for no circles of objects: rows make none, and looking takes a sixth of the time."""
    looked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looked:
            gc.enable()


def _make_lander(
    name: str, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
) -> _Lander:
    """What takes the rows of a format; only its own module is loaded."""
    if name in ("wikiprofile", "facts"):
        return fact_rows.Facts(project, report)
    if name == "labels":
        from core.transfer.label_rows import Labels

        return Labels(project, report, source.cells)
    if name == "documents":
        from core.transfer.document_rows import Documents

        return Documents(project, report)
    if name == file_formats.TABLE:
        from core.transfer.answered_fact_rows import TableRows

        return TableRows(project, report)
    if name == "lake":
        from core.transfer.lake_rows import LakeRows

        return LakeRows(project, source, report)
    module, lander = _LANDERS[name]
    made: _Lander = getattr(import_module(f"core.transfer.{module}"), lander)(
        project, source, report, words
    )
    return made


_LANDERS: Mapping[str, tuple[str, str]] = {
    "runs": ("run_rows", "RunRows"),
    "triples": ("triple_rows", "Triples"),
    "zp-scores": ("score_rows", "ScoreRows"),
    "zp-positions": ("latent_rows", "PositionRows"),
    "zp-models": ("latent_rows", "TraitRows"),
    "zp-templates": ("latent_rows", "FormRows"),
    "zp-reference": ("reference_rows", "ReferenceRows"),
}
"""Module and class of what takes the rows of each further format."""


def _rows_at_once(name: str) -> int:
    """How many rows of a format go into a transaction."""
    if name in ("labels", "runs", "lake", file_formats.TABLE):
        return ROWS_AT_ONCE
    return SCORES_AT_ONCE if name in ("zp-scores", "zp-reference") else fact_rows.FACTS_AT_ONCE


def _list_usable(
    source: RowSource, report: ImportReport, unknown: dict[str, None]
) -> Iterator[list[tuple[Any, dict[str, Any]]]]:
    """The rows that are objects, block by block; collects the keys that the format has not."""
    known = None
    if report.format in file_formats.FILE_FORMATS:
        known = frozenset(file_formats.FILE_FORMATS[report.format].known)
    for block in source.blocks():
        rows = []
        for line, row in block:
            if isinstance(row, BadRow):
                report.refuse(line, row.reason)
                continue
            if known is not None and not known.issuperset(row):
                unknown.update((key, None) for key in row if key not in known)
            rows.append((line, row))
        yield rows


@contextmanager
def rehearsal(project: OpenProject | None) -> Iterator[OpenProject]:
    """A passing copy of a project, or an empty project, to try imports on."""
    with TemporaryDirectory(prefix="lostkeys-") as folder:
        path = Path(folder) / "rehearsal.db"
        if project is not None:
            db.connection.copy(project.connection, path)
        with OpenProject(path, "create") as copy:
            yield copy
