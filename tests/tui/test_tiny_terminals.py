"""Every screen and every dialog is drawn however small the terminal is."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.screens.bench.making import bench_project
from tests.tui.screens.jobs.making import VIEWS, ShowingApp
from tests.tui.screens.latent.making import latent_project
from tests.tui.seeing import settled
from tests.tui.test_every_key import EMPTY, WAYS, WORKING
from tui.keys import KEYS

pytestmark = pytest.mark.slow

TINY = [(width, height) for width in range(1, 9) for height in range(1, 9)]
NARROW = [(width, 24) for width in (1, 2, 5, 9, 17, 30)]
FLAT = [(80, height) for height in (1, 2, 3, 5)]
EACH = 6
"""Of the tiny sizes each place is drawn in a few; together they are drawn in all."""

MORE: dict[str, tuple[str, ...]] = {
    "filter": ("f",),
    "import": ("i",),
    "palette": ("ctrl+p",),
    "name of a view": ("V", "+"),
    "form at a field": ("r", "tab", "enter"),
    "lens": ("f3", "W"),
    "rejection": ("R",),
    "question": ("4", "e"),
    "acts": ("H",),
    "calibration": ("f4", "C"),
    "file of a list": ("W",),
    "stages": ("f6", "enter"),
}
"""Keys that lead to further dialogs."""

PLACES = WAYS | {f"{name} ({', '.join(keys)})": keys for name, keys in MORE.items()}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("tiny") / "sample.db")


def project_of(place: str, database: Path, folder: Path) -> Path:
    if place in EMPTY:
        return folder / "none.db"
    if place == "latent":
        return latent_project(folder / "latent.db")
    if place == "bench":
        return bench_project(folder / "bench.db")
    return Path(shutil.copy(database, folder / "sample.db"))


@pytest.mark.parametrize("place", PLACES)
async def test_every_place_at_every_size(place: str, database: Path, tmp_path: Path) -> None:
    path = project_of(place, database, tmp_path)
    views = VIEWS if place in WORKING or "f6" in PLACES[place] else ()
    app = ShowingApp(path, views, Settings(name="mira"))
    some = Random(place).sample(TINY, EACH)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for key in PLACES[place]:
            await pilot.press(key)
            await settled(pilot)
        before = app.screen
        for size in (*some, *NARROW, *FLAT):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert app.size == size
        await pilot.resize_terminal(120, 40)
        assert await settled(pilot)
        assert app.screen is before


SEEDS = [int(one) for one in os.environ.get("LOSTKEYS_SEEDS", "1 2 3").split()]
STEPS = 150
LEAVES = {"ctrl+q", "ctrl+c", "ctrl+z", "q"}
"""Keys that end or stop the program."""


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_keys_at_random_sizes(seed: int, database: Path, tmp_path: Path) -> None:
    random, path = Random(seed), Path(shutil.copy(database, tmp_path / "sample.db"))
    pressed = sorted({key for one in KEYS for key in one.keys.split(",")} - LEAVES)
    app = ShowingApp(path, (), Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for _ in range(STEPS):
            if random.random() < 0.3:
                size = random.choice((*TINY, *NARROW, *FLAT, (80, 24), (120, 40)))
                await pilot.resize_terminal(*size)
            else:
                await pilot.press(random.choice(pressed))
            await pilot.pause()
        assert app.is_running
