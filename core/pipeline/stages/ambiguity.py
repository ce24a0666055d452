"""Whether a question has one meaning and one answer: a search answers it, a model judges that.

Source: Calderon et al., Box D.10 and appendix A.3.
"""

from functools import partial

from core.pipeline import stage_replies
from core.pipeline.stage import PROSE, VERDICT, End, KeptUnit, Said, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import data, keep_suitable, question_of
from core.vocabulary import Task


def search_of(task: Task, after: str) -> Stage:
    """The stage for a question."""
    name = task.replace("_", "-")
    return Stage(
        f"ground-{name}",
        f"search {name.replace('-', ' ')}",
        UnitKind.CANDIDATE,
        after=(after,),
        inputs=partial(search_inputs, task),
        read=read_answer,
        grounded=True,
        task=task,
        needs_tasks=(task,),
        room=PROSE,
    )


def search_inputs(task: Task, view: View) -> dict[str, str]:
    """The question, as it is: the grounding's own template quotes it."""
    return {"question": question_of(view, task)}


def read_answer(reply: Said, view: View) -> End:
    """The grounded answer."""
    return KeptUnit({"answer": stage_replies.answer(reply)})


AMBIGUOUS = "several answers or readings"
SHOWN = 4_000
"""Characters of a grounded answer that are judged."""


def filter_of(task: Task) -> Stage:
    """The stage for a question."""
    name = task.replace("_", "-")
    return Stage(
        f"filter-{name}",
        f"filter {name.replace('-', ' ')}",
        UnitKind.CANDIDATE,
        after=(f"ground-{name}",),
        prompt="filter",
        inputs=partial(filter_inputs, task),
        read=read_verdict,
        task=task,
        needs_tasks=(task,),
        room=VERDICT,
    )


def filter_inputs(task: Task, view: View) -> dict[str, str]:
    """Question and grounded answer."""
    answer = str(view[f"ground-{task.replace('_', '-')}"]["answer"])
    return data(question=question_of(view, task), answer=answer[:SHOWN])


def read_verdict(reply: Said, view: View) -> End:
    """A verdict."""
    return keep_suitable(reply, AMBIGUOUS)
