"""Lines of a text break between words, and nothing is lost."""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.tui.text.any_lines import LINES, laid, made
from tui.text.line import Line, Span
from tui.text.line_wrap import paragraph, wrap_spans


@given(LINES, st.integers(2, 30))
@example([("0\u093e", "ink")], 2)
def test_wrapping_loses_nothing_but_blanks(spans: list[tuple[str, str]], width: int) -> None:
    line = made(spans)
    broken = list(wrap_spans(line.spans, width))
    assert all(one.width == laid(one) <= width for one in broken)
    assert "".join("".join(one.text.split()) for one in broken) == "".join(line.text.split())
    assert broken


@given(st.lists(st.text("abc ", max_size=12), max_size=5), st.integers(2, 30))
def test_even_and_uneven_characters_break_alike(texts: list[str], width: int) -> None:
    even = [one.text for one in wrap_spans([Span(text, "ink") for text in texts], width)]
    wide = [*texts, " " * width + "日"]
    uneven = [one.text for one in wrap_spans([Span(text, "ink") for text in wide], width)]
    words = "".join(texts).split()
    if all(len(word) <= width for word in words) and "".join(texts)[:1].strip():
        assert [one.strip() for one in even] == [one.strip() for one in uneven[: len(even)]]


def test_roles_and_parts_stay_with_their_text() -> None:
    line = Line("one two ", "ink").add("three", "accent", "go").add(" four")
    broken = list(wrap_spans(line.spans, 8))
    assert [one.text for one in broken] == ["one two", "three", "four"]
    assert broken[1].spans[0] == Span("three", "accent", "go")
    assert broken[1].part_at(4) == "go"


def test_a_paragraph_keeps_its_lines() -> None:
    assert [line.text for line in paragraph("a\n\nbb cc\r\n\x1b", 3)] == ["a", "", "bb", "cc", "␛"]


def test_a_megabyte_is_broken_line_by_line() -> None:
    first = next(wrap_spans([Span("word " * 200_000, "ink")], 80))
    assert first.text == " ".join(["word"] * 16)
