import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.graders.exact import grade, normalise
from core.vocabulary import LABELS, Label


@pytest.mark.parametrize(
    ("golds", "answer", "label"),
    [
        (["The Salt Gate"], "salt gate.", Label.CORRECT),
        (["Salt Gate"], "  A SALT   gate!", Label.CORRECT),
        (["Tartu", "Dorpat"], "dorpat", Label.CORRECT),
        (["Tartu"], "in Tartu", Label.INCORRECT),
        (["Tartu"], "Narva", Label.INCORRECT),
        (["12"], "twelve", Label.INCORRECT),
        (["Tartu"], "", Label.OTHER),
        (["Tartu"], " ...\n", Label.OTHER),
        (["Tartu"], "I don't know.", Label.OTHER),
        (["Tartu"], "I'm not sure, but Narva.", Label.INCORRECT),
        (["The The"], "The The", Label.CORRECT),
        (["Unknown"], "unknown", Label.CORRECT),
        ([], "Tartu", Label.INCORRECT),
        ([""], "", Label.OTHER),
    ],
)
def test_grade(golds: list[str], answer: str, label: Label) -> None:
    assert grade("", golds, answer) == label


def test_normalise_keeps_letters_of_words_that_look_like_articles() -> None:
    assert normalise("An Anthem, a-ha & the Theatre") == "anthem aha theatre"


@given(st.lists(st.text(), max_size=3), st.text())
def test_labels_any_text(golds: list[str], answer: str) -> None:
    assert grade("", golds, answer) in LABELS


@given(st.text(), st.lists(st.text(), max_size=3))
def test_a_gold_is_correct_unless_blank(gold: str, others: list[str]) -> None:
    expected = Label.CORRECT if gold.strip() else Label.OTHER
    assert grade("", [*others, gold], gold) == expected
