"""Text cut into paragraphs: nothing is lost, nothing is too long."""

import re

from hypothesis import given
from hypothesis import strategies as st

from core.transfer.paragraphs import LONGEST, paragraphs, read_markdown, read_plain_text

TEXT = st.text(st.sampled_from("ab .\n\r\t#=-*`[]()<>_|é\u2028"), max_size=200)


@given(TEXT)
def test_all_that_is_no_heading_is_kept_in_its_order(text: str) -> None:
    body = re.sub(r"=", "", text)
    found = paragraphs(body)
    assert "".join("".join(one.text.split()) for one in found) == "".join(body.split())
    assert all(one.text == one.text.strip() != "" for one in found)


@given(TEXT)
def test_any_text_is_read(text: str) -> None:
    for title, body in (read_plain_text(text), read_markdown(text)):
        assert "\n" not in title
        assert paragraphs(body) is not None


@given(st.integers(0, 5), st.sampled_from(["word ", "word. ", "x"]))
def test_long_paragraphs_are_cut(size: int, piece: str) -> None:
    text = piece * (size * LONGEST // len(piece))
    found = paragraphs(text)
    assert all(len(one.text) <= LONGEST for one in found)
    assert "".join("".join(one.text.split()) for one in found) == "".join(text.split())


def test_headings_stand_beside_what_is_under_them() -> None:
    found = paragraphs("A\n\n== B ==\nC\n=== D ===\nE\n\nF\n\n== G ==\n\nH")
    assert [(one.text, one.headings) for one in found] == [
        ("A", ""),
        ("C", "B"),
        ("E", "B D"),
        ("F", "B D"),
        ("H", "G"),
    ]


def test_markdown_loses_its_marks_and_not_its_words() -> None:
    title, body = read_markdown(
        'Title\n=====\n\nSome **bold** `code`, a [link](http://x "t") and ![a picture](y).\n\n'
        "> quoted\n> words\n\n1. one\n2. two\n   - inner\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```sh\nls\n\npwd\n```\n\n<div>html</div>\n\nLast \\*line\\*."
    )
    assert title == "Title"
    assert [one.text for one in paragraphs(body)] == [
        "Some bold code, a link and a picture.",
        "quoted words",
        "one\ntwo\ninner",
        "a | b",
        "1 | 2",
        "ls\npwd",
        "Last *line*.",
    ]


def test_text_that_was_broken_by_hand_is_joined() -> None:
    assert read_plain_text("One line\nand its rest.\n\n  - a\n  - b\n") == (
        "",
        "One line and its rest.\n\n- a\n  - b",
    )
    assert read_plain_text("# Title\nText") == ("Title", "Text")
    assert read_plain_text("== Title ==\n\nText") == ("Title", "Text")
