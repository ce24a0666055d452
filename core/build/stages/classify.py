"""The category of a passage. Source: Calderon et al., Box D.1."""

from core.build import checks, reading
from core.build.stage import WORD, End, Kept, Of, Stage, View
from core.build.stages.asking import data


def inputs(view: View) -> dict[str, str]:
    """Title and text."""
    return data(title=view.title, text=view.text)


def read(reply: str, view: View) -> End:
    """One of the ten categories."""
    return Kept({"category": reading.one_of(reply, checks.CATEGORIES)})


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
