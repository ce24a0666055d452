"""The prompts behind stored answers, told from recipes out of the file."""

import pytest

from core.sampling.recipe import recipe_for
from core.views import sent_prompts
from core.views.sent_prompts import Call, calls_of
from core.vocabulary import Task
from db.question_rows import Gold, StoredQuestion

QUESTION = StoredQuestion(1, 1, "f", Task.DIRECT, "Where?", None, None, Gold("Tartu"))
RECIPE = recipe_for("openai:some").as_json()


def only_call(recipe: dict[str, object] | None) -> Call:
    (call,) = calls_of(QUESTION, 1, False, {0: None}, recipe)
    return call


def test_the_prompt_is_told_from_the_recipe() -> None:
    assert "Where?" in (only_call(RECIPE).prompt or "")


@pytest.mark.parametrize(
    "change",
    [
        {"prompts": 5},
        {"prompts": {}},
        {"prompts": {"question": "another"}},
        {"max_tokens": {}},
        {"options": None},
        {"thinking": 1},
        {"unheard_of": 1},
    ],
)
def test_a_recipe_that_makes_no_sense_gives_no_prompt(change: dict[str, object]) -> None:
    stored = {**RECIPE, **change}
    assert only_call(stored) == Call(False, None, stored, (0,))


@pytest.mark.parametrize("fault", [AttributeError, TypeError])
def test_a_fault_of_the_program_is_no_missing_prompt(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise fault("ours")

    monkeypatch.setattr(sent_prompts, "asks_for", broken)
    with pytest.raises(fault, match="ours"):
        only_call(RECIPE)
