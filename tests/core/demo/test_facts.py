"""The bundled facts keep every rule that code can check (Calderon et al., section 3)."""

import re
from collections import Counter
from typing import Any

import pytest

from core.demo.demo_setup import read_facts, read_rows
from core.vocabulary import ENTITY_TYPES, TASKS

COLUMNS = [
    "fact_id",
    "page_title",
    "item_id",
    "gbc",
    "category",
    "subject",
    "object",
    "subject_type",
    "object_type",
    "completion",
    "contextual",
    "direct",
    "direct_answer",
    "direct_choices",
    "direct_natural",
    "reverse",
    "reverse_answer",
    "reverse_choices",
    "reverse_natural",
]
CATEGORIES = (
    "People",
    "History",
    "Geography",
    "Arts",
    "Philosophy & Religion",
    "Everyday Life",
    "Society",
    "Science",
    "Technology",
    "Other",
)
DIRECT = ("direct", "direct_natural")
REVERSE = ("reverse", "reverse_natural")
FACTS = read_rows()
each_fact = pytest.mark.parametrize("fact", FACTS, ids=[fact["fact_id"] for fact in FACTS])


def words_of(entity: str) -> str:
    """An entity without its article."""
    return re.sub(r"^(the|a|an) ", "", entity, flags=re.IGNORECASE)


def stands_in(entity: str, text: str) -> bool:
    pattern = rf"(?<!\w){re.escape(words_of(entity))}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def test_there_are_at_least_forty_with_ids_and_pairs_of_their_own() -> None:
    assert len(FACTS) >= 40
    for keys in (["fact_id"], ["subject", "object"], ["direct"], ["reverse"], ["completion"]):
        seen = Counter(tuple(fact[key] for key in keys) for fact in FACTS)
        assert [key for key, count in seen.items() if count > 1] == []


def test_they_have_something_to_break_down() -> None:
    assert len({fact["category"] for fact in FACTS}) >= 6
    assert len({fact["object_type"] for fact in FACTS}) >= 6
    views = sorted(fact["gbc"] for fact in FACTS)
    assert views[-1] > 100 * views[0]


def test_they_read_as_facts_with_all_ten_tasks() -> None:
    for fact in read_facts():
        assert list(fact.questions) == list(TASKS)
        assert fact.views is not None


@each_fact
def test_every_column_is_there_and_filled(fact: dict[str, Any]) -> None:
    assert list(fact) == COLUMNS
    for key, value in fact.items():
        if key == "gbc":
            assert type(value) is int
            assert value > 0
        elif not key.endswith("_choices"):
            assert value == value.strip()
            assert value or key == "item_id"


@each_fact
def test_category_and_types_are_known(fact: dict[str, Any]) -> None:
    assert fact["category"] in CATEGORIES
    assert fact["subject_type"] in ENTITY_TYPES
    assert fact["object_type"] in ENTITY_TYPES


@each_fact
def test_answers_are_the_two_entities(fact: dict[str, Any]) -> None:
    assert fact["direct_answer"] == fact["object"]
    assert fact["reverse_answer"] == fact["subject"]


@each_fact
def test_left_context_names_the_subject_and_stops_before_the_object(fact: dict[str, Any]) -> None:
    text = fact["completion"]
    assert len(text.split()) >= 30
    assert text[-1].isalpha()
    assert stands_in(fact["subject"], text)
    assert not stands_in(fact["object"], text)


@each_fact
def test_contextual_is_the_context_without_its_last_sentence_and_a_question(
    fact: dict[str, Any],
) -> None:
    context = fact["completion"][: fact["completion"].rindex(". ") + 1]
    assert fact["contextual"].startswith(context)
    assert fact["contextual"].removeprefix(context).strip()
    assert "?" in fact["contextual"]


@each_fact
def test_no_question_gives_its_answer_away(fact: dict[str, Any]) -> None:
    for key in (*DIRECT, "contextual"):
        assert not stands_in(fact["object"], fact[key]), key
    for key in REVERSE:
        assert not stands_in(fact["subject"], fact[key]), key


@each_fact
def test_questions_are_short_and_differ(fact: dict[str, Any]) -> None:
    for key in (*DIRECT, *REVERSE):
        assert len(fact[key].split()) <= 40
        assert "?" in fact[key]
    assert len({fact[key] for key in (*DIRECT, *REVERSE)}) == 4


@each_fact
def test_the_object_stands_in_the_reverse_question(fact: dict[str, Any]) -> None:
    assert stands_in(fact["object"], fact["reverse"])


@each_fact
def test_four_different_options_with_the_gold_among_them(fact: dict[str, Any]) -> None:
    for side in ("direct", "reverse"):
        options = fact[f"{side}_choices"]
        assert len(options) == 4
        assert len({words_of(option).casefold() for option in options}) == 4
        assert fact[f"{side}_answer"] in options
