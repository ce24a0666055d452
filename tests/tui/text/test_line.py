"""Lines are as wide as they say, whatever is in them."""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.tui.text.any_lines import ANY, LINES, WIDTHS, laid, made
from tui.text.cell_width import width_of
from tui.text.line import ELLIPSIS, Line, cut


@given(LINES)
@example([("0\u093e", "ink")])
def test_a_line_knows_its_width(spans: list[tuple[str, str]]) -> None:
    line = made(spans)
    assert line.width == laid(line)
    assert line.text.isprintable()


@given(LINES, ANY, WIDTHS, st.booleans())
@example([("0\u093e", "ink")], "0\u093e", 2, True)
def test_a_cell_has_exactly_its_width(
    spans: list[tuple[str, str]], text: str, width: int, right: bool
) -> None:
    line = made(spans)
    before = line.width
    line.cell(text, width, right=right)
    assert line.width == before + width
    assert laid(line) == line.width


@given(LINES, WIDTHS)
@example([("0\u093e", "ink")], 2)
@example([("0\u093e0\u093e", "ink"), ("x", "ink")], 3)
def test_a_clipped_line_fits_and_says_so(spans: list[tuple[str, str]], width: int) -> None:
    line = made(spans)
    whole = line.text
    clipped = line.copy_clipped(width)
    assert clipped.width == laid(clipped) <= width
    assert line.text == whole
    if line.width > width > 0:
        assert clipped.text.endswith(ELLIPSIS)
        assert whole.startswith(clipped.text.removesuffix(ELLIPSIS).rstrip(" "))
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
