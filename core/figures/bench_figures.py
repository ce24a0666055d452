"""Figures of FACT-BENCH, out of the rows of its tables.

Source: FACT-BENCH, figures 1 to 6.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import db.prepared_triples
from core.dataset.answer_types import ANSWER_TYPES
from core.errors import UsageError
from core.fact_bench.arm_results import F1, METRICS
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.tables import BENCH_TABLES
from core.fact_bench.tables.breakdowns import DEFAULT_MODE
from core.fact_bench.triple_groups import TIERS
from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, Series
from core.figures.figure_scope import today
from core.figures.series import pair
from core.graders.grader_record import JUDGE
from core.project import OpenProject
from core.stats.intervals import LEVEL, wilson

Rows = Sequence[Mapping[str, Any]]

NO_MODE = (
    f"No arm has answers in {DEFAULT_MODE}: `lostkeys fact-bench run --mode {DEFAULT_MODE}` makes "
    "them, and `fact-bench table NAME --mode M --plot FILE` draws another mode."
)
NO_PAIR = (
    f"No arm has answers both plain and shuffled: `lostkeys fact-bench run --mode {DEFAULT_MODE},"
    f"{DEFAULT_MODE}:shuffle` makes them."
)
ONE = (Series("em", "exact match", "series-1", "●"),)
EXEMPLARS = pair(("shuffle", "counterfactual exemplars"), ("plain", "true exemplars"))
ROLES = ("series-1", "ink-3", "series-2", "ink-2")
"""Colours of groups in the order of their listing; letters tell them apart."""

MOST_GROUPS = 40
"""Properties or domains of an arm that are drawn: those with the most answers."""


def panels_by_series(names: Sequence[str]) -> Callable[[Rows], list[Panel]]:
    """Figures 1 and 4: a row an arm, a dot a group."""
    series = [
        Series(name, name, role, name[0].upper()) for name, role in zip(names, ROLES, strict=False)
    ]

    def panels(rows: Rows) -> list[Panel]:
        there = [
            one for one in series if any(row["group"] == one.name and row["n"] for row in rows)
        ]
        lines = [
            FigureRow(name, [_point(mine, one.name) for one in there])
            for name, mine in _group_by_arm(rows)
        ]
        return [Panel("exact match", PanelKind.DOTS, there, lines)] if there else []

    return panels


def panels_by_group(rows: Rows) -> list[Panel]:
    """Figures 2 and 3: a panel an arm, a row a group, the best first."""
    found = []
    for name, mine in _group_by_arm(rows):
        largest = sorted((row for row in mine if row["n"]), key=lambda row: -row["n"])
        shown = sorted(largest[:MOST_GROUPS], key=lambda row: -row["em"])
        lines = [FigureRow(row["group"], [_point(shown, row["group"])]) for row in shown]
        more = len(largest) - len(shown)
        title = f"{name}, the {len(shown):,} largest of {len(largest):,}" if more else name
        found.append(Panel(title, PanelKind.DOTS, ONE, lines))
    return [panel for panel in found if panel.rows]


def panels_by_shots(rows: Rows) -> list[Panel]:
    """Figure 5: a panel a number of exemplars, a row a model."""
    return [_pairs(f"{k:,} exemplars", mine) for k, mine in _group_rows(rows, "k")]


def panels_by_condition(rows: Rows) -> list[Panel]:
    """Figure 6: a panel a condition of exemplars and their number, a row a model."""
    return [
        _pairs(f"{condition}, {k:,} exemplars", mine)
        for condition, of_condition in _group_rows(rows, "condition")
        for k, mine in _group_rows(of_condition, "k")
    ]


MAKERS: Mapping[str, tuple[str, str, Callable[[Rows], list[Panel]], str]] = {
    "popularity": ("1", "Exact match by popularity", panels_by_series(TIERS), NO_MODE),
    "property": ("2", "Exact match by property", panels_by_group, NO_MODE),
    "domain": ("3", "Exact match by domain", panels_by_group, NO_MODE),
    "answer-type": (
        "4",
        "Exact match by type of the answer",
        panels_by_series(ANSWER_TYPES),
        NO_MODE,
    ),
    "regular": ("5", "True exemplars against counterfactual ones", panels_by_shots, NO_PAIR),
    "shuffle": (
        "6",
        "Counterfactual exemplars, of what is known and of what is not",
        panels_by_condition,
        NO_PAIR,
    ),
}
"""The paper's number, the title, what makes panels of a table's rows, what is said of none."""


def check_bench(name: str) -> None:
    """Raises `UsageError` for a table that has no figure."""
    if name not in MAKERS:
        raise UsageError(f"{name} has no figure: tables that have one are {', '.join(MAKERS)}")


def make_bench(evidence: BenchEvidence, name: str) -> Figure:
    """The figure of a table. Raises as `check_bench`."""
    check_bench(name)
    number, title, make, lacking = MAKERS[name]
    panels = make([dict(row) for row in BENCH_TABLES[name].compute(evidence)])
    if not panels:
        return Figure(number, name, title, missing=lacking)
    head = f"set {evidence.set_name}; {evidence.split}; seed {evidence.seed}"
    if evidence.choice.where:
        head += f"; {evidence.choice.where}"
    measure = f"{METRICS[evidence.metric]}; bars: {LEVEL:.0%} intervals (Wilson)"
    lines = (head, METRICS[F1] if evidence.metric == F1 else measure, today())
    return Figure(number, name, title, panels, lines)


def first_evidence(
    project: OpenProject,
    models: Sequence[str] | None,
    where: str | None,
    set_name: str | None = None,
) -> BenchEvidence:
    """What the figures of the catalogue are made from: the first set with arms, the first judge.

    A set may be named; raises `UsageError` for one that there is not.

    Of the models those that have arms.
    """
    judges = sorted(one.name for one in project.graders() if one.name.startswith(JUDGE))
    judge = judges[0] if judges else None
    found = None
    named = [set_name] if set_name else db.prepared_triples.sets(project.connection)
    for name in named:
        found = BenchEvidence(project, BenchChoice(name, judge=judge, where=where))
        if found.every_arm:
            break
    if found is None or not found.every_arm or models is None:
        return found or BenchEvidence(project, BenchChoice())
    known = {name for one in found.every_arm for name in (one.model, one.label)}
    some = [one for one in models if one in known]
    choice = BenchChoice(found.set_name, models=some, judge=judge, where=where)
    return BenchEvidence(project, choice)


def _group_by_arm(rows: Rows) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    """Rows by the names of their arms, in their order."""
    modes = {row["mode"] for row in rows}
    several = len(modes) > 1 or modes != {DEFAULT_MODE}
    for (model, mode), mine in groupby(rows, lambda row: (row["model"], row["mode"])):
        yield f"{model}, {mode}" if several else model, list(mine)


def _group_rows(rows: Rows, key: str) -> Iterable[tuple[Any, list[Mapping[str, Any]]]]:
    """Rows by one of their fields, in the order of its first values."""
    found: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["n"]:
            found.setdefault(row[key], []).append(row)
    return found.items()


def _pairs(title: str, rows: Rows) -> Panel:
    """True exemplars against false ones, a row each."""
    lines = [
        FigureRow(
            row["model"],
            [_share(row[one.name], row["n"], row["metric"] == F1) for one in EXEMPLARS],
        )
        for row in rows
    ]
    return Panel(title, PanelKind.DUMBBELL, EXEMPLARS, lines, gap="drop in points")


def _point(rows: Rows, group: str) -> Point:
    """Exact match of a group, with its interval."""
    for row in rows:
        if row["group"] == group and row["n"]:
            return Point(row["em"], row["em_low"], row["em_high"], row["n"])
    return Point(None)


def _share(value: float, n: int, is_mean: bool) -> Point:
    """A share with its interval; a mean of scores has none."""
    if is_mean:
        return Point(value, n=n)
    low, high = wilson(round(value * n), n) or (None, None)
    return Point(value, low, high, n)
