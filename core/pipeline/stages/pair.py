"""Whether direct and reverse question swap roles and are both hard. Source: Box D.12."""

from core.pipeline.stage import VERDICT, End, Of, Stage, View
from core.pipeline.stages.stage_inputs import data, gold_of, judged, question_of
from core.vocabulary import Side, Task

NO_PAIR = "not a fit pair of questions"


def inputs(view: View) -> dict[str, str]:
    """Both questions with their answers."""
    return data(
        direct=question_of(view, Task.DIRECT),
        object=view.object,
        reverse=question_of(view, Task.REVERSE),
        subject=gold_of(view, Side.SUBJECT),
    )


def read(reply: str, view: View) -> End:
    """A verdict."""
    return judged(reply, NO_PAIR)


STAGE = Stage(
    "verify-pair",
    "verify pair",
    Of.CANDIDATE,
    after=("minimize-reverse",),
    prompt="verify-pair",
    inputs=inputs,
    read=read,
    task=Task.REVERSE,
    needs_tasks=(Task.DIRECT, Task.REVERSE),
    room=VERDICT,
)
