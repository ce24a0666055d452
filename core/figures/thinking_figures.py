"""Figures 7 (16 for all models) and 8: what thinking adds, and where it can."""

from collections.abc import Sequence

from core.analyses import direction, popularity
from core.analyses.analysis_evidence import Evidence
from core.analyses.curtailed_models import explain_left_out
from core.analyses.popularity import PopularityRow
from core.analyses.recovery import RecoveryRow
from core.analyses.thinking import GroupedThinkingRow, ThinkingRow, measure_groups
from core.figures.figure import FigureRow, Panel, PanelKind
from core.figures.figure_scope import FigureContent, FigureScope, Item
from core.figures.recall_figures import GAP, WAYS, panel_by_tier
from core.figures.series import SharePoints, pair

SETTINGS = pair(("base", "thinking off"), ("total", "off or on"))
STANDING = pair(("not", "not stored"), ("stored", "stored"))
NO_VIEWS = "no page views here: not shown by popularity"


def thinking(scope: FigureScope) -> FigureContent:
    """Figure 7: recall of stored facts without and with thinking; by tier, by direction."""
    found = scope.measure_analysis("thinking")
    evidence, notes = found.evidence, list(found.notes)
    panels = [gains(found.items, found.marker)]
    if bool((evidence.index.views >= 0).any()):
        tiers = scope.measure_rows(evidence, _tiers(evidence))
        panels += [
            panel_by_tier(tiers.items, key, title, tiers.marker, {})
            for key, title in (
                ("recall_rate", "by popularity, thinking off"),
                ("recall_total", "by popularity, off or on"),
            )
        ]
    else:
        notes.append(NO_VIEWS)
    # Where a run was curtailed, single questions are open though the fact is decided.
    unfit = explain_left_out(direction.RECORD, evidence)
    notes += unfit.values()
    items = [(row, own) for row, own in measure_groups(evidence) if row.by == "direction"]
    ways = scope.measure_rows(evidence, items)
    if items:
        panels += [
            panel_by_way(ways.items, key, title, ways.marker)
            for key, title in (
                ("base", "by direction, thinking off"),
                ("total", "by direction, off or on"),
            )
        ]
    return FigureContent(tuple(panels), notes=notes)


def gains(items: Sequence[Item], marker: SharePoints) -> Panel:
    """Stored facts known without thinking, and without or with it."""
    rows = [
        FigureRow(
            row.model,
            [marker.point(getattr(row, of.name), rates[of.name]) for of in SETTINGS],
            row.model,
            of_series={of.name: marker.where(rates[of.name]) for of in SETTINGS},
        )
        for row, rates in items
        if isinstance(row, ThinkingRow)
    ]
    return Panel(
        "stored facts that are known", PanelKind.DUMBBELL, SETTINGS, rows, gap="gain in points"
    )


def _tiers(evidence: Evidence) -> list[Item]:
    """The popularity of models asked with thinking."""
    thinks = dict(zip(evidence.tally.models, evidence.tally.thinks().tolist(), strict=True))
    return [
        (row, rates)
        for row, rates in popularity.measure_rows(evidence)
        if isinstance(row, PopularityRow) and thinks[row.model]
    ]


def panel_by_way(items: Sequence[Item], key: str, title: str, marker: SharePoints) -> Panel:
    """Stored facts known in each direction: without thinking (`base`), or with it (`total`)."""
    at = {
        (row.model, row.group): (row, rates)
        for row, rates in items
        if isinstance(row, GroupedThinkingRow)
    }
    rows = []
    for model in dict.fromkeys(model for model, _ in at):
        both = {series.name: at[model, series.name] for series in WAYS}
        rows.append(
            FigureRow(
                model,
                [marker.point(getattr(row, key), rates[key]) for row, rates in both.values()],
                model,
                of_series={name: marker.where(rates[key]) for name, (_, rates) in both.items()},
            )
        )
    return Panel(title, PanelKind.DUMBBELL, WAYS, rows, gap=GAP)


def recovery(scope: FigureScope) -> FigureContent:
    """Figure 8: of the facts not known without thinking, those that it recovers."""
    found = scope.measure_analysis("recovery")
    return FigureContent((recovered_panel(found.items, found.marker),), notes=found.notes)


def recovered_panel(items: Sequence[Item], marker: SharePoints) -> Panel:
    """The share recovered, of facts that are not stored and of stored ones."""
    at = {
        (row.model, row.encoded): (row, rates["recovered"])
        for row, rates in items
        if isinstance(row, RecoveryRow)
    }
    rows = []
    for model in dict.fromkeys(model for model, _ in at):
        both = at[model, False], at[model, True]
        rows.append(
            FigureRow(
                model,
                [marker.point(row.recovered, rate) for row, rate in both],
                model,
                of_series={
                    series.name: marker.where(rate)
                    for series, (_, rate) in zip(STANDING, both, strict=True)
                },
            )
        )
    return Panel("recovered by thinking", PanelKind.DUMBBELL, STANDING, rows, gap=GAP)
