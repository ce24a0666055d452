"""Keys of the Bench screen: from arms to the board, to questions, to Task and back."""

from pathlib import Path

import pytest

from core.settings.preferences import Settings
from tests.tui.screens.bench.making import bench_project
from tests.tui.seeing import settled
from tui.app.app import LostkeysApp
from tui.screens.bench.screen import BenchScreen
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS

pytestmark = pytest.mark.slow


async def test_from_an_arm_to_the_answer_and_back(tmp_path: Path) -> None:
    app = LostkeysApp(bench_project(tmp_path / "bench.db"), Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f9")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, BenchScreen)
        assert screen.panes.pane == ARMS
        assert screen.state.arm == "gemini-2.5-pro#zero-shot"
        for key in ("j", "enter", "v"):
            await pilot.press(key)
            await settled(pilot)
        assert screen.panes.pane == BOARD
        assert (screen.state.arm, screen.state.by) == ("gemini-2.5-pro#10-shot", "property")
        assert [row.name for row in screen.state.groups] == [
            "date of birth", "place of birth", "elevation above sea level"
        ]  # fmt: skip
        for key in ("j", "enter"):
            await pilot.press(key)
            await settled(pilot)
        assert (screen.panes.pane, screen.state.group) == (QUESTIONS, "place of birth")
        fact = screen.state.fact
        await pilot.press("enter")
        await settled(pilot)
        assert app.tab == "task"
        assert app.lens is not None
        assert app.lens.model == "gemini-2.5-pro#10-shot"
        await pilot.press("escape")
        await pilot.press("escape")
        await settled(pilot)
        assert app.tab == "bench"
        assert screen.state.fact == fact
