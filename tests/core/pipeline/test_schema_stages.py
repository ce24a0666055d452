"""Stages that are asked for JSON come to the ends that they come to by text."""

import json
from pathlib import Path
from typing import Any

import pytest

import prompts
from core.pipeline import stage_replies
from core.pipeline.grounding.web_search import WebSearch
from core.pipeline.stage import DroppedUnit, KeptUnit, OffFormatError, View
from core.pipeline.stage_replies import RejectedQuestion, SuitabilityVerdict
from core.pipeline.stage_requests import Asker, StageModel
from core.pipeline.stage_table import BY_NAME, STAGES
from core.pipeline.stages import entities
from core.providers.capabilities import Capabilities
from prompts.template import read_source

MODEL = "openai:m@http://127.0.0.1:9/v1"
TEXT = (
    "Mary Anning was a fossil collector. In 1823 she found a Plesiosaurus near Lyme. "
    "Her dog Tray died in 1833."
)
PASSAGE = View(1, "Mary Anning", TEXT)


def asker(replies: Any, folder: Path | None = None) -> Asker:
    model = StageModel(MODEL, Capabilities(replies=replies))
    return Asker(model, model, WebSearch(MODEL), folder)


HELD = asker("schema")
BY_MODEL = [one for one in STAGES if one.prompt is not None]


@pytest.mark.parametrize("stage", BY_MODEL, ids=lambda one: one.name)
def test_every_stage_that_asks_a_model_has_a_shape(stage: Any) -> None:
    assert HELD.form(stage) == "schema"
    assert asker("text").form(stage) == "text"
    assert HELD.version(stage) != asker("text").version(stage)


def test_a_search_is_asked_for_text() -> None:
    assert {HELD.form(one) for one in STAGES if one.grounded} == {"text"}


def test_a_request_has_the_schema_of_its_form_alone() -> None:
    stage = BY_NAME["classify"]
    asked = HELD.build_question(stage, PASSAGE)
    held, plain = HELD.request(stage, asked, 0, "schema"), HELD.request(stage, asked, 0)
    assert plain.schema is None
    assert held.schema is not None
    assert list(held.schema["properties"]) == ["name"]
    assert held.messages != plain.messages


def test_a_template_of_a_person_without_a_shape_is_asked_as_text(tmp_path: Path) -> None:
    lines = read_source("classify").split("\n")
    kept = [line for line in lines if not line.startswith("#: ")]
    start = kept.index("[reply]")
    (tmp_path / "classify.md").write_text("\n".join(kept[:start] + kept[start + 3 :]))
    assert prompts.load("classify", tmp_path, "schema").reply is None
    assert asker("schema", tmp_path).form(BY_NAME["classify"]) == "text"


@pytest.mark.parametrize("reply", ["People", '{"name": "Nobody"}', '{"name": "People"', "{}"])
def test_what_has_not_the_shape_is_off_format(reply: str) -> None:
    with pytest.raises(OffFormatError):
        HELD.read_shape(BY_NAME["classify"], reply)


def test_entities_are_found_where_they_stand() -> None:
    said = {
        "entities": [
            {"text": "Tray", "type": "IDENTIFIER"},
            {"text": "1823", "type": "DATE"},
            {"text": "Bath", "type": "LOCATION"},
            {"text": "Mary Anning", "type": "PERSON"},
        ]
    }
    stage = BY_NAME["entities"]
    end = entities.read_entities(HELD.read_shape(stage, json.dumps(said)), PASSAGE)
    assert isinstance(end, KeptUnit)
    assert [(one["text"], one["start"]) for one in end.value["entities"]] == [
        ("1823", TEXT.index("1823")),
        ("Tray", TEXT.index("Tray")),
    ]
    assert entities.read_entities({"entities": []}, PASSAGE) == DroppedUnit(entities.NONE)
    nowhere = {"entities": [{"text": "Bath", "type": "LOCATION"}]}
    assert entities.read_entities(nowhere, PASSAGE) == DroppedUnit(entities.NOT_IN_TEXT, "Bath")


@pytest.mark.parametrize(
    ("read", "said", "wanted"),
    [
        ("verdict", {"verdict": "SUITABLE", "reason": ""}, SuitabilityVerdict(True)),
        ("verdict", {"verdict": "NO", "reason": "a\nb"}, SuitabilityVerdict(False, "a b")),
        ("question", {"question": "Who\nwas it?"}, "Who was it?"),
        ("contextual", {"question": "So. Who was it?"}, "So. Who was it?"),
        (
            "question_or_rejection",
            {"rejected": True, "question": "", "reason": "vague"},
            RejectedQuestion("vague"),
        ),
        (
            "question_or_rejection",
            {"rejected": False, "question": "Who?", "reason": ""},
            "Who?",
        ),
        (
            "reverse",
            {"rejected": False, "question": "Who?", "subject": "Mary", "reason": ""},
            ("Who?", "Mary"),
        ),
        ("options", {"options": ["a", "b", "c", "d"]}, ["a", "b", "c", "d"]),
    ],
)
def test_json_is_read_as_text_is(read: str, said: Any, wanted: object) -> None:
    assert getattr(stage_replies, read)(said) == wanted


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ("question", {"question": "no question"}),
        ("question", {"question": "Who is <b>it</b>?"}),
        ("question", {"question": "Who\x00?"}),
        ("options", {"options": ["a", "b", "c"]}),
        ("reverse", {"rejected": False, "question": "Who?", "subject": "", "reason": ""}),
    ],
)
def test_what_no_text_may_say_no_json_may(read: str, said: Any) -> None:
    with pytest.raises(OffFormatError):
        getattr(stage_replies, read)(said)
