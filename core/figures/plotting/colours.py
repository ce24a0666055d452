"""What a role looks like on paper: colour, hatch, marker, dash.

The colours are those of the light screen. No mark is told by colour alone: fills have letters
and hatches, dots have shapes, lines have dashes and their names.
"""

from dataclasses import dataclass

PAPER = "#ffffff"

COLOURS = {
    "ink": "#20242a",
    "ink-2": "#505863",
    "ink-3": "#626a75",
    "rule": "#d3d1ca",
    "chip": "#e9e7e0",
    "heat-agree-1": "#c4e2df",
    "heat-agree-2": "#a3d3ce",
    "heat-agree-3": "#84c9c2",
    "heat-differ-1": "#fbf1dc",
    "heat-differ-2": "#f7e3b8",
    "heat-differ-3": "#f0cf88",
    "label-c": "#0a6b5a",
    "label-i": "#a83508",
    "label-p": "#735500",
    "label-o": "#5b636e",
    "profile-dr": "#0a6b5a",
    "profile-rt": "#0d6b79",
    "profile-ie": "#6a48b5",
    "profile-rf": "#a8480a",
    "profile-ef": "#5b636e",
    "fill-dr": "#177a68",
    "fill-rt": "#86cfbd",
    "fill-ie": "#7c63c0",
    "fill-rf": "#ec944a",
    "fill-ef": "#c3c7cd",
    "on-dr": "#ffffff",
    "on-rt": "#06231c",
    "on-ie": "#ffffff",
    "on-rf": "#2b1400",
    "on-ef": "#1b1f24",
    "series-1": "#2459b3",
    "series-2": "#866200",
}

CYCLE = (*("#2459b3", "#866200", "#0a6b5a", "#a83508", "#6a48b5", "#20242a", "#0d7fa3", "#a8367a"),)
"""Colours of lines, one after the other; dashes change when they begin anew."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = (
    "-",
    (0, (4, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
)

HATCHES = {
    "fill-dr": "",
    "fill-rt": "////",
    "fill-ie": "xxxx",
    "fill-rf": "\\\\\\\\",
    "fill-ef": "",
}
"""Hatches of the profiles; the two without one are the darkest and the lightest."""

HATCH_CYCLE = ("", "////", "....", "xxxx", "\\\\\\\\", "oo", "--", "++")
"""Hatches of other fills, by their place."""

_SHAPES = {"●": "o", "o": "o", "○": "o", "■": "s", "□": "s", "◆": "D", "◇": "D", "▲": "^"}
_HOLLOW = frozenset("o○□◇")


@dataclass(frozen=True, slots=True)
class PlotMarker:
    """A dot: its shape as matplotlib calls it, its colour, whether it is filled."""

    shape: str
    colour: str
    filled: bool


def colour(role: str, place: int = 0) -> str:
    """The colour of a role; of one that is not known, that of its place in the cycle."""
    return COLOURS.get(role, CYCLE[place % len(CYCLE)])


def hatch_of(role: str, place: int) -> str:
    """The hatch of a fill."""
    return HATCHES.get(role, HATCH_CYCLE[place % len(HATCH_CYCLE)])


def text_colour(role: str) -> str:
    """The colour of text on a fill: what stands out more of ink and paper."""
    name = role.replace("fill-", "on-")
    if name != role and name in COLOURS:
        return COLOURS[name]
    return PAPER if darkness(colour(role)) > 0.55 else COLOURS["ink"]


def darkness(value: str) -> float:
    """How dark a colour is in greyscale, 0 to 1 (ITU-R BT.709)."""
    red, green, blue = (int(value[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return 1 - (0.2126 * red + 0.7152 * green + 0.0722 * blue)


def marker(role: str, mark: str, place: int) -> PlotMarker:
    """How a series is drawn as a dot: by the shape of its mark, else by its place."""
    shape = _SHAPES.get(mark, MARKERS[place % len(MARKERS)])
    return PlotMarker(shape, colour(role, place), mark not in _HOLLOW)
