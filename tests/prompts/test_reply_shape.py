"""Shapes of replies: declared by templates, read whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

import prompts
from prompts.reply_shape import INNER, ReplyShape, ShapeError, wrap_schema
from prompts.template import PromptError, list_names, read_source

ITEM = {"label": {"enum": ["A", "B"]}, "reason": {"type": "string", "maxLength": 5}}
LABELS = ReplyShape.parse({"type": "array", "items": {"type": "object", "properties": ITEM}})
TWO = LABELS.repeat(2)
WHOLE = [{"label": "A", "reason": "so"}, {"label": "B", "reason": ""}]


def write(tmp_path: Path, reply: str, name: str = "judge") -> Path:
    """A template of a person's own, with this declared of its reply."""
    source = read_source(name)
    start, end = source.index("#: schema\n[reply]"), source.index("#: end\n")
    mine = f"{source[:start]}#: schema\n{reply}\n{source[end:]}"
    (tmp_path / f"{name}.md").write_text(mine, encoding="utf-8")
    return tmp_path


def test_what_has_the_shape_is_read() -> None:
    assert TWO.read_reply(json.dumps(WHOLE)) == WHOLE
    assert TWO.read_reply(f"\n {json.dumps(WHOLE, indent=1)} \n") == WHOLE
    assert TWO.read_reply(json.dumps({INNER: WHOLE})) == WHOLE
    assert TWO.read_reply(json.dumps([WHOLE[0], {"reason": "", "label": "B"}])) == WHOLE


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "A",
        json.dumps(WHOLE)[:-1],
        json.dumps(WHOLE) + "]",
        json.dumps(WHOLE) * 2,
        f"Here: {json.dumps(WHOLE)}",
        f"```json\n{json.dumps(WHOLE)}\n```",
        json.dumps(WHOLE[:1]),
        json.dumps([*WHOLE, WHOLE[0]]),
        json.dumps({"labels": WHOLE}),
        json.dumps({INNER: WHOLE, "more": 1}),
        json.dumps([WHOLE[0], {"label": "B"}]),
        json.dumps([WHOLE[0], {**WHOLE[1], "score": 1}]),
        json.dumps([WHOLE[0], {**WHOLE[1], "label": "C"}]),
        json.dumps([WHOLE[0], {**WHOLE[1], "label": "a"}]),
        json.dumps([WHOLE[0], {**WHOLE[1], "reason": None}]),
        json.dumps([WHOLE[0], {**WHOLE[1], "reason": "longer"}]),
        '[{"label": "A", "label": "B", "reason": ""}, {"label": "B", "reason": ""}]',
        '[{"label": "A", "l\\u0061bel": "B", "reason": ""}, {"label": "B", "reason": ""}]',
        "NaN",
        "[" * 100_000,
        "9" * 10_000,
    ],
)
def test_whatever_else_it_is_is_refused(reply: str) -> None:
    with pytest.raises(ShapeError):
        TWO.read_reply(reply)


def test_half_a_character_is_replaced() -> None:
    (one,) = LABELS.read_reply('[{"label": "A", "reason": "\\ud83d \\ud83d\\ude00"}]')
    assert one["reason"] == "\ufffd \U0001f600"


def test_integers_and_booleans_are_told_apart() -> None:
    shape = ReplyShape.parse(
        {"type": "object", "properties": {"n": {"type": "integer"}, "is": {"type": "boolean"}}}
    )
    assert shape.read_reply('{"n": 1, "is": true}') == {"n": 1, "is": True}
    for wrong in ('{"n": true, "is": true}', '{"n": 1, "is": 1}', '{"n": "1", "is": true}'):
        with pytest.raises(ShapeError):
            shape.read_reply(wrong)


def test_a_schema_names_every_key_and_no_other() -> None:
    assert TWO.schema == {
        "type": "array",
        "minItems": 2,
        "maxItems": 2,
        "items": {
            "type": "object",
            "properties": {
                "label": {"type": "string", "enum": ["A", "B"]},
                "reason": {"type": "string", "maxLength": 5},
            },
            "required": ["label", "reason"],
            "additionalProperties": False,
        },
    }


def test_openai_gets_an_object_without_lengths() -> None:
    wrapped = wrap_schema(TWO.schema)
    assert (wrapped["type"], wrapped["required"]) == ("object", [INNER])
    assert "maxLength" not in json.dumps(wrapped)
    assert wrap_schema(wrapped) == wrapped


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("reply = 1", "must be a table"),
        ('[reply]\ntype = "number"', "type must be one of"),
        ('[reply]\ntype = "string"\npattern = "a"', "takes no 'pattern'"),
        ('[reply]\ntype = "string"\nmaxLength = 0', "above 0"),
        ('[reply]\ntype = "array"', "reply.items must be a table"),
        ('[reply]\ntype = "object"\nproperties = {}', "properties must be"),
        ('[reply]\ntype = "object"\nproperties = { A = { type = "string" } }', "properties must"),
        ("[reply]\nenum = [1]", "list of texts"),
        ('[reply]\ntype = "object"\nproperties = { label = { enum = ["yes"] } }', "replaced"),
    ],
)
def test_a_template_with_another_shape_is_refused(tmp_path: Path, reply: str, said: str) -> None:
    with pytest.raises(PromptError, match=said):
        prompts.load("judge", write(tmp_path, reply), "schema")


def test_a_template_without_a_shape_has_one_form(tmp_path: Path) -> None:
    (tmp_path / "judge.md").write_text(
        '+++\nname = "judge"\nversion = 1\npurpose = "p"\ninputs = ["question", "answer", '
        '"response"]\noutput = "o"\n+++\n# user\n{question} {answer} {response}\n'
    )
    for form in ("text", "schema"):
        found = prompts.load("judge", tmp_path, form)
        assert found.reply is None
    assert prompts.load("judge", tmp_path, "schema").hash == prompts.load("judge", tmp_path).hash


HASHES = {
    "grade-answer": "c18dc6d7d8220c64d1c21316041a8249571a739f3f4d22a36e33e641b7ead660",
    "grade-completion": "1bb4b8d0156b1ae1b960c92a7370d5cbb6cbf8a216212c21e28925f473e3ca69",
    "judge": "e0bcc3e0cbf070ca71145f07e9f35f4daa46cd047f27674876ff19642bb618b6",
}


@pytest.mark.parametrize("name", HASHES)
def test_the_text_form_is_the_file_that_it_was_without_the_other(name: str) -> None:
    assert prompts.load(name).hash == HASHES[name]
    assert prompts.load(name, None, "schema").hash != HASHES[name]


@pytest.mark.parametrize("name", [one for one in list_names() if "[reply]" in read_source(one)])
def test_the_examples_of_a_template_have_its_shape(name: str) -> None:
    prompt = prompts.load(name, None, "schema")
    assert prompt.reply is not None
    said: list[Any] = [
        one.content
        for one in prompt.render(**dict.fromkeys(prompt.inputs, "x"))
        if one.role == "assistant"
    ]
    assert said
    for example in said:
        prompt.reply.read_reply(example)


def test_errors_name_lines_of_the_file(tmp_path: Path) -> None:
    source = read_source("judge").replace("# assistant\n", "# helper\n")
    (tmp_path / "judge.md").write_text(source)
    wanted = source.split("\n").index("# helper") + 1
    for form in ("text", "schema"):
        with pytest.raises(PromptError, match=rf"judge\.md:{wanted}: unknown message"):
            prompts.load("judge", tmp_path, form)
