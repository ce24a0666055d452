"""Drops questions whose grounded answer shows more than one meaning or answer. Source: Box D.10."""

from functools import partial

from core.pipeline.stage import VERDICT, End, Of, Stage, View
from core.pipeline.stages.stage_inputs import data, judged, question_of
from core.vocabulary import Task

AMBIGUOUS = "several answers or readings"
SHOWN = 4_000
"""Characters of a grounded answer that are judged."""


def of(task: Task) -> Stage:
    """The stage for a question."""
    name = task.replace("_", "-")
    return Stage(
        f"filter-{name}",
        f"filter {name.replace('-', ' ')}",
        Of.CANDIDATE,
        after=(f"ground-{name}",),
        prompt="filter",
        inputs=partial(inputs, task),
        read=read,
        task=task,
        needs_tasks=(task,),
        room=VERDICT,
    )


def inputs(task: Task, view: View) -> dict[str, str]:
    """Question and grounded answer."""
    answer = str(view[f"ground-{task.replace('_', '-')}"]["answer"])
    return data(question=question_of(view, task), answer=answer[:SHOWN])


def read(reply: str, view: View) -> End:
    """A verdict."""
    return judged(reply, AMBIGUOUS)
