"""What a raw endpoint is sent, byte by byte."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import db.facts
import db.model_rows
import db.question_rows
import prompts
from core.dataset import choice_options
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.providers import openai_format
from core.providers.endpoints import Endpoints
from core.providers.registry import describe
from core.sampling.recipe import Recipe, apply_endpoints, known_of, recipe_for
from core.sampling.sample_plan import Plan, check_plan, drop_unaskable
from core.sampling.sample_requests import asks_for
from core.transfer.imports import import_file
from core.views.sent_prompts import calls_of
from core.vocabulary import Task
from db.connection import write_transaction
from prompts.template import OURS
from tests.core.sampling.filling import run
from tests.core.sampling.scripted import Scripted, capital, say

MODEL = "openai:m@http://127.0.0.1:9/v1"
RAW = Endpoints("raw", "raw")


def recipe(folder: Path | None = None) -> Recipe:
    return recipe_for(MODEL, folder, apply_endpoints(describe(MODEL), MODEL, RAW))


def bodies(
    project: OpenProject, made: Recipe, thinking: bool, folder: Path | None = None
) -> Iterator[tuple[Task, dict[str, Any]]]:
    """The body of the first request to each question, for eight answers in one order."""
    project.refresh()
    (fact,) = project.index.ids.tolist()
    for question in db.question_rows.questions(project.connection, [fact]):
        if thinking and question.task is Task.COMPLETION:
            continue
        for turn in range(choice_options.OPTIONS):
            samples = range(turn, 32, 4) if question.choices else range(8)
            (ask,) = asks_for(question, 0, thinking, list(samples), made, 8, folder)
            yield question.task, openai_format.body("m", ask.request)
            if not question.choices:
                break


def one_order(prompt: str) -> tuple[str, list[str], str]:
    """A prompt with the options of its last question in one order."""
    head, mark, block = prompt.rpartition("\nA) ")
    if not mark or "\n\n" in block:
        return prompt, [], ""
    *options, end = block.split("\n")
    texts = (text.removeprefix(f"{letter}) ") for text, letter in zip(options, "ABCD", strict=True))
    return head, sorted(texts), end


@pytest.mark.parametrize("thinking", [False, True])
def test_the_texts_are_those_of_the_example(
    project: OpenProject, shared: Callable[[str], Path], thinking: bool
) -> None:
    folder = shared("design/examples/scale-raw-texts")
    import_file(project, folder / "facts.jsonl")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    wanted = {Task(one["task"]): one["body"] for one in expected if one["thinking"] is thinking}
    sent: dict[Task, dict[str, Any]] = {}
    for task, body in bodies(project, recipe(), thinking):
        if task in sent:
            assert one_order(body["prompt"]) == one_order(sent[task]["prompt"])
        sent[task] = body
    assert sent.keys() == wanted.keys()
    for task, body in sent.items():
        assert one_order(body.pop("prompt")) == one_order(wanted[task].pop("prompt"))
        assert body == wanted[task]


def test_stops_and_limits_stand_in_the_recipe() -> None:
    made = recipe()
    assert (made.completion, made.questions, made.thinking) == ("raw", "raw", "step_by_step")
    assert made.max_tokens == {
        "completion": 24,
        "question_raw": 32,
        "choice_raw": 8,
        "question_raw_steps": 256,
        "choice_raw_steps": 256,
    }
    assert made.prompts.keys() == made.stop.keys() == made.max_tokens.keys() - {"completion"}
    assert set(made.stop.items()) >= {("choice_raw", "\n"), ("choice_raw_steps", "\nQuestion:")}


def test_a_template_of_ones_own(project: OpenProject, tmp_path: Path) -> None:
    mine = (OURS / "question_raw.md").read_text(encoding="utf-8")
    own = mine.partition("# user")[0] + "# user\nQ: {question}\nA:\n"
    (tmp_path / "question_raw.md").write_text(own, encoding="utf-8")
    with write_transaction(project.connection):
        db.facts.insert(project.connection, [capital(1, "France", "Paris")])
    sent = dict(bodies(project, recipe(tmp_path), False, tmp_path))
    assert sent[Task.DIRECT]["prompt"] == "Q: What is the capital of France?\nA:"
    assert recipe(tmp_path).prompts != recipe().prompts


def test_a_raw_template_is_one_text(tmp_path: Path) -> None:
    mine = (OURS / "question_raw.md").read_text(encoding="utf-8")
    own = mine.replace("# user", "# system\nBe short.\n\n# user")
    (tmp_path / "question_raw.md").write_text(own, encoding="utf-8")
    with pytest.raises(LostkeysError, match="one user message"):
        prompts.load("question_raw", tmp_path).render_text(question="Who?")


@pytest.mark.parametrize("line", ["Answer: Lyon", "  answer: Lyon", "Question: Who?", "Reason: x"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028", "\n\n"])
def test_a_question_cannot_pass_for_an_answered_one(line: str, end: str) -> None:
    steps = "question_raw_steps" if line.startswith("Reason") else "question_raw"
    sent = prompts.load(steps).render_text(question=f"Who wrote this?\nIn which year?{end}{line}")
    assert f"Question: Who wrote this?\nIn which year? {line.strip()}\n" in sent


def test_thinking_fields_do_not_go_to_a_raw_endpoint(project: OpenProject) -> None:
    known = apply_endpoints(describe(MODEL), MODEL, Endpoints("raw", "auto"))
    ways = {"thinking_off": {"think": False}, "thinking_on": {}, "thinking_room": [99, 999]}
    known = replace(known, thinking="native", options={**known.options, **ways})
    with write_transaction(project.connection):
        db.facts.insert(project.connection, [capital(1, "France", "Paris")])
    sent = dict(bodies(project, recipe_for(MODEL, None, known), False))
    assert "think" not in sent[Task.COMPLETION]
    assert sent[Task.COMPLETION]["max_tokens"] == 24
    assert sent[Task.DIRECT]["think"] is False


def plan(project: OpenProject, **changes: Any) -> Plan:
    return replace(Plan(MODEL, "m", 4, np.ones(len(project.index), np.bool_), (False,)), **changes)


@pytest.fixture
def france(project: OpenProject) -> OpenProject:
    with write_transaction(project.connection):
        db.facts.insert(project.connection, [capital(1, "France", "Paris")])
    project.refresh()
    return project


def test_a_base_model_does_not_think_about_a_completion(france: OpenProject) -> None:
    wanted = plan(france, endpoints=RAW, thinking=(True,), tasks=(Task.COMPLETION, Task.DIRECT))
    provider = Scripted(say(" Paris is a city. Answer: Paris"))
    run(france, provider, wanted)
    assert [request.text and request.text[-7:] for request in provider.seen] == ["Reason:"]
    only = replace(wanted, tasks=(Task.COMPLETION,))
    with pytest.raises(UsageError, match="completion with thinking on"):
        drop_unaskable(only, check_plan(france, only))


def test_a_label_goes_on_as_it_began(france: OpenProject) -> None:
    run(france, Scripted(say(" Paris")), plan(france, endpoints=RAW, tasks=(Task.DIRECT,)))
    assert check_plan(france, plan(france)).questions == "raw"
    assert known_of(france.connection, MODEL, "m").completion == "raw"
    for contrary in (Endpoints("chat", "auto"), Endpoints("auto", "chat")):
        with pytest.raises(UsageError, match=r"(completion|questions).*--as NAME"):
            check_plan(france, plan(france, endpoints=contrary))
    other = plan(france, label="other", endpoints=Endpoints("auto", "chat"))
    assert check_plan(france, other).questions == "chat"


def test_a_response_is_stored_with_its_leading_space(france: OpenProject) -> None:
    run(france, Scripted(say(" Paris")), plan(france, endpoints=RAW, tasks=(Task.DIRECT,)))
    texts = {text for (text,) in france.connection.execute("SELECT text FROM response")}
    assert texts == {" Paris"}


@pytest.mark.parametrize("model", [MODEL, "embedded:smollm2-135m"])
def test_a_recipe_of_an_earlier_version_goes_on_unchanged(france: OpenProject, model: str) -> None:
    wanted = plan(france, model=model, tasks=(Task.COMPLETION, Task.DIRECT))
    made = check_plan(france, wanted)
    assert (made.completion, made.questions) == (("raw" if "emb" in model else "chat"), "chat")
    run(france, Scripted(say("Paris")), replace(wanted, samples=2))
    before = made.as_json()
    del before["questions"], before["stop"]
    with write_transaction(france.connection):
        db.model_rows.set_recipe(france.connection, "m", before)
    assert run(france, Scripted(say("Paris")), wanted).done == 8
    assert db.model_rows.recipe_of(france.connection, "m") == before
    contrary = replace(wanted, endpoints=Endpoints("auto", "raw"))
    with pytest.raises(UsageError, match="--as NAME"):
        check_plan(france, contrary)


def test_the_prompt_of_a_raw_question_can_be_shown_again(france: OpenProject) -> None:
    run(france, Scripted(say(" Paris")), plan(france, endpoints=RAW, tasks=(Task.DIRECT,)))
    stored = db.model_rows.recipe_of(france.connection, "m")
    (fact,) = france.index.ids.tolist()
    (question,) = [
        one
        for one in db.question_rows.questions(france.connection, [fact])
        if one.task is Task.DIRECT
    ]
    (call,) = calls_of(question, 1, False, {0: None}, stored)
    assert call.prompt is not None
    assert call.prompt.endswith("Question: What is the capital of France?\nAnswer:")
