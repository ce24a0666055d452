"""The question of a triple that was imported without one.

It is specific, names the unit of a number, and does not give its answer away.
Source: FACT-BENCH, section 2.1 and table 6.
"""

from dataclasses import replace

from core.dataset.answer_types import NUMBER
from core.pipeline import code_checks, stage_replies
from core.pipeline.stage import (
    End,
    KeptUnit,
    OffFormatError,
    ReplyRoom,
    Said,
    Stage,
    UnitKind,
    View,
)
from core.pipeline.stages.stage_inputs import data
from core.pipeline.triple_checks import leaks
from core.pipeline.triple_text import names_unit
from core.vocabulary import Task
from db.prepared_triples import SetTriple

NO_UNIT = "the question lacks the unit of its number"


def build_inputs(view: View) -> dict[str, str]:
    """Subject, property, object and unit."""
    triple = _triple(view)
    return data(
        subject=triple.subject,
        relation=triple.relation,
        object=triple.object,
        unit=triple.unit,
    )


def read_question(reply: Said, view: View) -> End:
    """A question that the triple can be asked by; another one is asked for again."""
    triple = _triple(view)
    asked = replace(triple, asked=stage_replies.question(reply))
    if leaks(asked):
        raise OffFormatError(code_checks.ANSWER_IN_QUESTION)
    if triple.answer_type == NUMBER and triple.unit and not names_unit(asked):
        raise OffFormatError(NO_UNIT)
    return KeptUnit({"question": asked.asked})


def _triple(view: View) -> SetTriple:
    assert view.triple is not None, "a stage of triples takes no other unit"
    return view.triple


QUESTION = Stage(
    "triple-question",
    "triple question",
    UnitKind.CANDIDATE,
    after=("downsample",),
    prompt="triple-question",
    inputs=build_inputs,
    read=read_question,
    makes=Task.DIRECT,
    task=Task.DIRECT,
    room=ReplyRoom(128),
)
