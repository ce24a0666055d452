"""Figures 5, 6, 13 (15 for all models) and appendix B.3: where recall fails."""

from collections.abc import Mapping, Sequence

from core.analyses.direction import DirectionRow
from core.analyses.direction_errors import ErrorsRow
from core.analyses.phrasing import PhrasingRow
from core.analyses.popularity import PopularityRow
from core.figures.figure import FigureRow, Panel, PanelKind, Point, Series
from core.figures.figure_scope import FigureContent, FigureScope, Item
from core.figures.series import SharePoints, pair
from core.stats.paired_tests import Q

TIERS = pair(("bottom", "bottom 20% by page views"), ("top", "top 20%"))
WAYS = pair(("reverse", "reverse"), ("direct", "direct"))
WORDINGS = pair(("natural", "passes in natural words only"), ("verbatim", "high-verbatim only"))
FAILED = (
    Series("only_direct", "only direct fails", "series-2", "D"),
    Series("only_reverse", "only reverse fails", "series-1", "R"),
    Series("both", "both fail", "ink-3", "B"),
)
GAP = "gap in points"
LEAST_CHANCE = 0.001
PAIRS = {
    "direct": "direct",
    "reverse": "reverse",
    "mc_direct": "direct, multiple choice",
    "mc_reverse": "reverse, multiple choice",
}
NO_PAIRS = "No fact has both wordings graded: ask and grade the natural questions too."


def popularity(scope: FigureScope) -> FigureContent:
    """Figure 5: stored, and recalled if stored, of the least and of the most viewed facts."""
    found = scope.measure_analysis("popularity")
    columns = {"encode_rate": "stored", "recall_rate": "recalled, if stored"}
    panels = [
        panel_by_tier(found.items, key, title, found.marker, found.count_excluded())
        for key, title in columns.items()
    ]
    return FigureContent(tuple(panels), notes=found.notes)


def panel_by_tier(
    items: Sequence[Item],
    key: str,
    title: str,
    marker: SharePoints,
    excluded: Mapping[str, int],
) -> Panel:
    """One rate (`key`) of each model, bottom and top."""
    at = {(row.model, row.tier): (row, r) for row, r in items if isinstance(row, PopularityRow)}
    rows = []
    for model in dict.fromkeys(model for model, _ in at):
        both = [at[model, series.name] for series in TIERS]
        rates = [own.get(key) for _, own in both]
        rows.append(
            FigureRow(
                model,
                [
                    marker.point(getattr(row, key), rate)
                    for (row, _), rate in zip(both, rates, strict=True)
                ],
                model,
                of_series={
                    series.name: marker.where(rate)
                    for series, rate in zip(TIERS, rates, strict=True)
                },
                excluded=excluded.get(model),
            )
        )
    return Panel(title, PanelKind.DUMBBELL, TIERS, rows, gap=GAP)


def direction(scope: FigureScope) -> FigureContent:
    """Figure 6: reverse against direct, recognised among choices and recalled."""
    found = scope.measure_analysis("direction")
    kinds = {"verification": "multiple choice", "generation": "answered openly"}
    panels = [
        panel_by_way(found.items, kind, title, found.marker, found.count_excluded())
        for kind, title in kinds.items()
    ]
    return FigureContent(tuple(panels), notes=found.notes)


def panel_by_way(
    items: Sequence[Item], kind: str, title: str, marker: SharePoints, excluded: Mapping[str, int]
) -> Panel:
    """Stored facts known without thinking in each direction, of each model."""
    at = {
        (row.model, row.direction): (row, rates["rate"])
        for row, rates in items
        if isinstance(row, DirectionRow)
        and (row.kind, row.given, row.thinking) == (kind, "encoded", False)
    }
    rows = []
    for model in dict.fromkeys(model for model, _ in at):
        both = {series.name: at[model, series.name] for series in WAYS}
        rows.append(
            FigureRow(
                model,
                [marker.point(row.rate, rate) for row, rate in both.values()],
                model,
                of_series={name: marker.where(rate) for name, (_, rate) in both.items()},
                excluded=excluded.get(model),
            )
        )
    return Panel(title, PanelKind.DUMBBELL, WAYS, rows, gap=GAP)


def errors(scope: FigureScope) -> FigureContent:
    """Figure 13: which direction fails, of all facts not known and of the stored ones."""
    found = scope.measure_analysis("errors")
    givens = {"all": "all facts not known", "encoded": "stored, but not known"}
    panels = [
        panel_by_failure(found.items, given, title, found.marker, found.count_excluded())
        for given, title in givens.items()
    ]
    return FigureContent(tuple(panels), notes=found.notes)


def panel_by_failure(
    items: Sequence[Item], given: str, title: str, marker: SharePoints, excluded: Mapping[str, int]
) -> Panel:
    """The three shares of each model's facts that are not known without thinking."""
    rows = []
    for row, rates in items:
        if isinstance(row, ErrorsRow) and row.given == given:
            names = [series.name for series in FAILED]
            rows.append(
                FigureRow(
                    row.model,
                    [marker.point(getattr(row, name), rates[name]) for name in names],
                    row.model,
                    of_series={name: marker.where(rates[name]) for name in names},
                    excluded=excluded.get(row.model),
                )
            )
    return Panel(title, PanelKind.STACK, FAILED, rows)


def phrasing(scope: FigureScope) -> FigureContent:
    """B.3: facts that pass in one wording only, with the test of whether that is by chance."""
    found = scope.analysis("phrasing")
    rows = [row for row in found.rows if isinstance(row, PhrasingRow)]
    tested = sum(row.n > 0 for row in rows)
    if not tested:
        return FigureContent(missing=NO_PAIRS)
    notes = [f"{tested} exact McNemar tests, Benjamini-Yekutieli at q = {Q:g}", *found.notes]
    panels = [panel_by_wording(rows, name, title) for name, title in PAIRS.items()]
    return FigureContent(tuple(panels), notes=notes)


def panel_by_wording(rows: Sequence[PhrasingRow], name: str, title: str) -> Panel:
    """The settings' shares of facts that pass in one wording of a pair only."""
    drawn = [_wording_row(row) for row in rows if row.pair == name]
    return Panel(title, PanelKind.DUMBBELL, WORDINGS, drawn, gap=GAP)


def _chance(p: float) -> str:
    """A chance with three decimals; one that is less than they can say is not called none."""
    return f"{p:.3f}" if p >= LEAST_CHANCE else f"< {LEAST_CHANCE}"


def _wording_row(row: PhrasingRow) -> FigureRow:
    parts = (row.only_natural, row.only_verbatim)
    tested = "" if row.p_adjusted is None else f"p {_chance(row.p_adjusted)} adjusted"
    return FigureRow(
        f"{row.model} {'on' if row.thinking else 'off'}",
        [Point(part / row.n if row.n else None, n=row.n) for part in parts],
        row.model,
        note=f"{tested}, significant" if row.significant else tested,
    )
