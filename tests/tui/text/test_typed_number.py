"""Numbers as they are typed."""

import pytest

from tui.text.typed_number import is_begun, parse_count, parse_number, shown_number

READ = {
    "1,000": 1_000, "20k": 20_000, "20K": 20_000, "1.5M": 1_500_000, "1,234,567": 1_234_567,
    "0": 0, " 12 ": 12, ".5k": 500, "1.0": 1, "007": 7,
}  # fmt: skip
NO_NUMBER = [
    "", ".", "k", ",5", "1,00", "1,0000", "10,00,000", "1..5", "1.5.2", "-1", "+1", "1e3", "inf",
    "nan", "0x10", "1_000", "٣", "²", "1k5", "5 k", "1" * 25, "9" * 1_000_000, "\x1b[1m5", "0,5",
]  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_number_is_read(text: str) -> None:
    assert parse_count(text) == READ[text]
    assert parse_number(text) == float(READ[text])


@pytest.mark.parametrize("text", NO_NUMBER, ids=range(len(NO_NUMBER)))
def test_what_is_no_number(text: str) -> None:
    for parse in (parse_count, parse_number):
        with pytest.raises(ValueError, match="no number"):
            parse(text)


def test_a_part_is_no_count() -> None:
    assert parse_number(".75") == 0.75
    assert parse_number("5.") == 5
    with pytest.raises(ValueError, match="no whole number"):
        parse_count("1.5")


def test_every_beginning_of_a_number_can_be_typed() -> None:
    for text in READ:
        plain = text.strip()
        assert all(is_begun(plain[:end]) for end in range(len(plain) + 1))
    assert not any(map(is_begun, ("k", ",", "1k5", "a", "1e", "-", " ", "1" * 25)))


def test_digits_are_shown_in_groups() -> None:
    assert [*map(shown_number, ("20000", "20k", "1.50", ""))] == ["20,000", "20k", "1.50", ""]
