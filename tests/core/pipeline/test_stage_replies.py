"""Replies are read strictly: in their form, or not at all."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.pipeline import stage_replies
from core.pipeline.code_checks import CATEGORIES, TYPES
from core.pipeline.stage import OffFormatError
from core.pipeline.stage_replies import EntityMark, RejectedQuestion, SuitabilityVerdict

READERS: dict[str, Callable[[str], object]] = {
    "verdict": stage_replies.verdict,
    "one_of": lambda reply: stage_replies.one_of(reply, CATEGORIES),
    "marked": lambda reply: stage_replies.read_marks(reply, TYPES),
    "listed": lambda reply: stage_replies.read_names(reply, 3),
    "question": stage_replies.question,
    "question_or_rejection": stage_replies.question_or_rejection,
    "contextual": stage_replies.contextual,
    "reverse": stage_replies.reverse,
    "options": stage_replies.options,
    "answer": stage_replies.answer,
}
PIECES = st.sampled_from(
    ["SUITABLE", "NO", "REJECT", "\n", " ", "{{{", "}}}", "a; PERSON", "<reverse>", "</reverse>",
     "<subject>", "</subject>", "What?", '"', "\\", "\x1b[31m", "\x00", "\u202e", "A. ", "[", "]",
     ",", "People", "\ud800", "\r", "\x85", "é", "?"]
)  # fmt: skip


@pytest.mark.parametrize("name", READERS)
@given(reply=st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join)))
def test_any_reply_is_read_or_off_format(name: str, reply: str) -> None:
    try:
        said = str(READERS[name](reply))
    except OffFormatError as error:
        said = str(error)
        one_line = said.splitlines() == [said]
    else:
        one_line = True
    assert said
    assert one_line


@pytest.mark.parametrize("name", sorted(READERS.keys() - {"marked"}))
@pytest.mark.parametrize("reply", ["", "  \n\t\n"])
def test_an_empty_reply_is_off_format(name: str, reply: str) -> None:
    with pytest.raises(OffFormatError):
        READERS[name](reply)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=25).map("".join)))
def test_questions_are_one_clean_line(reply: str) -> None:
    try:
        read = stage_replies.question(reply)
    except OffFormatError:
        return
    assert "?" in read
    assert read.splitlines() == [read]
    assert not any(mark in read for mark in ("{{{", "}}}", "\x1b", "\x00", "<reverse>"))


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("SUITABLE", SuitabilityVerdict(True)),
        ("**SUITABLE**\n", SuitabilityVerdict(True)),
        ("NO", SuitabilityVerdict(False)),
        ("Suitable.", SuitabilityVerdict(True)),
        ("NOT.\nseveral answers", SuitabilityVerdict(False, "several answers")),
        ("SUITABLE\nclear enough", SuitabilityVerdict(True, "clear enough")),
    ],
)
def test_verdict(reply: str, read: SuitabilityVerdict) -> None:
    assert stage_replies.verdict(reply) == read


@pytest.mark.parametrize(
    "reply",
    [
        "SUITABLE or NO",
        "UNSUITABLE",
        "Yes",
        "I think it is\nSUITABLE",
        "NO\none\ntwo",
        "NO SUITABLE",
        "SUITABLE\n\x1b[2J",
    ],
)
def test_no_verdict(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.verdict(reply)


def test_one_of() -> None:
    assert stage_replies.one_of(" philosophy & religion.\n", CATEGORIES) == "Philosophy & Religion"
    assert stage_replies.one_of('"NUMERIC_VALUE"', TYPES) == "NUMERIC_VALUE"


@pytest.mark.parametrize("reply", ["Peoples", "People, Arts", "People\nArts", "Category: People"])
def test_none_of(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.one_of(reply, CATEGORIES)


def test_marked() -> None:
    marks, plain = stage_replies.read_marks(
        "In {{{1823; DATE}}} she saw {{{a; b; ORGANISM}}}.", TYPES
    )
    assert marks == [EntityMark("1823", "DATE", 3), EntityMark("a; b", "ORGANISM", 16)]
    assert plain == "In 1823 she saw a; b."
    assert all(plain[mark.start :].startswith(mark.text) for mark in marks)


@pytest.mark.parametrize(
    "reply",
    ["In {{{1823}}}", "In {{{1823; YEAR}}}", "In {{{1823; DATE}}", "{{{a {{{b; DATE}}} ; DATE}}}"],
)
def test_marks_off_format(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.read_marks(reply, TYPES)


@pytest.mark.parametrize(
    "reply",
    ["{{{Tray}}}\n{{{Blue Lias}}}", '["{{{Tray}}}", "{{{Blue Lias}}}"]',
     "1. {{{Tray}}}\n2. {{{Blue  Lias}}}"],
)  # fmt: skip
def test_listed(reply: str) -> None:
    assert stage_replies.read_names(reply, 3) == ["Tray", "Blue Lias"]


@pytest.mark.parametrize("reply", ["NONE", "[]", "none"])
def test_none_listed(reply: str) -> None:
    assert stage_replies.read_names(reply, 3) == []


@pytest.mark.parametrize(
    "reply",
    ["Tray", "{{{Tray}}} because it is good", "{{{a}}}\n{{{b}}}\n{{{c}}}\n{{{d}}}", "{{{Tray}}"],
)
def test_no_list(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.read_names(reply, 3)


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("  Which  river? ", "Which river?"),
        ('"Which river?"', "Which river?"),
        ('"Which \\"old\\" river?"', 'Which "old" river?'),
        ('"Anna" or "Anne"?', '"Anna" or "Anne"?'),
        ("“Which river?”", "Which river?"),
        ("When did it open? Answer with a date.", "When did it open? Answer with a date."),
    ],
)
def test_question(reply: str, read: str) -> None:
    assert stage_replies.question(reply) == read


@pytest.mark.parametrize(
    "reply",
    [
        "Here it is:\nWhich river?",
        "A river.",
        "?",
        "Which river? </reverse>",
        "Which {{{river}}}?",
        "Which \x1b[31mriver?",
        '"\\u001b[31mWhich?"',
        "x" * 10_000 + "?",
        "```Which?```",
    ],
)
def test_no_question(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.question(reply)


def test_rejection() -> None:
    assert stage_replies.question_or_rejection("REJECT") == RejectedQuestion()
    assert stage_replies.question_or_rejection("REJECT\ntoo vague") == RejectedQuestion("too vague")
    assert stage_replies.reverse("REJECT\ntoo many") == RejectedQuestion("too many")
    assert stage_replies.question_or_rejection("Do we REJECT?") == "Do we REJECT?"


def test_reverse() -> None:
    reply = "<reverse> Who was it? </reverse>\n<subject>Mary Anning</subject>\n"
    assert stage_replies.reverse(reply) == ("Who was it?", "Mary Anning")


@pytest.mark.parametrize(
    "reply",
    [
        "<reverse>Who?</reverse>",
        "<subject>Ann</subject><reverse>Who?</reverse>",
        "<reverse>Who?</reverse><subject></subject>",
        "<reverse>Who?</reverse><subject>-</subject>",
        "<reverse>Who.</reverse><subject>Ann</subject>",
        "<reverse>Who?</reverse><subject>Ann</subject> I hope so",
        "<reverse>Who?<subject>Eve</subject></reverse><subject>Ann</subject>",
        f"<reverse>Who?</reverse><subject>{'a' * 400}</subject>",
    ],
)
def test_no_reverse(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.reverse(reply)


def test_contextual_joins_lines() -> None:
    assert (
        stage_replies.contextual("It rained.\nIt stopped.\n\nWhen?")
        == "It rained. It stopped. When?"
    )


def test_options() -> None:
    assert stage_replies.options("Ann\n\nEve\n“Ida”\nUna\n") == ["Ann", "Eve", "Ida", "Una"]
    assert stage_replies.options("A. B. Cole\nEve\nIda\nUna")[0] == "A. B. Cole"


@pytest.mark.parametrize(
    "reply",
    [
        "Ann\nEve\nIda",
        "Ann\nEve\nIda\nUna\nZoe",
        "A. Ann\nB. Eve\nC. Ida\nD. Una",
        "1) Ann\n2) Eve\n3) Ida\n4) Una",
        f"Ann\nEve\nIda\n{'u' * 400}",
        "Ann\nEve\nIda\n<b>Una</b>",
        "Ann\nEve\nIda\n\x1b]0;x\x07",
    ],
)
def test_no_options(reply: str) -> None:
    with pytest.raises(OffFormatError):
        stage_replies.options(reply)
