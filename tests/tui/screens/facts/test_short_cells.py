"""Views and topics in few cells."""

import pytest

from tui.screens.facts.fact_list import topic_words
from tui.text.number_text import views_words


@pytest.mark.parametrize(
    ("views", "words"),
    [
        (-1, ""),
        (0, "0"),
        (405, "405"),
        (999, "999"),
        (1_000, "1.0k"),
        (4_349, "4.3k"),
        (4_350, "4.4k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (21_264, "21k"),
        (671_500, "672k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (3_912_000, "3.9M"),
        (12_345_678, "12M"),
    ],
)
def test_views_take_four_cells_at_most(views: int, words: str) -> None:
    assert views_words(views) == words
    assert len(words) <= 4


def test_topics_are_short() -> None:
    assert topic_words("Technology") == "Tech"
    assert topic_words("Everyday Life") == "Life"
    assert topic_words("Philosophy & Religion") == "Phil"
    assert topic_words("Arts") == "Arts"
    assert topic_words("") == ""
