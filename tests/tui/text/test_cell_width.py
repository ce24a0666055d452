"""Text of scripts that combine is measured as Textual does it, and cut between clusters."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from tui.text.cell_width import clusters, head, laid_width, pad_for_layout, tail, width_of
from tui.text.line import Line
from tui.text.line_wrap import breaks
from tui.theme.look import look_named

WORDS = (
    "हिन्दी",
    "क्षत्रिय",
    "स्त्री",
    "বাংলা",
    "தமிழ்",
    "తెలుగు",
    "ಕನ್ನಡ",
    "മലയാളം",
    "ગુજરાતી",
    "ਪੰਜਾਬੀ",
    "සිංහල",
    "မြန်မာ",
    "ខ្មែរ",
    "ไทย",
    "한국어",
    "日本",
    "Ελλάδα",
    "café",
)

TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ROOM = st.integers(0, 24)


@pytest.mark.parametrize("word", WORDS)
def test_words_have_room_where_each_mark_beside_a_letter_takes_a_cell(word: str) -> None:
    beside = sum(category(char) == "Mc" for char in word)
    assert width_of(word) == cell_len(word) + beside
    assert Strip([Segment(pad_for_layout(word))]).cell_length == width_of(word)
    assert pad_for_layout(word).rstrip() == word


def test_what_a_virama_joins_is_one_cluster() -> None:
    assert [end for end, _ in clusters("हिन्दी")] == [2, 6]


@given(TEXTS)
def test_clusters_are_the_text(text: str) -> None:
    ends = [end for end, _ in clusters(text)]
    assert ends == sorted(set(ends))
    assert not text or ends[-1] == len(text)
    assert sum(cells for _, cells in clusters(text)) == width_of(text)


@given(TEXTS, ROOM)
def test_both_ends_are_cut_between_clusters(text: str, room: int) -> None:
    ends = {0, *(end for end, _ in clusters(text))}
    for part, cut_at in ((head(text, room), len(head(text, room))), (tail(text, room), None)):
        assert width_of(part) <= room
        assert (len(text) - len(part) if cut_at is None else cut_at) in ends


@given(TEXTS, st.integers(4, 24))
def test_lines_are_broken_between_clusters(text: str, width: int) -> None:
    ends = {0, *(end for end, _ in clusters(text))}
    for start, end in breaks(text, width):
        assert {start, end} <= ends
        assert width_of(text[start:end]) <= width


@given(TEXTS, ROOM)
def test_a_field_is_as_wide_as_it_says(text: str, width: int) -> None:
    line = Line().cell(text, width).add("│")
    assert laid_width(line.text) == line.width == width + 1


@given(TEXTS, TEXTS)
def test_a_line_taken_apart_and_put_together_again_is_the_same(one: str, other: str) -> None:
    line = Line(one).add(" > ").add(other, "ink-2")
    again = Line()
    for span in line.spans:
        again.put(span)
    assert again == line
    assert again.width == line.width == laid_width(line.text)


def test_nothing_stands_behind_marks_beside_letters_in_one_piece() -> None:
    strip = look_named("dark").strip(Line("हिन्दी").add(" > ").add("साहित्य").add("abc"), 30)
    assert [one.text.rstrip() for one in strip] == ["हिन्दी", " > साहित्य", "abc"]
