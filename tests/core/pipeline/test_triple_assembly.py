"""Triples without a question are units of building: a model asks them, or templates do."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.build_steps
import db.prepared_triples
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.pipeline.build_scope import scope_of
from core.pipeline.funnel import FunnelRow, funnel
from core.pipeline.stage import OffFormatError, View
from core.pipeline.stages.triple_questions import QUESTION, read_question
from core.project import OpenProject
from core.providers.base import Draw, Reply, Request, SchemaRefusedError
from core.specs.build_specs import BuildingSpec
from core.transfer.imports import import_file
from core.transfer.question_templates import add_questions
from tests.core.fact_bench.making import a_triple
from tests.core.jobs.making import asking, ended
from tests.core.making import new_project
from tests.core.pipeline.making import built, documents, made
from tests.core.sampling.scripted import Scripted
from tests.fakes.openai_schemas import say_in_json

MODEL, OTHER = "embedded:smollm2-135m", "openai:m@http://127.0.0.1:9/v1"
STAGE = QUESTION.name
TRIPLES: list[dict[str, Any]] = [
    {"id": f"t{n}", "subject": f"S{n}", "relation": "father", "object": f"Bo {n}"} for n in range(4)
]
LENGTH = {"id": "l", "subject": "Pier", "relation": "length", "object": "5", "unit": "km"}
ASKED = {"id": "q", "subject": "Di", "relation": "father", "object": "Bo", "question": "Who?"}
FATHER = {"father": "Who is the father of [X]?"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [*TRIPLES, LENGTH, ASKED, {**ASKED, "id": "none", "subject": "", "question": "What?"}]
    with new_project(tmp_path / "some.db") as project:
        add_set(project, tmp_path / "some.jsonl", rows)
    return tmp_path / "some.db"


def add_set(project: OpenProject, file: Path, rows: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    assert import_file(project, file, "triples").bad == 0


def answered(said: Callable[[str, int], str]) -> Scripted:
    """A model that answers by the last message and how often it was sent."""
    seen: dict[str, int] = {}

    def script(request: Request) -> Reply:
        assert request.messages is not None
        last = request.messages[-1].content
        seen[last] = seen.get(last, 0) + 1
        text = said(last, seen[last])
        if request.schema is not None:
            text = say_in_json(request.schema, text)
        return Reply((Draw(text, "stop"),))

    return Scripted(script)


def plain(last: str, times: int) -> str:
    return '"What is this, in km?"'


def write(path: Path, scripted: Scripted, **asked: Any) -> JobView:
    jobs = Jobs(path, means=asking(scripted))
    spec = {"model": MODEL, "only": STAGE, "only_failed": True}
    return ended(jobs, jobs.start(BuildingSpec(**{**spec, **asked})))


def questions(path: Path, name: str = "some") -> dict[str, str]:
    with OpenProject(path, "read") as project:
        rows = db.prepared_triples.read_set(project.connection, name)
    return {one.fact_id: one.asked for one in rows}


def standing_row(path: Path) -> FunnelRow:
    with OpenProject(path, "read") as project:
        (row,) = funnel(project.connection, scope_of(only=STAGE))
    return row


def test_each_triple_without_a_question_gets_one(path: Path) -> None:
    model = answered(plain)
    assert write(path, model).reason == f"5 kept by {STAGE}"
    found = questions(path)
    assert all(found[f"t{n}"].startswith("What is this") for n in range(4))
    assert (found["q"], found["none"]) == ("Who?", "What?")
    last = [request.messages[-1].content for request in model.seen if request.messages]
    assert any('Subject: "Pier"' in one and 'Unit: "km"' in one for one in last)
    assert (standing_row(path).kept, standing_row(path).waiting) == (5, 0)
    again = answered(lambda last, times: "")
    assert "nothing to do" in write(path, again).reason
    assert again.seen == []


def test_a_server_that_begins_to_refuse_schemas_is_asked_as_text(path: Path) -> None:
    def script(request: Request) -> Reply:
        if request.schema is not None:
            raise SchemaRefusedError("response_format is not supported")
        return Reply((Draw("What is this, in km?", "stop"),))

    jobs = Jobs(path, means=asking(Scripted(script)))
    key = jobs.start(BuildingSpec(MODEL, only=STAGE, only_failed=True))
    assert ended(jobs, key).reason == f"5 kept by {STAGE}"
    warned = [one.text for one in jobs.log(key) if one.kind == "warn" and "schema" in one.text]
    assert warned == [
        f"{MODEL} refused a schema and was asked as text: response_format is not supported"
    ]


def test_a_draft_that_is_no_use_is_asked_for_again_twice(path: Path) -> None:
    def say(last: str, times: int) -> str:
        if '"S1"' in last:
            return "Is it Bo 1?" if times < 3 else "Who is the father of S1?"
        if '"Pier"' in last:
            return "How long is the pier?"
        return "Who is it?"

    model = answered(say)
    view = write(path, model)
    assert view.reason.startswith(f"4 kept by {STAGE}, 1 failed")
    assert list(standing_row(path).failed) == [
        "off format: the question lacks the unit of its number"
    ]
    found = questions(path)
    assert (found["t1"], found["l"]) == ("Who is the father of S1?", "")
    tries = [one for one in model.seen if one.messages and '"Pier"' in one.messages[-1].content]
    assert [one.temperature for one in tries] == [0.0, 0.6, 1.0]
    later = answered(lambda last, times: "How long is it, in kilometers?")
    assert write(path, later).reason == f"1 kept by {STAGE}"
    assert len(later.seen) == 1


def test_the_steps_of_a_question_are_kept_with_its_fact(path: Path) -> None:
    write(path, answered(plain))
    with OpenProject(path, "read") as project:
        one = db.prepared_triples.read_set(project.connection, "some")[0]
        steps = {s.stage: s for s in db.build_steps.steps_of_fact(project.connection, one.fact)}
    assert json.loads(steps[STAGE].raw or "") == {"question": plain("", 1)}
    assert steps[STAGE].value == {"question": "What is this, in km?"}


def test_a_stage_done_anew_writes_new_versions_and_leaves_imported_ones(path: Path) -> None:
    write(path, answered(plain))
    asked = answered(lambda last, times: "Which one, in kilometers?")
    view = write(path, asked, model=OTHER, redo=STAGE)
    assert view.reason == f"5 kept by {STAGE}"
    found = questions(path)
    assert {found[f"t{n}"] for n in range(4)} == {"Which one, in kilometers?"}
    assert found["q"] == "Who?"


def test_templates_are_steps_of_the_stage(path: Path) -> None:
    with OpenProject(path, "write") as project:
        added = add_questions(project, "some", FATHER)
    assert (added.added, added.left) == (4, {"length": 1})
    assert questions(path)["t2"] == "Who is the father of S2?"
    assert (standing_row(path).kept, standing_row(path).waiting) == (4, 1)
    model = answered(plain)
    assert write(path, model).reason == f"1 kept by {STAGE}"
    view = write(path, answered(plain), redo=STAGE)
    assert view.reason == f"4 kept by {STAGE}"
    assert questions(path)["t2"] == "What is this, in km?"


def test_a_template_asks_what_a_model_has_failed_with(path: Path) -> None:
    write(path, answered(lambda last, times: "No idea."))
    assert standing_row(path).failed.total() == 5
    with OpenProject(path, "write") as project:
        assert add_questions(project, "some", FATHER).added == 4
    row = standing_row(path)
    assert (row.kept, row.failed.total()) == (4, 1)


def test_one_set_alone(path: Path, tmp_path: Path) -> None:
    with OpenProject(path, "write") as project:
        add_set(project, tmp_path / "more.jsonl", [{**TRIPLES[0], "id": "m", "subject": "More"}])
    model = answered(plain)
    assert write(path, model, set_name="more").reason == f"1 kept by {STAGE}"
    assert len(model.seen) == 1
    assert questions(path, "more") == {"m": "What is this, in km?"}
    assert questions(path)["t0"] == ""


def test_a_whole_build_asks_triples_first_and_goes_on_from_there(path: Path) -> None:
    seen: list[str] = []

    def say(last: str, times: int) -> str:
        seen.append(last)
        return plain(last, times) if "Property:" in last else "No idea."

    write(path, answered(say), only=None, until="reverse", only_failed=False)
    assert sum("Property:" in one for one in seen) == 5
    assert questions(path)["t0"] == "What is this, in km?"
    with OpenProject(path, "read") as project:
        rows = {row.stage.name: row for row in funnel(project.connection)}
    assert rows["direct"].taken == 0
    assert rows["reverse"].failed.total() == 7


def test_documents_pass_the_stage_by(tmp_path: Path) -> None:
    path = made(tmp_path / "built.db", documents(1))
    result, view = built(path)
    assert STAGE not in {stage.name for stage in view.stages}
    assert "built" in result.said
    with OpenProject(path, "read") as project:
        row = next(row for row in funnel(project.connection) if row.stage.name == STAGE)
    assert row.is_idle


@pytest.mark.parametrize(
    ("said", "reply", "fault"),
    [
        ({}, "Where was Ada born?", None),
        ({}, "“Where was Ada born?”", None),
        ({}, "Where was Ada born", "not a question"),
        ({}, "Where?\nWhen?", "more than one line"),
        ({}, "Where but in RIGA?", "the answer stands in the question"),
        ({"answer_type": "number", "unit": "m", "object": "5"}, "How high?", "lacks the unit"),
        ({"answer_type": "number", "unit": "m", "object": "5"}, "How high, in meters?", None),
    ],
)
def test_drafts(said: dict[str, Any], reply: str, fault: str | None) -> None:
    view = View(1, "", "", triple=a_triple(**said))
    if fault is None:
        read_question(reply, view)
        return
    with pytest.raises(OffFormatError, match=fault):
        read_question(reply, view)
