"""The Profiles screen of a project with an audit: words on the segment at every size."""

from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.core.certainty.making import drawn, label_next, make_project, report
from tests.tui.screens.profiles.driver import Driver
from tui.app.app import LostkeysApp


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A project of fourteen facts, of which eight are audited."""
    path = tmp_path / "a.db"
    with make_project(path) as project:
        drawn(project, second="other")
        while report(project).audited < 8:
            label_next(project)
    return path


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=str)
async def test_the_segment_says_how_far_graders_are_off(
    database: Path, size: tuple[int, int]
) -> None:
    app = LostkeysApp(database, Settings(name="ann", theme="dark"))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.open()
        await driver.until(lambda: "audit june" in driver.seen())
        seen = driver.seen()
        assert "graders call " in seen
        assert " facts " in seen.split("graders call ")[1].splitlines()[0]
        assert " audited " in seen
