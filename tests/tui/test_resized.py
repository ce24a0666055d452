"""A screen looks the same however large the terminal was before, whether it is in sight or not."""

import shutil
from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.screens.bench.making import bench_project
from tests.tui.screens.latent.making import latent_project
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp

pytestmark = pytest.mark.slow

SMALL, MIDDLE, LARGE = (80, 24), (120, 40), (200, 60)
SCREENS = {
    "sample": ("f1", "f2", "f3", "f4", "f5", "f6"),
    "latent": ("f8",),
    "bench": ("f9",),
}
MAKE = {"sample": sample_project, "latent": latent_project, "bench": bench_project}
PLACES = [(project, key) for project, keys in SCREENS.items() for key in keys]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("resized")
    return {name: make(folder / f"{name}.db") for name, make in MAKE.items()}


def body(shown: str) -> list[str]:
    """The screen without the lines that say what just happened, and by which key one goes back."""
    return shown.splitlines()[:-2]


async def seen(
    path: Path, key: str, before: tuple[int, int], after: tuple[int, int], hidden: bool
) -> list[str]:
    """A screen after the terminal has changed its size, while that is `hidden` or in sight."""
    app = LostkeysApp(path, Settings(name="mira", hints=False))
    away = "f6" if key != "f6" else "f1"
    async with app.run_test(size=before) as pilot:
        await settled(pilot)
        await pilot.press(key)
        await settled(pilot)
        if before == after:
            return body(await settled(pilot))
        if hidden:
            await pilot.press(away)
            await settled(pilot)
        await pilot.resize_terminal(*after)
        await settled(pilot)
        await pilot.press(key)
        return body(await settled(pilot))


@pytest.mark.parametrize(("project", "key"), PLACES)
@pytest.mark.parametrize("hidden", [False, True], ids=["in sight", "hidden"])
@pytest.mark.parametrize(
    ("before", "after"), [(SMALL, LARGE), (LARGE, MIDDLE), (MIDDLE, SMALL)], ids=str
)
async def test_a_size_leaves_nothing_behind(
    made: dict[str, Path],
    tmp_path: Path,
    project: str,
    key: str,
    hidden: bool,
    before: tuple[int, int],
    after: tuple[int, int],
) -> None:
    first, second = (tmp_path / "first" / "p.db", tmp_path / "second" / "p.db")
    for copy in (first, second):
        copy.parent.mkdir()
        shutil.copy(made[project], copy)
    changed = await seen(first, key, before, after, hidden)
    assert changed == await seen(second, key, after, after, False)


async def test_a_fact_opened_before_the_list_is_read_goes_by_it(
    made: dict[str, Path], tmp_path: Path
) -> None:
    path = Path(shutil.copy(made["sample"], tmp_path / "p.db"))
    app = LostkeysApp(path, Settings(name="mira", hints=False))
    async with app.run_test(size=LARGE) as pilot:
        await app.switch_mode("task")
        await settled(pilot)
        facts = app.fact_steps()
        assert facts is not None
        assert facts.listed_fact is not None
