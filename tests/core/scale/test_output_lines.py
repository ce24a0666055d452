"""Lines of engines: any JSON in any place is an answer or a reason, never a fault."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.scale.output_lines import EngineAnswer, read_answer

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


def test_choices_that_are_no_objects_are_a_reason() -> None:
    for choices in ([None, {"text": "x"}], [3], [{"message": {"content": "x"}}, None]):
        found = read_answer({"choices": choices}, False)
        assert found.draws == ()
        assert found.reason
