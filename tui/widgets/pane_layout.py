"""How panes share the room of a screen, as plain data: splits, and how a person has set them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LEAST_WIDTH, LEAST_HEIGHT = 24, 4
"""Cells and lines that a split leaves on either side of it."""

STEP = 4
"""Cells or lines that a key moves a split by."""


@dataclass(frozen=True, slots=True)
class Split:
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
