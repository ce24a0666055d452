"""The Latent screen as it stands, cell by cell, at three sizes and in three themes.

After a wanted change run `uv run pytest -m "slow or not slow" FILE --snapshot-update`, and look at
the difference before it is committed.
"""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.settings.preferences import Settings
from tests.marks import slow
from tests.tui.screens.latent.making import latent_project
from tests.tui.seeing import picture, settled
from tui.app.app import LostkeysApp

SIZES = (slow((80, 24)), (120, 40), slow((200, 60)))
WALKS = {
    "facts": ("f8", "j"),
    "fact": ("f8", "j", "l", "left_square_bracket"),
    "altered": ("f8", "f", "space"),
    "board": ("f8", "v"),
    "left out": ("f8", "h", "j"),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return latent_project(tmp_path_factory.mktemp("latent") / "sample.db")


async def seen(path: Path, size: tuple[int, int], theme: str, *keys: str) -> str:
    app = LostkeysApp(path, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return picture(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_latent(database: Path, size: tuple[int, int], snapshot: SnapshotAssertion) -> None:
    assert await seen(database, size, "dark", *WALKS["facts"]) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
@pytest.mark.parametrize("walk", [one for one in WALKS if one != "facts"])
async def test_latent_states(
    database: Path, size: tuple[int, int], walk: str, snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *WALKS[walk]) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
async def test_latent_themes(database: Path, theme: str, snapshot: SnapshotAssertion) -> None:
    assert await seen(database, (120, 40), theme, *WALKS["altered"]) == snapshot
