"""The Latent screen by key: facts, numbers of examples, the board, the way back, a restart."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.demo.demo_setup import relation_import
from core.settings.preferences import Settings
from tests.patience import until
from tests.tui.sample import sample_project
from tests.tui.screens.latent.making import INJECT, latent_project
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.dialog import Dialog
from tui.screens.latent.screen import LatentScreen

pytestmark = pytest.mark.slow

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return latent_project(tmp_path_factory.mktemp("latent") / "sample.db")


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "mine.db"))


@asynccontextmanager
async def opened(
    path: Path, size: tuple[int, int] = (120, 40), reader: bool = False
) -> AsyncIterator[tuple[LostkeysApp, Pilot[None], LatentScreen]]:
    app = LostkeysApp(path, Settings(name="mira"), reader=reader)
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.snapshot is not None, lambda: text(app), lambda: pilot.pause(0.02))
        await settled(pilot)
        await pilot.press("f8")
        await settled(pilot)
        screen = app.tab_screen("latent")
        assert isinstance(screen, LatentScreen)
        yield app, pilot, screen
        app.session.look()


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def test_facts_and_numbers_are_stepped_through_and_the_bars_move(path: Path) -> None:
    async with opened(path) as (app, pilot, _):
        assert "F8 Latent" in text(app)
        assert "gemma3-27b n 50 zero-prompt" in text(app)
        seen = []
        for _ in range(3):
            seen.append(text(app).splitlines()[1])
            await press(pilot, "j")
        assert len(set(seen)) == 3
        bars = {}
        for key in ("[", "["):
            bars[app.tab_screen("latent").lens_words] = text(app).count("━")
            await press(pilot, "left_square_bracket" if key == "[" else key)
        assert "n 1 zero-prompt" in text(app)
        assert len(set(bars.values())) == 2
        await press(pilot, "left_square_bracket")
        assert "numbers of examples with scores: 1, 5, 50" in text(app)
        await press(pilot, "right_square_bracket")
        assert "n 5 zero-prompt" in text(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_enter_goes_in_to_the_facts_screen_and_escape_comes_back(
    path: Path, size: tuple[int, int]
) -> None:
    async with opened(path, size) as (app, pilot, screen):
        await press(pilot, "j", "enter")
        assert screen.panes.pane == "fact"
        subject = screen.state.shown and screen.state.shown.subject
        await press(pilot, "enter")
        assert app.tab == "facts"
        assert str(subject)[:8] in text(app)
        await press(pilot, "escape")
        assert app.tab == "latent"
        assert screen.panes.pane == "fact"
        await press(pilot, "j", "escape")
        assert screen.panes.pane == "facts"
        await press(pilot, "escape")
        assert screen.panes.pane == "relations"
        await press(pilot, "j")
        assert "left out" in text(app) or "Left out" in text(app)


async def test_the_input_is_copied_to_the_letter(path: Path) -> None:
    async with opened(path) as (app, pilot, screen):
        await press(pilot, "j", "y")
        assert screen.state.shown is not None
        assert app.clipboard == screen.state.shown.input
        assert app.clipboard.endswith(screen.state.shown.subject)
        assert "copied the input as it is sent: 50 examples" in text(app)


async def test_forms_models_orders_and_the_board(path: Path) -> None:
    async with opened(path) as (app, pilot, screen):
        await press(pilot, "f")
        assert INJECT in text(app)
        assert "2 altered" in text(app)
        await press(pilot, "space")
        assert "input, all of 50 examples, 2 altered" in text(app)
        await press(pilot, "space", "f", "s")
        assert "methods that part first" in text(app)
        await press(pilot, "v")
        shown = text(app)
        assert all(model in shown for model in ("gemma3-27b", "gemma3-4b", "tiny-base"))
        assert "of 11 !1" in shown
        assert "most probable" not in shown
        await press(pilot, "enter")
        assert "most probable of 100 objects" in text(app)
        await press(pilot, "m", "down", "enter")
        assert screen.state.model == "gemma3-4b"
        assert "gemma3-4b n 50" in text(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_facts_says_what_scores_say(path: Path, size: tuple[int, int]) -> None:
    async with opened(path, size) as (app, pilot, _):
        await press(pilot, "j")  # Mongolia, an encoding failure
        await press(pilot, "enter", "enter")
        shown = text(app)
        assert "F1 Facts" in shown
        assert "Mongolia" in shown
        if size[0] < 100:
            assert "zero-prompt yes" in shown or "Z yes" in shown
            await press(pilot, "l")
        assert "Z   zero-prompt  yes  p .85  1 of 100  n 50  ≠" in text(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "walk",
    [("j", "j", "l", "left_square_bracket"), ("s", "j", "f", "space"), ("v", "l"), ("h", "j")],
)
async def test_quitting_and_starting_again_shows_the_same(
    path: Path, size: tuple[int, int], walk: tuple[str, ...]
) -> None:
    async with opened(path, size) as (app, pilot, _):
        await press(pilot, *walk)
        app.clear_said()
        await settled(pilot)
        before = text(app).splitlines()[:-2]
    again = LostkeysApp(path, Settings(name="mira"))
    async with again.run_test(size=size) as pilot:
        await until(
            lambda: text(again).splitlines()[:-2] == before,
            lambda: text(again),
            lambda: pilot.pause(0.02),
        )


async def test_the_relation_in_sight_is_removed_by_a_key(path: Path) -> None:
    async with opened(path) as (app, pilot, screen):
        row = screen.state.row
        assert row is not None
        await press(pilot, "delete")
        for thing in (f"relation {row.set_name}/{row.name}", f"set {row.set_name}", "model gemma"):
            assert thing in text(app)
        await press(pilot, "enter")
        assert f"Remove relation {row.set_name}/{row.name}" in text(app)
        await press(pilot, "y")
        await until(lambda: row not in screen.state.rows, lambda: text(app), pilot.pause)
        assert row.name not in [one.name for one in screen.state.rows]
        await press(pilot, "u")
        await until(lambda: row.name in [one.name for one in screen.state.rows])


async def test_the_note_names_the_key_that_sorts(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="mira", keys={"latent.sort": "ctrl+t"}))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.snapshot is not None, lambda: text(app), lambda: pilot.pause(0.02))
        await press(pilot, "f8")
        assert "models that differ first ctrl+t" in text(app)
        await press(pilot, "ctrl+t")
        assert "methods that part first ctrl+t" in text(app)


async def test_an_empty_screen_says_what_it_needs_and_has_its_tab(tmp_path: Path) -> None:
    path = sample_project(tmp_path / "plain.db")
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "F8Latent" in text(app)
        await press(pilot, "f8")
        assert "F8 Latent" in text(app)
        assert "No relations here yet." in text(app)
        command = "lostkeys import FILE --format triples brings subjects, relations and objects;"
        assert command in text(app)  # on one line: it has the room of the screen
        screen = app.tab_screen("latent")
        assert isinstance(screen, LatentScreen)
        assert screen.panes.relations_view.size.width > 110
        started: list[object] = []
        app.jobs.start = lambda spec, *_: started.append(spec)  # type: ignore[method-assign]
        await press(pilot, "enter")
        assert "Import 190 facts, countries and their capitals, into plain.db?" in text(app)
        await press(pilot, "n")
        assert (started, app.tab) == ([], "latent")
        await press(pilot, "enter", "y")
        assert started == [relation_import()]


async def test_panes_are_zoomed_and_split(path: Path) -> None:
    async with opened(path) as (_, pilot, screen):
        width = screen.panes.fact_pane.outer_size.width
        await press(pilot, "ctrl+left")
        assert screen.panes.fact_pane.outer_size.width == width + 4
        await press(pilot, "tab", "z")
        assert screen.panes.fact_pane.outer_size.width == 120
        await press(pilot, "z", "shift+tab")
        assert screen.panes.pane == "facts"


async def test_it_is_read_aloud_row_by_row(path: Path) -> None:
    async with opened(path, reader=True) as (app, pilot, screen):
        await press(pilot, "j")
        assert screen.state.shown is not None
        assert screen.state.shown.subject[:6] in text(app)
        await press(pilot, "enter")
        assert "most probable of 100 objects" in text(app)
        assert "━" not in text(app)


async def test_ascii_glyphs_draw_nothing_of_ours_beyond(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="mira", glyphs="ascii"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in ("f8", "j", "l", "f", "v"):
            await press(pilot, key)
            assert text(app).isascii(), text(app)


async def test_a_key_pressed_before_anything_is_read_waits_for_it(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.snapshot is not None, lambda: text(app), lambda: pilot.pause(0.02))
        for keys, said in (
            (("f8", "m"), "gemma3-27b"),
            (("f3", "w"), "Exports and figures made under this policy"),
            (("f4", "f"), "by:others"),
        ):
            send(app, *keys)
            assert said in await settled(pilot)
            assert isinstance(app.screen, Dialog)
            await press(pilot, "escape")
