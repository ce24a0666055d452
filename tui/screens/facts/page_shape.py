"""The shape of a fact's page: what its lines depend on beside the fact."""

from typing import NamedTuple

MARGINS = 2
"""Cells of a page's width that its lines do not have: padding and scroll bar."""

BELOW_SOURCE = 22
"""Lines that verdict and tasks take below the source text."""


class PageShape(NamedTuple):
    """What a page is laid out for: its size, the kind of screen, and what is unfolded.

    `low` and `high` are screens without room for blank lines, and with room for more below.
    """

    width: int
    height: int = 40
    narrow: bool = False
    low: bool = False
    wide: bool = False
    high: bool = False
    folded: bool = False
    whole: bool = False
    """Whether all of the source text is shown, whatever room the rest then has."""

    @property
    def source(self) -> int | None:
        """Lines of the source text; None for all of it."""
        if self.whole:
            return None
        if self.low or self.high:
            return 2 if self.low else 6
        return min(4, max(2, self.height - BELOW_SOURCE))

    @property
    def ample(self) -> bool:
        """Whether names of models, all answers and rationales are shown."""
        return self.wide and self.high
