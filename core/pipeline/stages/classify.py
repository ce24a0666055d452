"""The category of a passage. Source: Calderon et al., Box D.1."""

from core.pipeline import checks, stage_replies
from core.pipeline.stage import WORD, End, Kept, Of, Stage, View
from core.pipeline.stages.stage_inputs import data


def inputs(view: View) -> dict[str, str]:
    """Title and text."""
    return data(title=view.title, text=view.text)


def read(reply: str, view: View) -> End:
    """One of the ten categories."""
    return Kept({"category": stage_replies.one_of(reply, checks.CATEGORIES)})


STAGE = Stage(
    "classify",
    "category",
    Of.PASSAGE,
    after=("length",),
    prompt="classify",
    inputs=inputs,
    read=read,
    room=WORD,
)
