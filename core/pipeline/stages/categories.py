"""The category of a passage, and the type of an answer.

Source: Calderon et al., Boxes D.1, D.16.
"""

from core.pipeline import code_checks, stage_replies
from core.pipeline.stage import WORD, End, KeptUnit, Said, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import data, gold_of, question_of
from core.vocabulary import Side, Task


def passage_inputs(view: View) -> dict[str, str]:
    """Title and text."""
    return data(title=view.title, text=view.text)


def read_category(reply: Said, view: View) -> End:
    """One of the ten categories."""
    return KeptUnit({"category": stage_replies.one_of(reply, code_checks.CATEGORIES)})


PASSAGE = Stage(
    "classify",
    "category",
    UnitKind.PASSAGE,
    after=("length",),
    prompt="classify",
    inputs=passage_inputs,
    read=read_category,
    room=WORD,
)


def answer_inputs(view: View) -> dict[str, str]:
    """Reverse question and subject."""
    return data(question=question_of(view, Task.REVERSE), answer=gold_of(view, Side.SUBJECT))


def read_type(reply: Said, view: View) -> End:
    """One of the 19 types."""
    return KeptUnit({"type": stage_replies.one_of(reply, code_checks.TYPES)})


ANSWER = Stage(
    "answer-type",
    "type of the subject",
    UnitKind.CANDIDATE,
    after=("limits",),
    prompt="answer-type",
    inputs=answer_inputs,
    read=read_type,
    task=Task.REVERSE,
    needs_tasks=(Task.REVERSE,),
    room=WORD,
)
