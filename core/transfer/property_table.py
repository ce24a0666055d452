"""Tables with a subject a row and a property a column, read as triples."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import UsageError
from core.specs.file_specs import ImportWords
from core.transfer.column_map import is_filled
from core.transfer.row_source import Row, RowSource
from core.transfer.row_values import quote_names

PROPERTY_ID = re.compile(r"P[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class PropertyColumn:
    """A column whose cells are objects of one relation."""

    column: str
    relation: str
    property_id: str = ""


def property_column(text: str) -> PropertyColumn:
    """Read `COLUMN`, `COLUMN=P569`, `COLUMN=RELATION` or `COLUMN=P569=RELATION`."""
    column, *said = text.split("=")
    numbers = [one for one in said if PROPERTY_ID.fullmatch(one)]
    names = [one for one in said if one and not PROPERTY_ID.fullmatch(one)]
    if not column or len(numbers) > 1 or len(names) > 1 or len(numbers) + len(names) != len(said):
        raise UsageError(f"--property {text}: write COLUMN, COLUMN=P569 or COLUMN=RELATION")
    return PropertyColumn(column, names[0] if names else column, "".join(numbers))


class WideTable(RowSource):
    """The rows of another file as triples: one for each of its properties that a row has."""

    def __init__(self, source: RowSource, words: ImportWords) -> None:
        """Raises `UsageError` where words name no property, or a column that is not there."""
        super().__init__(source.path)
        self.unit, self.tabular, self.cells = source.unit, source.tabular, source.cells  # type: ignore[misc]
        self._source = source
        self._properties = [property_column(one) for one in words.properties]
        self._shared = {
            "subject": words.subject or "",
            **({"domain": words.domain} if words.domain else {}),
            **({"popularity": words.popularity} if words.popularity else {}),
        }
        if not self._properties:
            raise UsageError("--subject needs a --property: which columns hold objects")
        there = source.keys()
        for name in (*self._shared.values(), *(one.column for one in self._properties)):
            if source.tabular and name not in there:
                raise UsageError(
                    f"{self.path} has no column {name}: columns are {quote_names(there)}"
                )

    def keys(self) -> Sequence[str]:
        """Those of a triple."""
        return ("subject", "relation", "property_id", "object", *self._shared)

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        for line, row in self._source.read_rows():
            if isinstance(row, dict):
                yield from ((line, triple) for triple in self._triples(row))
            else:
                yield line, row

    def _triples(self, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        shared = {name: row.get(column) for name, column in self._shared.items()}
        for one in self._properties:
            value = row.get(one.column)
            if is_filled(value):
                yield {
                    **shared,
                    "relation": one.relation,
                    "property_id": one.property_id,
                    "object": value,
                }
