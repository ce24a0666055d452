"""Figures 14 and 18, C.4 and A.4: how labels agree, and how much sampling settles."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.analyses.analysis_evidence import Evidence
from core.analyses.availability import AvailabilityRow
from core.analyses.bootstrap import RESAMPLES, SEED, BootstrapRow
from core.analyses.quality import QualityRow
from core.figures.figure import FigureRow, Panel, PanelKind, Point, Series
from core.figures.figure_needs import ONE_GRADER
from core.figures.figure_scope import FigureContent, FigureScope, Item, facts_of
from core.figures.series import BY_LABEL, SharePoints
from core.results.agreement import compare
from core.results.agreement_table import Agreement
from core.results.multi_rater import list_graders
from core.scoring.precedence import CHOICE, HUMAN_PREFIX
from core.stats.fact_shares import FactShare
from core.stats.number_format import format_amount, format_decimal, format_percent
from core.vocabulary import TASKS

NO_LABELS = "No question of these has a label that counts: grade the answers first."
ONE = (Series("share", "share", "series-1", "●"),)
QUALITY = (Series("failed", "failed by every model", "series-1", "●"),)
LEAST_AXIS = 0.01


def confusion(scope: FigureScope) -> FigureContent:
    """Figure 14: two graders' labels of the same answers."""
    both = scope.graders or _choose_graders(scope)
    if both is None:
        return FigureContent(missing=ONE_GRADER)
    found = compare(scope.project, *both, scope.policy, scope.models, scope.facts)
    if not found.overall.n:
        return FigureContent(missing=f"{both[0]} and {both[1]} have labelled no answer in common.")
    counted = f"n {format_amount(found.overall.n, 'answer')} labelled by both"
    return FigureContent(
        (matrix_panel(found.overall, *both),), counted, (_agreement(found.overall),)
    )


def _choose_graders(scope: FigureScope) -> tuple[str, str] | None:
    """The first grader that counts, and the next one there is."""
    there = [name for name in list_graders(scope.project) if name != CHOICE]
    ranked = [rank.name for rank in scope.ranks if rank.name in there]
    programs = [name for name in there if not name.startswith(HUMAN_PREFIX)]
    order = list(dict.fromkeys([*ranked, *programs, *there]))
    return (order[0], order[1]) if len(order) > 1 else None


def _agreement(table: Agreement) -> str:
    words = [f"agreement {format_percent(table.agreement or 0, 2)}%"]
    if table.kappa is not None:
        words.append(f"kappa {format_decimal(table.kappa, 3)}")
    if table.alpha is not None:
        words.append(f"alpha {format_decimal(table.alpha, 3)}")
    return ", ".join(words)


def matrix_panel(table: Agreement, a: str, b: str) -> Panel:
    """Rows the labels of A, columns those of B."""
    n = table.n
    rows = [
        FigureRow(
            series.words, [Point(int(count) / n if n else None, n=int(count)) for count in line]
        )
        for series, line in zip(BY_LABEL, table.matrix, strict=True)
    ]
    return Panel(f"{a} down, {b} across", PanelKind.MATRIX, BY_LABEL, rows)


def bootstrap(scope: FigureScope) -> FigureContent:
    """Figure 18: the width of the interval of passed questions by answers drawn."""
    found = scope.analysis("bootstrap")
    rows = [row for row in found.rows if isinstance(row, BootstrapRow)]
    notes = [f"5th to 95th percentile of {RESAMPLES:,} resamples, seed {SEED}", *found.notes]
    if not any(row.n for row in rows):
        return FigureContent(missing=NO_LABELS)
    return FigureContent(tuple(widths(rows)), notes=notes)


def widths(rows: Sequence[BootstrapRow]) -> list[Panel]:
    """A panel a task, a line a model, over the number of answers drawn."""
    at = {(row.task, row.model, row.k): row for row in rows}
    steps = sorted({row.k for row in rows})
    highest = max((row.width or 0.0 for row in rows), default=0.0)
    panels = []
    for task in dict.fromkeys(row.task for row in rows):
        drawn = []
        for model in dict.fromkeys(row.model for row in rows):
            own = [at[task, model, k] for k in steps]
            drawn.append(FigureRow(model, [Point(row.width, n=row.n) for row in own], model))
        names = [f"k {k}" for k in steps]
        title = f"{_task_name(task)}: width in points"
        high = max(highest, LEAST_AXIS)
        panels.append(Panel(title, PanelKind.LINES, ONE, drawn, names, high=high))
    return panels


def availability(scope: FigureScope) -> FigureContent:
    """C.4: questions with at least one, two ... right answers."""
    found = scope.measure_analysis("availability")
    if not found.items:
        return FigureContent(missing=NO_LABELS)
    return FigureContent(tuple(available_panels(found.items, found.marker)), notes=found.notes)


def available_panels(items: Sequence[Item], marker: SharePoints) -> list[Panel]:
    """A panel a task, a line a setting, over k."""
    lines: dict[str, dict[tuple[str, bool], list[Point]]] = {}
    for row, rates in items:
        if isinstance(row, AvailabilityRow):
            own = lines.setdefault(row.task, {}).setdefault((row.model, row.thinking), [])
            own.append(marker.point(row.share, rates["share"]))
    panels = []
    for task, settings in lines.items():
        most = max(len(points) for points in settings.values())
        drawn = [
            FigureRow(
                f"{model} {'on' if thinking else 'off'}",
                [*points, *[Point(None)] * (most - len(points))],
                model,
            )
            for (model, thinking), points in settings.items()
        ]
        names = [f"k {k}" for k in range(1, most + 1)]
        title = f"{_task_name(task)}: at least k right"
        panels.append(Panel(title, PanelKind.LINES, ONE, drawn, names))
    return panels


def quality(scope: FigureScope) -> FigureContent:
    """A.4: questions that every model and setting fails, by task."""
    found = scope.analysis("quality")
    rows = [row for row in found.rows if isinstance(row, QualityRow)]
    rates = failures(rows, found.evidence)
    marker = SharePoints.from_shares(found.evidence, rates.values(), scope.intervals)
    notes = ["a question fails if g is at most .50 in every setting that has labels for it"]
    counted = f"{facts_of(len(rows))} with such a question"
    return FigureContent((failed_panel(rates, marker),), counted, [*notes, *found.notes])


def failures(rows: Sequence[QualityRow], evidence: Evidence) -> dict[str, FactShare]:
    """For each task the facts whose question everyone fails, of those with a label for it."""
    asked = evidence.tally.labels.sum(axis=(0, 1)) > 0
    places = {name: place for place, name in enumerate(evidence.index.fact_ids)}
    found = {}
    for task, labelled in zip(TASKS, asked, strict=True):
        hits = np.zeros(len(evidence.index), np.bool_)
        hits[[places[row.fact_id] for row in rows if task in row.tasks]] = True
        found[str(task)] = FactShare(hits, labelled & evidence.facts)
    return found


def failed_panel(rates: Mapping[str, FactShare], marker: SharePoints) -> Panel:
    """A row a task: the share of its questions that everyone fails."""
    rows = [
        FigureRow(_task_name(task), [marker.point(rate.share, rate)], facts=marker.where(rate))
        for task, rate in rates.items()
    ]
    return Panel("questions", PanelKind.DOTS, QUALITY, rows)


def _task_name(task: str) -> str:
    return task.replace("_", " ")
