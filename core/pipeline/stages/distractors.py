"""Three distractors beside the gold answer. Source: Calderon et al., Box D.15."""

from functools import partial

from core.pipeline import code_checks, stage_replies, text_match
from core.pipeline.stage import End, KeptUnit, OffFormatError, Said, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import data, gold_of, golds_of, question_of
from core.vocabulary import Task


def make_stage(task: Task) -> Stage:
    """The stage for the direct or the reverse question; their natural forms share the options."""
    made = Task(f"mc_{task}")
    return Stage(
        f"choices-{task}",
        f"choices {task}",
        UnitKind.CANDIDATE,
        after=("limits",),
        prompt="choices",
        inputs=partial(build_inputs, task),
        read=partial(read_options, task),
        makes=made,
        task=made,
        needs_tasks=(task,),
    )


def build_inputs(task: Task, view: View) -> dict[str, str]:
    """The passage, the question and its answer."""
    return data(
        context=view.text,
        question=question_of(view, task),
        answer=gold_of(view, task.side),
    )


def read_options(task: Task, reply: Said, view: View) -> End:
    """Four options, the gold answer first and as the fact has it."""
    golds = golds_of(view, task.side)
    gold, options = golds[0], stage_replies.options(reply)
    if wrong := code_checks.choice_faults(question_of(view, task), golds, options):
        raise OffFormatError(wrong[0])
    others = [option for option in options if text_match.key(option) != text_match.key(gold)]
    return KeptUnit({"choices": [gold, *others]})
