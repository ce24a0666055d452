"""What the Figures screen knows: what it was asked for, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.figures.figure import Figure
from core.figures.figure_table import CATALOGUE


@dataclass(slots=True)
class FiguresState:
    """What is shown: the figure as it was asked for, and what is missing for which ones."""

    name: str = CATALOGUE[0].name
    models: tuple[str, ...] | None = None
    intervals: bool = False
    tabled: bool = False
    figure: Figure | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
