"""Limits of length for questions and left contexts. Source: Calderon et al., appendix A.3."""

from core.pipeline import checks, text_match
from core.pipeline.stage import Dropped, End, Kept, Of, Stage, View
from core.pipeline.stages.stage_inputs import question_of
from core.vocabulary import KNOWLEDGE

LONG = f"a question of more than {checks.LONGEST_QUESTION} words"


def decide(view: View) -> End:
    """Contextual questions are long by nature and have no limit."""
    if short := checks.context_faults(view.left_context):
        return Dropped(short[0], f"{text_match.count(view.left_context)} words")
    for task in KNOWLEDGE:
        question = question_of(view, task)
        if checks.is_long(question):
            return Dropped(LONG, f"{task}: {text_match.count(question)} words")
    return Kept()


STAGE = Stage(
    "limits",
    "limits of length",
    Of.CANDIDATE,
    after=("filter-direct-natural", "filter-reverse-natural", "filter-contextual"),
    decide=decide,
)
