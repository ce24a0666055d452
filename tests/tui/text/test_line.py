"""Lines are as wide as they say, whatever is in them."""

from hypothesis import given
from hypothesis import strategies as st

from tui.text.cell_width import width_of
from tui.text.line import ELLIPSIS, Line, Span, cut
from tui.text.line_wrap import paragraph, wrapped

ANY = st.text(st.characters(exclude_categories=[]), max_size=40)
ROLES = st.sampled_from(["ink", "ink-3", "label-i bold"])
LINES = st.lists(st.tuples(ANY, ROLES), max_size=5)
WIDTHS = st.integers(0, 30)


def made(spans: list[tuple[str, str]]) -> Line:
    line = Line()
    for text, role in spans:
        line.add(text, role)
    return line


@given(LINES)
def test_a_line_knows_its_width(spans: list[tuple[str, str]]) -> None:
    line = made(spans)
    assert line.width == sum(width_of(span.text) for span in line.spans)
    assert line.text.isprintable()


@given(LINES, ANY, WIDTHS, st.booleans())
def test_a_cell_has_exactly_its_width(
    spans: list[tuple[str, str]], text: str, width: int, right: bool
) -> None:
    line = made(spans)
    before = line.width
    line.cell(text, width, right=right)
    assert line.width == before + width
    assert sum(width_of(span.text) for span in line.spans) == line.width


@given(LINES, WIDTHS)
def test_a_clipped_line_fits_and_says_so(spans: list[tuple[str, str]], width: int) -> None:
    line = made(spans)
    whole = line.text
    clipped = line.clipped(width)
    assert clipped.width == width_of(clipped.text) <= width
    assert line.text == whole
    if line.width > width > 0:
        assert clipped.text.endswith(ELLIPSIS)
        assert whole.startswith(clipped.text.removesuffix(ELLIPSIS))
    elif line.width <= width:
        assert clipped.text == whole


@given(LINES, LINES, WIDTHS)
def test_what_is_put_at_the_right_ends_there(
    left: list[tuple[str, str]], right: list[tuple[str, str]], width: int
) -> None:
    ending = made(right)
    line = made(left).right(ending, width)
    assert line.text.endswith(ending.text)
    assert line.width == max(width, ending.width)


@given(ANY, WIDTHS)
def test_a_cut_text_fits(text: str, width: int) -> None:
    shown = cut(made([(text, "ink")]).text, width)
    assert width_of(shown) <= width


@given(LINES, st.integers(2, 30))
def test_wrapping_loses_nothing_but_blanks(spans: list[tuple[str, str]], width: int) -> None:
    line = made(spans)
    broken = list(wrapped(line.spans, width))
    assert all(one.width == width_of(one.text) <= width for one in broken)
    assert "".join("".join(one.text.split()) for one in broken) == "".join(line.text.split())
    assert broken


@given(st.lists(st.text("abc ", max_size=12), max_size=5), st.integers(2, 30))
def test_even_and_uneven_characters_break_alike(texts: list[str], width: int) -> None:
    even = [one.text for one in wrapped([Span(text, "ink") for text in texts], width)]
    wide = [*texts, " " * width + "日"]
    uneven = [one.text for one in wrapped([Span(text, "ink") for text in wide], width)]
    words = "".join(texts).split()
    if all(len(word) <= width for word in words) and "".join(texts)[:1].strip():
        assert [one.strip() for one in even] == [one.strip() for one in uneven[: len(even)]]


def test_roles_and_parts_stay_with_their_text() -> None:
    line = Line("one two ", "ink").add("three", "accent", "go").add(" four")
    broken = list(wrapped(line.spans, 8))
    assert [one.text for one in broken] == ["one two", "three", "four"]
    assert broken[1].spans[0] == Span("three", "accent", "go")
    assert broken[1].part_at(4) == "go"


def test_a_paragraph_keeps_its_lines() -> None:
    assert [line.text for line in paragraph("a\n\nbb cc\r\n\x1b", 3)] == ["a", "", "bb", "cc", "␛"]


def test_a_megabyte_is_broken_line_by_line() -> None:
    first = next(wrapped([Span("word " * 200_000, "ink")], 80))
    assert first.text == " ".join(["word"] * 16)


def test_a_very_long_text_takes_its_field_and_no_more() -> None:
    line = Line().cell("x" * 1_000_000, 20)
    assert line.text == "x" * 19 + ELLIPSIS


def test_clicks_find_their_part() -> None:
    line = Line().add("日本", part="wide").add("x").add("yz", part="last")
    assert [line.part_at(column) for column in range(7)] == [
        "wide", "wide", "wide", "wide", None, "last", "last",
    ]  # fmt: skip
    assert line.part_at(7) is None


def test_a_number_is_whole_however_narrow_its_field() -> None:
    assert Line().number("5,120", 8).text == "   5,120"
    for width in range(6):
        assert Line("n").number("5,120", width).text == "n 5,120"
