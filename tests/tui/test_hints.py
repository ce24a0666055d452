"""A hint comes after a while without keys, goes with the next one, and never repeats for long."""

from pathlib import Path

import pytest

from core.settings.hint_history import OFTEN, load_hints
from core.settings.paths import STATE_VARIABLE
from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.app.hint_controller import IDLE, REST, HintController


def hint(app: LostkeysApp) -> str | None:
    return None if app.hints.line is None else app.hints.line.text


class Clock:
    """A time that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return sample_project(tmp_path / "sample.db")


async def test_hints_come_go_and_end(path: Path) -> None:
    app, clock = LostkeysApp(path, Settings(name="mira")), Clock()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.hints = HintController(app, clock)
        app.hints.poll()
        assert hint(app) is None
        await pilot.press("slash", "x", "escape", "escape", "f", "escape")
        await settled(pilot)
        clock.now += IDLE
        app.hints.poll()
        await settled(pilot)
        assert hint(app) == "hint  space unfold a task"
        assert "12 facts   hint  space unfold a task" in text(app)
        await pilot.press("j")
        assert hint(app) is None
        offered = []
        for _ in range(50):
            clock.now += IDLE
            app.hints.poll()
            said = hint(app)
            if said is None:
                break
            offered.append(said)
            app.hints.line = None
        assert max(offered.count(one) for one in offered) == OFTEN
        assert not any("search" in one or "filter" in one.split()[-1:] for one in offered)
        await until(pilot, lambda: load_hints().offered.get("facts.unfold") == OFTEN)
        assert {"facts.search", "facts.filter", "list.down"} <= load_hints().used


@pytest.mark.slow
async def test_hints_can_be_turned_off(path: Path) -> None:
    app, clock = LostkeysApp(path, Settings(name="mira", hints=False)), Clock()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.hints = HintController(app, clock)
        await pilot.press("j")
        clock.now += IDLE + REST
        app.hints.poll()
        assert hint(app) is None
        assert load_hints().used == frozenset()
