"""The entities of a passage after its first sentence. Source: Calderon et al., Box D.2."""

import re
from collections.abc import Iterable, Iterator

from rapidfuzz import fuzz

from core.pipeline import code_checks, sentence_splitter, stage_replies, text_match
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
from core.pipeline.stage_replies import EntityMark
from core.pipeline.stages.stage_inputs import data

MOST = 8
ALIKE = 90
"""How like the passage (per cent) a copy with marks must be: models mend letters here and there."""

NONE = "no entity"
NOT_IN_TEXT = "no entity stands in the text"
IN_FIRST = "every entity stands in the first sentence"


def build_inputs(view: View) -> dict[str, str]:
    """The first sentence, and what follows it."""
    first, second = parts(view.text)
    return data(first=first, second=second)


def parts(text: str) -> tuple[str, str]:
    """The first sentence of a text, and the rest."""
    first = sentence_splitter.sentences(text)[0]
    return first.strip(), text[len(first) :]


def read_entities(reply: Said, view: View) -> End:
    """The marked entities that stand in the second part, where they stand in the passage."""
    first, second = parts(view.text)
    if isinstance(reply, str):
        marks, plain = stage_replies.read_marks(reply.strip(), code_checks.TYPES)
    else:
        marks, plain = _find_marks(stage_replies.list_entities(reply), second), second
    if len(marks) > MOST:
        raise OffFormatError(f"more than {MOST} entities")
    if fuzz.ratio(" ".join(plain.split()), " ".join(second.split())) < ALIKE:
        raise OffFormatError("not the second part with marks")
    if not marks:
        return DroppedUnit(NONE)
    found = list(_place_marks(marks, plain, second, len(view.text) - len(second)))
    if not found:
        return DroppedUnit(NOT_IN_TEXT, marks[0].text[:200])
    kept = [mark for mark in found if not text_match.contains(first, mark.text)]
    if not kept:
        return DroppedUnit(IN_FIRST, found[0].text[:200])
    return KeptUnit(
        {"entities": [{"text": m.text, "type": m.type, "start": m.start} for m in kept]}
    )


def _find_marks(entities: Iterable[tuple[str, str]], second: str) -> list[EntityMark]:
    """Entities without places as marks where each stands first, in their order in the text."""
    found = []
    for text, kind in entities:
        match = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", second)
        found.append(EntityMark(text, kind, len(second) if match is None else match.start()))
    return sorted(found, key=lambda mark: mark.start)


def _place_marks(
    marks: list[EntityMark], plain: str, second: str, offset: int
) -> Iterator[EntityMark]:
    """Each mark at its place in the passage: where its text stands nearest to the copy's place."""
    scale = len(second) / max(len(plain), 1)
    end = 0
    for mark in marks:
        if not any(map(str.isalnum, mark.text)):
            continue
        whole = re.compile(rf"(?<!\w){re.escape(mark.text)}(?!\w)")
        places = [match.start() for match in whole.finditer(second, end)]
        if not places:
            continue
        start = min(places, key=lambda place: abs(place - mark.start * scale))
        end = start + len(mark.text)
        yield EntityMark(mark.text, mark.type, offset + start)


STAGE = Stage(
    "entities",
    "entities",
    UnitKind.PASSAGE,
    after=("classify",),
    prompt="entities",
    inputs=build_inputs,
    read=read_entities,
    room=BACK,
)
