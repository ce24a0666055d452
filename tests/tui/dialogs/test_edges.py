"""What stands in the bottom edge of dialogs: keys in one style, errors whole."""

from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Options
from tui.dialogs.dialog import Dialog
from tui.dialogs.input_dialog import AskLine
from tui.text.line import Line

REASONS = [f"reason-{number}." for number in range(30)]
"""Words of an error that is longer than any dialog is wide."""


@pytest.fixture
def app(tmp_path: Path) -> LostkeysApp:
    return LostkeysApp(sample_project(tmp_path / "p.db"), Settings(name="ada"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120, 200])
async def test_a_long_error_is_wrapped_and_the_keys_stay(app: LostkeysApp, width: int) -> None:
    async with app.run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        dialog = AskLine("name", "Its name:")
        app.push_screen(dialog)
        await settled(pilot)
        dialog.edge(Line(" ".join(REASONS), "label-i"))
        shown = await settled(pilot)
        assert [one for one in REASONS if one not in shown] == []
        assert "enter keeps it   esc closes" in shown
        dialog.edge(Line("a short one", "label-i"))
        shown = await settled(pilot)
        assert "reason" not in shown
        assert "a short one" in shown


@pytest.mark.slow
@pytest.mark.parametrize("key", ["ctrl+p", "f", "m"])
async def test_lists_that_are_searched_say_that_arrows_choose(app: LostkeysApp, key: str) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press(key)
        assert "↑ ↓ choose" in await settled(pilot)
        await pilot.press("escape")


@pytest.mark.slow
async def test_keys_of_every_dialog_stand_in_the_accent(app: LostkeysApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in ("ctrl+p", "ctrl+o", "f", "g", "m", "V", "C", "W"):
            await pilot.press(key)
            await settled(pilot)
            dialog = app.screen
            assert isinstance(dialog, Dialog)
            keys = [one for one in dialog.hint_line.spans if one.role == "accent bold"]
            assert keys[-1].text == "esc", key
            await pilot.press("escape")
            await settled(pilot)


@pytest.mark.slow
async def test_the_palette_names_each_group_once(app: LostkeysApp) -> None:
    """On an open card keys of two screens take turns in the table of keys."""
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in ("f4", "enter", "ctrl+p"):
            await pilot.press(key)
            await settled(pilot)
        groups = [row for row in app.screen.query_one(Options).rows if isinstance(row, str)]
        assert len(groups) > 3
        assert len(groups) == len(set(groups))
