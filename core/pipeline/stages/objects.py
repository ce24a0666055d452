"""The objects of a passage: entities that complete its left context. Source: Box D.3.

Each object that is kept becomes a candidate for a fact.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.pipeline import code_checks, stage_replies, text_match
from core.pipeline.stage import DroppedUnit, End, KeptUnit, Said, Stage, UnitKind, View
from core.pipeline.stages.stage_inputs import data

MOST = 3

NONE = "no suitable object"
NOT_MARKED = "no object is a marked entity"

Entity = Mapping[str, Any]


def build_inputs(view: View) -> dict[str, str]:
    """The passage with its entities in marks, and how many to choose."""
    return data(paragraph=_mark_entities(view.text, view["entities"]["entities"])) | {
        "most": str(MOST)
    }


def read_objects(reply: Said, view: View) -> End:
    """The chosen entities that are fit to be objects, best first."""
    names = stage_replies.read_names(reply, MOST)
    if not names:
        return DroppedUnit(NONE)
    entities: list[Entity] = view["entities"]["entities"]
    chosen = [entity for name in dict.fromkeys(names) for entity in _first(name, entities)]
    if not chosen:
        return DroppedUnit(NOT_MARKED, names[0][:200])
    fit = [one for one in chosen if not text_match.contains(view.text[: one["start"]], one["text"])]
    if not fit:
        return DroppedUnit(code_checks.OBJECT_IN_CONTEXT, str(chosen[0]["text"])[:200])
    return KeptUnit({"objects": [dict(entity) for entity in fit]})


def _first(name: str, entities: Iterable[Entity]) -> list[Entity]:
    """The first entity of a name: where it stands again, its left context holds it."""
    return [entity for entity in entities if " ".join(str(entity["text"]).split()) == name][:1]


def _mark_entities(text: str, entities: Iterable[Entity]) -> str:
    """A text with its entities in marks; what looks like one in the text itself is broken up."""
    pieces, end = [], 0
    for entity in entities:
        start, name = entity["start"], str(entity["text"])
        pieces += [_break_marks(text[end:start]), "{{{", name, "}}}"]
        end = start + len(name)
    return "".join([*pieces, _break_marks(text[end:])])


def _break_marks(text: str) -> str:
    return text.replace("{{{", "{ { {").replace("}}}", "} } }")


STAGE = Stage(
    "objects",
    "objects",
    UnitKind.PASSAGE,
    after=("entities",),
    prompt="objects",
    inputs=build_inputs,
    read=read_objects,
)
