"""Lines of engines: any JSON in any place is an answer or a reason, never a fault."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.scale.engine_output import EngineAnswer, read_answer, read_answers

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


@given(row=ROWS, thinking=st.booleans())
def test_any_line_is_answers_or_a_reason(row: dict[str, Any], thinking: bool) -> None:
    found = read_answer(row, thinking)
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


@given(rows=st.lists(PLAIN | ROWS, max_size=9), data=st.data())
def test_lines_read_together_say_what_each_says(rows: list[dict[str, Any]], data: Any) -> None:
    size = len(rows)
    thinking = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    answers = [read_answer(row, on) for row, on in zip(rows, thinking, strict=True)]
    found = read_answers(rows, thinking)
    draws = [draw for answer in answers for draw in answer.draws]
    assert found.counts == [len(answer.draws) for answer in answers]
    assert found.without == {k: one for k, one in enumerate(answers) if not one.draws}
    assert found.texts == [draw.text for draw in draws]
    assert found.finishes == [draw.finish for draw in draws]
    assert found.served == [draw.served for draw in draws]
    thoughts = [(draw.reasoning, draw.reasoning_tokens) for draw in draws]
    assert found.reasoned == {k: one for k, one in enumerate(thoughts) if one != (None, None)}


def test_choices_that_are_no_objects_are_a_reason() -> None:
    for choices in ([None, {"text": "x"}], [3], [{"message": {"content": "x"}}, None]):
        found = read_answer({"choices": choices}, False)
        assert found.draws == ()
        assert found.reason
