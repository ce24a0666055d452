"""Where the two entities stand in a source text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.views.entity_spans import mentions, source
from core.vocabulary import Side, Task
from db.question_rows import Gold


def test_the_object_stands_where_the_left_context_breaks_off() -> None:
    golds = {Side.OBJECT: Gold("Estonia", ("Eesti",)), Side.SUBJECT: Gold("Tartu")}

    def text(context: str) -> str:
        return source({Task.COMPLETION: context}, golds, "", "").text

    assert text("Tartu lies in ") == "Tartu lies in Estonia"
    assert text("Tartu lies in") == "Tartu lies in Estonia"
    assert text("Tartu lies in\n") == "Tartu lies in\nEstonia"
    assert text('Tartu lies in "') == 'Tartu lies in "Estonia'
    assert text("Tartu (") == "Tartu (Estonia"
    assert text("") == ""


def test_a_fact_without_left_context_has_its_contextual_question() -> None:
    golds = {Side.OBJECT: Gold("Estonia"), Side.SUBJECT: Gold("Tartu")}
    asked = {Task.CONTEXTUAL: "Of Tartu and Estonia. Where is tartu?", Task.DIRECT: "Where is it?"}
    found = source(asked, golds, "", "")
    assert found.text == asked[Task.CONTEXTUAL]
    assert [found.text[a:b] for a, b in found.subject] == ["Tartu", "tartu"]
    assert [found.text[a:b] for a, b in found.object] == ["Estonia"]
    assert source({Task.DIRECT: "Where is Tartu?"}, golds, "Tartu", "Estonia").text == ""


def test_a_name_does_not_end_before_a_mark_on_its_last_letter() -> None:
    assert mentions("हिन्दी और हिन्द", ["हिन्द"]) == ((10, 15),)


def test_mentions_are_whole_words_in_any_case_and_longest_first() -> None:
    text = "Rome, ROME and Romeo in New\nYork, New York City; c++ and (C++)."

    def found(*names: str) -> list[str]:
        return [text[start:end] for start, end in mentions(text, names)]

    assert found("rome") == ["Rome", "ROME"]
    assert found("New York", "New York City") == ["New\nYork", "New York City"]
    assert found("C++") == ["c++", "C++"]
    assert found("", "  ", "x" * 900) == []
    assert mentions(text, ["Rome"], [(2, 4)]) == ((6, 10),)


@pytest.mark.slow
@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4))
@settings(max_examples=200, deadline=None)
def test_mentions_of_any_names_in_any_text(text: str, names: list[str]) -> None:
    spans = mentions(text, names)
    assert list(spans) == sorted(spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(0 <= start < end <= len(text) for start, end in spans)
