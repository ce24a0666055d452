"""The questions that a model writes: for the object, for the subject, as people would ask them,
and after the left context.

Source: Calderon et al., Boxes D.7, D.11, D.13, D.14.
"""

from functools import partial

from core.pipeline import code_checks, stage_replies
from core.pipeline.stage import (
    BACK,
    DroppedUnit,
    End,
    KeptUnit,
    OffFormatError,
    Said,
    Stage,
    UnitKind,
    View,
)
from core.pipeline.stages.stage_inputs import data, gold_of, golds_of, keep_question, question_of
from core.vocabulary import Side, Task


def direct_inputs(view: View) -> dict[str, str]:
    """Left context and object."""
    return data(left_context=view.left_context.rstrip(), object=view.object)


def read_direct(reply: Said, view: View) -> End:
    """A question that does not hold its answer."""
    return keep_question(stage_replies.question(reply), Task.DIRECT, view)


DIRECT = Stage(
    "direct",
    "direct question",
    UnitKind.CANDIDATE,
    after=("downsample",),
    prompt="direct",
    inputs=direct_inputs,
    read=read_direct,
    makes=Task.DIRECT,
    task=Task.DIRECT,
)


NO_REVERSE = "no reverse question possible"


def reverse_inputs(view: View) -> dict[str, str]:
    """Left context, direct question, object."""
    return data(
        left_context=view.left_context.rstrip(),
        question=question_of(view, Task.DIRECT),
        object=view.object,
    )


def read_reverse(reply: Said, view: View) -> End:
    """A question that holds the object and not its answer, and that answer: the subject."""
    found = stage_replies.reverse(reply)
    if isinstance(found, stage_replies.RejectedQuestion):
        return DroppedUnit(NO_REVERSE, found.why)
    question, subject = found
    return keep_question(question, Task.REVERSE, view, subject)


REVERSE = Stage(
    "reverse",
    "reverse question",
    UnitKind.CANDIDATE,
    after=("filter-direct",),
    prompt="reverse",
    inputs=reverse_inputs,
    read=read_reverse,
    makes=Task.REVERSE,
    task=Task.REVERSE,
    needs_tasks=(Task.DIRECT,),
)


def natural_of(task: Task) -> Stage:
    """The stage for the natural form of the direct or the reverse question."""
    made = Task(f"{task}_natural")
    return Stage(
        f"natural-{task}",
        f"natural {task}",
        UnitKind.CANDIDATE,
        after=("filter-reverse",),
        prompt="natural",
        inputs=partial(natural_inputs, task),
        read=partial(read_natural, task),
        makes=made,
        task=made,
        needs_tasks=(task,),
    )


def natural_inputs(task: Task, view: View) -> dict[str, str]:
    """Question and answer."""
    return data(question=question_of(view, task), answer=gold_of(view, task.side))


def read_natural(task: Task, reply: Said, view: View) -> End:
    """A question that does not hold its answer."""
    question = stage_replies.question(reply)
    if code_checks.holds_answer(question, golds_of(view, task.side)):
        return DroppedUnit(code_checks.ANSWER_IN_QUESTION, question[:200])
    return KeptUnit({"question": question})


def contextual_inputs(view: View) -> dict[str, str]:
    """Left context, direct question, object."""
    return data(
        left_context=view.left_context.rstrip(),
        question=question_of(view, Task.DIRECT),
        answer=view.object,
    )


def read_contextual(reply: Said, view: View) -> End:
    """The left context's finished sentences with the question, without the answer."""
    question = stage_replies.contextual(reply)
    if not code_checks.keeps_context(question, view.left_context):
        raise OffFormatError(code_checks.NO_CONTEXT)
    if code_checks.holds_answer(question, golds_of(view, Side.OBJECT)):
        return DroppedUnit(code_checks.ANSWER_IN_QUESTION, question[-200:])
    return KeptUnit({"question": question})


CONTEXTUAL = Stage(
    "contextual",
    "contextual question",
    UnitKind.CANDIDATE,
    after=("filter-reverse",),
    prompt="contextual",
    inputs=contextual_inputs,
    read=read_contextual,
    makes=Task.CONTEXTUAL,
    task=Task.CONTEXTUAL,
    needs_tasks=(Task.DIRECT,),
    room=BACK,
)
