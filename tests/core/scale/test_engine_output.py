"""Lines of engines: any JSON in any place is an answer or a reason, never a fault."""

import bz2
import json
import lzma
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LostkeysError
from core.scale import engine_output
from core.scale.engine_output import (
    EngineAnswer,
    find_files,
    read_answer,
    read_answers,
    read_blocks,
)

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
INSIDE = ("body", "code", "content", "error", "finish_reason", "index", "message", "text", "usage")
KEYS = st.sampled_from((*INSIDE, "choices", "status_code", "prompt_tokens", "model"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(["response", "choices", "generated_text", "error", "status_code"])
ROWS = st.dictionaries(FIELDS, VALUES | VALUES.map(json.dumps), max_size=4)


@given(row=ROWS)
def test_any_line_is_answers_or_a_reason(row: dict[str, Any]) -> None:
    found = read_answer(row)
    assert isinstance(found, EngineAnswer)
    assert all(isinstance(draw.text, str) for draw in found.draws)
    found.reason.encode()


PLAIN = st.builds(
    lambda texts, chat, usage: {
        "response": {
            "body": {
                "model": "m",
                "choices": [
                    {
                        "index": place,
                        "finish_reason": "length" if place % 2 else None,
                        **(
                            {"message": {"content": text, "reasoning": None}}
                            if chat
                            else {"text": text}
                        ),
                    }
                    for place, text in enumerate(texts)
                ],
                "usage": usage,
            }
        }
    },
    st.lists(st.text(max_size=3), max_size=3),
    st.booleans(),
    st.none() | st.just({"reasoning_tokens": 7}),
)


@given(rows=st.lists(PLAIN | ROWS, max_size=9))
def test_lines_read_together_say_what_each_says(rows: list[dict[str, Any]]) -> None:
    answers = [read_answer(row) for row in rows]
    found = read_answers(rows)
    draws = [draw for answer in answers for draw in answer.draws]
    assert found.counts == [len(answer.draws) for answer in answers]
    assert found.without == {k: one for k, one in enumerate(answers) if not one.draws}
    assert found.texts == [draw.text for draw in draws]
    assert found.finishes == [draw.finish for draw in draws]
    assert found.served == [draw.served for draw in draws]
    thoughts = [(draw.reasoning, draw.reasoning_tokens) for draw in draws]
    assert found.reasoned == {k: one for k, one in enumerate(thoughts) if one != (None, None)}


@given(rows=st.lists(PLAIN | ROWS, max_size=9), broken=st.sets(st.integers(0, 9)))
def test_answers_read_with_their_names_are_those_of_the_lines(
    rows: list[dict[str, Any]], broken: set[int]
) -> None:
    names = [f"r{place}" for place in range(len(rows))]
    lines = [json.dumps({**row, "custom_id": name}) for name, row in zip(names, rows, strict=True)]
    for place in sorted(broken):
        lines.insert(place, "{cut off")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        blocks = list(read_blocks(path, lambda: True))
    assert [name for block in blocks for name in block.names] == names
    assert sum(block.malformed for block in blocks) == len(broken)
    for block in blocks:
        read = read_answers(block.contents)
        assert block.answers in (None, read)


def test_plain_lines_are_read_with_their_names_where_that_is_asked_for(tmp_path: Path) -> None:
    choice = {"index": 0, "text": " a", "finish_reason": "stop"}
    path = tmp_path / "out.jsonl"
    line = json.dumps({"custom_id": "r", "response": {"body": {"choices": [choice]}}})
    path.write_text(f"{line}\n", encoding="utf-8")
    (block,) = read_blocks(path, lambda: True)
    assert block.answers is not None
    assert block.answers.texts == [" a"]
    (block,) = read_blocks(path)
    assert block.answers is None


def test_choices_that_are_no_objects_are_a_reason() -> None:
    for choices in ([None, {"text": "x"}], [3], [{"message": {"content": "x"}}, None]):
        found = read_answer({"choices": choices})
        assert found.draws == ()
        assert found.reason


def said(text: str, **usage: object) -> dict[str, Any]:
    return {"custom_id": text, "choices": [{"text": text, "finish_reason": "stop"}], "usage": usage}


@pytest.mark.parametrize("count", [2**31, 2**63, 2**64, -1, 7.5, 7.0, "7", True, [7], None])
def test_a_count_of_tokens_that_is_none(count: object) -> None:
    row = said("x", prompt_tokens=count, completion_tokens=count, reasoning_tokens=count)
    row["choices"][0]["index"] = 0
    assert read_answer(row).draws[0].reasoning_tokens is None
    answers = read_answers([row])
    assert (answers.texts, answers.reasoned) == (["x"], {})


def test_an_error_that_is_nested_a_thousand_times_is_one_that_failed() -> None:
    nested: list[Any] = []
    for _ in range(2_000):
        nested = [nested]
    assert "nested too deeply" in read_answer({"error": {"message": nested}}).reason


@pytest.mark.parametrize("pack", [zstd.compress, bz2.compress, lzma.compress])
def test_packed_answers_are_known_by_what_they_begin_with(pack: Any, tmp_path: Path) -> None:
    lines = b"".join(json.dumps(said(name)).encode() + b"\n" for name in ("a", "b"))
    path = tmp_path / "out.jsonl"
    path.write_bytes(pack(lines))
    found = list(read_blocks(path))
    assert [name for block in found for name in block.names] == ["a", "b"]
    assert sum(block.malformed for block in found) == 0
    path.write_bytes(pack(lines)[:-5])
    assert sum(block.malformed for block in read_blocks(path)) == 1


def test_a_line_longer_than_any_answer_costs_that_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_output, "LONGEST_LINE", 1_000)
    monkeypatch.setattr(engine_output, "BYTES_AT_ONCE", 300)
    lines = [json.dumps(said(name)) for name in ("a", "q" * 3_000, "b", "r" * 990)]
    path = tmp_path / "out.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = list(read_blocks(path))
    assert [name for block in found for name in block.names] == ["a", "b"]
    assert sum(block.malformed for block in found) == 2


def test_a_pipe_that_is_named_like_a_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.jsonl")
    with pytest.raises(LostkeysError, match=r"out\.jsonl is not a regular file"):
        find_files([tmp_path / "out.jsonl"], [])
    with pytest.raises(LostkeysError, match=r"out\.jsonl: it is not a regular file"):
        list(read_blocks(tmp_path / "out.jsonl"))
