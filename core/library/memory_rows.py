"""Rows in memory, of tables, data frames or mappings, as lines of JSON that can be imported."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from core.errors import UsageError
from core.library.arguments import show
from core.library.data_table import Table

Rows = Table | Iterable[Mapping[str, Any]] | Any
"""A `Table`, a data frame of pandas or Polars, or mappings."""


def write_rows(name: str, rows: Rows) -> Iterator[bytes]:
    """Rows in memory as lines of JSON. Raises `UsageError` for what are none."""
    import orjson

    number = 0
    try:
        for number, row in enumerate(_mappings(rows), 1):  # noqa: B007
            yield orjson.dumps(row) + b"\n"
    except (TypeError, AttributeError, ValueError) as error:
        if number == 0 and not hasattr(rows, "__iter__"):
            wanted = "a Table, a data frame or a list of dictionaries"
            raise UsageError(f"{name} is {show(rows)}: give {wanted}") from error
        why = str(error).partition("\n")[0]
        raise UsageError(f"{name}, after row {number}: {why}; a row is a dictionary") from error


def _mappings(rows: Rows) -> Iterator[Mapping[str, Any]]:
    """Rows as mappings, without what is missing."""
    if isinstance(rows, Table):
        found: Iterable[Any] = rows.rows
    elif hasattr(rows, "to_dicts"):  # of Polars
        found = rows.to_dicts()
    elif hasattr(rows, "to_pylist"):  # of pyarrow
        found = rows.to_pylist()
    elif hasattr(rows, "to_dict"):  # of pandas
        found = rows.to_dict("records")
    else:
        found = rows
    for row in found:
        plain = {name: _to_plain(value) for name, value in row.items()}
        if isinstance(plain.get("grades"), str | list):
            plain["grades"] = _mapping(plain["grades"])
        yield {name: value for name, value in plain.items() if value is not None}


def _to_plain(value: Any) -> Any:
    """A value of a data frame as JSON has it; None where it is missing."""
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    missing = isinstance(value, float) and value != value
    return None if missing or type(value).__name__ in ("NAType", "NaTType") else value


def _mapping(value: Any) -> Any:
    """A mapping that came through a data frame: as JSON text, or as a list of its pairs."""

    if isinstance(value, str):
        with suppress(ValueError):
            return json.loads(value)
        return value
    pairs = [tuple(one.values()) if isinstance(one, Mapping) else one for one in value]
    return dict(pairs) if all(len(pair) == 2 for pair in pairs) else value
