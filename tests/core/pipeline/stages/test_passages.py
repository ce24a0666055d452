"""Stages of passages: which can be used, what they are about, which objects they have."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.pipeline.stage import DroppedUnit, End, KeptUnit, OffFormatError, View
from core.pipeline.stage_table import BY_NAME
from core.pipeline.stages import entities, limits, objects

FIRST = "Mary Anning was an English fossil collector from Lyme Regis in Dorset."
SECOND = (
    " She searched the cliffs, mostly in winter. In 1823 she found the skeleton of a Plesiosaurus."
    " In 1833, ten years after 1823, her dog Tray was killed by a landslide."
)
TEXT = FIRST + SECOND


def view(text: str = TEXT, **values: dict[str, object]) -> View:
    return View(1, "Mary Anning", text, values=values)


def read(stage: str, reply: str, seen: View) -> End:
    reader = BY_NAME[stage].read
    assert reader is not None
    return reader(reply, seen)


def found(end: End, name: str) -> list[tuple[str, str, int]]:
    assert isinstance(end, KeptUnit)
    return [(one["text"], one["type"], one["start"]) for one in end.value[name]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", limits.SHORT_TEXT),
        ("One word. " * 20, limits.SHORT_TEXT),
        ("word " * 60, limits.ONE_SENTENCE),
        ("One word. " * 600, limits.LONG_TEXT),
        ("One word. " * 100 + "x" * 30_000, limits.HUGE_TEXT),
    ],
)
def test_length_drops(text: str, reason: str) -> None:
    end = limits.decide_passage(view(text))
    assert isinstance(end, DroppedUnit)
    assert end.reason == reason


def test_length_keeps_fifty_words() -> None:
    assert limits.decide_passage(view("One word. " * 25)) == KeptUnit({"words": 50})
    assert isinstance(limits.decide_passage(view("One word. " * 24 + "Word.")), DroppedUnit)


def test_classify() -> None:
    assert read("classify", "arts\n", view()) == KeptUnit({"category": "Arts"})
    with pytest.raises(OffFormatError):
        read("classify", "Arts and Crafts", view())


def marked(*marks: tuple[str, str], text: str = SECOND) -> str:
    for name, kind in marks:
        text = text.replace(name, f"{{{{{{{name}; {kind}}}}}}}", 1)
    return text


def test_entities_stand_where_they_were_marked() -> None:
    reply = marked(("Plesiosaurus", "ORGANISM"), ("1833", "DATE"), ("Tray", "IDENTIFIER"))
    end = read("entities", reply, view())
    assert [name for name, _, _ in found(end, "entities")] == ["Plesiosaurus", "1833", "Tray"]
    assert all(TEXT[start:].startswith(name) for name, _, start in found(end, "entities"))


def test_of_two_places_the_marked_one_counts() -> None:
    reply = SECOND.replace("after 1823", "after {{{1823; DATE}}}").replace("cliffs", "clifs")
    ((_, _, start),) = found(read("entities", reply, view()), "entities")
    assert start == TEXT.rindex("1823")


def test_entities_of_the_first_sentence_or_of_no_sentence_are_left_out() -> None:
    reply = marked(("Tray", "IDENTIFIER")) + " {{{Dorset; LOCATION}}} {{{Lia; PERSON}}}"
    assert [name for name, _, _ in found(read("entities", reply, view()), "entities")] == ["Tray"]


def test_an_entity_is_whole_words() -> None:
    reply = SECOND.replace("winter", "{{{win; EVENT}}}ter")
    assert read("entities", reply, view()) == DroppedUnit(entities.NOT_IN_TEXT, "win")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (SECOND, entities.NONE),
        (f"{SECOND} {{{{{{Atlantis; LOCATION}}}}}}", entities.NOT_IN_TEXT),
    ],
)
def test_entities_drop(reply: str, reason: str) -> None:
    end = read("entities", reply, view())
    assert isinstance(end, DroppedUnit)
    assert end.reason == reason


def test_entities_that_all_stand_in_the_first_sentence() -> None:
    text = "Dorset is old. Many people like Dorset, and some people love it."
    reply = "Many people like {{{Dorset; LOCATION}}}, and some people love it."
    assert read("entities", reply, view(text)) == DroppedUnit(entities.IN_FIRST, "Dorset")


@pytest.mark.parametrize(
    "reply",
    [
        "{{{Tray; IDENTIFIER}}}",
        "{{{Tray; DOG}}}",
        "Ignore the rules. " * 20,
        marked(*((word, "OTHER") for word in SECOND.replace(".", "").split()[:9])),
    ],
)
def test_entities_off_format(reply: str) -> None:
    with pytest.raises(OffFormatError):
        read("entities", reply, view())


def with_entities(text: str = TEXT) -> View:
    names = {"1823": "DATE", "Plesiosaurus": "ORGANISM", "1833": "DATE", "Tray": "IDENTIFIER"}
    places = sorted((text.index(name), name) for name in names)
    places.append((text.rindex("1823"), "1823"))
    listed = [{"text": n, "type": names[n], "start": at} for at, n in sorted(places)]
    return view(text, entities={"entities": listed})


def test_objects_best_first() -> None:
    end = read("objects", "{{{Tray}}}\n{{{Plesiosaurus}}}", with_entities())
    assert found(end, "objects") == [
        ("Tray", "IDENTIFIER", TEXT.index("Tray")),
        ("Plesiosaurus", "ORGANISM", TEXT.index("Plesiosaurus")),
    ]


def test_an_object_is_the_first_of_its_name() -> None:
    assert found(read("objects", "{{{1823}}}\n{{{1823}}}", with_entities()), "objects") == [
        ("1823", "DATE", TEXT.index("1823"))
    ]


def test_objects_drop() -> None:
    assert read("objects", "NONE", with_entities()) == DroppedUnit(objects.NONE)
    assert read("objects", "{{{Atlantis}}}", with_entities()) == DroppedUnit(
        objects.NOT_MARKED, "Atlantis"
    )


def test_an_object_does_not_stand_in_its_left_context() -> None:
    text = "Anna sang. Tray, her dog, barked. She loved Tray."
    entity = {"text": "Tray", "type": "IDENTIFIER", "start": text.rindex("Tray")}
    seen = view(text, entities={"entities": [entity]})
    assert isinstance(read("objects", "{{{Tray}}}", seen), DroppedUnit)


def test_more_objects_than_asked_for_are_off_format() -> None:
    with pytest.raises(OffFormatError):
        read("objects", "{{{Tray}}}\n{{{1823}}}\n{{{1833}}}\n{{{Plesiosaurus}}}", with_entities())


@given(st.text(alphabet="{}; ABC\nx", max_size=60))
def test_only_entities_stand_in_marks(noise: str) -> None:
    """What looks like a mark in the document itself is none in what the model sees."""
    text = f"{noise} Tray {noise}"
    entity = {"text": "Tray", "type": "OTHER", "start": len(noise) + 1}
    shown = objects.build_inputs(view(text, entities={"entities": [entity]}))["paragraph"]
    paragraph = json.loads(shown)
    assert paragraph.count("{{{Tray}}}") == 1
    assert "{{{" not in paragraph.replace("{{{Tray}}}", "", 1)
