"""The question for the subject that names the object. Source: Calderon et al., Box D.11."""

from core.pipeline import stage_replies
from core.pipeline.stage import Dropped, End, Of, Stage, View
from core.pipeline.stages.stage_inputs import changed, data, question_of
from core.vocabulary import Task

NO_REVERSE = "no reverse question possible"


def inputs(view: View) -> dict[str, str]:
    """Left context, direct question, object."""
    return data(
        left_context=view.left_context.rstrip(),
        question=question_of(view, Task.DIRECT),
        object=view.object,
    )


def read(reply: str, view: View) -> End:
    """A question that holds the object and not its answer, and that answer: the subject."""
    found = stage_replies.reverse(reply)
    if isinstance(found, stage_replies.Rejected):
        return Dropped(NO_REVERSE, found.why)
    question, subject = found
    return changed(question, Task.REVERSE, view, subject)


STAGE = Stage(
    "reverse",
    "reverse question",
    Of.CANDIDATE,
    after=("filter-direct",),
    prompt="reverse",
    inputs=inputs,
    read=read,
    makes=Task.REVERSE,
    task=Task.REVERSE,
    needs_tasks=(Task.DIRECT,),
)
