"""The figures there are, by theme, and how each is made of a project under a policy.

Source: Calderon et al., figures 4 to 8, 12 to 18, appendices A.4, B.3 and C.4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import LostkeysError, UsageError
from core.figures import method_figures, profile_figures, recall_figures, thinking_figures
from core.figures.figure import Figure
from core.figures.figure_needs import lacking
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
    """A figure that can be made: the paper's number and its name, by which it is asked for.

    `also` is the paper's figure of the same for all its models; `analysis` has the numbers.
    """

    number: str
    name: str
    theme: str
    title: str
    analysis: str
    also: str = ""


CATALOGUE: tuple[FigureEntry, ...] = (
    FigureEntry("4", "profiles", PROFILES, "Knowledge profiles of each model", "profiles"),
    FigureEntry("12", "trends", PROFILES, "Profiles, models sorted by knows", "profiles"),
    FigureEntry("17", "threshold", PROFILES, "Profiles under other thresholds", "threshold"),
    FigureEntry(
        "5", "popularity", REASONS, "Stored and recalled facts, rare against popular",
        "popularity", "15",
    ),
    FigureEntry(
        "6", "direction", REASONS, "Stored facts known in either direction", "direction", "15"
    ),
    FigureEntry(
        "13", "errors", REASONS, "Which direction fails where a fact is not known", "errors"
    ),
    FigureEntry("C.2", "phrasing", REASONS, "High-verbatim against natural questions", "phrasing"),
    FigureEntry("7", "thinking", THINKING, "Recall of stored facts without and with thinking",
          "thinking", "16"),
    FigureEntry("8", "recovery", THINKING, "Unknown facts that thinking recovers", "recovery"),
    FigureEntry("C.4", "availability", THINKING, "Questions with at least k right answers",
          "availability"),
    FigureEntry("14", "confusion", METHOD, "Labels of two graders, crossed", "confusion"),
    FigureEntry(
        "18", "bootstrap", METHOD, "Width of the share of passed questions by answers drawn",
        "bootstrap",
    ),
    FigureEntry("A.4", "quality", METHOD, "Questions that every model fails", "quality"),
)  # fmt: skip
"""Every figure, by theme, in the order in which it is listed."""

BY_NAME: Mapping[str, FigureEntry] = {entry.name: entry for entry in CATALOGUE}

_MAKERS: Mapping[str, Callable[[FigureScope], FigureContent]] = {
    "profiles": profile_figures.profiles,
    "trends": profile_figures.trends,
    "threshold": profile_figures.threshold,
    "popularity": recall_figures.popularity,
    "direction": recall_figures.direction,
    "errors": recall_figures.errors,
    "phrasing": recall_figures.phrasing,
    "thinking": thinking_figures.thinking,
    "recovery": thinking_figures.recovery,
    "availability": method_figures.availability,
    "confusion": method_figures.confusion,
    "bootstrap": method_figures.bootstrap,
    "quality": method_figures.quality,
}


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
    absent = lacking(project, name)
    if absent:
        return replace(blank, missing=absent)
    scope = scope_of(project, policy, models, where, intervals, graders)
    if not scope.facts.any():
        return replace(blank, missing=NO_FACTS)
    try:
        drawn = _MAKERS[name](scope)
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
    found = {entry.name: lacking(project, entry.name) for entry in CATALOGUE}
    return {name: words for name, words in found.items() if words}
