"""Dataclasses to plain data and back: what fits comes back the same, what does not falls back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scoring.policy import Policy
from core.settings.plain_data import from_plain, read_token_count, to_plain
from core.views.lens import Lens


class Way(StrEnum):
    UP = "up"
    DOWN = "down"


class Spot(NamedTuple):
    row: int
    open: bool


@dataclass(frozen=True)
class Inner:
    words: str = "none"
    ways: frozenset[Way] = frozenset()
    only: frozenset[int] | None = None


@dataclass(frozen=True)
class Outer:
    inner: Inner = field(default_factory=Inner)
    spot: Spot | None = None
    share: float = 0.5
    names: tuple[str | None, str | None] = (None, None)
    lists: Mapping[Way, tuple[str, ...]] = field(default_factory=dict)
    shown: bool = False


INNER = st.builds(Inner, st.text(), st.frozensets(st.sampled_from(Way)))
OUTER = st.builds(
    Outer,
    INNER,
    st.none() | st.builds(Spot, st.integers(-9, 9), st.booleans()),
    st.floats(allow_nan=False, allow_infinity=False),
    st.tuples(st.none() | st.text(), st.none() | st.text()),
    st.dictionaries(st.sampled_from(Way), st.lists(st.text()).map(tuple)),
    st.booleans(),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(
        ("inner", "spot", "share", "names", "lists", "shown", "words", "ways", "only", "x")
    ), inner),
)  # fmt: skip


@given(OUTER)
def test_what_is_written_is_read_the_same(one: Outer) -> None:
    assert from_plain(Outer, orjson.loads(orjson.dumps(to_plain(one)))) == one


@given(st.dictionaries(st.sampled_from([*Outer.__dataclass_fields__]), ANYTHING))
def test_whatever_stands_there_is_read_or_falls_back(plain: dict[str, Any]) -> None:
    found = from_plain(Outer, plain)
    assert from_plain(Outer, to_plain(found)) == found


@pytest.mark.parametrize(
    ("plain", "found"),
    [
        ({"share": "much", "shown": True}, Outer(shown=True)),
        ({"shown": 1, "share": 2}, Outer(share=2.0)),
        ({"inner": {"words": "a", "ways": ["up", "sideways"]}}, Outer(Inner("a"))),
        ({"spot": [1]}, Outer()),
        ({"unknown": 3}, Outer()),
    ],
)
def test_parts_fall_back_one_by_one(plain: dict[str, Any], found: Outer) -> None:
    assert from_plain(Outer, plain) == found


@pytest.mark.parametrize("plain", [None, [], 3, "text"])
def test_what_is_no_such_thing_at_all_is_said(plain: Any) -> None:
    with pytest.raises(ValueError, match="fit"):
        from_plain(Outer, plain)


def test_a_lens_comes_back_and_a_threshold_that_cannot_be_falls_back() -> None:
    lens = Lens("gemma", compared=("x", "y"), chosen=True, policy=Policy(0.75, graders=("x",)))
    assert from_plain(Lens, to_plain(lens)) == lens
    plain = to_plain(lens) | {"policy": {"tau": 7}}
    assert from_plain(Lens, plain).policy == Policy()
    assert from_plain(Lens, plain).model == "gemma"


@pytest.mark.parametrize("value", [2**31, 2**63, -1, 7.0, 7.5, "7", True, None, [7]])
def test_what_is_no_count_of_tokens_is_none(value: object) -> None:
    assert read_token_count(value) is None
    assert (read_token_count(0), read_token_count(7)) == (0, 7)
