"""The grader `em`: forms of entities, dates and numbers, and what of a response is its answer."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dataset.answer_types import DATE, ENTITY, NUMBER
from core.dataset.date_words import date_words
from core.graders import em
from core.graders.em.normal_form import AnswerKind, gold_forms, normal_form
from core.graders.em.response_scores import answer_of
from core.graders.em.unit_words import SPELLINGS, spellings_of, word_of
from core.graders.exact import normalise
from core.graders.stored_answers import grade
from core.transfer.imports import import_file
from core.vocabulary import Label
from tests.core.making import new_project

LABELS = "SELECT label FROM v_labels ORDER BY fact_id"
KINDS = [AnswerKind(kind, unit) for kind in (ENTITY, DATE, NUMBER) for unit in ("", "km", "ells")]


def em_of(gold: str, answer: str, kind: str = ENTITY, unit: str = "") -> int:
    return gold_forms((gold,), AnswerKind(kind, unit)).score(answer)[0]


@given(st.text(max_size=80), st.sampled_from(KINDS))
def test_whatever_has_text_equals_itself_and_nothing_equals_a_blank(
    text: str, kind: AnswerKind
) -> None:
    found = gold_forms((text,), kind)
    assert found.score(text) == ((1, 1.0) if text.strip() else (0, 0.0))
    assert found.score(" \n") == (0, 0.0)


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(KINDS))
def test_f1_is_symmetric_and_one_only_for_the_same_words(a: str, b: str, kind: AnswerKind) -> None:
    f1 = gold_forms((a,), kind).score(b)[1]
    assert f1 == gold_forms((b,), kind).score(a)[1]
    same = sorted(normal_form(a, kind).split()) == sorted(normal_form(b, kind).split()) != []
    assert (f1 == 1) == same
    assert 0 <= f1 <= 1


@given(st.text(max_size=60))
def test_an_entity_is_compared_as_squad_does_where_words_are_left(text: str) -> None:
    composed = normal_form(text, AnswerKind())
    if normalise(text) and text.isascii():
        assert composed == normalise(text)


@given(st.integers(1, 9999), st.integers(1, 12), st.integers(1, 31))
def test_a_date_is_the_same_in_every_spelling(year: int, month: int, day: int) -> None:
    iso = f"{year:04}-{month:02}-{day:02}"
    words = date_words(iso)
    assert words is not None
    name, rest = words.split(" ", 1)
    for spelling in (
        words,
        f"{day} {name} {year}",
        f"the {day}th of {name}, {year} AD.",
        f"Monday, {name[:3]}. {day}, {year}",
        f"+{iso}T00:00:00Z",
        f"{iso}.",
    ):
        assert date_words(spelling) == words, spelling
    assert date_words(f"{words} BC") == date_words(f"-{iso}") != words
    assert date_words(f"on {words}") is None
    assert rest.startswith(str(day))


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("+1972-11-00T00:00:00Z", "+1972-11-00t00:00:00z", True),
        ("2003-04-05T06:07:08Z", "2003-04-05t06:07:08z", True),
        ("+1972-11-00T00:00:00Z", "november 1972", True),
        ("1969-07-20T20:17:40Z", "July 20, 1969", True),
        ("+1972-00-00T00:00:00Z", "1972", True),
        ("+1972-11-00T00:00:00Z", "+1972-12-00t00:00:00z", False),
        ("1969-07-20t20:17:40z", "21 July 1969", False),
    ],
)
def test_a_date_with_a_time_is_met_in_any_letter_case(gold: str, answer: str, equal: bool) -> None:
    assert em_of(gold, answer, DATE) == equal
    label = em.grade((gold,), AnswerKind(DATE), answer)
    assert (label == Label.CORRECT) == equal


@pytest.mark.parametrize("text", ["10/03/1964", "1964-13-01", "March", "32 May 1990", "1960s", ""])
def test_what_is_no_date_stays(text: str) -> None:
    assert date_words(text) is None


@given(st.decimals(-(10**9), 10**9, allow_nan=False, places=3))
def test_a_number_is_the_same_with_commas_plus_and_outer_zeros(number: object) -> None:
    plain, grouped = f"{number:f}", f"{number:,}"
    assert em_of(plain, grouped, NUMBER) == 1
    assert em_of(plain, f"{grouped}0", NUMBER) == 1
    digits = plain.removeprefix("-")
    assert em_of(plain, f"−{digits}" if plain != digits else f"+{digits}", NUMBER) == 1
    assert em_of(plain, f"-{digits}", NUMBER) == (plain != digits or not float(digits))


def test_no_two_units_have_a_spelling_in_common() -> None:
    every = [one for found in SPELLINGS.values() for one in found]
    assert len(every) == len(set(every))
    assert len({word_of(one) for one in every}) == len(SPELLINGS)
    assert spellings_of("Parsecs") == ("parsecs", "parsec")
    assert word_of("parsecs") == word_of("parsec")


def test_a_unit_counts_behind_a_number_alone() -> None:
    kind = AnswerKind(NUMBER, "m")
    assert normal_form("m is 5 m", kind) == "m is 5 μmetre"
    assert em_of("5", "5 km", NUMBER, "m") == 0
    assert em_of("about 5", "about 5 m", NUMBER, "m") == 0
    assert em_of("5 parsecs", "5", NUMBER, "parsec") == 1


@pytest.mark.parametrize(
    ("response", "mode", "answer"),
    [
        ("ANSWER:\n\n Oslo \nQuestion:", "1-shot", "Oslo"),
        ("Oslo. Answer: Bergen", "zero-shot", "Oslo. Answer: Bergen"),
        ("It lies in Norway.\nAnswer:", "recite-5-shot", ""),
        ("A. answer: x\nAnswer: **[_Oslo_]**\nmore", "recite-5-shot", "Oslo"),
        ("Answer: (Oslo", "recite-5-shot", "(Oslo"),
        ("", "recite-5-shot", ""),
    ],
)
def test_the_answer_in_a_response(response: str, mode: str, answer: str) -> None:
    assert answer_of(response, mode) == answer


def test_hostile_responses_take_no_time() -> None:
    for text in ("Answer:" * 100_000, "[" * 100_000, "1," * 100_000, "[" * 90_000 + "]" * 90_000):
        for kind in KINDS:
            gold_forms(("x",), kind).score(answer_of(text, "recite"))
            gold_forms(("x",), kind).score(answer_of(text))


def test_stored_answers_are_graded_by_the_type_of_their_triple(tmp_path: Path) -> None:
    triples = tmp_path / "some.csv"
    triples.write_text(
        "id,subject,relation,object,unit,question\n"
        "a,Nurmi,date of birth,1897-06-13,,When was Nurmi born?\n"
        "b,Ladoga,length,219,km,How long is Ladoga?\n"
        "c,Nurmi,country,Finland,,Where is Nurmi from?\n",
        encoding="utf-8",
    )
    answers = tmp_path / "answers.csv"
    answers.write_text(
        "fact_id,task,model,thinking,sample,response\n"
        "a,direct,m,0,0,13 June 1897\n"
        "b,direct,m,0,0,219 kilometers\n"
        "c,direct,m,0,0,He is from Finland\n",
        encoding="utf-8",
    )
    with new_project(tmp_path / "some.db") as project:
        assert import_file(project, triples, "triples").bad == 0
        assert import_file(project, answers, "responses").bad == 0
        assert grade(project, "em") == 3
        labels = [row[0] for row in project.connection.execute(LABELS)]
    assert labels == [Label.CORRECT, Label.CORRECT, Label.INCORRECT]
    assert em.grade(("Oslo",), AnswerKind(), "oslo") is Label.CORRECT
