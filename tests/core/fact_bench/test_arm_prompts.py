"""Prompts of arms as kept: questions put into them, and the answers of exemplars found."""

import pytest

from core.fact_bench.arm_prompts import (
    QUESTION,
    AnsweredQuestion,
    fill_prompt,
    find_answers,
    write_prompt,
)
from core.modes import READING, parse_mode

FEW, RECITE = parse_mode("2-shot"), parse_mode("recite-2-shot")
SHOWN = (("Who is on?", "on"), ("Is on a tag <answer>?", "on"))


@pytest.mark.parametrize("mode", [FEW, RECITE], ids=str)
def test_a_short_answer_is_found_where_it_was_given(mode: object) -> None:
    """`on` stands in the words around it too."""
    way = RECITE if mode is RECITE else FEW
    shown = [AnsweredQuestion(*one, "It is on here.") for one in SHOWN]
    kept = write_prompt(way, shown, QUESTION)
    found = find_answers(way, kept, SHOWN)
    assert len(found) == 2
    for place in found:
        assert place is not None
        assert kept[: place[1]].endswith("\nAnswer: on")
        assert kept[place[1] :].startswith("\n\nQuestion: ")


def test_what_is_not_in_the_prompt_is_not_found() -> None:
    kept = write_prompt(FEW, [AnsweredQuestion(*SHOWN[0])], QUESTION)
    assert find_answers(FEW, kept, [("Who is off?", "on"), ("Who is on?", "no")]) == [None, None]
    assert find_answers(FEW, "", SHOWN) == [None, None]


def test_a_question_stands_in_the_last_place() -> None:
    shown = [AnsweredQuestion(f"What is {QUESTION}?", "a place")]
    kept = write_prompt(FEW, shown, QUESTION)
    filled = fill_prompt(FEW, kept, "Who?\nAnswer: me")
    assert f"What is {QUESTION}?" in filled
    assert filled.endswith("\n\nQuestion: Who? Answer: me\nAnswer:")
    assert filled == write_prompt(FEW, shown, "Who?\nAnswer: me")


def test_a_passage_that_is_gone_leaves_its_place() -> None:
    kept = write_prompt(READING, [], QUESTION)
    assert fill_prompt(READING, kept, "Who?").count("{CONTEXT}") == 1
    assert fill_prompt(READING, kept, "Who?", "{QUESTION}").count("{QUESTION}") == 1
