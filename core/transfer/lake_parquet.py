"""The Parquet files of a lake: their columns, and writing each whole."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import LostkeysError
from core.scale.lake import ENDING
from core.scoring.precedence import HUMAN_PREFIX
from core.settings.extras import check_extra
from core.settings.file_writer import explain_unwritable
from core.transfer.file_formats import FACT_COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_IN_GROUP = 1 << 20
FACTS_IN_GROUP = 1 << 16
BYTES_IN_FILE = 512 << 20
RECIPE = b"lostkeys_recipe"
"""Where a file of responses keeps the recipe by which they were drawn."""

_DELTA = {"fact_id": "DELTA_BYTE_ARRAY", "sample": "DELTA_BINARY_PACKED"}
"""Keys are sorted, so that each shares most of its letters with the one before."""


def fact_schema(more: Sequence[str]) -> "pa.Schema":
    """The columns of facts, with those of `OPTIONAL_COLUMNS` that some fact fills."""
    import pyarrow as pa

    names = (*FACT_COLUMNS, *more)
    return pa.schema([(name, pa.int64() if name == "gbc" else pa.string()) for name in names])


def response_schema() -> "pa.Schema":
    """The columns of responses."""
    import pyarrow as pa

    return pa.schema(
        [
            ("fact_id", pa.string()),
            ("sample", pa.int16()),
            ("response", pa.string()),
            ("shown_order", pa.list_(pa.string())),
            ("finish", pa.string()),
            ("reasoning", pa.string()),
            ("reasoning_tokens", pa.int32()),
        ]
    )


def label_schema(grader: str) -> "pa.Schema":
    """The columns of labels; those of people also say when they were set, in milliseconds."""
    import pyarrow as pa

    word = pa.dictionary(pa.int8(), pa.string())
    fields = [
        ("fact_id", pa.string()),
        ("sample", pa.int16()),
        ("label", word),
        ("version", pa.dictionary(pa.int32(), pa.string())),
    ]
    if grader.startswith(HUMAN_PREFIX):
        fields.append(("at", pa.int64()))
    return pa.schema(fields)


def run_schema() -> "pa.Schema":
    """The columns of runs and the questions that they asked, a row a run and fact."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("fact_id", pa.string()),
            ("tasks", pa.list_(pa.string())),
            ("model", word),
            ("thinking", pa.bool_()),
            ("samples", pa.int16()),
            ("tau", pa.float64()),
            ("strategy", word),
            ("weight", pa.float64()),
            ("graders", pa.list_(pa.string())),
            ("at", word),
            ("done", pa.bool_()),
        ]
    )


def part_name(plan: str, shard: int) -> str:
    """The name of a part; one that is written again has the same, and replaces it."""
    return f"part-{plan}-{shard:05}{ENDING}"


def write_part(
    path: Path,
    schema: "pa.Schema",
    batches: "Iterable[pa.RecordBatch | pa.Table]",
    recipe: Mapping[str, object] | None = None,
    rows_in_group: int = ROWS_IN_GROUP,
) -> int:
    """Write one file whole, then give it its name; gives its rows. Without any there is no file.

    Raises `LostkeysError` where it cannot be written; one that was there is then as it was.
    """
    check_extra("scale")
    import pyarrow as pa

    if recipe is not None:
        schema = schema.with_metadata({RECIPE: json.dumps(recipe, sort_keys=True).encode()})
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = _write(draft, schema, batches, rows_in_group)
        if rows:
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.replace(path)
        return rows
    except (OSError, pa.ArrowException) as error:
        raise explain_unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _write(
    draft: Path,
    schema: "pa.Schema",
    batches: "Iterable[pa.RecordBatch | pa.Table]",
    rows_in_group: int,
) -> int:
    """Write batches in groups of so many rows."""
    import pyarrow as pa
    from pyarrow import parquet

    delta = {name: kind for name, kind in _DELTA.items() if name in schema.names}
    words = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    rows = 0
    with parquet.ParquetWriter(
        draft, schema, compression="zstd", use_dictionary=words, column_encoding=delta
    ) as writer:
        for table in _group_rows(schema, batches, rows_in_group):
            writer.write_table(table, rows_in_group)
            rows += table.num_rows
    return rows


def _group_rows(
    schema: "pa.Schema", batches: "Iterable[pa.RecordBatch | pa.Table]", rows_in_group: int
) -> "Iterator[pa.Table]":
    """The rows of all batches, as many at a time as go into a group; long texts sooner."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    rows = size = 0
    for batch in batches:
        table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
        waiting.append(table)
        rows, size = rows + table.num_rows, size + table.nbytes
        if rows >= rows_in_group or size >= BYTES_IN_FILE // 4:
            yield pa.concat_tables(waiting).unify_dictionaries()
            waiting, rows, size = [], 0, 0
    if rows:
        yield pa.concat_tables(waiting).unify_dictionaries()


def split_rows(
    batches: "Iterable[pa.RecordBatch]", most: int = BYTES_IN_FILE
) -> "Iterator[Iterator[pa.RecordBatch]]":
    """The batches of one file after another, each of so many bytes before they are packed."""
    rest = iter(batches)
    for first in rest:

        def of_file(batch: "pa.RecordBatch" = first) -> "Iterator[pa.RecordBatch]":
            size = batch.nbytes
            yield batch
            while size < most and (batch := next(rest, None)) is not None:
                size += batch.nbytes
                yield batch

        yield of_file()


def read_recipe(path: Path) -> Mapping[str, object] | None:
    """The recipe that a file of responses keeps; None where it keeps none that can be read."""
    with open_parquet(path) as file:
        kept = (file.schema_arrow.metadata or {}).get(RECIPE)
    try:
        found = None if kept is None else json.loads(kept)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """A Parquet file of a lake, open. Raises `LostkeysError` for one that is none."""
    check_extra("scale")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        why = str(error).partition("\n")[0]
        raise LostkeysError(
            f"{path}: not a sound Parquet file ({why}): copy it again, or take it away"
        ) from None


def count_rows(path: Path) -> int:
    """How many rows a file says it has."""
    with open_parquet(path) as file:
        rows: int = file.metadata.num_rows
    return rows


def read_distinct(path: Path, column: str) -> set[Any]:
    """The different values of a column; None alone where there is no such column."""
    with open_parquet(path) as file:
        if column not in file.schema_arrow.names:
            return {None}
        batches = file.iter_batches(columns=[column])
        return {value for batch in batches for value in batch.column(0).unique().to_pylist()}


ROWS_AT_ONCE = 1 << 16

RowChoice = Callable[["pa.RecordBatch"], "pa.Array"]
"""Which rows of a batch are read, as flags."""


def read_columns(
    path: Path, columns: Sequence[str], rows: int = ROWS_AT_ONCE, choose: RowChoice | None = None
) -> "Iterator[dict[str, list[Any]]]":
    """Some columns of a file as lists, a batch at a time; None where it has no such column."""
    with open_parquet(path) as file:
        there = [name for name in columns if name in file.schema_arrow.names]
        for every in file.iter_batches(rows, columns=there):
            batch = every if choose is None else every.filter(choose(every))
            found = batch.to_pydict()
            yield {name: found.get(name, [None] * batch.num_rows) for name in columns}
