"""From which size on screens look different, and how panes share the room, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

NARROW, WIDE = 100, 160
"""Below `NARROW` columns one pane at a time; from `WIDE` more columns and longer words."""

LOW, HIGH = 30, 50
"""Below `LOW` lines no blank ones; from `HIGH` more below."""

BY_WIDTH = [(0, "-narrow"), (NARROW, "-medium"), (WIDE, "-wide")]
BY_HEIGHT = [(0, "-low"), (LOW, "-normal"), (HIGH, "-high")]
"""CSS classes that every screen has, by its size."""

SMALLEST = (40, 10)
"""Columns and lines below which nothing useful can be shown."""

LEAST_WIDTH, LEAST_HEIGHT = 24, 4
"""Cells and lines that a split leaves on either side of it."""

STEP = 4
"""Cells or lines that a key moves a split by."""


class Split(NamedTuple):
    """The line between two neighbours, the ids of which these are.

    `sized` has a size of its own, `rest` what is left. With `rows` one stands above the other.
    """

    sized: str
    rest: str
    rows: bool = False

    @property
    def least(self) -> int:
        """What either neighbour keeps."""
        return LEAST_HEIGHT if self.rows else LEAST_WIDTH

    def clamp(self, cells: int, total: int) -> int:
        """The size next to `cells` that both neighbours have room for in `total`."""
        return max(min(cells, total - self.least), min(self.least, total // 2))


@dataclass(frozen=True, slots=True)
class PaneLayout:
    """How a person has laid out the panes of a screen at one width class.

    `cells` are sizes by the id of the neighbour that has one; `alone`: the pane with the focus
    has all of the room.
    """

    cells: Mapping[str, int] = field(default_factory=dict)
    alone: bool = False


Layouts = dict[str, dict[str, PaneLayout]]
"""Layouts by tab and width class."""


def class_of(cells: int, classes: list[tuple[int, str]]) -> str:
    """Which of the classes a width or height has."""
    return next(name for least, name in reversed(classes) if cells >= least)


def size_classes(
    size: tuple[int, int],
    by_width: list[tuple[int, str]] | None,
    by_height: list[tuple[int, str]] | None,
) -> tuple[str, str]:
    """The classes of a size, columns first; None are the usual ones."""
    width, height = size
    return class_of(width, by_width or BY_WIDTH), class_of(height, by_height or BY_HEIGHT)


def width_class(columns: int) -> str:
    """The name of a width class: `narrow`, `medium`, `wide`."""
    return class_of(columns, BY_WIDTH).lstrip("-")


def is_too_small(width: int, height: int) -> bool:
    """Whether a terminal is below the least size."""
    return width < SMALLEST[0] or height < SMALLEST[1]
