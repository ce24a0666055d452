"""The direct question after its own left context. Source: Calderon et al., Box D.14."""

from core.pipeline import checks, stage_replies
from core.pipeline.stage import BACK, Dropped, End, Kept, Of, OffFormatError, Stage, View
from core.pipeline.stages.stage_inputs import data, golds_of, question_of
from core.vocabulary import Side, Task


def inputs(view: View) -> dict[str, str]:
    """Left context, direct question, object."""
    return data(
        left_context=view.left_context.rstrip(),
        question=question_of(view, Task.DIRECT),
        answer=view.object,
    )


def read(reply: str, view: View) -> End:
    """The left context's finished sentences with the question, without the answer."""
    question = stage_replies.contextual(reply)
    if not checks.keeps_context(question, view.left_context):
        raise OffFormatError(checks.NO_CONTEXT)
    if checks.holds_answer(question, golds_of(view, Side.OBJECT)):
        return Dropped(checks.ANSWER_IN_QUESTION, question[-200:])
    return Kept({"question": question})


STAGE = Stage(
    "contextual",
    "contextual question",
    Of.CANDIDATE,
    after=("filter-reverse",),
    prompt="contextual",
    inputs=inputs,
    read=read,
    makes=Task.CONTEXTUAL,
    task=Task.CONTEXTUAL,
    needs_tasks=(Task.DIRECT,),
    room=BACK,
)
