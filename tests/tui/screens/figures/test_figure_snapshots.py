"""The Figures screen as it stands, at three sizes and in three themes, cell by cell.

After a wanted change run `uv run pytest -m "slow or not slow" FILE --snapshot-update`, and look at
the difference before it is committed.
"""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.figures import figure_scope
from core.figures.figure_table import CATALOGUE
from core.settings.preferences import Settings
from tests.core.making import a_fact, new_project, put_facts
from tests.marks import slow
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import picture, settled
from tui.app.app import LostkeysApp
from tui.screens.figures.screen import FiguresScreen

SIZES = (slow((80, 24)), (120, 40), slow((200, 60)))
FIRST, *OTHERS = (entry.name for entry in CATALOGUE)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("sample") / "sample.db")


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """A date that stands still."""
    monkeypatch.setattr(figure_scope, "today", lambda: "2026-01-31")


async def seen(path: Path, size: tuple[int, int], theme: str, name: str, *keys: str) -> str:
    app = LostkeysApp(path, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        screen = app.tab_screen("figures")
        assert isinstance(screen, FiguresScreen)
        screen.state.name = name
        for key in ("f7", *keys):
            await pilot.press(key)
            await until(
                pilot, lambda: screen.state.figure is not None and screen.state.figure.name == name
            )
            await until(pilot, lambda: not screen.loader.busy)
            await settled(pilot)
            await until(pilot, lambda: not screen.loader.busy)
        return picture(app)


@pytest.mark.parametrize("name", [FIRST, *map(slow, OTHERS)])
async def test_figures(database: Path, name: str, snapshot: SnapshotAssertion) -> None:
    assert await seen(database, SIZES[1], "dark", name, "tab") == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("size", [SIZES[0], SIZES[2]], ids=str)
@pytest.mark.parametrize("name", ["profiles", "trends", "popularity", "thinking", "bootstrap"])
async def test_other_sizes(
    database: Path, size: tuple[int, int], name: str, snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", name) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
@pytest.mark.parametrize("name", ["profiles", "popularity", "confusion"])
async def test_other_themes(
    database: Path, theme: str, name: str, snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, SIZES[1], theme, name, "tab") == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("keys", [("v",), ("I",), ("w",)], ids=["table", "intervals", "save"])
async def test_ways_to_look(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", "popularity", *keys) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_nothing_yet(
    tmp_path: Path, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    path = tmp_path / "bare.db"
    with new_project(path) as project:
        put_facts(project, [a_fact("one")])
    assert await seen(path, size, "dark", "profiles") == snapshot
