"""The question for the object. Source: Calderon et al., Box D.7."""

from core.pipeline import stage_replies
from core.pipeline.stage import End, Of, Stage, View
from core.pipeline.stages.stage_inputs import changed, data
from core.vocabulary import Task


def inputs(view: View) -> dict[str, str]:
    """Left context and object."""
    return data(left_context=view.left_context.rstrip(), object=view.object)


def read(reply: str, view: View) -> End:
    """A question that does not hold its answer."""
    return changed(stage_replies.question(reply), Task.DIRECT, view)


STAGE = Stage(
    "direct",
    "direct question",
    Of.CANDIDATE,
    after=("downsample",),
    prompt="direct",
    inputs=inputs,
    read=read,
    makes=Task.DIRECT,
    task=Task.DIRECT,
)
