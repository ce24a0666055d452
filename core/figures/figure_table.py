"""The figures there are, by theme, and how each is made of a project under a policy.

Source: Calderon et al., figures 4 to 18, appendices A.4, B.3 and C.4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import db.option_scores
from core.analyses.analysis import analyse
from core.analyses.fact_distribution import GROUPS, DistributionRow
from core.dataset.fact_filters import format_words
from core.errors import LostkeysError, UsageError
from core.figures import (
    bench_figures,
    figure_needs,
    latent_figures,
    method_figures,
    profile_figures,
    recall_figures,
    thinking_figures,
)
from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, Series
from core.figures.figure_scope import FigureContent, FigureScope, caption, facts_of, scope_of, today
from core.figures.latent_figures import make_latent
from core.project import OpenProject
from core.scoring.policy import Policy
from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.stored_relations import choose_set

# Figures 9, 10 and 11: what the facts are, by year of the page, topic and type of the object.

PANELS = (
    ("year", "page made in (figure 9)"),
    ("category", "topic (figure 10)"),
    ("object_group", "type of the object (figure 11)"),
)
SHARE = (Series("share", "share of the facts", "series-1", "●"),)


def dataset(project: OpenProject, policy: Policy, where: str | None) -> Figure:
    """A panel for each property that some fact has."""
    found = analyse(project, "dataset", policy, where=where)
    rows = [row for row in found.rows if isinstance(row, DistributionRow)]
    panels = [
        _panel(title, [row for row in rows if row.what == what], what, where)
        for what, title in PANELS
        if any(row.what == what and row.group != "unknown" for row in rows)
    ]
    if not panels:
        return Figure("", "", "", missing=figure_needs.UNDESCRIBED)
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


PROFILES = "profiles"
REASONS = "why recall fails"
THINKING = "what thinking does"
METHOD = "method"
LATENT = "when nobody asks"
BENCH = "triples and exemplars"
FACTS = "the facts"
OF_PROFILES = (PROFILES, REASONS, THINKING)
"""Themes that say nothing of facts without a profile, but for figures of single questions."""
OF_QUESTIONS = ("phrasing", "availability")
THEMES = (PROFILES, REASONS, THINKING, METHOD, FACTS, LATENT, BENCH)


NO_FACTS = "No fact passes the filter: show others, or import facts."
NO_ROWS = "None of these models has been asked with thinking: choose others, or run one with it."


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """Of what a figure is made: a project, a policy, some models (None: all), a filter.

    `intervals` has each share carry its interval; `graders` are the two that are crossed.
    `set_name` is the set of triples of figures of these, None the first that has what is shown.
    """

    project: OpenProject
    policy: Policy
    models: Sequence[str] | None = None
    where: str | None = None
    intervals: bool = False
    graders: tuple[str, str] | None = None
    set_name: str | None = None


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """A figure: the paper's number and its name, by which it is asked for, and what makes it.

    `also` is the paper's figure of the same for all its models. What a project must have for it,
    beyond answers and labels, `needs` finds missing.
    """

    number: str
    name: str
    theme: str
    title: str
    make: Callable[[FigureChoice], Figure]
    """Makes it, without its number and names. It may say what is missing."""
    also: str = ""
    needs: Callable[[OpenProject], str] = figure_needs.nothing

    @property
    def scored(self) -> bool:
        """Whether it is of scores or of the facts: no policy changes it, it needs no labels."""
        return self.theme in (FACTS, LATENT, BENCH)

    @property
    def is_of_set(self) -> bool:
        """Whether it is of one set of triples, which can be chosen."""
        return self.theme in (LATENT, BENCH)

    def explain_missing(self, project: OpenProject) -> str:
        """What is missing for it, in one line; empty where it can be made. Cheap."""
        if self.scored:
            return self.needs(project)
        of_profiles = self.theme in OF_PROFILES and self.name not in OF_QUESTIONS
        if of_profiles and (without := figure_needs.profiled_facts(project)):
            return without
        return figure_needs.answers(project) or self.needs(project)


def _graded_entry(
    number: str,
    name: str,
    theme: str,
    title: str,
    make_content: Callable[[FigureScope], FigureContent],
    also: str = "",
    needs: Callable[[OpenProject], str] = figure_needs.nothing,
) -> FigureEntry:
    """A figure of labels, under a policy."""

    def make_graded(choice: FigureChoice) -> Figure:
        return _make_graded(choice, make_content)

    return FigureEntry(number, name, theme, title, make_graded, also, needs)


def _make_graded(
    choice: FigureChoice, make_content: Callable[[FigureScope], FigureContent]
) -> Figure:
    scope = scope_of(
        *(choice.project, choice.policy, choice.models),
        *(choice.where, choice.intervals, choice.graders),
    )
    if not scope.facts.any():
        return _empty_figure(NO_FACTS)
    try:
        drawn = make_content(scope)
    except UsageError:
        raise
    except LostkeysError as error:  # no model is fit for it: their runs were curtailed
        return _empty_figure(str(error))
    if drawn.missing or not any(panel.rows for panel in drawn.panels):
        return _empty_figure(drawn.missing or NO_ROWS)
    notes = (*scope.notes(), *drawn.notes)
    return Figure("", "", "", drawn.panels, caption(scope, drawn), notes)


def _empty_figure(missing: str) -> Figure:
    return Figure("", "", "", missing=missing)


LATENT_PREFIX = "zp-"
"""Before the names of figures of scores."""


def _latent_entry(name: str) -> FigureEntry:
    """The figure of an analysis of scores, under the setup that is taken by default."""
    number, title, _, _ = latent_figures.MAKERS[name]

    def make_scored(choice: FigureChoice) -> Figure:
        return _make_scored(choice, name)

    return FigureEntry(
        f"Z{number}",
        f"{LATENT_PREFIX}{name}",
        LATENT,
        title,
        make_scored,
        needs=figure_needs.scores,
    )


def _make_scored(choice: FigureChoice, name: str) -> Figure:
    """A figure of scores, of those of the models that have any."""
    project, models = choice.project, choice.models
    known = {one.key.model for one in db.option_scores.read_series(project.connection)}
    some = None if models is None else [one for one in models if one in known]
    set_name = choice.set_name or choose_set(project)
    return make_latent(LatentEvidence(project, ScoreChoice(Setup(), some, None, set_name)), name)


BENCH_PREFIX = "fb-"
"""Before the names of figures of triples."""


def _bench_entry(name: str) -> FigureEntry:
    """The figure of a table of FACT-BENCH, of the first set that has arms."""
    number, title, _, _ = bench_figures.MAKERS[name]

    def make_bench(choice: FigureChoice) -> Figure:
        found = bench_figures.first_evidence(
            choice.project, choice.models, choice.where, choice.set_name
        )
        return bench_figures.make_bench(found, name)

    return FigureEntry(
        f"B{number}", f"{BENCH_PREFIX}{name}", BENCH, title, make_bench, needs=figure_needs.arms
    )


def _make_dataset(choice: FigureChoice) -> Figure:
    return dataset(choice.project, choice.policy, choice.where)


CATALOGUE: tuple[FigureEntry, ...] = (
    _graded_entry(
        "4", "profiles", PROFILES, "Knowledge profiles of each model",
        profile_figures.profiles, needs=figure_needs.thinking,
    ),
    _graded_entry(
        "12", "trends", PROFILES, "Profiles, models sorted by known facts",
        profile_figures.trends, needs=figure_needs.thinking,
    ),
    _graded_entry(
        "17", "threshold", PROFILES, "Profiles under other thresholds",
        profile_figures.threshold, needs=figure_needs.thinking,
    ),
    _graded_entry(
        "5", "popularity", REASONS, "Stored and recalled facts, rare against popular",
        recall_figures.popularity, "15", figure_needs.views,
    ),
    _graded_entry(
        "6", "direction", REASONS, "Stored facts known in either direction",
        recall_figures.direction, "15",
    ),
    _graded_entry(
        "13", "errors", REASONS, "Which direction fails where a fact is not known",
        recall_figures.errors,
    ),
    _graded_entry(
        "B.3", "phrasing", REASONS, "High-verbatim against natural questions",
        recall_figures.phrasing,
    ),
    _graded_entry(
        "7", "thinking", THINKING, "Recall of stored facts without and with thinking",
        thinking_figures.thinking, "16", figure_needs.thinking,
    ),
    _graded_entry(
        "8", "recovery", THINKING, "Unknown facts that thinking recovers",
        thinking_figures.recovery, needs=figure_needs.thinking,
    ),
    _graded_entry(
        "C.4", "availability", THINKING, "Questions with at least k right answers",
        method_figures.availability,
    ),
    _graded_entry(
        "14", "confusion", METHOD, "Labels of two graders, crossed",
        method_figures.confusion, needs=figure_needs.graders,
    ),
    _graded_entry(
        "18", "bootstrap", METHOD, "Width of the share of passed questions by answers drawn",
        method_figures.bootstrap,
    ),
    _graded_entry(
        "A.4", "quality", METHOD, "Questions that every model fails",
        method_figures.quality,
    ),
    FigureEntry(
        "9", "dataset", FACTS, "What the facts are", _make_dataset, "10, 11",
        figure_needs.described_facts,
    ),
    *map(_latent_entry, latent_figures.MAKERS),
    *map(_bench_entry, bench_figures.MAKERS),
)  # fmt: skip
"""Every figure, by theme, in the order in which it is listed."""

BY_NAME: Mapping[str, FigureEntry] = {entry.name: entry for entry in CATALOGUE}


def make(
    project: OpenProject,
    name: str,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    intervals: bool = False,
    graders: tuple[str, str] | None = None,
    set_name: str | None = None,
) -> Figure:
    """Make a figure, of all models unless some are named.

    `intervals` has each share carry its interval; `graders` are the two that `confusion`
    crosses (by default the first that counts, and the next there is); `set_name` is the set of
    triples. Where data is missing the figure says what. Raises `UsageError` for an unknown figure,
    model, grader, filter or set.
    """
    entry = BY_NAME.get(name)
    if entry is None:
        raise UsageError(f"no figure named {name}: choose one of {', '.join(BY_NAME)}")
    choice = FigureChoice(project, policy, models, where, intervals, graders, set_name)
    absent = entry.explain_missing(project)
    made = _empty_figure(absent) if absent else entry.make(choice)
    return replace(made, number=entry.number, name=entry.name, title=entry.title)


def find_missing(project: OpenProject) -> dict[str, str]:
    """What is not there for each figure that cannot be made, by its name; cheap."""
    found = {entry.name: entry.explain_missing(project) for entry in CATALOGUE}
    return {name: words for name, words in found.items() if words}
