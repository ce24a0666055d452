"""What holds of the grader `lexical` whatever the texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graders.lexical import Rubric, grade
from core.vocabulary import LABELS, Label

ANY = st.text(st.characters(exclude_categories=()), max_size=60)
WORD = st.text(st.sampled_from("abcdeghklmnoprstuwyz"), min_size=3, max_size=9)
NAME = st.lists(WORD.map(str.title), min_size=1, max_size=4).map(" ".join)
TERM = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
DAY = st.dates().map(lambda day: day.strftime("%d %B %Y") if day.year > 999 else "1999")
COUNT = st.integers(0, 10**9).map(str)
GOLD = st.one_of(NAME, TERM, DAY, COUNT, COUNT.map("{} km".format))
QUESTIONS = ["Which one is it?", "Who was it?", "The oldest of them is known as", ""]


@given(ANY, st.lists(ANY, max_size=3), ANY)
def test_labels_any_text(question: str, golds: list[str], answer: str) -> None:
    assert grade(question, golds, answer) in LABELS


@pytest.mark.slow
@given(st.sampled_from(QUESTIONS), GOLD)
def test_gold_is_correct(question: str, gold: str) -> None:
    assert grade(question, [gold], gold) == Label.CORRECT


@given(st.sampled_from(QUESTIONS), GOLD)
def test_gold_in_a_sentence_is_correct(question: str, gold: str) -> None:
    assert grade(question, [gold], f"It is {gold}.") == Label.CORRECT


@given(
    st.sampled_from(QUESTIONS),
    GOLD,
    GOLD,
    st.sampled_from([" {} ", "\n{}\n", "{}.", '"{}"', "**{}**", "({})", "{}!", "“{}”"]),
)
def test_wrapping_changes_nothing(question: str, gold: str, answer: str, wrapping: str) -> None:
    rubric = Rubric(question, [gold])
    assert rubric.label(wrapping.format(answer)) == rubric.label(answer)


@given(st.sampled_from(QUESTIONS), GOLD)
def test_empty_answer_is_other(question: str, gold: str) -> None:
    assert grade(question, [gold], " \t\n") == Label.OTHER


@given(st.sampled_from(QUESTIONS), st.lists(GOLD, min_size=1, max_size=3), GOLD)
def test_alias_never_takes_correct_away(question: str, golds: list[str], alias: str) -> None:
    assert grade(question, [*golds, alias], alias) == Label.CORRECT


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "7" * 1_000_000,
        "1 " * 500_000,
        "1" + " " * 1_000_000 + "May",
        "one hundred " * 90_000,
        "not " * 250_000,
        "((((" * 250_000,
        "J. " * 300_000,
        "no\0thing\0",
        "🗝️" * 1000,
        "مفتاح" * 1000,
        "\u202eabc\u202c",
        "\ud800",
        "e" + "\u0301" * 10_000,
        "ﷺ" * 10_000,
        "²³ ½ ٣ Ⅷ",
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_hostile_texts_are_labelled(text: str) -> None:
    assert grade(text, [text], text) in LABELS
    assert grade("When was it?", ["14 May 1932"], text) in LABELS
    assert grade("How many?", ["12 km"], text) in LABELS
    assert grade("Who was it?", ["Marta Lindqvist"], text) in LABELS
    assert grade("Was it?", ["yes"], text) in LABELS


def test_only_the_first_characters_of_an_answer_count() -> None:
    filler = "word " * 1000
    assert grade("Which city is it?", ["Tartu"], "Tartu " + filler) == Label.CORRECT
    assert grade("Which city is it?", ["Tartu"], filler + "Tartu") == Label.INCORRECT


def test_of_a_left_context_the_end_counts() -> None:
    context = "Old walls. " * 1000 + "In the year of 1887 they opened it on"
    assert grade(context, ["3 May 1887"], "3 May, and") == Label.CORRECT
