"""Rows as Arrow columns, of the types that Parquet files of an export have."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.settings.extras import check_extra
from core.transfer.column_blocks import Block, BlockRows, CodedColumn, Column, PairsColumn

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_IN_GROUP = 1 << 15
KEYS = ("fact_id", "task", "model", "grader", "label")
"""Columns of texts that recur, kept as a dictionary."""

LISTS = ("shown_order", "graders", "tasks")
SMALL = "sample"
LONG = "response"


class NumberMap(dict[str, float]):
    """Of a column: numbers by name, some of them missing."""


def make_table(columns: Mapping[str, type], rows: Sequence[Mapping[str, Any]]) -> "pa.Table":
    """Rows in memory as a table. Raises `LostkeysError` where pyarrow is not installed."""
    check_extra("arrow")
    import pyarrow as pa

    schema = _schema_of(columns)
    arrays = [_array([row.get(one.name) for row in rows], one.type) for one in schema]
    return pa.table(arrays, schema=schema)


def write_parquet(
    path: Path, columns: Mapping[str, type], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write rows, some ten thousands at a time."""
    check_extra("arrow")
    import pyarrow as pa
    from pyarrow import parquet

    schema = _schema_of(columns)
    with parquet.ParquetWriter(path, schema) as writer:
        for block in rows.blocks() if isinstance(rows, BlockRows) else _blocks(rows, columns):
            arrays = [_array(block[one.name], one.type) for one in schema]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _schema_of(columns: Mapping[str, type]) -> "pa.Schema":
    import pyarrow as pa

    return pa.schema([(name, _type_of(name, kind)) for name, kind in columns.items()])


def _blocks(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> Iterator[Block]:
    rest = iter(rows)
    while group := list(islice(rest, ROWS_IN_GROUP)):
        yield {name: [row.get(name) for row in group] for name in columns}


def _type_of(name: str, kind: type) -> "pa.DataType":
    """The type of a column, by its name and what is in it; lists and objects else are JSON text."""
    import pyarrow as pa

    if kind is str:
        if name in KEYS:
            return pa.dictionary(pa.int32(), pa.string())
        return pa.large_string() if name == LONG else pa.string()
    if kind is int:
        return pa.int16() if name == SMALL else pa.int64()
    if kind is list and name in LISTS:
        return pa.list_(pa.string())
    if kind is dict and name == "grades":
        return pa.map_(pa.string(), pa.string())
    if kind is NumberMap:
        return pa.map_(pa.string(), pa.float64())
    others: dict[type, pa.DataType] = {float: pa.float64(), bool: pa.bool_()}
    return others.get(kind, pa.string())


def _array(values: Column, kind: "pa.DataType") -> "pa.Array":
    """A column as an array of a type."""
    import pyarrow as pa

    if isinstance(values, CodedColumn):
        return _coded_array(values, kind)
    if isinstance(values, PairsColumn):
        names, texts = _texts(values.names), _texts(values.texts)
        return pa.MapArray.from_arrays(pa.array(values.ends, pa.int32()), names, texts)
    if isinstance(values, np.ndarray):
        return pa.array(values, kind)
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    if pa.types.is_map(kind):
        return _map_array(values, kind)
    if pa.types.is_string(kind):
        return pa.array([_as_text(value) for value in values], kind)
    return pa.array(values, kind)


def _coded_array(column: CodedColumn, kind: "pa.DataType") -> "pa.Array":
    """Texts that recur, as a dictionary of those that do."""
    import pyarrow as pa

    if not pa.types.is_dictionary(kind):
        return _texts(column)
    texts = pa.array(column.names, pa.string()).dictionary_encode()
    places = texts.indices.take(pa.array(column.codes)).dictionary_encode()
    return pa.DictionaryArray.from_arrays(places.indices, texts.dictionary.take(places.dictionary))


def _texts(column: CodedColumn) -> "pa.Array":
    import pyarrow as pa

    return pa.array(column.names, pa.string()).take(pa.array(column.codes))


def _map_array(values: Sequence[Mapping[str, Any] | None], kind: "pa.MapType") -> "pa.Array":
    import pyarrow as pa

    ends: list[int | None] = [0]
    names: list[str] = []
    items: list[Any] = []
    for value in values:
        if value is None:
            ends[-1] = None
        else:
            names += value.keys()
            items += value.values()
        ends.append(len(names))
    return pa.MapArray.from_arrays(
        pa.array(ends, pa.int32()),
        pa.array(names, kind.key_type),
        pa.array(items, kind.item_type),
    )


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def as_json_text(value: Any) -> Any:
    """A value as a cell of plain text holds it: lists and objects as JSON."""
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False)
    return value
