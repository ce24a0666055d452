"""The Confusion screen open on a sample, in two sizes."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.screens.confusion.driver import Driver
from tui.app.app import LostkeysApp


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("confusion") / "sample.db")


@pytest.fixture
def path(sample: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sample, tmp_path / "mine.db"))


@pytest.fixture
async def driver(path: Path) -> AsyncIterator[Driver]:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        made = Driver(app, pilot)
        await made.open()
        yield made


@pytest.fixture
async def small(path: Path) -> AsyncIterator[Driver]:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(80, 24)) as pilot:
        made = Driver(app, pilot)
        await made.open()
        yield made
