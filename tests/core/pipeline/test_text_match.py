"""Words as the checks see them."""

import pytest

from core.pipeline import text_match


@pytest.mark.parametrize(
    ("text", "part", "stands"),
    [
        ("the start of it", "art", False),
        ("state of the art.", "Art", True),
        ("in the Café Müller", "cafe muller", True),
        ("it rose by 1,602 units", "1602", True),
        ("it rose by 1,602 units", "602", False),
        ("the 1950s", "1950", False),
        ("France's rivers", "France", True),
        ("O’Neal’s house", "O'Neal", True),
        ("written in C++", "C", False),
        ("wave–particle duality", "wave-particle duality", True),
        ("日本の東京都", "東京", True),
        ("New  York\nCity", "york city", True),
        ("ﬁve ﬂags", "five flags", True),
        ("what about †?", "†", True),
        ("anything", "", False),
        ("", "anything", False),
    ],
)
def test_contains(text: str, part: str, stands: bool) -> None:
    assert text_match.contains(text, part) is stands


@pytest.mark.parametrize(
    ("one", "other"),
    [("The Hague", "hague"), ("2,300", "2300"), ("“Tray”", "tray"), ("a dog", "Dog.")],
)
def test_key_of_the_same_name(one: str, other: str) -> None:
    assert text_match.key(one) == text_match.key(other)


def test_key_keeps_a_lone_article_and_signs() -> None:
    assert text_match.key("A") == "a"
    assert text_match.key("†") == "†"


def test_count_leaves_out_what_has_no_letters() -> None:
    assert text_match.count("one – two, 3 & 'four'") == 4
