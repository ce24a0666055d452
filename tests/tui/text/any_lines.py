"""Lines of any text, for properties, and how they are laid out."""

from hypothesis import strategies as st

from tui.text.cell_width import laid_width, width_of
from tui.text.line import Line

ANY = st.text(st.characters(exclude_categories=[]), max_size=40)
ROLES = st.sampled_from(["ink", "ink-3", "label-i bold"])
LINES = st.lists(st.tuples(ANY, ROLES), max_size=5)
WIDTHS = st.integers(0, 30)


def made(spans: list[tuple[str, str]]) -> Line:
    line = Line()
    for text, role in spans:
        line.add(text, role)
    return line


def laid(line: Line) -> int:
    """The cells in which a line is laid out: all that its texts take in any terminal have room."""
    for span in line.spans:
        assert width_of(span.text.rstrip(" ")) <= laid_width(span.text)
    return sum(laid_width(span.text) for span in line.spans)
