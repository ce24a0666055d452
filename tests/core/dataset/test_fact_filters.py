"""Filters as words of `--where`: what one says, the other says."""

import string
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dataset.fact_filters import (
    DIFFERENCES,
    LATENT_WORDS,
    REVIEWS,
    TIERS,
    Filters,
    Only,
    format_where,
    parse_where,
)
from core.errors import UsageError
from core.settings.plain_data import from_plain
from core.vocabulary import CODE_ORDER

NAMES = st.one_of(
    st.sampled_from(["Arts", "Food, Drink", "a b", 'say "x"', "back\\slash", "flagged", "text:x"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.text(string.ascii_letters + " :'\"\\", min_size=1, max_size=8),
)
BOUNDS = st.builds(
    lambda sign, number: f"{sign}{number}",
    st.sampled_from(["<", "<=", "=", ">", ">="]),
    st.integers(0, 10**30),
)
RANGES = st.builds(
    lambda first, more: f"{first}-{first + more}" if more else str(first),
    st.integers(0, 10**9),
    st.integers(0, 9),
)


def some(values: st.SearchStrategy[str]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(values, max_size=3)


FILTERS = st.builds(
    Filters,
    verdicts=some(st.sampled_from(CODE_ORDER)),
    topics=some(NAMES),
    types=some(NAMES),
    tiers=some(st.sampled_from(TIERS)),
    differs=st.sampled_from([None, *DIFFERENCES]),
    reviews=some(st.sampled_from(REVIEWS)),
    rejected=st.booleans(),
    views=some(BOUNDS),
    fact_ids=some(NAMES),
    numbers=some(RANGES),
    texts=some(NAMES),
    random=st.one_of(st.none(), st.integers(0, 10**17)),
    latent=some(st.sampled_from(LATENT_WORDS)),
)
"""All that a form can say but `only`, which holds facts."""


@given(FILTERS, st.one_of(st.just(""), NAMES))
@settings(max_examples=400, deadline=None)
def test_what_filters_say_is_read_from_their_words(filters: Filters, search: str) -> None:
    assert parse_where(format_where(filters, search)) == (filters, search.strip())


@given(st.lists(st.one_of(NAMES, st.sampled_from(["profile:RF", "views:>1k", "random:5"]))))
@settings(max_examples=200, deadline=None)
def test_what_can_be_read_is_written_so_that_it_is_read_the_same(words: list[str]) -> None:
    try:
        read = parse_where(" ".join(words))
    except UsageError:
        return
    assert parse_where(format_where(*read)) == read


@given(FILTERS, FILTERS)
def test_filters_are_joined_and_taken_apart(one: Filters, other: Filters) -> None:
    both = one.join(other)
    assert both.join(other) == both
    assert both.without(both) == Filters()
    assert Filters().join(one) == one


def test_certain_facts_are_written_as_numbers_within_those_that_are_asked_for() -> None:
    only = Only("what a figure counts", frozenset({1, 2, 3, 9}))
    assert format_where(Filters(only=only)) == "number:1-3,9"
    assert format_where(Filters(only=only, numbers=frozenset({"2-5"}))) == "number:2-3"
    nothing, _ = parse_where(format_where(Filters(only=Only("none", frozenset()))))
    assert nothing.numbers == {"0"}


def test_words_are_written_in_one_order_and_quoted_where_they_must_be() -> None:
    filters, search = parse_where(
        "views:>1k category:'Natural Sciences' profile:RF tier:bottom search:rocket flagged 'a\"b'"
    )
    assert format_where(filters, search) == (
        'search:rocket \'a"b\' profile:recall_failure "category:Natural Sciences" tier:bottom '
        "views:>1000 flagged"
    )


KNOWN = {
    "verdicts": frozenset({"RF", "··"}),
    "tiers": frozenset({"top", "bottom"}),
    "reviews": frozenset({"noted", "edited"}),
    "views": frozenset({">5", "<=9"}),
    "numbers": frozenset({"7", "8-9"}),
    "latent": frozenset({"known", "contradicts"}),
}
"""Two values of each field that has certain ones only."""


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdicts": ["XX"]},
        {"tiers": ["highest"]},
        {"reviews": ["read"]},
        {"differs": "much"},
        {"views": ["many"]},
        {"numbers": ["x-y"]},
        {"random": -1},
    ],
)
def test_filters_of_a_file_that_nothing_can_be_are_none(wrong: dict[str, Any]) -> None:
    values: dict[str, Any] = {
        name: frozenset(value) if isinstance(value, list) else value
        for name, value in wrong.items()
    }
    with pytest.raises(UsageError):
        Filters(**values)
    with pytest.raises(ValueError, match=r"."):
        from_plain(Filters, wrong)


def test_every_field_counts_what_it_asks_for() -> None:
    asked: dict[str, Any] = {
        "differs": "any",
        "rejected": True,
        "only": Only("x", frozenset({1})),
        "random": 0,
    }
    for one in fields(Filters):
        value = asked.get(one.name, KNOWN.get(one.name, frozenset({"a", "b"})))
        assert Filters(**{one.name: value}).count == (2 if isinstance(value, frozenset) else 1)


@pytest.mark.parametrize(
    "word", ["differs:much", "random:many", "number:x", "views:>1e3", "zp:maybe"]
)
def test_a_word_that_cannot_be_is_refused_in_one_line(word: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_where(word)
    assert word in str(error.value) or word.partition(":")[2] in str(error.value)
    assert "\n" not in str(error.value)
