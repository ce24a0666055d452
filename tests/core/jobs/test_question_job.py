"""A model writes questions of triples; what gives the answer away is asked for again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import db.prepared_triples
from core.fact_bench.question_work import FaultyDraftError, read_draft
from core.jobs.job_progress import State
from core.jobs.job_view import JobView
from core.jobs.service import Jobs
from core.project import Project
from core.providers.base import Draw, Reply, Request
from core.specs.build_specs import QuestionsSpec
from core.transfer import import_file
from tests.core.fact_bench.making import a_triple
from tests.core.jobs.making import asking, ended
from tests.core.making import new_project
from tests.core.sampling.scripted import Scripted

MODEL = "embedded:smollm2-135m"
TRIPLES: list[dict[str, Any]] = [
    {"id": f"t{n}", "subject": f"S{n}", "relation": "father", "object": f"Bo {n}"} for n in range(4)
]
LENGTH = {"id": "l", "subject": "Pier", "relation": "length", "object": "5", "unit": "km"}
ASKED = {"id": "q", "subject": "Di", "relation": "father", "object": "Bo", "question": "Who?"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "some.jsonl"
    rows = [*TRIPLES, LENGTH, ASKED, {**ASKED, "id": "none", "subject": "", "question": "What?"}]
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    with new_project(tmp_path / "some.db") as project:
        assert import_file(project, file, "triples").bad == 0
    return tmp_path / "some.db"


def answered(said: Callable[[str, int], str]) -> Scripted:
    """A model that answers by the last message and how often it was sent."""
    seen: dict[str, int] = {}

    def script(request: Request) -> Reply:
        assert request.messages is not None
        last = request.messages[-1].content
        seen[last] = seen.get(last, 0) + 1
        return Reply((Draw(said(last, seen[last]), "stop"),))

    return Scripted(script)


def write(path: Path, model: Scripted, spec: QuestionsSpec | None = None) -> JobView:
    jobs = Jobs(path, means=asking(model))
    return ended(jobs, jobs.start(spec or QuestionsSpec(MODEL)))


def questions(path: Path) -> dict[str, str]:
    with Project(path, "read") as project:
        rows = db.prepared_triples.of_set(project.connection, "some")
    return {one.fact_id: one.asked for one in rows}


def test_each_triple_without_a_question_gets_one(path: Path) -> None:
    model = answered(lambda last, times: '"What is this, in km?"')
    view = write(path, model)
    assert (view.state, view.reason) == (State.FINISHED, "5 questions")
    found = questions(path)
    assert all(found[f"t{n}"].startswith("What is this") for n in range(4))
    assert (found["q"], found["none"]) == ("Who?", "What?")
    last = [request.messages[-1].content for request in model.seen if request.messages]
    assert any('Subject: "Pier"' in one and 'Unit: "km"' in one for one in last)
    again = answered(lambda last, times: "")
    assert write(path, again).reason.startswith("every triple of some")
    assert again.seen == []


def test_a_draft_that_is_no_use_is_asked_for_again_twice(path: Path) -> None:
    def say(last: str, times: int) -> str:
        if '"S1"' in last:
            return "Is it Bo 1?" if times < 3 else "Who is the father of S1?"
        if '"Pier"' in last:
            return "How long is the pier?"
        return "Who is it?"

    model = answered(say)
    view = write(path, model)
    assert view.reason.startswith("4 questions; 1 failed (1: the question lacks the unit")
    found = questions(path)
    assert (found["t1"], found["l"]) == ("Who is the father of S1?", "")
    tries = [one for one in model.seen if one.messages and '"Pier"' in one.messages[-1].content]
    assert [one.temperature for one in tries] == [0.0, 0.6, 1.0]
    later = answered(lambda last, times: "How long is it, in kilometers?")
    assert write(path, later).reason == "1 questions"
    assert len(later.seen) == 1


def test_a_model_that_says_nothing_of_use_fails(path: Path) -> None:
    view = write(path, answered(lambda last, times: "No idea."))
    assert view.state is State.FAILED
    assert "0 questions; 5 failed (5: not a question)" in view.reason
    assert write(path, answered(lambda last, times: "x"), QuestionsSpec(MODEL, "none")).reason == (
        "no set named none: sets are some"
    )


@pytest.mark.parametrize(
    ("said", "reply", "fault"),
    [
        ({}, "Where was Ada born?", None),
        ({}, "“Where was Ada born?”", None),
        ({}, "", "the reply is empty"),
        ({}, "Where was Ada born", "not a question"),
        ({}, "Where?\nWhen?", "more than one line"),
        ({}, "Where but in RIGA?", "the answer stands in the question"),
        ({"answer_type": "number", "unit": "m", "object": "5"}, "How high?", "lacks the unit"),
        ({"answer_type": "number", "unit": "m", "object": "5"}, "How high, in meters?", None),
    ],
)
def test_drafts(said: dict[str, Any], reply: str, fault: str | None) -> None:
    if fault is None:
        assert read_draft(a_triple(**said), reply).endswith("?")
        return
    with pytest.raises(FaultyDraftError, match=fault):
        read_draft(a_triple(**said), reply)
