"""All text of ours that is not ASCII goes through the one table of glyphs."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.screens.facts.making import look
from tui.text.line import Line, cut, cut_inside
from tui.theme.glyphs import (
    ASCII,
    SPELLINGS,
    UNICODE,
    draw_ascii,
    draw_unicode,
    lacks_unicode,
    spell,
)

TUI = Path(__file__).parents[3] / "tui"

APART = {
    "cli": "what is printed, not drawn",
    "theme/glyphs.py": "the table",
    "text/cell_width.py": "characters of the data, by their width",
}
"""Rooms and files that hold other characters, and why."""

SPELLED_LATER = {
    "hint": "`Dialog` spells it as it writes the edge",
    "ELLIPSIS": "spelled where a text is cut",
    "PARAGRAPH": "spelled where a break is shown",
    "_SIGN": "spelled where a break is shown",
    "MORE": "spelled where a text is cut",
    "NONE": "spelled where it is drawn",
    "NULL": "spelled where it is drawn",
    "MINUS": "spelled where it is drawn",
    "CHECKING": "spelled where it is said",
    "COLUMNS": "spelled as a heading",
    "INCOMPLETE": "a code of the filter, not drawn from here",
    "ASIDE": "codes to compare with, spelled where they are drawn",
    "GLYPHS": "marks of figures, by the name of the glyph",
    "ARROWS": "a key keeps its name where `spell` has no arrow for it",
}
"""Names of constants that hold other characters, and why they may."""


@pytest.fixture
def _in_ascii() -> Iterator[None]:
    draw_ascii()
    yield
    draw_unicode()


def loose_texts(path: Path) -> Iterator[str]:
    """Literals beyond ASCII that neither are documentation, nor spelled, nor named above."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    apart: set[int] = set()
    for node in ast.walk(tree):
        names: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            names = node.targets
        elif isinstance(node, ast.AnnAssign):
            names = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names = [node.func] if node.func.id == "spell" else []
        named = any(
            getattr(name, "id", getattr(name, "attr", "")) in {*SPELLED_LATER, "spell"}
            for name in names
        )
        if named or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            apart |= {id(one) for one in ast.walk(node)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and not text.isascii() and id(node) not in apart:
            yield f"{path.relative_to(TUI)}:{text!r}"


def test_every_text_of_ours_is_spelled() -> None:
    files = [
        path
        for path in sorted(TUI.rglob("*.py"))
        if not any(path.is_relative_to(TUI / one) for one in APART)
    ]
    assert len(files) > 100
    assert not [text for path in files for text in loose_texts(path)]


def test_every_glyph_has_a_spelling_in_ascii() -> None:
    assert all(text.isascii() and text for text in (*ASCII.values(), *SPELLINGS.values()))
    assert {ord(char) for char in UNICODE.values() if not char.isascii()} <= SPELLINGS.keys()


@pytest.mark.usefixtures("_in_ascii")
def test_text_of_ours_is_ascii_and_that_of_the_data_stays() -> None:
    assert spell("reading… · A → B") == "reading... . A > B"
    assert Line("Kraków → 1939–45 …").text == "Kraków → 1939–45 …"
    assert Line("ab").rule(5).text == "ab---"


@pytest.mark.usefixtures("_in_ascii")
@pytest.mark.parametrize("room", range(13))
def test_what_is_cut_keeps_its_room(room: int) -> None:
    for shown in (cut("twelve cells", room), cut_inside("twelve cells", max(room, 1))):
        assert shown.isascii()
        assert len(shown) <= max(room, 1)
    assert Line("twelve ").add("cells").clip(room).width <= room
    assert look().strip(Line("twelve cells"), room).cell_length == room


@pytest.mark.usefixtures("_in_ascii")
def test_cutting_in_ascii_ends_in_three_dots() -> None:
    assert cut("twelve cells", 8) == "twelv..."
    assert Line("twelve cells").clip(8).text == "twelv..."


@pytest.mark.parametrize(
    ("environment", "encoding", "lacks"),
    [
        ({"TERM": "xterm"}, "utf-8", False),
        ({"TERM": "xterm", "LANG": "de_DE.UTF-8"}, "UTF-8", False),
        ({"TERM": "xterm", "LC_ALL": "C.utf8", "LANG": "C"}, "utf-8", False),
        ({"TERM": "linux", "LANG": "de_DE.UTF-8"}, "utf-8", True),
        ({"TERM": "dumb"}, "utf-8", True),
        ({"TERM": "xterm", "LANG": "en_US.ISO-8859-1"}, "utf-8", True),
        ({"TERM": "xterm", "LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "utf-8", True),
        ({"TERM": "xterm"}, "ascii", True),
        ({}, "utf-8", False),
    ],
)
def test_auto_goes_by_the_terminal(environment: dict[str, str], encoding: str, lacks: bool) -> None:
    assert lacks_unicode(environment, encoding) is lacks
