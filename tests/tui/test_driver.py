"""Keys as terminals send them."""

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key

from tui.app.driver import take_alt_digits


@pytest.mark.parametrize("digit", "0123456789")
def test_escape_and_a_digit_at_once_is_alt_and_the_digit(digit: str) -> None:
    take_alt_digits()
    keys = [one.key for one in XTermParser().feed(f"\x1b{digit}") if isinstance(one, Key)]
    assert keys == [f"alt+{digit}"]
