"""What a project must have for a figure, and how to get it where it has not."""

from collections.abc import Callable, Mapping

from core.project import Project
from core.results.multi_rater import everyone
from core.scoring.precedence import CHOICE

NO_ANSWERS = "No model has been asked yet: run one, or import responses."
NO_LABELS = "No answer has been graded yet: grade them, or import grades."
NO_THINKING = "No model has been asked with thinking: run one with thinking on."
NO_VIEWS = "No fact has page views: import facts with a view count (`gbc`)."
ONE_GRADER = "Only one grader has labelled these answers: grade with a second one."


def lacking(project: Project, name: str) -> str:
    """What is missing for a figure, in one line; empty where it can be made. Cheap."""
    if not project.models():
        return NO_ANSWERS
    if not project.graders():
        return NO_LABELS
    check = _CHECKS.get(name)
    return check(project) if check else ""


def _thinking(project: Project) -> str:
    return "" if any(on for _, on in project.setting_ids()) else NO_THINKING


def _views(project: Project) -> str:
    return "" if bool((project.index.views >= 0).any()) else NO_VIEWS


def _graders(project: Project) -> str:
    return "" if len([one for one in everyone(project) if one != CHOICE]) > 1 else ONE_GRADER


_CHECKS: Mapping[str, Callable[[Project], str]] = {
    "profiles": _thinking,
    "trends": _thinking,
    "threshold": _thinking,
    "thinking": _thinking,
    "recovery": _thinking,
    "popularity": _views,
    "confusion": _graders,
}
