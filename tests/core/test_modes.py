"""Modes and arms: what is one, and that each is written as it is read."""

import pytest

from core.errors import UsageError
from core.modes import (
    READING,
    ZERO_SHOT,
    Arm,
    ArmMode,
    AskingWay,
    ExemplarKnowledge,
    find_arm,
    is_arm,
    parse_mode,
)

FEW, RECITE = AskingWay.FEW_SHOT, AskingWay.RECITE


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("zero-shot", ZERO_SHOT),
        ("reading", READING),
        ("1-shot", ArmMode(FEW, 1)),
        ("100-shot", ArmMode(FEW, 100)),
        ("recite-5-shot", ArmMode(RECITE, 5)),
        ("recite-5-shot-restated", ArmMode(RECITE, 5, restated=True)),
        ("10-shot:shuffle", ArmMode(FEW, 10, None, True)),
        ("10-shot:known", ArmMode(FEW, 10, ExemplarKnowledge.KNOWN)),
        ("20-shot:unknown", ArmMode(FEW, 20, ExemplarKnowledge.UNKNOWN)),
        ("30-shot:mixed", ArmMode(FEW, 30, ExemplarKnowledge.MIXED)),
        ("10-shot:known-shuffle", ArmMode(FEW, 10, ExemplarKnowledge.KNOWN, True)),
        ("10-shot:unknown-shuffle", ArmMode(FEW, 10, ExemplarKnowledge.UNKNOWN, True)),
        ("10-shot:mixed-shuffle", ArmMode(FEW, 10, ExemplarKnowledge.MIXED, True)),
    ],
)
def test_a_mode_is_written_as_it_is_read(text: str, mode: ArmMode) -> None:
    assert parse_mode(text) == mode
    assert str(mode) == text
    assert find_arm(f"openai:m@http://h:1/v1#{text}") == Arm("openai:m@http://h:1/v1", mode)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "few-shot",
            "0-shot",
            "101-shot",
            "05-shot",
            "-1-shot",
            "5-Shot",
            "٥-shot",
            "5-shot ",
        ),
        *("recite", "recite-5-shot:known", "5-shot:", "5-shot:false", "5-shot:shuffle-known"),
        *("5-shot-restated", "recite-5-shot:restated", "recite-5-shot-restated:known"),
        *("5-shot:known-mixed", "zero-shot:shuffle", "reading:known", "5-shot\n", "999999-shot"),
    ],
)
def test_what_is_no_mode_is_said_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_mode(text)
    assert str(error.value).startswith(f"no mode {text}: modes are zero-shot, reading")
    assert not is_arm(f"model#{text}")


def test_a_label_without_a_model_or_a_mode_is_no_arm() -> None:
    assert not is_arm("#zero-shot")
    assert not is_arm("zero-shot")
    assert not is_arm("a#b")
    assert find_arm("a#b#1-shot") == Arm("a#b", parse_mode("1-shot"))


def test_a_mode_and_its_counterfactual_one() -> None:
    for text, shuffled in (
        ("5-shot", "5-shot:shuffle"),
        ("5-shot:mixed", "5-shot:mixed-shuffle"),
    ):
        assert str(parse_mode(text).shuffle) == shuffled
        assert str(parse_mode(shuffled).plain) == text
    assert str(Arm("alpha", ZERO_SHOT)) == "alpha#zero-shot"
