"""The six task templates: what they take and what they ask for (Calderon et al., Box D.17)."""

import pytest

import prompts

OPTIONS = ("option_a", "option_b", "option_c", "option_d")
INPUTS = {
    "completion": ("left_context",),
    "question": ("question",),
    "choice": ("question", *OPTIONS),
}
BOTH = [name + steps for name in INPUTS for steps in ("", "_steps")]


def rendered(name: str) -> tuple[prompts.Message, ...]:
    prompt = prompts.load(name)
    return prompt.render(**{key: f"[{key}]" for key in prompt.inputs})


@pytest.mark.parametrize("name", BOTH)
def test_inputs(name: str) -> None:
    assert prompts.load(name).inputs == INPUTS[name.removesuffix("_steps")]


@pytest.mark.parametrize("name", BOTH)
def test_each_input_stands_once_and_in_the_last_message(name: str) -> None:
    *before, last = rendered(name)
    for key in prompts.load(name).inputs:
        assert last.content.count(f"[{key}]") == 1
        assert not any(f"[{key}]" in message.content for message in before)


@pytest.mark.parametrize("name", [name for name in BOTH if name.endswith("_steps")])
def test_steps_end_in_an_answer_and_show_how(name: str) -> None:
    messages = rendered(name)
    assert "Answer:" in messages[0].content
    examples = [message.content for message in messages if message.role == "assistant"]
    assert len(examples) <= 1
    for example in examples:
        assert example.count("Answer:") == 1
        assert len(example.split("Answer:")[1].split()) == 1


@pytest.mark.parametrize("name", INPUTS)
def test_plain_templates_ask_for_no_reasoning(name: str) -> None:
    said = " ".join(message.content for message in rendered(name))
    assert "Answer:" not in said
    assert "step by step" not in said


@pytest.mark.parametrize("name", ["choice", "choice_steps"])
def test_options_are_shown_in_order_under_their_letters(name: str) -> None:
    last = rendered(name)[-1].content
    shown = [line for line in last.split("\n") if "[option_" in line]
    assert [line.split(")")[0] for line in shown] == list("ABCD")
    assert [line.split("[")[1] for line in shown] == [f"{key}]" for key in OPTIONS]
