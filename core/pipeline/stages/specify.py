"""Makes a question ask for the type and granularity of its answer. Source: Box D.8."""

from functools import partial

from core.pipeline import checks, stage_replies, text_match
from core.pipeline.stage import Dropped, End, Of, OffFormatError, Stage, View
from core.pipeline.stages.stage_inputs import changed, data
from core.vocabulary import Task

VAGUE = "cannot be made specific"


def of(task: Task) -> Stage:
    """The stage for the direct or the reverse question."""
    return Stage(
        f"specify-{task}",
        f"specify {task}",
        Of.CANDIDATE,
        after=(str(task),),
        prompt="specify",
        inputs=partial(inputs, task),
        read=partial(read, task),
        makes=task,
        task=task,
    )


def inputs(task: Task, view: View) -> dict[str, str]:
    """Question, answer and the answer's entity type as far as it is known."""
    made = view[task]
    answer = str(made.get("subject", view.object))
    return data(question=str(made["question"]), answer=answer, type=type_of(view, answer))


def read(task: Task, reply: str, view: View) -> End:
    """The question or a revision of it; dropped where it was rejected."""
    made = view[task]
    question = stage_replies.question_or_rejection(reply)
    if isinstance(question, stage_replies.Rejected):
        return Dropped(VAGUE, question.why)
    if not checks.revises(str(made["question"]), question):
        raise OffFormatError("another question instead of a revision")
    return changed(question, task, view, str(made.get("subject", "")))


def type_of(view: View, answer: str) -> str:
    """The entity type of the object, or of a subject that is one of the passage's entities."""
    if answer == view.object:
        return view.object_type
    entities = view.values.get("entities", {}).get("entities", ())
    same = (
        one["type"] for one in entities if text_match.key(one["text"]) == text_match.key(answer)
    )
    return str(next(same, "unknown"))
