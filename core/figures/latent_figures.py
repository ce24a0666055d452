"""Figures of zero-prompt knowledge, out of the rows of its tables.

Source: ZP-LKE, figures 3 to 16 and tables 2 and 7 to 11.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from statistics import fmean
from typing import Any

from core.errors import UsageError
from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, Series
from core.figures.figure_scope import today
from core.figures.series import pair
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.stats.intervals import LEVEL, wilson
from core.zero_prompt.analyses import LATENT_ANALYSES
from core.zero_prompt.examples import ExampleKind
from core.zero_prompt.latent_evidence import LatentEvidence
from core.zero_prompt.score_matrix import LatentModel, Setup

Rows = Sequence[Mapping[str, Any]]
Panels = Sequence[Panel]

NO_SCORES = (
    "No scores under this setup: `lostkeys zp-lke run` makes some, `lostkeys import` brings some."
)
CHANCE = "chance"
ONE = (Series("accuracy", "accuracy", "series-1", "●"),)
TESTS = pair(("response", "the object in the response"), ("choice", "the object is most probable"))
STEP = 0.05
"""To what multiple of this the end of an axis is rounded up."""


def heat_map(rows: Rows, setup: Setup, known: Mapping[str, LatentModel]) -> Panels:
    """Figure 7: relations as rows, the best known first; models as columns, family by family."""
    values = {(row["relation"], row["model"]): row["accuracy"] for row in rows if row["n"]}
    models = order_models({model for _, model in values}, values, known)
    means = _means(values, 0)
    series = [Series(model, model, "series-1", "●") for model in models]
    lines = [
        FigureRow(relation, [Point(values.get((relation, model))) for model in models])
        for relation in sorted(means, key=lambda name: (-means[name], name))
    ]
    return [Panel(HEAT_TITLE, PanelKind.MATRIX, series, lines)]


HEAT_TITLE = "% of facts known; models by family, relations by their mean"
REFERENCE = 7e9
"""Parameters of the model by which families are ordered."""


def order_models(
    models: Iterable[str],
    values: Mapping[tuple[str, str], float],
    known: Mapping[str, LatentModel],
) -> list[str]:
    """Models family by family, the best first in both.

    A family is as good as its model nearest to 7 billion parameters, one without any numbers of
    parameters as its best. A model without a family is one of its own.
    """
    means = _means(values, 1)
    families: dict[str, list[str]] = {}
    for model in sorted(models, key=lambda name: (-means[name], name)):
        about = known.get(model, LatentModel())
        families.setdefault(about.family or f"\0{model}", []).append(model)

    def distance(model: str) -> float:
        parameters = known.get(model, LatentModel()).parameters
        return math.inf if parameters is None else abs(parameters - REFERENCE)

    def rank(family: str) -> tuple[float, str]:
        return -means[min(families[family], key=distance)], family

    return [model for family in sorted(families, key=rank) for model in families[family]]


def _means(values: Mapping[tuple[str, str], float], side: int) -> dict[str, float]:
    """The mean of the numbers of each relation (0) or model (1)."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for names, value in values.items():
        found[names[side]].append(value)
    return {name: fmean(each) for name, each in found.items()}


def ranks(name: str) -> Callable[[Rows, Setup], Panels]:
    """Tables 7 to 10: means with their standard deviation, the best first."""

    def panels(rows: Rows, setup: Setup) -> Panels:
        shown = [
            FigureRow(row[name], [_spread(row["accuracy"], row["std"])])
            for row in rows
            if row["accuracy"] is not None
        ]
        return [_dots(f"accuracy of each {name}", shown, setup)]

    return panels


def panels_at_k(rows: Rows, setup: Setup) -> Panels:
    """Figure 10: accuracy among facts of which a model is at least so sure."""
    lines = [
        FigureRow(model, [Point(row["accuracy"], n=row["n"]) for row in mine])
        for model, mine in _group_rows(rows, "model")
        if any(row["n"] for row in mine)
    ]
    steps = [f"{row['k']:g}" for row in rows[:10]]
    return [
        Panel("accuracy where the top probability is at least k", PanelKind.LINES, (), lines, steps)
    ]


def cross_models(
    key: str, title: str, symmetric: bool, plain: bool = False
) -> Callable[[Rows, Setup], Panels]:
    """Tables 2 and 11, figures 8 and 16: a number of each two models."""

    def panels(rows: Rows, setup: Setup) -> Panels:
        names = sorted({row[side] for row in rows for side in ("a", "b")})
        values = {(row["a"], row["b"]): row[key] for row in rows}
        if symmetric:
            values |= {(b, a): value for (a, b), value in values.items()}
        series = [Series(name, name, "series-1", "●") for name in names]
        lines = [
            FigureRow(a, [Point(values.get((a, b), 1.0 if a == b else None)) for b in names])
            for a in names
        ]
        return [Panel(title, PanelKind.MATRIX, series, lines, plain=plain)] if rows else []

    return panels


def model_pairs(rows: Rows, setup: Setup) -> Panels:
    """Figure 9, tables 2 and 11: the accuracies of two models of a pair, a panel a kind."""
    return [
        Panel(
            title,
            PanelKind.DUMBBELL,
            pair(*names),
            [
                FigureRow(
                    f"{row['small']} → {row['large']}",
                    [Point(row["accuracy_small"]), Point(row["accuracy_large"])],
                )
                for row in mine
            ],
            gap="difference",
        )
        for kind, title, names in PAIR_KINDS
        if (mine := [row for row in rows if row["kind"] == kind])
    ]


PAIR_KINDS = (
    ("tuned", "a base model, and what was tuned from it", (("small", "base"), ("large", "tuned"))),
    ("size", "the smallest and the largest of a family", (("small", "least"), ("large", "most"))),
)


def sweep(rows: Rows, setup: Setup) -> Panels:
    """Figure 3: accuracy after so many examples, with its deviation over seeds."""
    found = []
    for relation, mine in _group_rows(rows, "relation"):
        steps = sorted({row["n"] for row in mine})
        lines = []
        for model, of_model in _group_rows(mine, "model"):
            points = {row["n"]: _spread(row["accuracy"], row["std"]) for row in of_model}
            lines.append(FigureRow(model, [points.get(n, Point(None)) for n in steps]))
        lines.append(FigureRow(CHANCE, [Point(1 / setup.options)] * len(steps)))
        names = [f"{n:,}" for n in steps]
        found.append(
            Panel(
                *(relation, PanelKind.LINES, (), lines, names),
                high=_end(lines),
                numbers=steps,
            )
        )
    return found


def positions(rows: Rows, setup: Setup) -> Panels:
    """Figures 4 and 11 to 13: the object's probability at each place, a line a kind of place."""
    found = []
    for (relation, inject), mine in _group_rows(rows, "relation", "inject"):
        length = max(row["position"] for row in mine)
        lines = []
        alone = len({row["model"] for row in mine}) == 1
        for model, of_model in _group_rows(mine, "model"):
            for kind in (ExampleKind.CLEAN, "after", ExampleKind.INCORRECT, ExampleKind.UNKNOWN):
                at = {row["position"]: row["p"] for row in of_model if row["kind"] == kind}
                if at:
                    points = [Point(at.get(place)) for place in range(1, length + 1)]
                    of_kind = str(kind) if alone else f"{kind}, {model}"
                    name = model if kind == ExampleKind.CLEAN else of_kind
                    lines.append(FigureRow(name, points))
        steps = [str(place) for place in range(1, length + 1)]
        title = f"{relation}, {inject}" if inject else relation
        found.append(Panel(title, PanelKind.LINES, (), lines, steps, high=_end(lines)))
    return found


def forms(rows: Rows, setup: Setup) -> Panels:
    """Figures 5, 6, 14 and 15: both tests of each form, a panel a model and relation."""
    found = []
    for (model, relation), mine in _group_rows(rows, "model", "relation"):
        lines = [
            FigureRow(
                f"{row['form']}, n {row['n']}",
                [
                    _share(row["response_accuracy"], row["response_facts"]),
                    _share(row["accuracy"], row["facts"]),
                ],
            )
            for row in mine
        ]
        found.append(Panel(f"{model}: {relation}", PanelKind.DOTS, TESTS, lines, high=_end(lines)))
    return found


MAKERS: Mapping[str, tuple[str, str, Callable[..., Panels], str]] = {
    "accuracy": ("7", "What each model knows of each relation", heat_map, ""),
    "models": ("T7", "Models by what they know", ranks("model"), "relations"),
    "relations": ("T9", "Relations by how well they are known", ranks("relation"), "models"),
    "at-k": ("10", "How often a model that is sure is right", panels_at_k, ""),
    "subsumption": (
        "T2",
        "What of one model's knowledge another has",
        cross_models("eta", "row known: share that the column knows too", False),
        "",
    ),
    "pairs": ("9", "What tuning and size do to what is known", model_pairs, ""),
    "correlation": (
        "8",
        "Which models know the same relations well",
        cross_models("r", "Pearson's r of accuracies over relations", True, plain=True),
        "",
    ),
    "agreement": (
        "A",
        "Which models know the same facts",
        cross_models("agreement", "share of facts on which two models agree", True),
        "",
    ),
    "sweep": ("3", "How many examples it takes", sweep, "seeds"),
    "positions": ("4", "What wrong and unknown examples do", positions, ""),
    "forms": ("5", "Prompts against none", forms, "wilson"),
}
"""The paper's number, the title, what makes panels of an analysis's rows, and what bars are."""

BARS = {
    "wilson": f"bars: {LEVEL:.0%} intervals (Wilson)",
    "relations": "bars: standard deviation over relations",
    "models": "bars: standard deviation over models",
    "seeds": "bands: standard deviation over seeds; dashed: the examples with 95% of the most",
}


def make_latent(evidence: LatentEvidence, name: str) -> Figure:
    """The figure of an analysis. Raises `UsageError` for one that has none."""
    if name not in MAKERS:
        raise UsageError(f"{name} has no figure: there are {', '.join(MAKERS)}")
    number, title, make, bars = MAKERS[name]
    rows = LATENT_ANALYSES[name].rows.compute(evidence)
    panels = share_axis([one for one in _make_panels(evidence, name, make, rows) if one.rows])
    if not panels:
        nothing = LATENT_ANALYSES[name].rows.nothing if evidence.scores.asked.any() else ""
        return Figure(number, name, title, missing=nothing or NO_SCORES)
    setup = evidence.choice.setup
    words = [
        *([f"set {evidence.choice.set_name}"] if evidence.choice.set_name else []),
        f"form {setup.form}",
        *([f"{setup.n} examples"] if name not in ("sweep", "forms", "positions") else []),
        *([f"seed {setup.seed}"] if name != "sweep" else []),
        *([f"order {setup.order}"] if setup.order else []),
        *([setup.inject] if setup.inject and name != "positions" else []),
        *([f"{setup.options} options"] if name != "positions" else []),
        *([f"{setup.tokens} tokens"] if setup.tokens != Setup().tokens else []),
    ]
    lines = ["; ".join(words), *filter(None, [BARS.get(bars, "")]), today()]
    return Figure(number, name, title, panels, lines)


def share_axis(panels: Panels) -> Panels:
    """Panels of one kind on one axis, up to the furthest value of any."""
    ends: dict[PanelKind, float] = {}
    for panel in panels:
        ends[panel.kind] = max(panel.high, ends.get(panel.kind, 0.0))
    return [replace(panel, high=ends[panel.kind]) for panel in panels]


def _make_panels(
    evidence: LatentEvidence, name: str, make: Callable[..., Panels], rows: Rows
) -> Panels:
    """The panels of an analysis, some of them of its further tables."""
    setup, more = evidence.choice.setup, LATENT_ANALYSES[name].more
    if name == "accuracy":
        return make(rows, setup, evidence.models)
    if name == "correlation":
        families = cross_models("r", "mean r of two families' models", True, plain=True)
        return [*families(more["families"].compute(evidence), setup), *make(rows, setup)]
    if name == "sweep":
        reached: dict[tuple[Any, Any], Any] = {
            (row["relation"], row["model"]): row["n95"] for row in more["reach"].compute(evidence)
        }
        return [
            replace(
                panel,
                rows=[
                    replace(row, dashed=reached.get((panel.title, row.name))) for row in panel.rows
                ],
            )
            for panel in make(rows, setup)
        ]
    if name == "forms":
        return [*kinds(more["kinds"].compute(evidence)), *make(rows, setup)]
    return make(rows, setup)


def kinds(rows: Rows) -> Panels:
    """Figure 5: from prompts to none, a line a model, a panel a test."""
    steps = sorted(
        {(row["kind"], row["n"]) for row in rows}, key=lambda one: (one[0] == ZERO_PROMPT, *one)
    )
    found = []
    for key, title in (("response_accuracy", "response"), ("accuracy", "multiple choice")):
        lines = []
        for model, mine in _group_rows(rows, "model"):
            at = {(row["kind"], row["n"]): row[key] for row in mine}
            if any(value is not None for value in at.values()):
                lines.append(FigureRow(model, [Point(at.get(step)) for step in steps]))
        names = [f"{kind}, n {n}" for kind, n in steps]
        words = f"{title} accuracy, mean over relations"
        found.append(Panel(words, PanelKind.LINES, (), lines, names, high=_end(lines)))
    return found


def _dots(title: str, rows: Sequence[FigureRow], setup: Setup) -> Panel:
    """One dot a row, and chance below."""
    lines = [*rows, FigureRow(CHANCE, [Point(1 / setup.options)])] if rows else []
    return Panel(title, PanelKind.DOTS, ONE, lines, high=_end(lines))


def _group_rows(rows: Rows, *keys: str) -> Iterable[tuple[Any, list[Mapping[str, Any]]]]:
    """Rows by some of their fields, in the order of these as text; nothing stands first."""
    there = sorted(rows, key=lambda row: [str(row[one] or "") for one in keys])
    return ((found, list(mine)) for found, mine in groupby(there, itemgetter(*keys)))


def _share(value: float | None, n: int) -> Point:
    """A share with its interval."""
    if value is None:
        return Point(None)
    low, high = wilson(round(value * n), n) or (None, None)
    return Point(value, low, high, n)


def _spread(value: float, std: float) -> Point:
    """A mean with its standard deviation on either side, within what a share can be."""
    return Point(value, max(0.0, value - std), min(1.0, value + std))


def _end(rows: Sequence[FigureRow]) -> float:
    """Where an axis ends: a little beyond all that is on it."""
    values = [
        one
        for row in rows
        for point in row.points
        for one in (point.value, point.high)
        if one is not None
    ]
    return min(1.0, STEP * math.ceil(max(values, default=1.0) / STEP))
