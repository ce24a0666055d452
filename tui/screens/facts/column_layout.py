"""How the width of a list of facts is shared out among its columns."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from core.views.fact_columns import GRADE, MODEL, SORTED, START, with_sorted
from core.views.fact_query import FactOrder

TITLED = 70
"""Cells from which title and topic have columns of their own."""

CODE, FIRST = 1, 4
VIEWS = 5

FIXED: Mapping[str, int] = {
    "profile": 3,
    "topic": 5,
    "type": 10,
    "views": VIEWS,
    "number": 6,
    "marks": 5,
}
"""Cells of the columns that always have the same; marks have one for each kind."""

GRADE_CELLS, MODEL_CELLS = 5, 8
LEAST: Mapping[str, int] = {"title": 12, "entities": 16, "subject": 10, "object": 10, "note": 12}
"""Cells that the columns of texts have at least; an id has eight."""

LIST_SHARE = 0.425
LEAST_FACT, MOST_LIST = 60, 64
"""The list's share of a screen's columns, what the fact needs of them at least, and the most
that the list gets before questions stand beside the tasks."""

MOST_SHARE: Mapping[str, int] = {"id": 24}
"""Cells that columns of texts have at most, where they have a bound."""

SHARES: Mapping[str, int] = {"title": 26, "entities": 30, "note": 24, "id": 14}
"""How columns of texts share what is left; all others take 15."""

ENTITIES = "entities"
"""Subject and object beside one another, with an arrow between."""


class ColumnCells(NamedTuple):
    """A column, the cells that it has, and the blank ones after it."""

    name: str
    cells: int
    gap: int


@lru_cache(maxsize=64)
def layout(chosen: tuple[str, ...] | None, order: FactOrder, width: int) -> tuple[ColumnCells, ...]:
    """How a width is shared out among the columns.

    What the list is sorted by is always among them. Where there is no room for all, the last
    ones give way; of columns that nobody has chosen, title and topic.
    """
    names = START if chosen is None else chosen
    if chosen is None and width < TITLED:
        names = tuple(name for name in names if name not in ("title", "topic"))
    parts = _with_entities(with_sorted(names, order))
    kept = SORTED.get(order, "")
    while _least_width(parts) > width and len(parts) > 1:
        others = [name for name in parts if kept not in (name, *name.split())]
        others = [name for name in others if name not in (ENTITIES, kept)] or others
        parts = tuple(name for name in parts if name != (others or parts)[-1])
    return _share_width(parts, width)


def _with_entities(names: tuple[str, ...]) -> tuple[str, ...]:
    """Subject and object are one column where they stand beside one another."""
    at = names.index("subject") if "subject" in names else len(names)
    if names[at : at + 2] == ("subject", "object"):
        return (*names[:at], ENTITIES, *names[at + 2 :])
    return names


def _cells(name: str) -> int | None:
    """The cells of a column that always has the same; None for one of texts."""
    if name.startswith(MODEL):
        return MODEL_CELLS
    return GRADE_CELLS if name.startswith(GRADE) else FIXED.get(name)


def _gap(name: str, after: str | None) -> int:
    """Blank cells between a column and the one after it."""
    if after is None or name == "profile":
        return 0
    return 2 if after == "marks" and name == "views" else 1


def _count_gap_cells(parts: tuple[str, ...]) -> int:
    """Cells before the first column and between columns."""
    return CODE + sum(map(_gap, parts, (*parts[1:], None)))


def _least_width(parts: tuple[str, ...]) -> int:
    return _count_gap_cells(parts) + sum(_cells(name) or LEAST.get(name, 8) for name in parts)


def _share_width(parts: tuple[str, ...], width: int) -> tuple[ColumnCells, ...]:
    """What fixed columns leave is shared by texts; the widest takes what others cannot use."""
    texts = [name for name in parts if _cells(name) is None]
    rest = max(0, width - _count_gap_cells(parts) - sum(_cells(name) or 0 for name in parts))
    shares = {name: SHARES.get(name, 15) for name in texts}
    cells = {
        name: min(MOST_SHARE.get(name, rest), rest * share // sum(shares.values()))
        for name, share in shares.items()
    }
    if texts:
        main = max(texts, key=lambda name: shares[name])
        cells[main] += rest - sum(cells.values())
    return tuple(
        ColumnCells(name, _cells(name) or cells.get(name, 0), _gap(name, after))
        for name, after in zip(parts, (*parts[1:], None), strict=True)
    )


def list_width(columns: int) -> int:
    """The list's columns of a screen of at least 100: less where the fact needs it, more where
    there is room for titles as well."""
    if columns < 160:
        return min(round(LIST_SHARE * columns), columns - LEAST_FACT, MOST_LIST)
    if columns < 200:
        return MOST_LIST + round(0.7 * (columns - 160))
    return round(0.46 * columns)
