"""When tests take a screen to be at rest: by what it has to do, however slow the machine is."""

from pathlib import Path

import pytest
from textual import events
from textual.app import App
from textual.geometry import Size
from textual.screen import Screen

from tests.tui import seeing
from tests.tui.screens.facts.making import a_database
from tests.tui.seeing import is_moving, rest, settled
from tui.app.app import LostkeysApp


async def test_the_first_look_may_take_longer_than_the_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeing, "QUIET", 0.0)
    async with LostkeysApp(a_database(tmp_path / "facts.db")).run_test() as pilot:
        assert "facts.db" in await settled(pilot)


async def test_a_screen_that_has_yet_to_begin_moves() -> None:
    async with App[None]().run_test() as pilot:
        page = Screen[None]()
        pilot.app.push_screen(page)
        assert seeing._is_busy(page)
        await rest(pilot.app)
        assert page.is_running
        assert not seeing._is_busy(page)


async def test_an_app_moves_until_it_has_taken_in_a_new_size() -> None:
    async with App[None]().run_test() as pilot:
        await rest(pilot.app)
        assert not is_moving(pilot.app)
        pilot.app._resize_event = events.Resize(Size(60, 10), Size(60, 10))
        assert is_moving(pilot.app)
