"""Ways through the screens: `escape` leads to Facts from everywhere, `H` retraces every way."""

import random
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.settings.preferences import Settings
from tests.effort import HEAVY
from tests.patience import until
from tests.tui.sample import sample_project
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Options
from tui.dialogs.map_dialog import way_line
from tui.frame.key_line import KeyLine
from tui.screens.base_screen import BaseScreen
from tui.screens.facts.screen import FactsScreen

KEYS = (
    *(f"f{number}" for number in range(1, 8)),
    *("enter", "enter", "enter", "escape", "tab", "H", "H", "L", "alt+left", "alt+right"),
    *("j", "j", "k", "h", "l", "v", "s", "M", "slash", "f", "F", "m", "g", "t", "C", "B"),
    *("left_square_bracket", "right_square_bracket", "equals_sign", "question_mark", "end"),
    *("1", "4", "8", "space", "N", "d", "ctrl+o", "down", "x", "i", "I", "number_sign"),
    *("n", "u", "U", "z", "e", "&", "D", "V", "|", "J", "K", "r", "ctrl+left", "+"),
)
"""What a person may press; nothing that ends the program or starts a job, as the palette may."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("places") / "sample.db")


@asynccontextmanager
async def opened(
    path: Path, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[LostkeysApp, Pilot[None], FactsScreen]]:
    app = LostkeysApp(path, Settings(name="mira"), fresh=True)
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.snapshot is not None, lambda: text(app), lambda: pilot.pause(0.02))
        await settled(pilot)
        facts = app.tab_screen("facts")
        assert isinstance(facts, FactsScreen)
        yield app, pilot, facts


def key_line(app: LostkeysApp) -> str:
    found = app.tab_screen(app.tab).query_one(KeyLine)
    return found.draw(found.size.width).text


def said(app: LostkeysApp) -> str:
    """What the status line says has just happened."""
    return app.status.said.text if app.status.said is not None else ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 11])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_from_everywhere_escape_leads_home_and_the_way_back_retraces(
    path: Path, size: tuple[int, int], seed: int
) -> None:
    choose = random.Random(seed)
    async with opened(path, size) as (app, pilot, facts):
        for _ in range(500 if HEAVY else 200):
            await pilot.press(choose.choice(KEYS))
        await settled(pilot)
        for _ in range(80):
            at_home = app.screen is facts and facts.outermost
            if at_home and app.places.way_out is None:
                break
            await pilot.press("escape")
            await pilot.pause()
        assert app.screen is facts
        assert facts.outermost
        assert app.places.way_out is None
        history = app.places.history
        assert len(history.places) <= 50
        before = [one.tab for one in reversed(history.places[: history.at])]
        back = []
        for _ in before:
            await pilot.press("H")
            await settled(pilot)
            back.append(app.tab)
        assert back == before
        assert app.places.came_from() == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_key_line_names_where_escape_leads(path: Path, size: tuple[int, int]) -> None:
    async with opened(path, size) as (app, pilot, _):
        assert " esc " not in key_line(app)
        await pilot.press("f4")
        await settled(pilot)
        assert " esc Facts " in key_line(app)
        await pilot.press("enter")
        await settled(pilot)
        assert " esc queue " in key_line(app)
        await pilot.press("enter")
        await settled(pilot)
        assert app.tab == "task"
        assert " esc Confusion " in key_line(app)
        await pilot.press("f3", "f2")
        await settled(pilot)
        assert " esc Confusion " not in key_line(app)
        names = [one.name for one in app.places.came_from()]
        assert names == ["Profiles", "Task", "Confusion", "Facts"]


@pytest.mark.slow
async def test_the_map_says_what_was_there_on_the_way(path: Path) -> None:
    async with opened(path, (200, 60)) as (app, pilot, _):
        await pilot.press("f", "tab", *"random:5", "enter")
        await settled(pilot)
        listed = app.screens.summary_of("facts")
        assert listed.endswith(" of 12")
        await pilot.press("f3", "f7")
        await settled(pilot)
        await pilot.press("ctrl+o")
        shown = await settled(pilot)
        assert f"came from Profiles, 2 models, τ .50 ‹ Facts, {listed}   H back" in shown
        assert re.search(rf"Facts .* {listed} ", shown)
        assert re.search(r"Figures .* (\d+) of \d+, profiles ", shown)


WAY = [("Confusion", "13 of 70 decided"), ("Profiles", "13 models"), ("Facts", "131 of 2,150")]


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (90, "Confusion, 13 of 70 decided ‹ Profiles, 13 models ‹ Facts, 131 of 2,150"),
        (80, "Confusion, 13 of 70 decided ‹ Profiles, 13 models ‹ Facts"),
        (60, "Confusion ‹ Profiles ‹ Facts"),
    ],
)
def test_of_a_long_way_names_stay(width: int, shown: str) -> None:
    assert way_line(WAY, width).text == f"came from {shown}   H back"


@pytest.mark.slow
async def test_what_is_gone_back_to_stands_as_it_was_left(path: Path) -> None:
    async with opened(path) as (app, pilot, facts):
        await pilot.press("j", "j", "4", "enter", "j")
        await settled(pilot)
        task = app.tab_screen("task")
        left = task.position
        await pilot.press("f1", "end", "enter", "f3", "H", "H", "H")
        await settled(pilot)
        assert app.tab == "task"
        assert task.position == left
        await pilot.press("H")
        await settled(pilot)
        assert app.tab == "facts"
        assert facts.list.view.cursor == 2
        await pilot.press("H")
        await settled(pilot)
        assert said(app) == "there is no earlier place"
        await pilot.press("f3")
        await settled(pilot)
        assert said(app) == "", "it was about the screen before"
        app.say("run m is over: 8 answers", everywhere=True)
        await pilot.press("f1")
        await settled(pilot)
        assert said(app) == "run m is over: 8 answers"


@pytest.mark.slow
async def test_facts_stepped_through_on_task_are_where_escape_leads(path: Path) -> None:
    async with opened(path) as (app, pilot, facts):
        await pilot.press("enter", "J", "J")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert app.tab == "facts"
        assert facts.list.view.cursor == 2


@pytest.mark.slow
async def test_the_palette_leads_to_a_fact_by_title_or_id_and_escape_back(path: Path) -> None:
    async with opened(path) as (app, pilot, facts):
        await pilot.press("f3", "ctrl+p", *"windows")
        await settled(pilot)
        options = app.screen.query_one(Options).options
        assert [one.words for one in options] == ["fact Microsoft Windows"]
        await pilot.press("enter")
        await settled(pilot)
        assert facts.position.fact == "demo__windows-microsoft"
        assert app.places.way_out == "Profiles"
        await pilot.press("ctrl+p", *"demo__triton")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert str(facts.position.fact).startswith("demo__triton")
        await pilot.press("escape")
        await settled(pilot)
        assert facts.position.fact == "demo__windows-microsoft"
        await pilot.press("escape")
        await settled(pilot)
        assert app.tab == "profiles"


def test_every_screen_has_a_position() -> None:
    from tui.app.screen_controller import make_screen
    from tui.app.tab_table import TABS

    for tab in TABS:
        screen = make_screen(tab)
        assert isinstance(screen, BaseScreen)
        assert screen.position_type()
