"""Contextual questions and choices without a model."""

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from core.pipeline import code_checks
from core.pipeline.missing_tasks import FactSide, Pool, contextual
from core.vocabulary import Task


def year(text: str, category: str = "Arts") -> FactSide:
    return FactSide(text, "DATE", category, "In what year was it opened?")


def test_dates_are_those_of_the_same_grain_nearest_in_time() -> None:
    pool = Pool(map(year, ["1890", "1500", "4 May 1891", "1901", "1880", "March 1890", "1950"]))
    assert pool.choices(year("1890")) == ["1890", "1880", "1901", "1950"]


def test_numbers_have_the_same_unit() -> None:
    def number(text: str) -> FactSide:
        return FactSide(text, "NUMERIC_VALUE", "Arts", "How long is it?")

    pool = Pool(map(number, ["50 km", "90 km", "51", "49", "3,000 km", "12 km", "52"]))
    assert pool.choices(number("50 km")) == ["50 km", "90 km", "12 km", "3,000 km"]


def test_what_the_question_asks_for_comes_before_the_category() -> None:
    def place(text: str, kind: str, category: str) -> FactSide:
        return FactSide(text, "LOCATION", category, f"In which {kind} did it happen?")

    answers = [
        place("Basel", "city", "Arts"),
        place("Rhine", "river", "Arts"),
        place("Peru", "country", "Arts"),
        place("Turin", "city", "Science"),
        place("Ghent", "city", "Science"),
        place("Lima", "city", "Science"),
    ]
    choices = Pool(answers).choices(answers[0])
    assert choices is not None
    assert choices[0] == "Basel"
    assert sorted(choices[1:]) == ["Ghent", "Lima", "Turin"]


def test_no_alias_and_nothing_of_the_question_is_a_distractor() -> None:
    def name(text: str, *aliases: str) -> FactSide:
        return FactSide(text, "PERSON", "Arts", "Who sang with Una?", aliases)

    names = map(name, ["Ann Lee", "A. Lee", "ANN  LEE", "Una", "Eve", "Ida", "Zoe"])
    gold = name("Ann Lee", "A. Lee")
    choices = Pool(names).choices(gold)
    assert choices is not None
    assert choices[0] == "Ann Lee"
    assert sorted(choices[1:]) == ["Eve", "Ida", "Zoe"]


def test_none_where_fewer_than_three_others_exist() -> None:
    answers = [FactSide(text, "LAW", "Arts", "Which law?") for text in ("Act A", "Act B", "Act C")]
    people = [FactSide(text, "PERSON", "Arts", "Who?") for text in ("Ann", "Eve", "Ida")]
    assert Pool([*answers, *people]).choices(answers[0]) is None
    assert Pool([]).choices(answers[0]) is None


def test_contextual() -> None:
    left = "The bridge is red. It was opened by Ann. It was built in"
    asked = "In what year was the bridge built?"
    made = contextual(left, asked, ["1890"])
    assert made == f"The bridge is red. It was opened by Ann. {asked}"
    assert contextual("It was built in", asked, ["1890"]) is None
    assert contextual(left, asked, ["1890", "Ann"]) is None


@pytest.fixture
def published(shared: Callable[[str], Path]) -> list[dict[str, str]]:
    with shared("data/wikiprofile/facts.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_published_facts_get_choices_that_pass_the_checks(
    published: list[dict[str, str]],
) -> None:
    answers = [
        FactSide(r["object"], r["object_type"], r["category"], r["direct"]) for r in published
    ]
    pool = Pool(answers)
    made = [pool.choices(answer) for answer in answers]
    assert sum(choices is None for choices in made) <= 3
    for answer, choices in zip(answers, made, strict=True):
        if choices is None:
            continue
        golds = [answer.text]
        assert code_checks.choice_faults(answer.question, golds, choices) == []
        assert choices[0] == answer.text


def test_choices_do_not_depend_on_the_order_of_facts(published: list[dict[str, str]]) -> None:
    answers = [
        FactSide(r["object"], r["object_type"], r["category"], r["direct"]) for r in published
    ]
    shuffled = random.Random(7).sample(answers, len(answers))
    pool, other = Pool(answers), Pool(shuffled)
    assert [pool.choices(one) for one in answers[:60]] == [
        other.choices(one) for one in answers[:60]
    ]


def test_published_facts_get_contextual_questions(published: list[dict[str, str]]) -> None:
    made = [contextual(r["completion"], r["direct"], [r["object"]]) for r in published]
    assert sum(one is None for one in made) <= 2
    for row, question in zip(published, made, strict=True):
        if question is not None:
            golds = [row["object"]]
            assert not code_checks.faults(Task.CONTEXTUAL, question, golds, row["completion"])
