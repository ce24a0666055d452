"""Palettes can be read, fit together, and come out as each kind of terminal needs them."""

import re

import pytest
from textual.app import App

from core.vocabulary import LABELS
from tests.terminal import ROOT
from tui.text.line import Line
from tui.theme.glyphs import ASCII, UNICODE
from tui.theme.look import Look, look_named
from tui.theme.palettes import ANSI, DARK, LIGHT
from tui.theme.roles import LABEL_ROLES
from tui.theme.terminal_colours import theme_for
from tui.theme.themes import GROUNDS, NAMES, themes
from tui.theme.user_themes import READABLE, contrast, texts_on_grounds


@pytest.mark.parametrize("palette", [DARK, LIGHT])
@pytest.mark.parametrize(("text", "ground"), sorted({*texts_on_grounds()}))
def test_text_stands_out_from_its_ground(palette: dict[str, str], text: str, ground: str) -> None:
    assert contrast(palette[text], palette[ground]) >= READABLE


def test_every_variable_is_a_text_or_a_ground() -> None:
    told = {name for pair in texts_on_grounds() for name in pair}
    assert DARK.keys() - told == {"rule"}


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_what_is_written_on_chips_can_be_read(palette: dict[str, str]) -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tui").rglob("*.py")]
    texts = {text for one in sources for text in re.findall(r'"([a-z0-9-]+)[a-z ]* @chip"', one)}
    assert {"ink", "ink-2", "accent"} <= texts
    assert [one for one in texts if contrast(palette[one], palette["chip"]) < READABLE] == []


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_all_palettes_name_the_same() -> None:
    assert DARK.keys() == LIGHT.keys()
    grounds = {name for name in DARK if name in GROUNDS or name.startswith("fill-")}
    assert DARK.keys() - grounds == ANSI.keys()


@pytest.mark.parametrize("marks", [UNICODE, ASCII])
def test_every_label_has_its_own_mark(marks: dict[str, str]) -> None:
    own = [marks[label] for label in LABELS]
    assert len({*own, marks["unlabelled"], marks["ungraded"], marks["undrawn"]}) == 7
    assert all(len(mark) == 1 for name, mark in marks.items() if name != "tau")
    assert all(mark.isascii() for mark in ASCII.values())
    assert {*LABEL_ROLES} == {*LABELS}


@pytest.mark.parametrize("name", NAMES)
async def test_every_theme_can_be_chosen(name: str) -> None:
    app: App[None] = App()
    async with app.run_test():
        for theme in themes():
            app.register_theme(theme)
        app.theme = name
        assert app.native_ansi_color is (name == "ansi")
        variables = app.get_css_variables()
        assert {*DARK} - {one for one in DARK if one.startswith("fill-")} <= {*variables}


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm"}, "dark"),
        ({"TERM": "xterm-256color"}, "dark"),
        ({"TERM": "xterm"}, "ansi"),
        ({"TERM": "linux"}, "ansi"),
        ({}, "ansi"),
    ],
)
def test_auto_goes_by_the_terminal(environment: dict[str, str], name: str) -> None:
    assert theme_for(environment) == name


@pytest.fixture(params=NAMES)
def look(request: pytest.FixtureRequest) -> Look:
    return look_named(request.param)


def test_a_strip_is_as_wide_as_asked(look: Look) -> None:
    line = Line("日本 x", "accent bold").add("yes", "on-rf @fill-rf")
    for width in (0, 1, 2, 5, 8, 20):
        strip = look.strip(line, width, "cursor")
        assert strip.cell_length == width == sum(segment.cell_length for segment in strip)
    assert line.text == "日本 xyes"


def test_the_cursor_row_of_a_terminal_of_16_colours_is_reversed_only() -> None:
    look = look_named("ansi")
    style = look.style("label-i bold", "cursor")
    assert style.reverse
    assert style.bold
    assert style.color == look.style("ink", "cursor").color
    assert look.style("label-i", "").color != style.color


def test_faint_text_is_stronger_on_the_cursor() -> None:
    look = look_named("dark")
    assert look.style("ink-3", "cursor").color == look.style("ink-2").color


def test_pieces_that_look_alike_are_one() -> None:
    look = look_named("dark")
    line = Line("a", "ink").add(" ", "accent").add("b", "ink").add("c", "ink")
    assert len(list(look.strip(line, 10))) == 1
    lined = Line("a", "ink").add(" ", "ink underline").add("b", "ink")
    assert len(list(look.strip(lined, 3))) == 3
