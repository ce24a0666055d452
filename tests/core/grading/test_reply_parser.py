"""Replies are read as a whole or not at all."""

import pytest

from core.grading.answer_batches import (
    LONGEST_WHY,
    ParsedLabel,
    UnreadableError,
    read_judge,
    read_labels,
)
from core.vocabulary import LABELS, Label


def line(number: int, label: str = "CORRECT", why: str = "so", noun: str = "answer") -> str:
    return f"<{noun}_{number}>{label}</{noun}_{number}><why_{number}>{why}</why_{number}>"


@pytest.mark.parametrize("noun", ["answer", "completion"])
def test_labels_are_bound_to_their_numbers(noun: str) -> None:
    reply = "\n".join(line(n, label, noun=noun) for n, label in enumerate(LABELS, 1))
    assert read_labels(reply, noun, 4) == tuple(ParsedLabel(label, "so") for label in LABELS)


def test_reasons_may_be_left_out_and_are_one_short_line() -> None:
    reply = f" <answer_1> OTHER </answer_1>\n\n{line(2, why='a' * 999)}\n"
    reply += line(3, why=" a\nb ")
    one, two, three = read_labels(reply, "answer", 3)
    assert one == ParsedLabel(Label.OTHER)
    assert two.why == "a" * LONGEST_WHY
    assert three.why == "a b"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "CORRECT\nCORRECT",
        line(1),
        line(2),
        line(2) + line(1),
        line(1) + line(1),
        line(1) + line(1) + line(2),
        line(1) + line(3),
        line(0) + line(1),
        line(1) + line(2) + line(3),
        line(1) + line(2) + " that is all",
        "Labels: " + line(1) + line(2),
        line(1) + " and " + line(2),
        line(1) + line(2, "correct"),
        line(1) + line(2, "CORRECT?"),
        line(1) + line(2, ""),
        line(1) + line(2, "RIGHT"),
        line(1) + line(2, "CORRECT, INCORRECT"),
        line(1) + line(2).replace("answer", "completion"),
        line(1) + "<answer_2>CORRECT</answer_1>",
        line(1) + "<answer_2>CORRECT",
        line(1) + line(99999),
        line(1) + "<why_2>so</why_2>",
        f"```\n{line(1)}{line(2)}\n```",
    ],
)
def test_anything_else_is_not_read(reply: str) -> None:
    with pytest.raises(UnreadableError):
        read_labels(reply, "answer", 2)


@pytest.mark.parametrize(
    ("reply", "label"),
    [("Yes", "CORRECT"), (" yes.\n", "CORRECT"), ("No", "INCORRECT"), ("NO.", "INCORRECT")],
)
def test_a_judge_says_yes_or_no(reply: str, label: str) -> None:
    assert read_judge(reply) == ParsedLabel(Label(label))


@pytest.mark.parametrize("reply", ["", "Yes, it does", "No no", "Maybe", "CORRECT", "Yes No"])
def test_a_judge_says_nothing_else(reply: str) -> None:
    with pytest.raises(UnreadableError):
        read_judge(reply)
