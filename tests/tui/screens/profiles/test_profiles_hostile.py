"""Hostile models, graders, topics and types on the Profiles screen: it stays whole."""

from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.tui.hostile import fault, texts, unique
from tests.tui.hostile_project import hostile_project
from tests.tui.seeing import rows, settled
from tui.app.app import LostkeysApp
from tui.screens.profiles.screen import ProfilesScreen

pytestmark = pytest.mark.slow

TEXTS = unique(texts(seed=5, count=150))[:100]
FACTS = 12
KEYS = ("right_square_bracket", "j", "l", "v", "v", "v", "escape", "I", "y", "s", "f", "escape")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "h.db"
    hostile_project(path, TEXTS, FACTS)
    return path


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (40, 10)], ids=str)
async def test_the_screen_stays_whole(database: Path, size: tuple[int, int]) -> None:
    app = LostkeysApp(database, Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("f3")
        await settled(pilot)
        screen = app.tab_screen("profiles")
        assert isinstance(screen, ProfilesScreen)
        assert len(screen.panes.main.rows) == 3
        for key in KEYS:
            await pilot.press(key)
            await pilot.pause()
            for row in rows(app):
                assert fault("".join(segment.text for segment in row), size[0]) is None
