"""Answers a question with search, to see what else it could mean. Source: appendix A.3."""

from functools import partial

from core.pipeline import stage_replies
from core.pipeline.stage import PROSE, End, Kept, Of, Stage, View
from core.pipeline.stages.stage_inputs import question_of
from core.vocabulary import Task


def of(task: Task, after: str) -> Stage:
    """The stage for a question."""
    name = task.replace("_", "-")
    return Stage(
        f"ground-{name}",
        f"search {name.replace('-', ' ')}",
        Of.CANDIDATE,
        after=(after,),
        inputs=partial(inputs, task),
        read=read,
        grounded=True,
        task=task,
        needs_tasks=(task,),
        room=PROSE,
    )


def inputs(task: Task, view: View) -> dict[str, str]:
    """The question, as it is: the grounding's own template quotes it."""
    return {"question": question_of(view, task)}


def read(reply: str, view: View) -> End:
    """The grounded answer."""
    return Kept({"answer": stage_replies.answer(reply)})
