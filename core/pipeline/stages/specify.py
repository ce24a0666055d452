"""Makes a question ask for its answer: for its type and granularity, with no word too many.

Source: Calderon et al., Boxes D.8, D.9.
"""

from functools import partial

from core.pipeline import code_checks, stage_replies, text_match
from core.pipeline.stage import DroppedUnit, End, OffFormatError, Said, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import data, keep_question
from core.vocabulary import Task

VAGUE = "cannot be made specific"


def specify_of(task: Task) -> Stage:
    """The stage for the direct or the reverse question."""
    return Stage(
        f"specify-{task}",
        f"specify {task}",
        UnitKind.CANDIDATE,
        after=(str(task),),
        prompt="specify",
        inputs=partial(specify_inputs, task),
        read=partial(read_specific, task),
        makes=task,
        task=task,
    )


def specify_inputs(task: Task, view: View) -> dict[str, str]:
    """Question, answer and the answer's entity type as far as it is known."""
    made = view[task]
    answer = str(made.get("subject", view.object))
    return data(question=str(made["question"]), answer=answer, type=type_of(view, answer))


def read_specific(task: Task, reply: Said, view: View) -> End:
    """The question or a revision of it; dropped where it was rejected."""
    made = view[task]
    question = stage_replies.question_or_rejection(reply)
    if isinstance(question, stage_replies.RejectedQuestion):
        return DroppedUnit(VAGUE, question.why)
    if not code_checks.revises(str(made["question"]), question):
        raise OffFormatError("another question instead of a revision")
    return keep_question(question, task, view, str(made.get("subject", "")))


def type_of(view: View, answer: str) -> str:
    """The entity type of the object, or of a subject that is one of the passage's entities."""
    if answer == view.object:
        return view.object_type
    entities = view.values.get("entities", {}).get("entities", ())
    same = (
        one["type"] for one in entities if text_match.key(one["text"]) == text_match.key(answer)
    )
    return str(next(same, "unknown"))


def minimize_of(task: Task) -> Stage:
    """The stage for the direct or the reverse question."""
    return Stage(
        f"minimize-{task}",
        f"minimize {task}",
        UnitKind.CANDIDATE,
        after=(f"specify-{task}",),
        prompt="minimize",
        inputs=partial(minimize_inputs, task),
        read=partial(read_minimal, task),
        makes=task,
        task=task,
    )


def minimize_inputs(task: Task, view: View) -> dict[str, str]:
    """Question and answer."""
    made = view[f"specify-{task}"]
    return data(question=str(made["question"]), answer=str(made.get("subject", view.object)))


def read_minimal(task: Task, reply: Said, view: View) -> End:
    """The question, or what is left of it."""
    made = view[f"specify-{task}"]
    question = stage_replies.question(reply)
    if not code_checks.only_deletes(str(made["question"]), question):
        raise OffFormatError("more than deletions")
    return keep_question(question, task, view, str(made.get("subject", "")))
