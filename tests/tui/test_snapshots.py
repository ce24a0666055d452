"""The screens as they stand, at three sizes and in three themes, cell by cell.

After a wanted change: `uv run pytest tests/tui/test_snapshots.py --snapshot-update`, and look at
the difference before it is committed.
"""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.settings import Settings
from tests.tui.sample import sample_project
from tests.tui.seeing import picture, settled
from tui.app import LostkeysApp

SIZES = ((80, 24), (120, 40), (200, 60))
TASK = ("4", "enter", "enter")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("sample") / "sample.db")


async def seen(path: Path, size: tuple[int, int], theme: str, *keys: str) -> str:
    app = LostkeysApp(path, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return picture(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "keys",
    [(), ("j", "j", "enter"), TASK, ("question_mark",), ("f",), ("slash", *"river")],
    ids=["list", "fact", "task", "help", "filter", "search"],
)
async def test_screens(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *keys) == snapshot


@pytest.mark.parametrize("theme", ["light", "ansi"])
@pytest.mark.parametrize("keys", [(), TASK], ids=["facts", "task"])
async def test_themes(
    database: Path, theme: str, keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, SIZES[1], theme, *keys) == snapshot


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_nothing_yet(
    tmp_path: Path, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    assert await seen(tmp_path / "none.db", size, "dark") == snapshot
