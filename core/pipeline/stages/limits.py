"""Limits of length: of a passage, and of the questions and left contexts that come of it.

Source: Calderon et al., appendix A.3.
"""

from core.pipeline import code_checks, sentence_splitter, text_match
from core.pipeline.stage import DroppedUnit, End, KeptUnit, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import question_of
from core.vocabulary import KNOWLEDGE

SHORT_TEXT = f"fewer than {code_checks.SHORTEST_PASSAGE} words"
SHORT_OWN_TEXT = f"fewer than {code_checks.SHORTEST_OWN_PASSAGE} words"
LONG_TEXT = f"more than {code_checks.LONGEST_PASSAGE:,} words"
HUGE_TEXT = f"more than {code_checks.LONGEST_TEXT:,} characters"
ONE_SENTENCE = "one sentence only"


def decide_passage(view: View) -> End:
    """Objects never come from the first sentence, so that one sentence makes no fact."""
    if len(view.text) > code_checks.LONGEST_TEXT:
        return DroppedUnit(HUGE_TEXT, f"{len(view.text):,} characters")
    count = text_match.count(view.text)
    if view.is_own and count < code_checks.SHORTEST_OWN_PASSAGE:
        return DroppedUnit(SHORT_OWN_TEXT, f"{count} words")
    if not view.is_own and count < code_checks.SHORTEST_PASSAGE:
        return DroppedUnit(SHORT_TEXT, f"{count} words")
    if count > code_checks.LONGEST_PASSAGE:
        return DroppedUnit(LONG_TEXT, f"{count:,} words")
    if len(sentence_splitter.sentences(view.text)) < 2:
        return DroppedUnit(ONE_SENTENCE)
    return KeptUnit({"words": count})


PASSAGE = Stage("length", "length of the text", UnitKind.PASSAGE, after=(), decide=decide_passage)


LONG_QUESTION = f"a question of more than {code_checks.LONGEST_QUESTION} words"


def decide_questions(view: View) -> End:
    """Contextual questions are long by nature and have no limit."""
    if short := code_checks.context_faults(view.left_context, view.is_own):
        return DroppedUnit(short[0], f"{text_match.count(view.left_context)} words")
    for task in KNOWLEDGE:
        question = question_of(view, task)
        if code_checks.is_long(question):
            return DroppedUnit(LONG_QUESTION, f"{task}: {text_match.count(question)} words")
    return KeptUnit()


QUESTIONS = Stage(
    "limits",
    "limits of length",
    UnitKind.CANDIDATE,
    after=("filter-direct-natural", "filter-reverse-natural", "filter-contextual"),
    decide=decide_questions,
)
