"""The Bench screen as it stands, cell by cell, at three sizes and in two more themes."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.settings.preferences import Settings
from tests.marks import slow
from tests.tui.screens.bench.making import bench_project
from tests.tui.seeing import picture, settled
from tui.app.app import LostkeysApp

SIZES = (slow((80, 24)), (120, 40), slow((200, 60)))
DOWN = ("f9", *("j",) * 6)
WALKS = {"board": (*DOWN, "enter", "v"), "questions": (*DOWN, "enter", "v", "enter", "s")}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bench_project(tmp_path_factory.mktemp("bench") / "bench.db")


async def seen(path: Path, size: tuple[int, int], theme: str, *keys: str) -> str:
    app = LostkeysApp(path, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return picture(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_bench(database: Path, size: tuple[int, int], snapshot: SnapshotAssertion) -> None:
    assert await seen(database, size, "dark", *DOWN) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
@pytest.mark.parametrize("walk", WALKS)
async def test_bench_states(
    database: Path, size: tuple[int, int], walk: str, snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *WALKS[walk]) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
async def test_bench_themes(database: Path, theme: str, snapshot: SnapshotAssertion) -> None:
    assert await seen(database, (120, 40), theme, *DOWN) == snapshot
