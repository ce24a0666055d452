"""The columns that a list of facts can have, and which of them it shows."""

from collections.abc import Mapping, Sequence

from core.errors import UsageError
from core.views.fact_query import FactOrder
from core.views.snapshot import Snapshot
from core.vocabulary import TASKS, Task

NAMED: Mapping[str, type] = {
    "profile": str,
    "title": str,
    "subject": str,
    "object": str,
    "topic": str,
    "type": str,
    "views": int,
    "marks": str,
    "note": str,
    "number": int,
    "id": str,
}
"""Columns of every list by name, with what their cells hold in a file."""

GRADE, MODEL = "g.", "profile:"
"""How the names of the others begin: `g.direct`, `g.direct.on`, `profile:gemma3-27b`."""

START = ("profile", "title", "subject", "object", "topic", "views", "marks")
"""The columns of a list for which nobody has chosen others."""

SORTED: Mapping[FactOrder, str] = {
    FactOrder.TITLE: "title",
    FactOrder.SUBJECT: "subject",
    FactOrder.VIEWS: "views",
    FactOrder.PROFILE: "profile",
    FactOrder.TOPIC: "topic",
    FactOrder.STAKE: "marks",
    FactOrder.IMPORTED: "number",
}
"""The column that shows what a list is sorted by."""


def grade_of(column: str) -> tuple[Task, bool] | None:
    """The task and setting whose g a column holds; None for another column."""
    name, dot, setting = column.removeprefix(GRADE).partition(".")
    if not column.startswith(GRADE) or name not in TASKS or setting not in ("", "on", "off"):
        return None
    return (Task(name), setting == "on") if not dot or setting else None


def model_of_column(column: str) -> str | None:
    """The model whose verdicts a column holds; None for another column."""
    return column.removeprefix(MODEL) if column.startswith(MODEL) else None


def check_columns(columns: Sequence[str]) -> None:
    """Raise `UsageError` for a column that there cannot be, or one that is named twice."""
    for place, name in enumerate(columns):
        if name in columns[:place]:
            raise UsageError(f"the column {name} is named twice")
        if name not in NAMED and grade_of(name) is None and not model_of_column(name):
            raise UsageError(
                f"no column {name}: columns are {', '.join(NAMED)}, g.TASK, g.TASK.on, "
                "profile:MODEL"
            )


def column_kind(column: str) -> type:
    """What the cells of a column hold in a file."""
    return float if grade_of(column) is not None else NAMED.get(column, str)


def with_sorted(columns: tuple[str, ...], order: FactOrder) -> tuple[str, ...]:
    """The columns with the one that the list is sorted by, where that is missing.

    What names a fact stands in front, all else at the end.
    """
    name = SORTED.get(order)
    if name is None or name in columns:
        return columns
    if name in ("profile", "title", "subject"):
        first = int(columns[:1] == ("profile",))
        return (*columns[:first], name, *columns[first:])
    return (*columns, name)


def columns_of(snapshot: Snapshot) -> tuple[str, ...]:
    """All columns that a snapshot can fill: another model's verdict, g of what was asked."""
    row = snapshot.row
    models = [name for place, name in enumerate(snapshot.models) if place != row]
    asked = (False, False) if row is None else tuple(snapshot.tally.rows[row] >= 0)
    found = [
        f"{GRADE}{task}{'.on' if thinking else ''}"
        for task in TASKS
        for thinking in (False, True)
        if asked[int(thinking)]
    ]
    return (*NAMED, *found, *(f"{MODEL}{name}" for name in models))
