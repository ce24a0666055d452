"""Answers as marks: one each, both graders' where they differ."""

from dataclasses import replace

from tests.tui.screens.facts.making import LOOK, look, mark, marks, roles
from tui.widgets.sample_marks import FIELD, marks_line, pair_line


def test_marks_stand_in_the_order_of_the_answers() -> None:
    line = marks_line(marks("c i p o . ? -"), LOOK)
    assert line.text == "●x≈o·?·"
    assert roles(line, "x") == "label-i bold"


def test_where_graders_differ_both_marks_stand_tinted() -> None:
    line = marks_line(marks("c ic c"), LOOK)
    assert line.text == "●x●●"
    assert [span.role for span in line.spans[1:3]] == [
        "label-i bold underline @tint",
        "label-c bold underline @tint",
    ]


def test_above_three_differences_only_as_marks_are_drawn() -> None:
    line = marks_line(marks("ic ic ic ic c c c c"), LOOK)
    assert line.text == "xxxx●●●●"
    assert roles(line, "x") == "label-i bold underline"
    assert marks_line(marks("ic ic ic c c c c c"), LOOK).width == FIELD


def test_many_answers_are_cut_to_the_field() -> None:
    line = marks_line(marks("c " * 30), LOOK)
    assert line.width == FIELD
    assert line.text.endswith("…")


def test_a_persons_label_settles_a_difference() -> None:
    own = replace(mark("ic"), own=True)
    assert marks_line([own], LOOK).text == "x"
    assert pair_line(own, LOOK).text == "x"


def test_marks_in_ascii() -> None:
    assert marks_line(marks("c ip o"), look(ascii_glyphs=True)).text == "+x~o"


def test_answers_that_need_not_be_drawn() -> None:
    decided = [*marks("c c"), replace(mark("."), drawn=False, dropped=True)]
    assert marks_line(decided, LOOK).text == "●●-"
