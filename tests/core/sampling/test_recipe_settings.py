"""Temperature, effort and limits: in the requests, in the recipe, and as a label began."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import db.model_rows
from core.errors import UsageError
from core.project import OpenProject
from core.providers.base import Draw, Reply, Request
from core.providers.registry import describe
from core.sampling.model_list import catalogue, count_cut, find_cut_too_often
from core.sampling.recipe import recipe_for
from core.sampling.recipe_settings import AS_BEGUN, RecipeSettings, apply_settings
from core.sampling.sample_plan import Plan, check_plan
from core.vocabulary import Task
from tests.core.sampling.filling import run
from tests.core.sampling.scripted import MODEL, Scripted, say

EFFORT: Mapping[str, Any] = {
    "thinking_off": {"reasoning_effort": "none"},
    "thinking_on": {"reasoning_effort": "medium"},
    "thinking_room": [0, 16_384],
}


def settings(*limits: str, **more: Any) -> RecipeSettings:
    return RecipeSettings.from_words(more.get("temperature"), more.get("effort"), limits)


def test_limits_and_temperature_are_in_every_request(capitals: OpenProject, plan: Plan) -> None:
    asked = settings("questions=64", "direct=5", "steps=300", "choice=3", temperature=0.25)
    provider = Scripted(say("Paris"))
    run(capitals, provider, replace(plan, settings=asked))
    assert {request.temperature for request in provider.seen} == {0.25}
    limits = {
        (text.rpartition("\n")[2] or text, request.max_tokens)
        for request in provider.seen
        if (text := request.text or (request.messages or [])[-1].content)
    }
    assert ("What is the capital of France?", 5) in limits
    assert ("Which city is France's capital?", 64) in limits
    assert ("D) ", 3) in {(text[:3], number) for text, number in limits}
    assert {number for _, number in limits} == {24, 64, 5, 3, 300}


def test_a_label_goes_on_as_it_began(capitals: OpenProject, plan: Plan) -> None:
    asked = settings("questions=64", temperature=0.25)
    run(capitals, Scripted(say("Paris")), replace(plan, settings=asked, samples=1))
    again = check_plan(capitals, replace(plan, settings=AS_BEGUN))
    assert (again.temperature, again.max_tokens["question"]) == (0.25, 64)
    assert check_plan(capitals, replace(plan, settings=asked)) == again


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (settings(temperature=1.0), "temperature"),
        (settings("questions=32"), "max_tokens"),
        (settings("reverse=9"), "max_tokens"),
    ],
)
def test_another_value_asks_for_another_label(
    asked: RecipeSettings, what: str, capitals: OpenProject, plan: Plan
) -> None:
    begun = settings("questions=64", temperature=0.25)
    run(capitals, Scripted(say("Paris")), replace(plan, settings=begun, samples=1))
    with pytest.raises(UsageError, match=f"different: {what}.*--as"):
        check_plan(capitals, replace(plan, settings=asked))
    check_plan(capitals, replace(plan, settings=asked, label="another"))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("questions=0",), "--limit questions=0: give a number of tokens from 1"),
        (("questions",), "--limit questions: give a number"),
        (("questions=9999999",), "--limit questions=9999999: give a number"),
        (("questions=-1",), "--limit questions=-1"),
        (("oral=5",), "--limit oral=5: oral is none of completion, questions, choice, steps"),
    ],
)
def test_limits_that_cannot_be_are_refused(words: tuple[str, ...], line: str) -> None:
    with pytest.raises(UsageError, match=line):
        RecipeSettings.from_words(None, None, words)


def test_temperature_and_effort_are_checked() -> None:
    with pytest.raises(UsageError, match=r"--temperature 2\.5: give a number from 0 to 2"):
        RecipeSettings.from_words(2.5, None, ())
    with pytest.raises(UsageError, match="--temperature nan"):
        RecipeSettings.from_words(float("nan"), None, ())
    with pytest.raises(UsageError, match="--effort huge: choose one of minimal, low"):
        RecipeSettings.from_words(None, "huge", ())


def test_effort_goes_where_the_model_takes_it() -> None:
    known = replace(describe(MODEL), thinking="native", options=EFFORT)
    made = apply_settings(recipe_for(MODEL, None, known), settings(effort="high"), None)
    assert made.options["thinking_on"] == {"reasoning_effort": "high"}
    assert made.options["thinking_off"] == {"reasoning_effort": "none"}
    gemini = apply_settings(recipe_for("gemini:gemini-3-pro"), settings(effort="low"), None)
    assert gemini.options["thinking_on"] == {"include_thoughts": True, "thinking_level": "LOW"}


@pytest.mark.parametrize("model", [MODEL, "gemini:gemini-2.5-flash"])
def test_a_model_without_effort_says_who_has_it(model: str) -> None:
    with pytest.raises(UsageError, match=r"takes no --effort: .*reasoning_effort or thinking_lev"):
        apply_settings(recipe_for(model), settings(effort="low"), None)


def test_an_effort_stays_with_its_label() -> None:
    known = replace(describe(MODEL), thinking="native", options=EFFORT)
    begun = apply_settings(recipe_for(MODEL, None, known), settings(effort="high"), None)
    again = apply_settings(recipe_for(MODEL, None, known), AS_BEGUN, begun.as_json())
    assert again == begun


def cut_short(request: Request) -> Reply:
    """Answers to the natural direct question end at the limit."""
    asked = (request.messages or [])[-1].content
    ended = "length" if asked.startswith("Which city") or "The capital of" in asked else "stop"
    return Reply(tuple(Draw("Paris", ended) for _ in range(request.n)))  # type: ignore[arg-type]


def test_answers_cut_at_their_limit_are_counted_by_task(capitals: OpenProject, plan: Plan) -> None:
    wanted = replace(plan, thinking=(False,))
    run(capitals, Scripted(cut_short), wanted)
    cut = count_cut(capitals, plan.label)
    assert cut["direct_natural"] == 2 * 4
    assert set(cut) == {"completion", "direct_natural", "mc_direct_natural"}
    assert find_cut_too_often(capitals, plan.label, cut) == (str(Task.DIRECT_NATURAL),)
    recipe = db.model_rows.recipe_of(capitals.connection, plan.label)
    assert recipe is not None
    entry = next(one for one in catalogue(capitals.path) if one.model == plan.label)
    assert entry.as_json()["cut"] == cut
