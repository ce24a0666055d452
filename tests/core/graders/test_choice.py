"""The rules by which multiple-choice answers are read (semantics section 3)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dataset.choice_options import encode
from core.graders.choice import RECORD, find_option
from core.vocabulary import Label, Task
from db.question_rows import Gold, StoredQuestion
from db.responses import ToGrade

SHOWN = ("Narva", "Tartu", "Viljandi", "Old Pärnu.")


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("Tartu", 1),
        (" tARTU \n", 1),
        ("Tartu.", 1),
        ("Tartu .", 1),
        ("OLD PÄRNU", 3),
        ("Old Pärnu.", 3),
        ("B", 1),
        ("b", 1),
        (" d\n", 3),
        ("B.", 1),
        ("b)", 1),
        ("C:", 2),
        ("B. Tartu", 1),
        ("B) tartu.", 1),
        ("B: Tartu", 1),
        ("B.Tartu", 1),
        ("B Tartu", 1),
        ("b\ttartu", 1),
        ("B\nTartu", 1),
        ("B. It is the second city.", 1),
        ("B) because of the river", 1),
        ("B. Narva", None),
        ("B) narva.", None),
        ("B Narva", None),
        ("A fine city", None),
        ("A", 0),
        ("B is right", None),
        ("E", None),
        ("E. Tartu", None),
        ("BB", None),
        ("Be. Tartu", None),
        ("The answer is B", None),
        ("Answer: B", None),
        ("Tartu, of course", None),
        ("Tartu or Narva", None),
        ("Tartu!", None),
        ("", None),
        (".", None),
        ("   ", None),
        ("(B)", None),
        ("B,", None),
        ("B Tartu and more", None),
    ],
)
def test_what_an_answer_names(answer: str, named: int | None) -> None:
    assert find_option(answer, SHOWN) == named
    for place, gold in enumerate(SHOWN):
        expected = (
            Label.OTHER if named is None else (Label.INCORRECT, Label.CORRECT)[named == place]
        )
        question = StoredQuestion(1, 1, "a", Task.MC_DIRECT, "?", SHOWN, 1, Gold(gold, ()), "", "")
        given = ToGrade(1, 1, answer, encode(SHOWN, SHOWN), None)
        assert RECORD.label(question, answer, given) == expected


def test_an_option_that_is_a_letter_goes_before_the_letter() -> None:
    shown = ("B", "AB", "A", "0")
    assert find_option("B", shown) == 0
    assert find_option("a.", shown) == 2
    assert find_option("D", shown) == 3
    assert find_option("B. AB", shown) == 1
    assert find_option("B AB", shown) == 1
    assert find_option("B. B", shown) is None


def test_a_text_that_two_options_share_names_neither() -> None:
    shown = ("Tartu", "tartu.", "Narva", "Viljandi")
    assert find_option("Tartu", shown) is None
    assert find_option("A", shown) == 0
    assert find_option("B", shown) == 1


def test_a_letter_with_a_full_stop_apart_is_still_alone() -> None:
    assert find_option("A .", ("Tartu", "Narva", "Viljandi", "Old Pärnu")) == 0


def by_the_rules(answer: str, shown: tuple[str, ...]) -> set[int]:
    """The rules word by word; every option they can mean."""

    def same(one: str, other: str) -> bool:
        return bare(one) == bare(other)

    whole = [place for place, option in enumerate(shown) if same(answer, option)]
    if len(whole) == 1:
        return set(whole)
    text = answer.strip()
    if not text or text[0].upper() not in "ABCD":
        return set()
    letter = "ABCD".index(text[0].upper())
    after = text[1:]
    marked = after[:1] in (".", ")", ":") and after != ""
    rest = after[1:] if marked else after
    if any(same(rest, option) for option in shown) and not same(rest, shown[letter]):
        return set()
    follows = re.match(r"\s", after) and same(rest, shown[letter])
    # Alone as texts are compared: outer white space and a final full stop do not count.
    alone = len(bare(answer)) == 1
    return {letter} if alone or marked or follows else set()


def bare(text: str) -> str:
    text = text.strip()
    return (text[:-1] if text.endswith(".") else text).strip().casefold()


PIECES = st.sampled_from(
    ["A", "b", "D", "E", ".", ")", ":", " ", "\n", "Narva", "tartu", "Viljandi.", "Old Pärnu", "so"]
)


@given(st.lists(PIECES, max_size=5).map("".join))
@settings(max_examples=400, deadline=None)
def test_any_answer_is_read_by_the_rules(answer: str) -> None:
    named = find_option(answer, SHOWN)
    assert (set() if named is None else {named}) == by_the_rules(answer, SHOWN)
