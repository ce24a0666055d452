"""What the Figures screen knows: what it was asked for, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.figures.figure import Figure
from core.figures.figure_table import BY_NAME, CATALOGUE


@dataclass(frozen=True, slots=True)
class FiguresPosition:
    """Where a person is on the Figures screen.

    `row` is the name of the figure's row under the cursor, the `turn`th of that name, `point` one
    of its numbers. `inside`: the focus is in the figure.
    """

    name: str = CATALOGUE[0].name
    models: tuple[str, ...] | None = None
    intervals: bool = False
    tabled: bool = False
    inside: bool = False
    row: str | None = None
    turn: int = 0
    point: int = 0
    height: int = 0


@dataclass(slots=True)
class FiguresState:
    """What is shown: the figure as it was asked for, and what is missing for which ones."""

    name: str = CATALOGUE[0].name
    models: tuple[str, ...] | None = None
    intervals: bool = False
    tabled: bool = False
    figure: Figure | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    sought: FiguresPosition | None = None
    """Where to go once the figure is made."""

    def go_to(self, position: FiguresPosition) -> None:
        """Show the figure of a position, and go to its row once it is made."""
        self.name = position.name if position.name in BY_NAME else self.name
        self.models, self.intervals = position.models, position.intervals
        self.tabled, self.sought = position.tabled, position
