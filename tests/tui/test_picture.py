"""Pictures of the screen."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.seeing import settled
from tui.app import screenshot
from tui.app.app import LostkeysApp


@pytest.mark.slow
async def test_the_palette_saves_the_screen_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = LostkeysApp(sample_project(tmp_path / "sample.db"), Settings(theme="dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"picture", "enter")
        screen = await settled(pilot)
    assert "the picture is in lostkeys-facts.svg" in screen
    svg = (tmp_path / "lostkeys-facts.svg").read_text()
    words = "".join(ElementTree.fromstring(svg).itertext()).replace("\xa0", " ")
    assert "Tokyo is the capital" not in words
    assert "Japan → Tokyo" in words
    assert "picture of this screen" not in words
    assert "url(http" not in svg


def test_a_second_picture_has_another_name(tmp_path: Path) -> None:
    names = [screenshot.save("<svg/>", "task", tmp_path).name for _ in range(3)]
    assert names == ["lostkeys-task.svg", "lostkeys-task-2.svg", "lostkeys-task-3.svg"]


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match="no picture in"):
        screenshot.save("<svg/>", "task", tmp_path / "gone")
