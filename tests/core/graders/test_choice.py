"""What an answer to multiple choice commits to (semantics section 3)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dataset.choice_options import encode, places
from core.graders import choice
from core.graders.choice import RECORD, NamedOption, find_option, label_answers, read_choice
from core.vocabulary import Label, Task
from db.question_rows import Gold, StoredQuestion
from db.responses import ToGrade
from tests.core.graders.choice_forms import FORMS, SHOWN


def ask(choices: tuple[str, ...], gold: str) -> StoredQuestion:
    a, b, c, d = choices
    return StoredQuestion(1, 1, "a", Task.MC_DIRECT, "?", (a, b, c, d), 1, Gold(gold, ()), "", "")


@pytest.mark.parametrize(("answer", "letter"), FORMS)
def test_what_an_answer_commits_to(answer: str, letter: str | None) -> None:
    named = find_option(answer, SHOWN)
    assert (None if named is None else "ABCD"[named]) == letter
    for place, gold in enumerate(SHOWN):
        expected = (
            Label.OTHER if named is None else (Label.INCORRECT, Label.CORRECT)[named == place]
        )
        given_ = ToGrade(1, 1, answer, encode(SHOWN, SHOWN), None)
        assert RECORD.label(ask(SHOWN, gold), answer, given_) == expected


@pytest.mark.parametrize(("answer", "letter"), FORMS)
def test_a_letter_stands_for_the_option_shown_there(answer: str, letter: str | None) -> None:
    """In every order of the options one answer has the label of the option that it means."""
    orders = range(24)
    rows = [(ask(SHOWN, "Paris"), answer, order) for order in orders]
    shown = [tuple(SHOWN[place] for place in places(order)) for order in orders]
    named = [find_option(answer, one) for one in shown]
    texts = [None if place is None else one[place] for place, one in zip(named, shown, strict=True)]
    labels = {"Paris": Label.CORRECT, None: Label.OTHER}
    expected = [labels.get(text, Label.INCORRECT) for text in texts]
    assert list(label_answers(rows)) == expected


def test_the_examples_of_the_design_have_their_labels(shared: Callable[[str], Path]) -> None:
    folder = shared("design/examples/choice-forms")
    rows = [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
    told = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    expected = {one["sample"]: one["label"] for one in told}
    for row in rows:
        options = tuple(row["shown_order"])
        (label,) = label_answers([(ask(options, "Paris"), row["response"], 0)])
        assert label == expected[row["sample"]], row["response"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("**B**", "letter B alone"),
        ("paris.", "text of option B"),
        ("B) Paris", "leading B"),
        ("Berlin is German.\nThe *answer* is (B), as it is.", "B, by “The answer is (B)”"),
        ("I would go with Paris", "the text of option B, by “I would go with Paris”"),
        ("Option B is correct.", "B, by “Option B”"),
        ("B is the right one.", "B, by “B is the right one”"),
        ("It has the Louvre.\n(B)", "B on the last line"),
        ("Surely Paris!", "only the text of option B is in it"),
    ],
)
def test_the_words_that_decided_are_told(answer: str, words: str) -> None:
    assert read_choice(answer, SHOWN) == NamedOption(1, words)


def test_an_option_that_is_a_letter_goes_before_the_letter() -> None:
    shown = ("B", "AB", "A", "0")
    assert find_option("B", shown) == 0
    assert find_option("a.", shown) == 2
    assert find_option("D", shown) == 3
    assert find_option("B. AB", shown) == 1
    assert find_option("The answer is B", shown) == 1


def test_a_text_that_two_options_share_names_neither() -> None:
    shown = ("Tartu", "tartu.", "Narva", "Viljandi")
    assert find_option("Tartu", shown) is None
    assert find_option("The answer is Tartu", shown) is None
    assert find_option("A", shown) == 0
    assert find_option("B", shown) == 1


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("The answer is York", 0),
        ("The answer is New York", 1),
        ("It is 15 km", None),
        ("It is 5.5", None),
        ("It is 5.", 2),
        ("It is the Straße", 3),
        ("IT IS THE STRASSE", 3),
    ],
)
def test_texts_of_options_are_whole_words(answer: str, place: int | None) -> None:
    assert find_option(answer, ("York", "New York", "5", "Straße")) == place


def test_options_with_markdown_are_met_with_and_without_it() -> None:
    shown = ("`f(x)`", "$x^2$", "O'Brien", "snake_case")
    for place, text in enumerate(shown):
        assert find_option(text, shown) == place
        assert find_option(f"The answer is **{text}**.", shown) == place
    assert find_option("The answer is f(x)", shown) == 0


def test_labels_of_orders_that_are_not_known_are_none() -> None:
    question = ask(SHOWN, "Paris")
    rows = [(question, "B", None), (ask(SHOWN, "Lyon"), "B", 0), (question, "B", 0)]
    assert list(label_answers(rows)) == [None, None, Label.CORRECT]


@pytest.mark.parametrize(
    "piece",
    ["B, ", "The answer is B. ", "not A, ", "(", "\n", "A ", "Paris ", "B is ", "<think>", "'",
     "</think>", "\\a", " ", "\\boxed{B} ", "B or ", "so ", "A\n", " \n", "- ", "ß", "B is not "],
)  # fmt: skip
def test_long_answers_take_time_in_proportion(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that are looked at, not seconds, are counted: ten times the text, ten times as many."""
    from core.graders.choice.mentions import Mentions

    looked = [0]
    word = Mentions.word

    def count(self: Mentions, number: int) -> str:
        looked[0] += 1
        return word(self, number)

    monkeypatch.setattr(Mentions, "word", count)
    counts = []
    for length in (1_000, 10_000):
        looked[0] = 0
        find_option((piece * length)[:length], SHOWN)
        counts.append(looked[0])
    assert counts[1] <= 12 * counts[0] + 100


SENTENCES = (
    "{form}",
    "The question asks for the largest city of a country in the west. {form}",
    "{form} It is a large city, which lies in the west.",
    "As the capital of the country, {form}",
    "Paris has the largest museum of all. {form}\nRome is older, but not that large.",
)


def label_and_find(answer: str, order: int) -> tuple[Label | None, Label]:
    """The label as many answers are labelled, and by the whole reading of one, Paris being right.

    Many are read by short ways where these are sure.
    """
    shown = tuple(SHOWN[place] for place in places(order))
    named = find_option(answer, shown)
    (label,) = label_answers([(ask(SHOWN, "Paris"), answer, order)])
    if named is None:
        return label, Label.OTHER
    return label, Label.CORRECT if shown[named] == "Paris" else Label.INCORRECT


@pytest.mark.parametrize("sentence", SENTENCES)
def test_short_ways_read_sentences_as_the_whole_reading_does(sentence: str) -> None:
    for form, _ in FORMS:
        label, expected = label_and_find(sentence.format(form=form), 3)
        assert label == expected, form


PIECES = st.sampled_from(
    ["A", "b", "D", "E", ".", ")", "(", ":", " ", "\n", "Berlin", "paris", "Rome.", "so", " or ",
     "not ", "The answer is ", " is wrong", "**", "\\boxed{", "}", "<think>", "</think>", " city",
     ", ", "the ", " option ", "Response", "ans", " lies ", "'s", " - ", "okay ", "2. "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=10).map("".join), st.integers(0, 23))
@settings(max_examples=300, deadline=None)
def test_any_answer_is_read_one_way(answer: str, order: int) -> None:
    label, expected = label_and_find(answer, order)
    assert label == expected


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read(answer: str) -> None:
    found = choice.read_choice(answer, SHOWN)
    assert found is None or found.place in range(4)
