"""Graders of a lens in few cells."""

import pytest

from core.scoring.precedence import PEOPLE
from core.views.grader_labels import GraderLabels
from core.views.lens import Lens
from tui.app.lens_controller import graders_line
from tui.text.grader_list import letter_of, list_by_names, only_person, short_list, shown_grader
from tui.theme.look import look_named

LOOK = look_named("dark")


@pytest.mark.parametrize(
    ("graders", "compared", "short"),
    [
        ((PEOPLE, "x"), ("x", "y"), "you›A"),
        ((PEOPLE, "x", "y", "z"), ("x", "y"), "you›A+2"),
        (("x", PEOPLE, "y"), ("x", "y"), "A›you+1"),
        (("x",), ("x",), "A"),
        ((PEOPLE,), (), "you"),
        ((PEOPLE, "llm:a-long-name"), ("x",), "you›a-long-…"),
    ],
)
def test_the_list_in_short(graders: tuple[str, ...], compared: tuple[str, ...], short: str) -> None:
    assert short_list(Lens().with_graders(graders, compared), LOOK) == short


def test_the_list_by_names() -> None:
    lens = Lens().with_graders((PEOPLE, "llm:gpt-5", "lexical", "exact"), ())
    assert list_by_names(lens, LOOK, 40) == "human › gpt-5 › lexical › exact"
    assert list_by_names(lens, LOOK, 24) == "human › gpt-5 › lexical +1"
    assert list_by_names(lens, LOOK, 8) == "human › gpt-5 +2"


def test_letters_are_those_of_the_compared() -> None:
    lens = Lens().with_graders(("d", "c", "b", "a", "e"), "abcd")
    assert [letter_of(lens, name) for name in "abcde"] == ["D", "C", "B", "A", ""]


def test_peoples_labels_are_yours_where_nobody_else_has_any() -> None:
    you = "human:mira"
    assert shown_grader(PEOPLE, only_person((PEOPLE, "x", you), you)) == "your labels"
    assert shown_grader(PEOPLE, only_person((PEOPLE, "human:ben"), you)) == "people's labels"
    assert not {"\x1b", "\n"} & set(shown_grader("a\x1b[31m\nb"))


def test_what_is_said_as_a_job_ends() -> None:
    left_out = [GraderLabels("lexical", 472, 472)]
    lens = Lens().with_graders((PEOPLE, "choice"), (), chosen=True)
    said = graders_line(left_out, lens).text
    assert said == "lexical has labelled 472 answers; the lens shows choice   g adds it"
    joined = graders_line(left_out, Lens().with_graders(lens.ranked, (), chosen=False)).text
    assert joined == "lexical has labelled 472 answers and joins the list, last   g shows it"
