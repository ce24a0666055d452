"""Writing a project as a lake: facts, responses and labels as folders of Parquet files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import db.facts
import db.grades
import db.model_rows
import db.project_values
import db.question_rows
import db.responses
from core.dataset import choice_options
from core.errors import LostkeysError
from core.glossary.job_terms import COUNTS_OF_A_LAKE
from core.project import OpenProject
from core.scale.lake import FACTS, RUNS, LakeCell, draft_lake
from core.scoring.precedence import HUMAN_PREFIX, LAST_LABEL
from core.settings.extras import check_extra
from core.transfer.fact_rows import as_row
from core.transfer.file_formats import OPTIONAL_COLUMNS
from core.transfer.lake_parquet import (
    FACTS_IN_GROUP,
    fact_schema,
    label_schema,
    part_name,
    response_schema,
    run_schema,
    split_rows,
    write_part,
)
from core.transfer.run_rows import read_runs
from core.vocabulary import LABELS, TASK_INDEX, TASKS
from db.connection import read_transaction
from db.slot_ids import slot
from db.stored_values import RowsById

if TYPE_CHECKING:
    import pyarrow as pa

CELLS_AT_ONCE = 2_000
FACTS_AT_ONCE = 2_000
PLAN_LETTERS = 16

Progress = Callable[[int, int], None]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LakeExport:
    """What is written: facts by their places in the index, models by their labels."""

    project: OpenProject
    places: Sequence[int]
    models: Sequence[str]
    tell: Progress


def export_lake(export: LakeExport, path: Path) -> int:
    """Write a new lake, whole or not at all; gives how many responses it has.

    Labels are those of each grader's newest version; states without a label stay behind.
    Raises `LostkeysError` where the path is there already or cannot be written.
    """
    check_extra("scale")
    counted = export.project.counted
    if counted is not None:
        raise LostkeysError(
            f"{export.project.path} holds {COUNTS_OF_A_LAKE}, which no lake can be made of: copy "
            f"{counted.lake.path} itself"
        )
    if path.exists():
        raise LostkeysError(f"{path} is there already: name a new folder with -o")
    if not path.absolute().parent.is_dir():
        raise LostkeysError(f"{path.parent} is not a folder: make it first, or choose another")
    with (
        draft_lake(path, project_key(export.project)) as draft,
        read_transaction(export.project.connection),
    ):
        return _write_all(export, draft)


def project_key(project: OpenProject) -> str:
    """What names the parts of this project, wherever its file is."""
    name = db.project_values.value(project.connection, db.project_values.IDENTITY) or str(
        project.path
    )
    return sha256(name.encode()).hexdigest()[:PLAN_LETTERS]


def _write_all(export: LakeExport, draft: Path) -> int:
    project = export.project
    write_facts(export, draft)
    settings = project.setting_ids()
    chosen = [name for name in settings if name[0] in export.models]
    cells = [(LakeCell(*name, task), settings[name]) for name in chosen for task in TASKS]
    written = 0
    runs = read_runs(project, export.places, export.models)
    write_runs(runs, draft, project_key(project))
    for done, (cell, setting) in enumerate(cells):
        export.tell(done, len(cells))
        asked = _questions_of(export, cell)
        rows = _write_responses(export, draft, cell, setting, asked)
        if rows:
            _write_labels(export, draft, cell, setting, asked)
        written += rows
    export.tell(len(cells), len(cells))
    return written


@dataclass(frozen=True, slots=True)
class _TaskQuestions:
    """The questions of one task, sorted by fact_id: equal columns."""

    fact_ids: list[str]
    questions: Ints


def _questions_of(export: LakeExport, cell: LakeCell) -> _TaskQuestions:
    index = export.project.index
    column = index.questions[:, TASK_INDEX[cell.task]]
    there = [place for place in export.places if column[place]]
    there.sort(key=lambda place: index.fact_ids[place].encode(errors="surrogatepass"))
    return _TaskQuestions(
        [index.fact_ids[place] for place in there], column[there].astype(np.int64)
    )


def write_facts(export: LakeExport, draft: Path) -> None:
    """Write facts in the order of the project, in a file whose name their ids give."""
    import pyarrow as pa

    project = export.project
    ids = [project.index.fact_ids[place] for place in export.places]
    edited = set(db.facts.find_with_optional_columns(project.connection))
    named = [ids[n] for n, place in enumerate(export.places) if project.index.ids[place] in edited]
    filled = [as_row(fact) for fact in db.facts.read_facts(project.connection, named)]
    schema = fact_schema([name for name in OPTIONAL_COLUMNS if any(row[name] for row in filled)])

    def batches() -> "Iterator[pa.RecordBatch]":
        for start in range(0, len(ids), FACTS_AT_ONCE):
            some = ids[start : start + FACTS_AT_ONCE]
            rows = [as_row(fact) for fact in db.facts.read_facts(project.connection, some)]
            columns = [
                [row[name] if row[name] != "" else None for row in rows] for name in schema.names
            ]
            yield pa.record_batch(columns, schema=schema)

    digest = sha256("\n".join(sorted(ids)).encode(errors="surrogatepass")).hexdigest()
    for shard, file in enumerate(split_rows(batches())):
        name = part_name(digest[:PLAN_LETTERS], shard)
        write_part(draft / FACTS / name, schema, file, rows_in_group=FACTS_IN_GROUP)


def write_runs(rows: Iterator[dict[str, Any]], lake: Path, plan: str) -> None:
    """Write rows of runs as the part of a plan or project, in place of what it wrote before."""
    import pyarrow as pa

    schema = run_schema()

    def batches() -> "Iterator[pa.RecordBatch]":
        while some := list(islice(rows, CELLS_AT_ONCE)):
            yield pa.RecordBatch.from_pylist(some, schema=schema)

    write_part(lake / RUNS / part_name(plan, 0), schema, batches())


def _write_responses(
    export: LakeExport, draft: Path, cell: LakeCell, setting: int, asked: _TaskQuestions
) -> int:
    """Write a cell's responses by fact and sample; gives how many there are."""
    import pyarrow as pa

    connection = export.project.connection
    schema = response_schema()
    choices = db.question_rows.choices_of(connection) if cell.task.is_choice else {}

    def batches() -> "Iterator[pa.RecordBatch]":
        for start in range(0, len(asked.questions), CELLS_AT_ONCE):
            some = asked.questions[start : start + CELLS_AT_ONCE].tolist()
            rows = []
            for place, sample, text, shown, *draw in db.responses.read_in_cells(
                connection, [slot(question, setting, 0) for question in some]
            ):
                options = choices.get(some[place])
                order = None
                if shown is not None and options is not None:
                    order = list(choice_options.decode(shown, options))
                rows.append((asked.fact_ids[start + place], sample, text, order, *draw))
            if rows:
                columns = [list(column) for column in zip(*rows, strict=True)]
                yield pa.record_batch(columns, schema=schema)

    recipe = db.model_rows.recipes(connection).get(setting)
    written = 0
    for shard, file in enumerate(split_rows(batches())):
        name = part_name(project_key(export.project), shard)
        written += write_part(draft / cell.folder() / name, schema, file, recipe)
    return written


def _write_labels(
    export: LakeExport, draft: Path, cell: LakeCell, setting: int, asked: _TaskQuestions
) -> None:
    """Write the labels of each grader that has any in a cell."""
    graders = export.project.graders()
    for name, versions in groupby(sorted(graders, key=lambda one: one.name), lambda one: one.name):
        newest_first = sorted(versions, key=lambda one: -one.plane)
        outcomes = planes = None
        for version in newest_first:
            cells = export.project.grids.cells(version.plane, setting)
            if cells is None:
                continue
            there = asked.questions < cells.shape[1]
            known = cells[:, np.where(there, asked.questions, 0)].T * there[:, None]
            labels = known * (known <= LAST_LABEL)
            if outcomes is None or planes is None:
                outcomes, planes = labels, np.full(labels.shape, version.plane)
                continue
            outcomes, planes = _pad_cells(outcomes, labels), _pad_cells(planes, labels)
            free = outcomes[:, : labels.shape[1]] == 0
            planes[:, : labels.shape[1]][free & (labels > 0)] = version.plane
            outcomes[:, : labels.shape[1]][free] = labels[free]
        if outcomes is None or planes is None or not outcomes.any():
            continue
        names = RowsById("grader", ((one.plane, one.version) for one in newest_first))
        table = _label_table(export.project, name, asked, setting, outcomes, planes, names)
        part = part_name(project_key(export.project), 0)
        write_part(draft / cell.folder(name) / part, table.schema, [table])


def _pad_cells(cells: npt.NDArray[Any], other: npt.NDArray[Any]) -> npt.NDArray[Any]:
    more = other.shape[1] - cells.shape[1]
    return np.pad(cells, ((0, 0), (0, more))) if more > 0 else cells


def _label_table(
    project: OpenProject,
    grader: str,
    asked: _TaskQuestions,
    setting: int,
    outcomes: npt.NDArray[np.uint8],
    planes: npt.NDArray[np.intp],
    versions: RowsById[str],
) -> "pa.Table":
    """The labels of a grader in a cell as a table, by fact and sample."""
    import pyarrow as pa

    places, samples = np.nonzero(outcomes)
    said = planes[places, samples]
    names = sorted(versions)
    codes = np.searchsorted(names, said)
    columns = [
        pa.array(asked.fact_ids, pa.string()).take(pa.array(places)),
        pa.array(samples.astype(np.int16)),
        pa.DictionaryArray.from_arrays(
            pa.array((outcomes[places, samples] - 1).astype(np.int8)),
            pa.array([str(label) for label in LABELS]),
        ),
        pa.DictionaryArray.from_arrays(
            pa.array(codes.astype(np.int32)), pa.array([versions[name] for name in names])
        ),
    ]
    if grader.startswith(HUMAN_PREFIX):
        slots = [
            slot(int(asked.questions[place]), setting, int(sample))
            for place, sample in zip(places, samples, strict=True)
        ]
        times = db.grades.times(project.connection, names, slots)
        pairs = zip(slots, said.tolist(), strict=True)
        columns.append(pa.array([times.get(pair, 0) for pair in pairs], pa.int64()))
    return pa.table(columns, schema=label_schema(grader))
