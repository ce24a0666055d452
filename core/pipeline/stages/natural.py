"""Questions as people would ask them. Source: Calderon et al., Box D.13."""

from functools import partial

from core.pipeline import checks, stage_replies
from core.pipeline.stage import Dropped, End, Kept, Of, Stage, View
from core.pipeline.stages.stage_inputs import data, gold_of, golds_of, question_of
from core.vocabulary import Task


def of(task: Task) -> Stage:
    """The stage for the natural form of the direct or the reverse question."""
    made = Task(f"{task}_natural")
    return Stage(
        f"natural-{task}",
        f"natural {task}",
        Of.CANDIDATE,
        after=("filter-reverse",),
        prompt="natural",
        inputs=partial(inputs, task),
        read=partial(read, task),
        makes=made,
        task=made,
        needs_tasks=(task,),
    )


def inputs(task: Task, view: View) -> dict[str, str]:
    """Question and answer."""
    return data(question=question_of(view, task), answer=gold_of(view, task.side))


def read(task: Task, reply: str, view: View) -> End:
    """A question that does not hold its answer."""
    question = stage_replies.question(reply)
    if checks.holds_answer(question, golds_of(view, task.side)):
        return Dropped(checks.ANSWER_IN_QUESTION, question[:200])
    return Kept({"question": question})
