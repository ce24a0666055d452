"""Rows under named columns, as the library hands them out: for loops, data frames, notebooks."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import LostkeysError, UsageError
from core.settings.extras import check_extra
from core.stats.number_format import format_amount
from core.vocabulary import TASKS

if TYPE_CHECKING:
    import pyarrow

SHOWN = 20
"""Rows that a notebook shows."""

NO_PANDAS = "pandas is not installed: `pip install pandas` gets it"


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Rows as dictionaries by column; `kinds` has what a column holds where that is no text."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    kinds: Mapping[str, type]

    def __repr__(self) -> str:
        return f"<Table of {format_amount(len(self.rows), 'row')}: {', '.join(self.columns)}>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self.rows[place]

    def to_arrow(self) -> "pyarrow.Table":
        """The rows as an Arrow table, with the types of an export to Parquet.

        Raises `LostkeysError` where pyarrow is not installed.
        """
        check_extra("arrow")
        from core.transfer.parquet_writer import make_table

        return make_table({name: self.kinds.get(name, str) for name in self.columns}, self.rows)

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame. Raises `LostkeysError` without pandas or pyarrow."""
        table = self.to_arrow()
        try:
            return table.to_pandas()
        except ImportError as error:
            raise LostkeysError(NO_PANDAS) from error

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows for Polars, DuckDB and whatever else reads the Arrow stream interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """The first rows, for notebooks. Texts stay texts, whatever they hold."""
        from core.report.html_elements import element

        head = element("tr", *(element("th", name) for name in self.columns))
        body = [
            element("tr", *(element("td", _format_value(row.get(name))) for name in self.columns))
            for row in self.rows[:SHOWN]
        ]
        more = len(self.rows) - SHOWN
        said = [element("p", f"and {more:,} more rows")] if more > 0 else []
        return element("div", element("table", head, *body), *said)


def _format_value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def select_tasks(table: Table, tasks: Sequence[str] | None) -> Table:
    """The rows of some tasks, all for None. Raises `UsageError` for an unknown task."""
    if tasks is None:
        return table
    wanted = {tasks} if isinstance(tasks, str) else set(tasks)
    if unknown := sorted(wanted - set(TASKS)):
        raise UsageError(f"unknown task {unknown[0]}: tasks are {', '.join(TASKS)}")
    rows = tuple(row for row in table.rows if row["task"] in wanted)
    return Table(table.columns, rows, table.kinds)
