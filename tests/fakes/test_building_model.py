"""The fake that builds: it knows every prompt, says the same to the same, and does its worst."""

from collections import Counter
from pathlib import Path

import httpx2
import pytest

import prompts
from core.pipeline.stage_table import STAGES
from prompts.template import quote_text
from tests.fakes.building_answers import HOSTILE, PLAUSIBLE, WRONG
from tests.fakes.building_model import Heard, Shares, answer, recognised
from tests.fakes.process import running

NASTY = 'a "quoted" <tag>\n\\ {brace} \u2028 é'


def test_it_answers_every_prompt_of_the_pipeline() -> None:
    asked = {stage.prompt for stage in STAGES if stage.prompt}
    assert asked <= PLAUSIBLE.keys() == WRONG.keys()


@pytest.mark.parametrize("name", PLAUSIBLE)
def test_it_knows_a_prompt_and_what_stands_in_it(name: str) -> None:
    template = prompts.load(name)
    inputs = {key: quote_text(f"{key}: {NASTY}") for key in template.inputs}
    prompt = "\n".join(one.content for one in template.render(**inputs))
    heard = recognised(prompt)
    assert heard == Heard(name, {key: f"{key}: {NASTY}" for key in template.inputs})
    assert recognised(f"{prompt} And more") != heard


def test_other_prompts_are_not_its_own() -> None:
    assert recognised("Tell me something.") is None


def test_the_same_key_brings_the_same_answer() -> None:
    heard = Heard("verify-pair", {})
    said = [answer(heard, f"{n}", Shares(0.3, 0.2)) for n in range(300)]
    assert said == [answer(heard, f"{n}", Shares(0.3, 0.2)) for n in range(300)]
    kinds = Counter(
        "good" if one == "SUITABLE" else "bad" if one in HOSTILE else "no" for one in said
    )
    assert 110 < kinds["good"] < 190
    assert 30 < kinds["bad"] < 90
    assert set(HOSTILE) & set(said)


@pytest.mark.slow
def test_as_a_program(tmp_path: Path) -> None:
    messages = [
        {"role": one.role, "content": one.content}
        for one in prompts.load("answer-type").render(question='"When?"', answer='"1066"')
    ]
    body = {"model": "m", "messages": messages, "temperature": 0}
    options = ("--seed", "3", "--wrong", "0", "--hostile", "0")
    with running("building_model", tmp_path / "log", *options) as fake:
        said = httpx2.post(f"{fake.base_url}/chat/completions", json=body).json()
    assert said["choices"][0]["message"]["content"] == "DATE"
