"""Text of scripts that combine takes the cells that a terminal gives it, and is cut whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.text.cells import clusters, head, tail, width_of
from tui.text.line import Line, breaks

WIDTHS = {
    "हिन्दी": 4,
    "क्षत्रिय": 5,
    "स्त्री": 2,
    "বাংলা": 4,
    "தமிழ்": 4,
    "తెలుగు": 5,
    "ಕನ್ನಡ": 4,
    "മലയാളം": 6,
    "ગુજરાતી": 6,
    "ਪੰਜਾਬੀ": 5,
    "සිංහල": 4,
    "မြန်မာ": 5,
    "ខ្មែរ": 3,
    "ไทย": 3,
    "한국어": 6,
    "日本": 4,
    "Ελλάδα": 6,
    "café": 4,
}
"""Words and their cells, as wcwidth 0.9 measures them after terminals that go by clusters."""

TEXTS = st.lists(st.sampled_from(sorted(WIDTHS)), max_size=6).map(" ".join)
ROOM = st.integers(0, 24)


@pytest.mark.parametrize("word", WIDTHS)
def test_words_are_as_wide_as_their_clusters(word: str) -> None:
    assert width_of(word) == WIDTHS[word]


def test_vowel_signs_beside_a_consonant_take_a_cell() -> None:
    assert (width_of("हिन्दी"), cell_len("हिन्दी")) == (4, 3)


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


@given(TEXTS, st.integers(2, 24))
def test_lines_are_broken_between_clusters(text: str, width: int) -> None:
    ends = {0, *(end for end, _ in clusters(text))}
    for start, end in breaks(text, width):
        assert {start, end} <= ends
        assert width_of(text[start:end]) <= width


@given(TEXTS, ROOM)
def test_a_field_is_as_wide_as_it_says(text: str, width: int) -> None:
    line = Line().cell(text, width).add("│")
    assert width_of(line.text) == line.width == width + 1
