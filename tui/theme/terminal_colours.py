"""Terminals of few colours or none: which theme they have, and what becomes of styles there."""

from collections.abc import Mapping
from functools import lru_cache

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual import color
from textual.filter import LineFilter

BLACK = 16
"""The number of black among 256 colours; the greys from dark to light have the last 24 numbers."""


class ColourlessFilter(LineFilter):
    """Takes all colours away, the terminal's own too; bold, underline and reverse stay."""

    def apply(self, segments: list[Segment], background: color.Color) -> list[Segment]:
        """The segments of a line without colours."""
        return [
            Segment(text, style and _without_colour(style), control)
            for text, style, control in segments
        ]


class DarkInk(LineFilter):
    """Keeps dark ink apart from the ground where there are 256 colours.

    Rich rounds it to black there, and the ground as well: what is dimmed behind a dialog is gone.
    """

    def apply(self, segments: list[Segment], background: color.Color) -> list[Segment]:
        """The segments of a line, ink that would be black in the grey that is as light."""
        return [
            Segment(text, style and _with_grey_ink(style), control)
            for text, style, control in segments
        ]


@lru_cache(1024)
def _without_colour(style: Style) -> Style:
    return style.without_color + Style.from_meta(style.meta)


@lru_cache(1024)
def _with_grey_ink(style: Style) -> Style:
    ink = style.color
    if ink is None or ink.triplet is None or ink.downgrade(ColorSystem.EIGHT_BIT).number != BLACK:
        return style
    lightness = (max(ink.triplet) + min(ink.triplet)) / 2
    grey = max(0, round((lightness - 8) / 10))
    return style + Style(color=Color.from_ansi(BLACK + 216 + grey))


def theme_for(environment: Mapping[str, str]) -> str:
    """The theme for a terminal: its own colours where fewer than 256 will be written."""
    console = Console(force_terminal=True, _environ=environment)
    return "dark" if console.color_system in ("256", "truecolor") else "ansi"
