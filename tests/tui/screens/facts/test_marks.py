"""Answers as marks: one each, both graders' where they differ."""

from dataclasses import replace

from tests.tui.screens.facts.making import LOOK, look, mark, marks, roles
from tui.theme.look import look_named
from tui.widgets.sample_marks import FIELD, legend, marks_line, pair_line


def test_marks_stand_in_the_order_of_the_answers() -> None:
    line = marks_line(marks("c i p o . ? -"), LOOK)
    assert line.text == "●x≈o·?·"
    assert roles(line, "x") == "label-i bold"


def test_each_answer_has_one_mark_underlined_where_graders_differ() -> None:
    line = marks_line(marks("c c c ic c c ci c"), LOOK)
    assert line.text == "●●●x●●●●"
    differing = [span.role for span in line.spans if "underline" in span.role]
    assert differing == ["label-i bold underline @tint", "label-c bold underline @tint"]


def test_who_hears_the_screen_is_told_how_many_differ() -> None:
    spoken = look_named("dark", spoken=True)
    assert marks_line(marks("c ic c ci"), spoken).text.endswith(" 2 differ")
    assert "differ" not in marks_line(marks("c c"), spoken).text


def test_the_legend_has_a_mark_that_is_underlined() -> None:
    line = legend(LOOK, 60)
    assert line.text == "● correct  x incorrect  ≈ partially  o other  x differ"
    assert any("underline" in span.role for span in line.spans)
    assert legend(LOOK, 40).text == "● c  x i  ≈ p  o o  x differ"


def test_many_answers_are_cut_to_the_field() -> None:
    line = marks_line(marks("c " * 30), LOOK)
    assert line.width == FIELD
    assert line.text.endswith("…")


def test_a_persons_label_settles_a_difference() -> None:
    own = replace(mark("ic"), own=True)
    assert marks_line([own], LOOK).text == "x"
    assert pair_line(own, LOOK).text == "x"


def test_marks_in_ascii() -> None:
    assert marks_line(marks("c ip o"), look(ascii_glyphs=True)).text == "+xo"


def test_answers_that_need_not_be_drawn() -> None:
    decided = [*marks("c c"), replace(mark("."), drawn=False, dropped=True)]
    assert marks_line(decided, LOOK).text == "●●-"
