"""Keys as terminals send them."""

import pytest
from textual import constants
from textual.events import Key

from tui.app.driver import PATIENCE, KeyParser


def pressed(sent: str) -> list[tuple[str, str | None]]:
    """Names and characters of the keys that a terminal sends in one go."""
    events = [*KeyParser().feed(sent), *KeyParser().feed("")]
    return [(one.key, one.character) for one in events if isinstance(one, Key)]


@pytest.mark.parametrize("digit", "0123456789")
def test_escape_and_a_digit_at_once_is_alt_and_the_digit(digit: str) -> None:
    assert pressed(f"\x1b{digit}") == [(f"alt+{digit}", None)]


@pytest.mark.parametrize(
    ("character", "key"),
    [("q", "q"), ("F", "F"), ("/", "slash"), ("?", "question_mark"), ("=", "equals_sign")],
)
def test_escape_and_another_character_at_once_are_two_keys(character: str, key: str) -> None:
    """A slow line or a busy program hands both over together; no `alt` with them is bound."""
    assert pressed(f"\x1b{character}") == [("escape", "\x1b"), (key, character)]
    assert pressed(f"\x1b{character}j")[2:] == [("j", "j")]


def test_arrows_with_alt_are_read_as_any_terminal_sends_them() -> None:
    keys = [
        key for sent in ("\x1bb", "\x1bf", "\x1b[1;3D", "\x1b[1;3C") for key, _ in pressed(sent)
    ]
    assert keys == ["alt+left", "alt+right"] * 2


def test_longer_sequences_are_read_to_their_end() -> None:
    keys = [key for sent in ("\x1bOP", "\x1b[A", "\x1b[15~") for key, _ in pressed(sent)]
    assert keys == ["f1", "up", "f5"]


def test_a_lone_escape_is_looked_after_when_its_delay_is_over() -> None:
    parser = KeyParser()
    assert parser.patience == PATIENCE
    assert list(parser.feed("\x1b")) == []
    assert 0 < parser.patience <= constants.ESCAPE_DELAY
    assert [event.key for event in parser.feed("[A") if isinstance(event, Key)] == ["up"]
    assert parser.patience == PATIENCE
