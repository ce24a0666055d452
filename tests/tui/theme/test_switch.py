"""Another theme while the program runs: no cell keeps a colour of the one before."""

from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.seeing import rows, settled
from tui.app.app import LostkeysApp
from tui.theme.palettes import DARK, LIGHT

pytestmark = pytest.mark.slow

SCREENS = ("f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f1")
DIALOGS = ("question_mark", "ctrl+o", "f")


def colours(app: LostkeysApp) -> set[str]:
    """The colours of all cells in sight, of text and of ground."""
    styles = [segment.style for row in rows(app) for segment in row if segment.style]
    inks = [ink for style in styles for ink in (style.color, style.bgcolor) if ink]
    return {ink.name.lower() for ink in inks}


def only_of(one: dict[str, str], other: dict[str, str]) -> set[str]:
    """Colours that the first palette alone has."""
    shades = [{colour.lower() for colour in palette.values()} for palette in (one, other)]
    return shades[0] - shades[1]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
@pytest.mark.parametrize("theme", ["light", "ansi"])
async def test_no_cell_keeps_the_old_theme(
    theme: str, size: tuple[int, int], tmp_path: Path
) -> None:
    app = LostkeysApp(sample_project(tmp_path / "p.db"), Settings(theme="dark"))
    old = only_of(dict(DARK), dict(LIGHT))
    async with app.run_test(size=size) as pilot:
        for key in (*SCREENS, DIALOGS[0]):
            await pilot.press(key)
            await settled(pilot)
        assert colours(app) & old
        app.action_theme(theme)
        await settled(pilot)
        assert not colours(app) & old
        await pilot.press("escape")
        for key in SCREENS:
            await pilot.press(key)
            await settled(pilot)
            assert not colours(app) & old, key
        for key in DIALOGS:
            app.action_theme("dark")
            await pilot.press(key)
            await settled(pilot)
            app.action_theme(theme)
            await settled(pilot)
            assert not colours(app) & old, key
            await pilot.press("escape")
