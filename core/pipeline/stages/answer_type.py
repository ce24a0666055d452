"""The entity type of the reverse question's answer. Source: Calderon et al., Box D.16."""

from core.pipeline import checks, stage_replies
from core.pipeline.stage import WORD, End, Kept, Of, Stage, View
from core.pipeline.stages.stage_inputs import data, gold_of, question_of
from core.vocabulary import Side, Task


def inputs(view: View) -> dict[str, str]:
    """Reverse question and subject."""
    return data(question=question_of(view, Task.REVERSE), answer=gold_of(view, Side.SUBJECT))


def read(reply: str, view: View) -> End:
    """One of the 19 types."""
    return Kept({"type": stage_replies.one_of(reply, checks.TYPES)})


STAGE = Stage(
    "answer-type",
    "type of the subject",
    Of.CANDIDATE,
    after=("limits",),
    prompt="answer-type",
    inputs=inputs,
    read=read,
    task=Task.REVERSE,
    needs_tasks=(Task.REVERSE,),
    room=WORD,
)
