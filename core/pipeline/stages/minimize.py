"""Takes out of a question what it does not need. Source: Calderon et al., Box D.9."""

from functools import partial

from core.pipeline import checks, stage_replies
from core.pipeline.stage import End, Of, OffFormatError, Stage, View
from core.pipeline.stages.stage_inputs import changed, data
from core.vocabulary import Task


def of(task: Task) -> Stage:
    """The stage for the direct or the reverse question."""
    return Stage(
        f"minimize-{task}",
        f"minimize {task}",
        Of.CANDIDATE,
        after=(f"specify-{task}",),
        prompt="minimize",
        inputs=partial(inputs, task),
        read=partial(read, task),
        makes=task,
        task=task,
    )


def inputs(task: Task, view: View) -> dict[str, str]:
    """Question and answer."""
    made = view[f"specify-{task}"]
    return data(question=str(made["question"]), answer=str(made.get("subject", view.object)))


def read(task: Task, reply: str, view: View) -> End:
    """The question, or what is left of it."""
    made = view[f"specify-{task}"]
    question = stage_replies.question(reply)
    if not checks.only_deletes(str(made["question"]), question):
        raise OffFormatError("more than deletions")
    return changed(question, task, view, str(made.get("subject", "")))
