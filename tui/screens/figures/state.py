"""What the Figures screen knows: what it was asked for, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from core.figures.figure import Figure
from core.figures.figure_table import BY_NAME, CATALOGUE
from core.views.figure_reader import FigureFound


@dataclass(frozen=True, slots=True)
class FiguresPosition:
    """Where a person is on the Figures screen.

    `row` is the name of the figure's row under the cursor, the `turn`th of that name, `point` one
    of its numbers. `inside`: the focus is in the figure. `set_name` is the set of triples that was
    chosen.
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
    set_name: str | None = None


@dataclass(slots=True)
class FiguresState:
    """What is shown: the figure as it was asked for, and what is missing for which ones."""

    name: str = CATALOGUE[0].name
    models: tuple[str, ...] | None = None
    intervals: bool = False
    tabled: bool = False
    set_name: str | None = None
    figure: Figure | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    sets: tuple[str, ...] = ()
    """The sets of triples there are."""
    sought: FiguresPosition | None = None
    """Where to go once the figure is made."""

    @property
    def summary(self) -> str:
        """`17 of 31, profiles`: how many figures can be made, once that is known, and this one."""
        if self.figure is None:
            return self.name
        return f"{len(CATALOGUE) - len(self.missing)} of {len(CATALOGUE)}, {self.name}"

    def go_to(self, position: FiguresPosition) -> None:
        """Show the figure of a position, and go to its row once it is made."""
        self.name = position.name if position.name in BY_NAME else self.name
        self.models, self.intervals = position.models, position.intervals
        self.tabled, self.sought = position.tabled, position
        self.set_name = position.set_name

    def clear(self) -> None:
        """Nothing is made yet, of the same figure: another database is opened."""
        fresh = FiguresState(self.name)
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))

    def choose(self, name: str) -> None:
        """Show another figure, from its first row."""
        self.name, self.sought = name, None

    @property
    def has_sets(self) -> bool:
        """Whether the figure is of one set of triples, and there are others."""
        return self.is_of_set and len(self.sets) > 1

    @property
    def is_of_set(self) -> bool:
        """Whether the figure is of one set of triples."""
        return BY_NAME[self.name].is_of_set

    def choose_set(self, name: str) -> None:
        """Show another set of triples; the figure of the one before is shown no longer."""
        if name != self.set_name:
            self.set_name, self.figure = name, None

    def take(self, found: FigureFound) -> None:
        """Take in a figure, and what is missing for others; a chosen set may be gone."""
        self.figure, self.missing, self.sets = found.figure, found.missing, found.sets
        self.set_name = self.set_name if self.set_name in found.sets else None

    def keep_models(self, known: tuple[str, ...]) -> None:
        """Of the models that were chosen those stay that are known."""
        if self.models is not None:
            self.models = tuple(model for model in self.models if model in known) or None

    def choose_models(self, models: tuple[str, ...], known: tuple[str, ...]) -> None:
        """Show some models; None stands for all that are known."""
        self.models = None if models == known else models
