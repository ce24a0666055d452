"""What follows a text stands at its column in every terminal, however wide that draws the text."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import get_character_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from core.settings.preferences import Settings
from tests.core.making import a_fact, new_project, put_facts
from tests.tui.seeing import settled
from tests.tui.text.test_cell_width import TEXTS, WORDS
from tui.app.app import LostkeysApp
from tui.text.cell_width import pad_for_layout
from tui.widgets.pane_screen import place_strip

COLUMN, WIDTH = 3, 100
OLD = "#" * WIDTH
"""What stands on the line before."""

Measure = Callable[[str], int]
SEQUENCE = re.compile(r"\x1b\[(?P<numbers>[\d;?]*)(?P<letter>[A-Za-z])|(?P<text>[^\x1b])", re.S)


def beside(char: str) -> int:
    """Cells of a character in a terminal that gives one to marks beside a letter."""
    return 1 if category(char) == "Mc" else none(char)


def none(char: str) -> int:
    """Cells of a character in a terminal that gives none to any mark."""
    return 0 if category(char)[0] == "M" else get_character_cell_size(char)


class Terminal:
    """The cells of a terminal: text, and cursor moves to a place and to a column."""

    def __init__(self, width: int, height: int, measure: Measure) -> None:
        self.rows = [[" "] * width for _ in range(height)]
        self._measure, self._x, self._y = measure, 0, 0

    def feed(self, sent: str) -> None:
        """Take in what it is sent."""
        for found in SEQUENCE.finditer(sent):
            numbers = [int(one) for one in (found["numbers"] or "").split(";") if one.isdigit()]
            if found["letter"] == "H":
                self._y, self._x = numbers[0] - 1, numbers[1] - 1
            elif found["letter"] == "G":
                self._x = numbers[0] - 1
            elif (char := found["text"]) is not None and char.isprintable():
                self._draw(char, self._measure(char))

    def _draw(self, char: str, cells: int) -> None:
        row = self.rows[self._y]
        if not cells:
            row[self._x - 1] += char
            return
        row[self._x : self._x + cells] = [char, *[""] * (cells - 1)]
        self._x += cells


@pytest.fixture(params=[beside, none])
def measure(request: pytest.FixtureRequest) -> Measure:
    """How two kinds of terminals measure."""
    found: Measure = request.param
    return found


def shown(strip: Strip, measure: Measure) -> list[str]:
    """The cells of a line on which a strip is drawn."""
    terminal = Terminal(WIDTH, 1, measure)
    terminal.feed(f"{OLD}\x1b[1;{COLUMN + 1}H{strip.render(Console())}")
    return terminal.rows[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.booleans())
def test_what_follows_stands_at_its_column_and_nothing_stays(
    measure: Measure, text: str, is_styled: bool
) -> None:
    style = Style(bold=True) if is_styled else None
    strip = Strip([Segment("a", style), Segment(pad_for_layout(text), style), Segment("|z", style)])
    cells = shown(place_strip(strip, COLUMN), measure)
    end = COLUMN + strip.cell_length
    assert cells[end - 2 : end + 1] == ["|", "z", "#"]
    assert "#" not in cells[COLUMN:end]
    assert "".join(cells[COLUMN:end]).replace(" ", "") == f"a{text}|z".replace(" ", "")


@pytest.mark.parametrize("word", WORDS)
def test_a_text_without_enough_room_is_cut_and_says_so(measure: Measure, word: str) -> None:
    strip = Strip([Segment(word), Segment("|")])
    cells = shown(place_strip(strip, COLUMN), measure)
    end = COLUMN + strip.cell_length
    drawn = "".join(cells[COLUMN : end - 1]).strip()
    assert cells[end - 1 : end + 1] == ["|", "#"]
    assert drawn == word or (drawn.endswith("…") and word.startswith(drawn[:-1]))


def test_a_part_begins_at_a_column_of_its_own(measure: Measure) -> None:
    strip = Strip([Segment("ab"), Segment(pad_for_layout("हिन्दी")), Segment("|")])
    cells = shown(place_strip(strip, COLUMN - 2).crop(2), measure)
    assert cells[COLUMN + 5] == "|"


def test_what_all_terminals_draw_alike_is_left_as_it_is() -> None:
    strip = Strip([Segment("Ελλάδα, τ .50 ● → ≈ 日本 한국어 café ━━ Москва")])
    assert place_strip(strip, COLUMN) is strip


def test_what_is_typed_is_drawn_whole_above_the_blanks_behind_it(measure: Measure) -> None:
    strip = Strip([Segment("a"), Segment("हिन्दी"), Segment(" "), Segment(" " * 10)])
    cells = shown(place_strip(strip, COLUMN, typed=True), measure)
    end = COLUMN + strip.cell_length
    assert "".join(cells[COLUMN:end]).split() == ["aहिन्दी"]
    assert cells[end] == "#"


@pytest.mark.slow
async def test_columns_of_a_list_stand_below_one_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: Measure
) -> None:
    path = tmp_path / "p.db"
    facts = [
        a_fact(f"f{number}", subject=word, object=f"{word} {word}", page_title=word, views=405)
        for number, word in enumerate(WORDS)
    ]
    with new_project(path) as project:
        put_facts(project, facts)
    app, terminal = LostkeysApp(path, Settings(name="ada")), Terminal(120, 40, measure)

    def display(screen: object, update: Any) -> None:
        if hasattr(update, "render_segments"):
            terminal.feed(update.render_segments(app.console))

    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        monkeypatch.setattr(app, "_display", display)
        app.screen.refresh(layout=True)
        for key in ("j", "j", "end", "k"):
            await pilot.press(key)
            await settled(pilot)
    for row in terminal.rows[4 : 4 + len(WORDS)]:
        assert (row[50], row[51], row[119]) == ("│", "│", "│"), "".join(row)
        assert "".join(row[:50]).partition("→")[2].split()[-1] == "405", "".join(row)
        assert row[39:42] == list("405"), "".join(row)
