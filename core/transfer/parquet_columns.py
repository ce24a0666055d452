"""Rows as Arrow columns, of the types that Parquet files of an export have."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.settings.extras import check_extra

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_IN_GROUP = 1 << 15
KEYS = ("fact_id", "task", "model", "grader", "label")
"""Columns of texts that recur, kept as a dictionary."""

LISTS = ("shown_order", "graders")
SMALL = "sample"
LONG = "response"


class NumberMap(dict[str, float]):
    """Of a column: numbers by name, some of them missing."""


def write_parquet(
    path: Path, columns: Mapping[str, type], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write rows, some ten thousands at a time."""
    check_extra("arrow")
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, _type_of(name, kind)) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema) as writer:
        for group in _groups(rows):
            arrays = [_array([row.get(one.name) for row in group], one.type) for one in schema]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _groups(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    rest = iter(rows)
    while group := list(islice(rest, ROWS_IN_GROUP)):
        yield group


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


def _array(values: list[Any], kind: "pa.DataType") -> "pa.Array":
    """A column as an array of a type."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    if pa.types.is_map(kind):
        return _map_array(values, kind)
    if pa.types.is_string(kind):
        return pa.array([as_json_text(value) for value in values], kind)
    return pa.array(values, kind)


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


def as_json_text(value: Any) -> Any:
    """A value as a cell of plain text holds it: lists and objects as JSON."""
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False)
    return value
