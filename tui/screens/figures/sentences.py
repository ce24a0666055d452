"""Sentences of the Figures screen: status line, title and edge of the figure, empty pane."""

from core.figures.figure import Figure
from core.figures.figure_table import BY_NAME
from tui.text.line import Line
from tui.theme.glyphs import spell

LONGEST_SET = 40
"""Characters of a set's name in a title."""

NO_OTHER_SET = "there is one set of triples only"

NO_FACTS = "No facts here yet: import some."
NOTHING_BEHIND = "no facts stand behind this number: it counts answers, or none"


def title(name: str, set_name: str | None = None) -> Line:
    """The number and name of a figure, the set that was chosen, the paper's figure it is like."""
    entry = BY_NAME[name]
    line = Line(f"{entry.number} {entry.name}")
    if set_name is not None:
        line.add(f" {spell('·')} set ", "ink-3").add(set_name[:LONGEST_SET], "ink-2")
    return line.add(f" {spell('·')} as in {entry.also}", "ink-3") if entry.also else line


def edge(figure: Figure | None) -> Line:
    """What the key `w` does, where there is a figure to save."""
    has_panels = figure is not None and bool(figure.panels)
    return Line("w saves SVG, PNG or PDF" if has_panels else "", "ink-3")


def explain_missing(figure: Figure | None) -> list[Line]:
    """Why a figure cannot be made."""
    return [Line(figure.missing, "ink-2")] if figure is not None and figure.missing else []


def intervals(shown: bool) -> str:
    """Whether intervals are drawn from here on."""
    return "intervals: 95 %, over facts, as graded" if shown else "no intervals"


def describe_copy(figure: Figure) -> str:
    """What the clipboard holds."""
    return f"copied the numbers of {figure.name}, tab-separated"


def models(chosen: tuple[str, ...] | None, known: tuple[str, ...]) -> str | None:
    """Which models figures show; None where there is one only."""
    if chosen is None:
        return "all models" if len(known) > 1 else None
    return chosen[0] if len(chosen) == 1 else f"{len(chosen)} of {len(known)} models"
