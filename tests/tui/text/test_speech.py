"""Lines as they are to be heard: marks and codes in words, columns as parts of a sentence."""

import pytest

from core.vocabulary import Label
from tests.tui.screens.facts.making import look
from tui.text.line import Line
from tui.text.speech import MOST_SPOKEN, speak_line, speak_lines, speak_text
from tui.theme.look import look_named
from tui.theme.roles import label_mark

SPOKEN = look_named("dark", spoken=True)


def marks(*labels: Label) -> Line:
    line = Line()
    for label in labels:
        line.add(*label_mark(label, SPOKEN))
    return line


def test_long_sentences_go_on_below() -> None:
    lines = [Line("rank").to(20).add("1"), Line("a word, " * 5)]
    assert [line.text for line in speak_lines(lines, 20)] == [
        "rank, 1",
        "a word, a word, a",
        "word, a word, a",
        "word,",
    ]


@pytest.mark.parametrize(
    ("line", "spoken"),
    [
        (Line(), ""),
        (Line("   "), ""),
        (Line("one").to(9).add("two").add(" three"), "one, two three"),
        (Line("DR", "profile-dr bold").add("  China"), "direct recall, China"),
        (Line(" RF ", "on-rf bold @fill-rf").add(" recall failure"), "recall failure"),
        (Line("[EF 50.0   ]", "on-ef"), "chosen: encoding failure 50.0"),
        (Line(",,", "ink-3 bold").add("  China"), "incomplete, China"),
        (Line("NA", "ink-3 bold").add(" not gradable"), "not gradable"),
        (Line("1952 season").add("  ").add("1952 season").add(" to 1953"), "1952 season to 1953"),
        (Line("21  71.4").add("  71.4").add("  76.2"), "21  71.4, 71.4, 76.2"),
        (
            Line()
            .add(" audit ", "ink-2", "queue:audit")
            .add(" unsure 3 ", "accent bold @chip", "queue:unsure"),
            "audit, chosen: unsure 3",
        ),
        (Line().add(" c ", "accent bold @chip", "c").add("  correct"), "c, correct"),
        (Line("g").add(" .25", "label-i bold").add(" fail"), "g .25 fail"),
        (Line("decided").add(". ").add("u", "accent").add(" undoes"), "decided. u undoes"),
        (Line(".", "ink-3").add("  answer"), "no label, answer"),
        (Line("first").add(SPOKEN.glyph("at-stake"), "label-i"), "first, verdict at stake"),
        (Line(SPOKEN.glyph("flagged"), "object bold"), "flagged"),
    ],
)
def test_columns_and_codes_become_a_sentence(line: Line, spoken: str) -> None:
    assert speak_line(line).text == spoken


def test_marks_are_named_or_counted() -> None:
    right, wrong = Label.CORRECT, Label.INCORRECT
    assert speak_line(marks(right, wrong)).text == "correct, incorrect"
    assert speak_line(marks(right, wrong, right, right)).text == "3 correct, 1 incorrect"
    assert speak_line(marks(Label.PARTIALLY).add("  ").add("PARTIALLY")).text == "partially"


@pytest.mark.parametrize("text", ["DR", "x", "+~x", "A  >  B", "a → b …", ". . .", "[EF 5 ]"])
def test_text_of_the_data_stays(text: str) -> None:
    assert speak_line(Line(text)).text == text


def test_what_is_heard_has_no_bars_and_no_ground() -> None:
    assert SPOKEN.is_spoken
    assert not look().is_spoken
    assert not {SPOKEN.glyph(name).strip() for name in ("bar", "track", "grid", "cursor")} - {""}


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        (" Paris ", "Paris."),
        ("I am not sure.", "I am not sure."),
        ("Who?", "Who?"),
        ("a" * MOST_SPOKEN, "a" * MOST_SPOKEN + "."),
        ("a" * (MOST_SPOKEN - 1) + ". b", "a" * (MOST_SPOKEN - 1) + "..."),
    ],
)
def test_a_text_before_other_words_ends_as_a_sentence_does(text: str, spoken: str) -> None:
    assert speak_text(text) == spoken
