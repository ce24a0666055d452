"""The figures there are, by theme, and how each is made of a project under a policy.

Source: Calderon et al., figures 4 to 8, 12 to 18, appendices A.4, B.3 and C.4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import LostkeysError, UsageError
from core.figures import (
    figure_needs,
    method_figures,
    profile_figures,
    recall_figures,
    thinking_figures,
)
from core.figures.figure import Figure
from core.figures.figure_scope import FigureContent, FigureScope, caption, scope_of
from core.project import Project
from core.scoring.policy import Policy

PROFILES = "profiles"
REASONS = "why recall fails"
THINKING = "what thinking does"
METHOD = "method"
THEMES = (PROFILES, REASONS, THINKING, METHOD)


NO_FACTS = "No fact passes the filter: show others, or import facts."
NO_ROWS = "None of these models has been asked with thinking: choose others, or run one with it."


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """A figure: the paper's number and its name, by which it is asked for, and what makes it.

    `analysis` has the numbers; `also` is the paper's figure of the same for all its models. What
    a project must have for it, beyond answers and labels, `needs` finds missing.
    """

    number: str
    name: str
    theme: str
    title: str
    analysis: str
    make: Callable[[FigureScope], FigureContent]
    also: str = ""
    needs: Callable[[Project], str] = figure_needs.nothing

    def lacking(self, project: Project) -> str:
        """What is missing for it, in one line; empty where it can be made. Cheap."""
        return figure_needs.answers(project) or self.needs(project)


CATALOGUE: tuple[FigureEntry, ...] = (
    FigureEntry(
        "4", "profiles", PROFILES, "Knowledge profiles of each model", "profiles",
        profile_figures.profiles, needs=figure_needs.thinking,
    ),
    FigureEntry(
        "12", "trends", PROFILES, "Profiles, models sorted by knows", "profiles",
        profile_figures.trends, needs=figure_needs.thinking,
    ),
    FigureEntry(
        "17", "threshold", PROFILES, "Profiles under other thresholds", "threshold",
        profile_figures.threshold, needs=figure_needs.thinking,
    ),
    FigureEntry(
        "5", "popularity", REASONS, "Stored and recalled facts, rare against popular",
        "popularity", recall_figures.popularity, "15", figure_needs.views,
    ),
    FigureEntry(
        "6", "direction", REASONS, "Stored facts known in either direction", "direction",
        recall_figures.direction, "15",
    ),
    FigureEntry(
        "13", "errors", REASONS, "Which direction fails where a fact is not known", "errors",
        recall_figures.errors,
    ),
    FigureEntry(
        "C.2", "phrasing", REASONS, "High-verbatim against natural questions", "phrasing",
        recall_figures.phrasing,
    ),
    FigureEntry(
        "7", "thinking", THINKING, "Recall of stored facts without and with thinking",
        "thinking", thinking_figures.thinking, "16", figure_needs.thinking,
    ),
    FigureEntry(
        "8", "recovery", THINKING, "Unknown facts that thinking recovers", "recovery",
        thinking_figures.recovery, needs=figure_needs.thinking,
    ),
    FigureEntry(
        "C.4", "availability", THINKING, "Questions with at least k right answers",
        "availability", method_figures.availability,
    ),
    FigureEntry(
        "14", "confusion", METHOD, "Labels of two graders, crossed", "confusion",
        method_figures.confusion, needs=figure_needs.graders,
    ),
    FigureEntry(
        "18", "bootstrap", METHOD, "Width of the share of passed questions by answers drawn",
        "bootstrap", method_figures.bootstrap,
    ),
    FigureEntry(
        "A.4", "quality", METHOD, "Questions that every model fails", "quality",
        method_figures.quality,
    ),
)  # fmt: skip
"""Every figure, by theme, in the order in which it is listed."""

BY_NAME: Mapping[str, FigureEntry] = {entry.name: entry for entry in CATALOGUE}


def make(
    project: Project,
    name: str,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    intervals: bool = False,
    graders: tuple[str, str] | None = None,
) -> Figure:
    """Make a figure, of all models unless some are named.

    `intervals` has each share carry its interval; `graders` are the two that `confusion`
    crosses (by default the first that counts, and the next there is). Where data is missing the
    figure says what. Raises `UsageError` for an unknown figure, model, grader or filter.
    """
    entry = BY_NAME.get(name)
    if entry is None:
        raise UsageError(f"no figure named {name}: choose one of {', '.join(BY_NAME)}")
    blank = Figure(entry.number, entry.name, entry.title)
    absent = entry.lacking(project)
    if absent:
        return replace(blank, missing=absent)
    scope = scope_of(project, policy, models, where, intervals, graders)
    if not scope.facts.any():
        return replace(blank, missing=NO_FACTS)
    try:
        drawn = entry.make(scope)
    except UsageError:
        raise
    except LostkeysError as error:  # no model is fit for it: their runs were curtailed
        return replace(blank, missing=str(error))
    if drawn.missing or not any(panel.rows for panel in drawn.panels):
        return replace(blank, missing=drawn.missing or NO_ROWS)
    return replace(
        blank,
        panels=drawn.panels,
        caption=caption(scope, drawn),
        notes=(*scope.notes(), *drawn.notes),
    )


def missing(project: Project) -> dict[str, str]:
    """What is not there for each figure that cannot be made, by its name; cheap."""
    found = {entry.name: entry.lacking(project) for entry in CATALOGUE}
    return {name: words for name, words in found.items() if words}
