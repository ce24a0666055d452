"""What stands behind a dialog is drawn once, and again where it changes."""

from pathlib import Path

import pytest
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.color import Color
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import Screen

from core.settings.preferences import Settings
from tests.tui.seeing import Painted, settled
from tui.app.app import LostkeysApp
from tui.widgets.pane_screen import DimmedScreen

SEGMENTS = [
    Segment("plain"),
    Segment("red", Style(color="red", bgcolor="#102030", bold=True)),
    Segment("link", Style(color="red", link="there", meta={"row": 1})),
    Segment("red again", Style(color="red", bgcolor="#102030", bold=True)),
    Segment("", None, [(ControlType.BELL,)]),
]


@pytest.mark.parametrize("tint", ["#12151a99", "#00000000"])
def test_it_is_dimmed_as_textual_dims_it(tint: str) -> None:
    color = Color.parse(tint)
    ours = list(DimmedScreen.process_segments(SEGMENTS, color))
    assert ours == list(BackgroundScreen.process_segments(SEGMENTS, color))
    assert [one.style.link for one in ours if one.style is not None] == [None] * 4


async def test_it_is_drawn_again_where_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = LostkeysApp(tmp_path / "none.db", Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        painted, drawn = Painted(app, monkeypatch), []
        render = Screen.render

        def count(screen: Screen[object]) -> object:
            drawn.append(screen)
            return render(screen)

        monkeypatch.setattr(Screen, "render", count)
        await pilot.press("question_mark")
        await settled(pilot)
        help_ = app.screen
        opened = drawn.count(help_)
        assert 1 <= opened <= 2  # twice where what stands behind is told late that it does
        app.say("abcdef")
        await settled(pilot)
        assert drawn.count(help_) == opened + 1
        assert painted.text.splitlines()[38].startswith(" abcdef")
        app.say("abcdef")
        await settled(pilot)
        assert drawn.count(help_) == opened + 1
