"""Figures 9, 10 and 11: what the facts are, by year of the page, topic and type of the object."""

from collections.abc import Sequence

from core.analyses.analysis import analyse
from core.analyses.fact_distribution import GROUPS, DistributionRow
from core.dataset.fact_filters import format_words
from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, Series
from core.figures.figure_scope import facts_of, today
from core.project import Project
from core.scoring.policy import Policy

PANELS = (
    ("year", "page made in (figure 9)"),
    ("category", "topic (figure 10)"),
    ("object_group", "type of the object (figure 11)"),
)
SHARE = (Series("share", "share of the facts", "series-1", "●"),)


def dataset(project: Project, policy: Policy, where: str | None) -> Figure:
    """A panel for each property that some fact has."""
    found = analyse(project, "dataset", policy, where=where)
    rows = [row for row in found.rows if isinstance(row, DistributionRow)]
    panels = [
        _panel(title, [row for row in rows if row.what == what], what, where)
        for what, title in PANELS
        if any(row.what == what and row.group != "unknown" for row in rows)
    ]
    if not panels:
        return Figure("", "", "", missing="No fact has a topic, a type or a date of its page.")
    total = facts_of(int(found.evidence.facts.sum()))
    return Figure("", "", "", panels, [total + (f" ({where})" if where else ""), today()])


def _panel(title: str, rows: Sequence[DistributionRow], what: str, where: str | None) -> Panel:
    most = max(row.share or 0.0 for row in rows)
    lines = [
        FigureRow(row.group, [Point(row.share, n=row.n)], facts=_filter_of(row, what, where))
        for row in rows
    ]
    return Panel(title, PanelKind.DOTS, SHARE, lines, high=min(1.0, most * 1.1))


def _filter_of(row: DistributionRow, what: str, where: str | None) -> str:
    """The filter of the facts behind a row; empty for years, by which there is none."""
    if what == "year":
        return ""
    names = GROUPS.get(row.group, (row.group,)) if what == "object_group" else (row.group,)
    kind = "type" if what == "object_group" else what
    words = format_words(f"{kind}:{name}" for name in names)
    return f"{where} {words}" if where else words
