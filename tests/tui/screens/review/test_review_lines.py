"""The lines of the Review screen, drawn without an app."""

from dataclasses import replace

import pytest

from core.views.answer_marks import AnswerMark
from core.views.review.error_rates import Quality
from core.views.review.review_queue import QueueRequest, ReviewRow, ReviewStatus
from core.views.review.strong_answers import ModelAnswer
from core.views.snapshot import Heading
from core.vocabulary import Outcome, QueueKind, Task
from tui.screens.review import render_card, render_queue, render_rate
from tui.screens.review.render_card import ReviewCardContext
from tui.theme.look import look_named

LOOK = look_named("dark")
ROW = ReviewRow(0, 1, 0, Heading("t", "s", "o"), Task.DIRECT, 123, 456, "", ReviewStatus())


@pytest.mark.parametrize("width", [40, 50, 80])
def test_how_many_models_fail_is_never_cut_and_short_where_that_is_wanted(width: int) -> None:
    text = "What is the capital of China, and of which country is it the capital? " * 3
    assert render_queue.draw(ROW, text, width, LOOK, True).text.endswith(" 123 of 456")
    short = render_queue.draw(ROW, text, width, LOOK, True, short=True)
    assert short.text.endswith(" 123/456")
    assert short.width <= width


def test_a_long_question_is_heard_with_how_many_models_fail_it() -> None:
    text = "What is the capital of China, and of which country is it the capital? " * 3
    heard = render_queue.sentence(ROW, text)
    assert heard.text.startswith("3 direct: What is the capital of China")
    assert heard.text.endswith("123 of 456 fail")
    assert heard.width < 2 * 78
    said = replace(ROW, standing=ReviewStatus(verdict="rejected", reason="unclear"))
    assert render_queue.sentence(said, "Who?").text == "3 direct: Who? Rejected. unclear"


def test_where_kinds_of_queues_have_no_room_a_sign_says_so() -> None:
    wanted = QueueRequest(QueueKind.SUSPICIOUS)
    assert "edited" in render_queue.tabs(wanted, None, 80).text
    narrow = render_queue.tabs(wanted, None, 47)
    assert "edited" not in narrow.text
    assert "…" in narrow.text
    assert narrow.width <= 47


@pytest.mark.parametrize("models", [1, 2, 12])
def test_of_flagged_facts_words_go_before_counts(models: int) -> None:
    names = tuple(map(str, range(models)))
    great = Quality(names, 1_000_000, 672_345, 123_456, 12_345)
    line = render_rate._draw_flagged(great, 80)
    assert line.width <= 80
    for count in ("672,345/1,000,000 facts", "123,456 looked at", "12,345 rejected"):
        assert count in line.text
    small = render_rate._draw_flagged(Quality(names, 12, 6, 0, 0), 80).text
    assert small.startswith("6 of 12 facts have a question that ")


@pytest.mark.parametrize("name", ["gemma3-4b", "claude-opus-4.5-20251101"])
def test_marks_never_run_into_the_name_of_their_model(name: str) -> None:
    answer = ModelAnswer(name, False, (AnswerMark(True, Outcome.INCORRECT),) * 8, "1492", 5, None)
    line = render_card._draw_answer(answer, 16, ReviewCardContext(62, 30, LOOK, {})).text
    assert line[15] == " "
    assert line[16:24] == "x" * 8
