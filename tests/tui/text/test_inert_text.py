"""Any text comes out inert, and can be told from any other."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from tui.text.inert_text import lines, make_inert, replace_unseen

ANY = st.text(st.characters(exclude_categories=[]))


@given(ANY)
def test_nothing_that_comes_out_can_steer_a_terminal(text: str) -> None:
    shown = make_inert(text)
    assert shown.isprintable()
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)
    assert cell_len(shown) == sum(map(get_character_cell_size, shown))
    assert not shown or get_character_cell_size(shown[0]) > 0


@given(ANY)
def test_what_is_inert_stays_as_it_is(text: str) -> None:
    assert make_inert(make_inert(text)) == make_inert(text)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert make_inert(text) == text


@given(ANY)
def test_lines_are_the_text_between_its_breaks(text: str) -> None:
    assert all(line.isprintable() for line in lines(text))
    assert len(lines(text)) >= text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a␛[31mb"),
        ("a\nb", "a ¶ b"),
        ("a \r\n\n  b\n", "a ¶ b"),
        ("a\tb\x00\x7f", "a␉b␀␡"),
        ("\x9b31m", "\\x9b31m"),
        ("x\u202ey\u200bz", "x\\u202ey\\u200bz"),
        ("👩\u200d👧", "👩\\u200d👧"),
        ("❤\ufe0f", "❤\\ufe0f"),
        ("👍\U0001f3fd", "👍\\u{1f3fd}"),
        ("\U0001f1e9\U0001f1ea", "\\u{1f1e9}\\u{1f1ea}"),
        ("\ud83d alone", "\\ud83d alone"),
        ("\u0301alone", "\\u0301alone"),
        ("cafe\u0301 שלום 日本", "cafe\u0301 שלום 日本"),
        ("[/] [link=x]hi", "[/] [link=x]hi"),
    ],
)
def test_stand_ins_tell_which_character_it_was(text: str, shown: str) -> None:
    assert make_inert(text) == shown


def test_many_different_characters_are_spelled_like_few() -> None:
    controls = "".join(map(chr, range(0xE000, 0xE100)))
    assert replace_unseen(controls) == "".join(replace_unseen(char) for char in controls)
