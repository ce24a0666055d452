"""The head: ten tasks, question, verdict."""

from dataclasses import replace

import pytest

from core.views.session import Session
from core.vocabulary import TASKS, Task
from tests.tui.screens.task.making import ASKED, view_of
from tui.screens.task import render_head
from tui.text import task_names

BOTH = (False, True)


def test_the_ten_tasks_as_in_the_picture(session: Session) -> None:
    top, below = render_head.task_lines(view_of(session), BOTH, 117)
    assert top.text.split("  ")[0] == " 1 compl"
    assert " 6 rev nat " in top.text
    assert below.text.split() == [
        *(["1.00", "–", "1.00", "–", "1.00", "1.00", "1.00", "1.00"]),
        *([".13", ".75", ".00", ".50", "–", "–", "–", "–", "1.00", "–", "–", "–"]),
    ]
    assert [
        span.text.strip() for span in top.spans if "@chip" in span.role and span.text.strip()
    ] == [
        "6",
        "rev nat",
    ]
    assert top.part_at(top.text.index("rev nat")) == "task:reverse_natural"
    roles = {span.text.strip(): span.role for span in below.spans}
    assert roles[".13"] == "label-i"
    assert roles[".75"] == "label-c"


@pytest.mark.parametrize("width", [40, 60, 79, 80, 97, 117, 157, 197])
@pytest.mark.parametrize("settings", [BOTH, (True,)])
def test_all_ten_fit_at_every_width(
    session: Session, width: int, settings: tuple[bool, ...]
) -> None:
    room = render_head.HeadRoom(width, 40)
    lines = render_head.lines_of(view_of(session), settings, room)
    assert len(lines) == room.height
    assert max(line.width for line in lines) <= width
    numbers = "".join(line.text for line in lines[: 2 if width >= 80 else 4])
    assert all(f" {task_names.number(task)} " in numbers for task in TASKS)


def test_names_are_told_apart_at_every_length() -> None:
    for room in range(3, 30):
        found = task_names.fit_names(room)
        assert list(found) == list(TASKS)
        assert len(set(found.values())) == len(TASKS)


def test_a_setting_that_is_not_looked_at_is_not_shown(session: Session) -> None:
    below = render_head.task_lines(view_of(session), (True,), 117)[1]
    assert below.text.split()[4:6] == [".75", ".50"]


def test_the_question_stands_at_the_bottom_of_its_lines() -> None:
    lines = render_head.question_lines("Who?", Task.DIRECT, 40, 2)
    assert [line.text for line in lines] == ["", "Who?"]


def test_a_long_question_is_cut_at_its_end_a_long_context_at_its_beginning() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    question = render_head.question_lines(text, Task.DIRECT, 30, 2)
    assert question[0].text.startswith("word0 ")
    assert question[-1].text.endswith("…")
    context = render_head.question_lines(text, Task.COMPLETION, 30, 2)
    assert context[0].text.startswith("… ")
    assert context[-1].text.endswith("word199")
    for lines in (question, context):
        assert len(lines) == 2
        assert max(line.width for line in lines) <= 30


def test_the_verdict_with_the_parts_that_the_question_decides(session: Session) -> None:
    line = render_head.verdict_line(view_of(session), 116)
    words = "gold Antares passes above .50 K0 no KT no RF recall failure"
    assert " ".join(line.text.split()) == words
    assert "E yes" in render_head.verdict_line(view_of(session, Task.COMPLETION), 116).text
    assert (
        "decides no profile"
        in render_head.verdict_line(view_of(session, Task.MC_REVERSE), 116).text
    )


def test_a_long_gold_leaves_room_for_the_verdict(session: Session) -> None:
    view = replace(view_of(session), gold="x" * 5000, aliases=("y" * 5000,))
    for width in (38, 78, 116):
        line = render_head.verdict_line(view, width)
        assert line.width <= width
        assert line.text.rstrip().endswith("recall failure")


def test_the_question_is_whole_where_it_fits(session: Session) -> None:
    lines = render_head.lines_of(view_of(session), BOTH, render_head.HeadRoom(117, 40))
    assert lines[3].text == f" {ASKED}"


def test_a_very_low_screen_keeps_question_and_verdict(session: Session) -> None:
    room = render_head.HeadRoom(38, 10)
    lines = render_head.lines_of(view_of(session), BOTH, room)
    assert len(lines) == room.height == 2
    assert lines[0].text.startswith(" What's the name")
    assert lines[1].text.startswith(" gold Antares")
