"""Answers as they were written."""

from dataclasses import replace

import pytest

from core.views.session import Session
from core.views.task_view import AnswerView
from tests.tui.screens.task.making import answer_at, view_of
from tui.screens.task import render_text
from tui.text.line import Line


@pytest.fixture
def answer(session: Session) -> AnswerView:
    return answer_at(view_of(session), True, 4)


def underlined(lines: list[Line]) -> str:
    return "".join(span.text for line in lines for span in line.spans if "underline" in span.role)


def test_reasoning_flows_into_the_answer(answer: AnswerView) -> None:
    lines = render_text.flow(answer, 200)
    assert [line.text for line in lines] == [
        "Only Antares burns RP-1; ¶ it was announced as Taurus II. ¶ Answer: Taurus II"
    ]
    assert underlined(lines) == "Taurus II"


def test_a_break_right_before_the_answer_is_seen(answer: AnswerView) -> None:
    lines = render_text.flow(replace(answer, text="so:\n\nAntares\n", answer=(5, 12)), 200)
    assert lines[0].text.rstrip() == "so: ¶ Antares ¶"


def test_reasoning_of_its_own_comes_first(answer: AnswerView) -> None:
    lines = render_text.flow(replace(answer, reasoning="First I think.\nThen I know."), 200)
    assert lines[0].text.startswith("First I think. ¶ Then I know. ¶ Only Antares")


def test_of_long_texts_both_ends_are_shown(answer: AnswerView) -> None:
    text = "start " + "x" * 1_000_000 + "\nAnswer: Antares"
    long = replace(answer, text=text, answer=(len(text) - 7, len(text)))
    shown = " ".join(line.text for line in render_text.flow(long, 60))
    assert len(shown) < 4 * render_text.GLANCE
    assert shown.startswith("start ")
    assert "characters" in shown
    assert underlined(render_text.flow(long, 60)) == "Antares"


def test_the_whole_text_keeps_its_lines(answer: AnswerView) -> None:
    lines = render_text.draw_whole(answer, 60)
    assert [line.text for line in lines] == answer.text.splitlines()
    assert underlined(lines) == "Taurus II"
    same = replace(answer, text="  Antares", answer=(2, 9))
    assert [line.text for line in render_text.draw_whole(same, 60)] == ["  Antares"]


def test_the_whole_text_is_whole(answer: AnswerView) -> None:
    text = "".join(f"{number} " for number in range(60_000))
    lines = render_text.draw_whole(replace(answer, text=text, answer=None), 60)
    assert " ".join(line.text.strip() for line in lines).split() == text.split()
    assert max(line.width for line in lines) <= 60


@pytest.mark.parametrize("text", ["\x1b[31mred\x1b[0m", "[/] [link=x]hi", "a\x00b", "\u202eabc"])
def test_hostile_text_is_inert(answer: AnswerView, text: str) -> None:
    one = replace(answer, text=text, answer=(0, len(text)))
    for lines in (render_text.flow(one, 60), render_text.draw_whole(one, 60)):
        shown = "".join(line.text for line in lines)
        assert shown.isprintable()
        assert shown
    assert not text.startswith("[") or render_text.draw_whole(one, 60)[0].text == text


def test_an_empty_answer_says_so(answer: AnswerView) -> None:
    empty = replace(answer, text="", answer=None)
    assert render_text.draw_whole(empty, 60)[0].text == "The answer is empty."


def test_reasoning_and_answer_are_parted(answer: AnswerView) -> None:
    lines = [
        line.text for line in render_text.draw_whole(replace(answer, reasoning="Hm.\nYes."), 60)
    ]
    assert lines[0].startswith("reasoning ─")
    assert lines[1:3] == ["Hm.", "Yes."]
    assert lines[4].startswith("answer ─")
