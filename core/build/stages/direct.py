"""The question for the object. Source: Calderon et al., Box D.7."""

from core.build import reading
from core.build.stage import End, Of, Stage, View
from core.build.stages.asking import changed, data
from core.names import Task


def inputs(view: View) -> dict[str, str]:
    """Left context and object."""
    return data(left_context=view.left_context.rstrip(), object=view.object)


def read(reply: str, view: View) -> End:
    """A question that does not hold its answer."""
    return changed(reading.question(reply), Task.DIRECT, view)


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
