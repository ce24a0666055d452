"""A figure as data: rows first, so that it can be drawn in a terminal, on paper, or as a table.

Shares are fractions from 0 to 1 throughout; None where there is nothing to divide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.stats.number_format import format_decimal

THRESHOLD = "τ "
"""What names of rows begin with that are thresholds."""

FEW = 20
"""Facts below which a bar of shares is drawn hollow, with its n at the end."""


class PanelKind(StrEnum):
    """How a panel is drawn."""

    STACK = "stack"
    """Parts of a whole, side by side in one bar."""
    DUMBBELL = "dumbbell"
    """Two dots on one axis and the gap between them."""
    DOTS = "dots"
    """One dot a series on one axis."""
    LINES = "lines"
    """A value for each step (`steps`), a line a row."""
    MATRIX = "matrix"
    """A table of counts, shaded by share; rows by columns (the series). A point's value is its
    share of all, its n the count."""


@dataclass(frozen=True, slots=True)
class Series:
    """What one mark of every row stands for.

    `role` is the colour's name without its `$` (`fill-dr`, `series-1`, `label-c`), `mark` the
    letters or the shape that tell it apart without colour.
    """

    name: str
    words: str
    role: str
    mark: str


@dataclass(frozen=True, slots=True)
class Point:
    """One value of a row: a share, its interval where one was asked for, and the n under it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One line of a panel: a model, a group, a step; a point a series (or a step, for lines).

    `model` and `facts` (a filter of the reading commands) lead to the facts behind it; for one
    series alone `of_series` has the filter. `note` is what has to be said of the row.
    """

    name: str
    points: Sequence[Point]
    model: str | None = None
    facts: str = ""
    of_series: Mapping[str, str] = field(default_factory=dict)
    excluded: int | None = None
    note: str = ""
    dashed: float | None = None
    """A number of the panel's steps at which a dashed line stands."""

    @property
    def few(self) -> int | None:
        """The n under the row's values where it is below `FEW`; else None."""
        counts = [point.n for point in self.points if point.n]
        return max(counts) if counts and max(counts) < FEW else None

    @property
    def gap(self) -> float | None:
        """The second point less the first, signed; None unless both are there."""
        if len(self.points) < 2:
            return None
        first, second = self.points[0].value, self.points[1].value
        return None if first is None or second is None else second - first


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: rows on an axis from `low` to `high` (shares; labelled in percent)."""

    title: str
    kind: PanelKind
    series: Sequence[Series]
    rows: Sequence[FigureRow]
    steps: Sequence[str] = ()
    low: float = 0.0
    high: float = 1.0
    gap: str = ""
    """What the gap between the two points is called, if it is shown."""
    sums: int = 0
    sum_words: str = ""
    """So many first parts of a stack add up to what the words name; 0 where no sum is shown."""
    plain: bool = False
    """Whether values are coefficients, printed as they are, and no shares."""
    numbers: Sequence[float] = ()
    """What the steps of lines are, on a logarithmic axis; none where they stand evenly apart."""

    @property
    def sum_mark(self) -> str:
        """`DR+RT+IE`: the parts of a stack that add up to its sum, by their marks."""
        return "+".join(series.mark for series in self.series[: self.sums])

    @property
    def is_heat(self) -> bool:
        """Whether it is a matrix without counts: a map of numbers on grounds by their size."""
        counted = any(point.n is not None for row in self.rows for point in row.points)
        return self.kind is PanelKind.MATRIX and not counted


def coefficient(value: float) -> str:
    """A number from -1 to 1 with two decimals, the minus a true one."""
    return format_decimal(value, 2).replace("-", "−")


def short_number(value: float, plain: bool) -> str:
    """A number of a map in three characters: a share in percent, `87`, or `.87`."""
    if not plain:
        return format_decimal(100 * value, 0)
    said = coefficient(value)
    return said.replace("1.00", "1").replace("0.", ".")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with all that has to be said of it.

    `number` is the paper's (`5`, `C.4`), `name` that of the analysis. `caption` lines say the
    policy, graders, n and date. `missing` says what is not there and how to get it; then
    there are no panels.
    """

    number: str
    name: str
    title: str
    panels: Sequence[Panel] = ()
    caption: Sequence[str] = ()
    notes: Sequence[str] = ()
    missing: str = ""

    def pages(self, most: int) -> "list[Figure]":
        """The figure with so many panels a page; what does not fit goes on to the next."""
        count = max(1, -(-len(self.panels) // most))
        return [
            replace(
                self,
                title=f"{self.title} ({page + 1} of {count})" if count > 1 else self.title,
                panels=self.panels[page * most : (page + 1) * most],
            )
            for page in range(count)
        ]
