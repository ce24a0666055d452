"""Nothing in a text that is shown is unseen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.settings.escapes import UNSEEN, make_visible
from tui.text import inert_text


@given(st.text(st.characters(codec=None)))
def test_all_of_it_can_be_seen_on_one_line(text: str) -> None:
    line = make_visible(text)
    assert line.isprintable()
    assert not UNSEEN.search(line)
    assert line == make_visible(line)
    line.encode()


@given(st.text(st.characters(codec=None)), st.integers(1, 40))
def test_it_is_no_longer_than_asked(text: str, longest: int) -> None:
    cut = make_visible(text, longest)
    assert len(cut) <= longest
    if len(make_visible(text)) <= longest:
        assert cut == make_visible(text)
    else:
        assert cut.endswith("…")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("two  words\n", "two words"),
        ("nul\x00", "nul␀"),
        ("\u202eabc", "\\u202eabc"),
        ("a\u200bb", "a\\u200bb"),
        ("half \ud800", "half \\ud800"),
        ("Zoë 日本 😀", "Zoë 日本 😀"),
    ],
)
def test_what_cannot_be_seen_is_spelled(text: str, seen: str) -> None:
    assert make_visible(text) == seen


def test_a_text_without_end_is_not_read_to_its_end() -> None:
    assert make_visible("x" * 10_000_000, 10) == "x" * 9 + "…"
    assert make_visible(" " * 10_000_000, 10) == "…"


def test_paper_and_screen_spell_alike() -> None:
    for char in map(chr, range(0x3000)):
        if not char.isprintable() and not char.isspace():
            assert make_visible(char) == inert_text.replace_unseen(char)
