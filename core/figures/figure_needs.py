"""What a project must have for a figure, and how to get it where it has not.

Each gives what is missing, in one line, and nothing where all is there. All are cheap.
"""

import db.option_scores
from core.modes import is_arm
from core.project import OpenProject
from core.results.multi_rater import list_graders
from core.scoring.missing_pairs import ASK_TRIPLES, find_unprofiled
from core.scoring.precedence import CHOICE

NO_ANSWERS = "No model has been asked yet: run one, or import responses."
NO_FACTS = "No facts yet: import some."
UNDESCRIBED = "No fact has a topic, a type or a date of its page."
NO_LABELS = "No answer has been graded yet: grade them, or import grades."
NO_THINKING = "No model has been asked with thinking: run one with thinking on."
NO_SCORES = "No facts of relations have scores: `lostkeys zp-lke run` makes some."
NO_ARMS = "No triples have answers in any mode: `lostkeys fact-bench run` makes some."
NO_VIEWS = "No fact has page views: import facts with a view count (`gbc`)."
COUNTED = "Counts of a lake: `lostkeys confusion A B` compares labels in the lake."
ONE_GRADER = "Only one grader has labelled these answers: grade with a second one."


def nothing(project: OpenProject) -> str:
    """Nothing is missing."""
    return ""


def described_facts(project: OpenProject) -> str:
    """Facts that are not rejected, one of which has a topic, a type or the year of its page."""
    index, kept = project.index, ~project.index.rejected
    if not kept.any():
        return NO_FACTS
    named = zip(kept.tolist(), index.categories, index.object_types, strict=True)
    has_year = bool((index.years[kept] >= 0).any())
    return "" if has_year or any(is_in and (a or b) for is_in, a, b in named) else UNDESCRIBED


def answers(project: OpenProject) -> str:
    """What every figure needs: answers, and labels of them."""
    if not project.models():
        return NO_ANSWERS
    return "" if project.counted or project.graders() else NO_LABELS


def profiled_facts(project: OpenProject) -> str:
    """Facts that can have a profile, which triples cannot."""
    found = find_unprofiled(project.connection, project.index, ~project.index.rejected)
    return "" if found is None else f"{found.describe()}; {ASK_TRIPLES}."


def thinking(project: OpenProject) -> str:
    """Answers with thinking."""
    return "" if any(on for _, on in project.setting_ids()) else NO_THINKING


def views(project: OpenProject) -> str:
    """Facts with page views."""
    return "" if bool((project.index.views >= 0).any()) else NO_VIEWS


def graders(project: OpenProject) -> str:
    """Two graders to compare."""
    if project.counted is not None:
        return COUNTED
    return "" if len([one for one in list_graders(project) if one != CHOICE]) > 1 else ONE_GRADER


def arms(project: OpenProject) -> str:
    """Sets of triples, with answers of models in some mode."""
    return "" if any(is_arm(label) for label, _ in project.setting_ids()) else NO_ARMS


def scores(project: OpenProject) -> str:
    """Scores of options."""
    return "" if db.option_scores.read_series(project.connection) else NO_SCORES
