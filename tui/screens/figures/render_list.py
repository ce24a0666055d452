"""The list of figures: themes as headings, the paper's numbers at the left."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.figures.figure_table import CATALOGUE, THEMES, FigureEntry
from tui.text.line import Line

NUMBER = 5


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the list: a figure, the heading of a theme, or a blank."""

    entry: FigureEntry | None = None
    theme: str = ""


def rows(roomy: bool) -> list[Listed]:
    """All figures by theme; with blank lines between the themes where there is room."""
    found: list[Listed] = []
    for theme in THEMES:
        if found and roomy:
            found.append(Listed())
        found.append(Listed(theme=theme))
        found += [Listed(entry) for entry in CATALOGUE if entry.theme == theme]
    return found


def draw(row: Listed, missing: Mapping[str, str], width: int, chosen: bool) -> Line:
    """A line of it; `no data` where a figure cannot be made."""
    if row.entry is None:
        return Line(f" {row.theme} ", "ink-3").rule(width - 1) if row.theme else Line()
    absent = row.entry.name in missing
    ink = "ink-3" if absent else "ink bold" if chosen else "ink"
    line = Line(" ").cell(row.entry.number, NUMBER - 1, "ink-3", right=True).to(NUMBER + 2)
    line.add(row.entry.name, ink)
    return line.right(Line("no data ", "ink-3"), width) if absent else line.clip(width)
