"""What is painted first, and that what the start leaves is given back to the system."""

import ctypes
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from textual.app import App

from core.settings.preferences import Settings
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app import startup
from tui.app.app import LostkeysApp
from tui.app.saved_session_controller import SessionController

FACT = "Islam → Quran"


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The screen as text, as often as it is painted."""
    found: list[str] = []
    display = App._display

    def shown(app: App[Any], screen: Any, update: Any) -> None:
        if update is not None and not app._batch_count:
            found.append(text(app))
        display(app, screen, update)

    monkeypatch.setattr(App, "_display", shown)
    return found


async def test_the_first_frame_has_the_list(
    tmp_path: Path, frames: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(startup, "LONGEST", 60.0)
    app = LostkeysApp(sample_project(tmp_path / "p.db"), Settings(theme="dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
    assert FACT in frames[0]


async def test_a_list_that_takes_long_is_not_waited_for(
    tmp_path: Path, frames: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(startup, "LONGEST", 0.01)
    may_read, work = Event(), SessionController.work

    def late(self: SessionController, session: Any) -> Any:
        assert may_read.wait(60)
        return work(self, session)

    monkeypatch.setattr(SessionController, "work", late)
    app = LostkeysApp(sample_project(tmp_path / "p.db"), Settings(theme="dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(frames))
        may_read.set()
        await settled(pilot)
    assert "Facts" in frames[0]
    assert "No facts" not in frames[0]
    assert " 0 facts" not in frames[0]
    assert FACT in frames[-1]


MEGABYTES = 40
PIECE = 8_000
"""Numbers of an array that lies on the heap; 16 of them take a megabyte."""


def resident() -> int:
    """Megabytes that the process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 // 1_000_000


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library holds nothing back"
)
def test_what_is_free_is_given_back() -> None:
    pieces = [np.ones(PIECE) for _ in range(16 * MEGABYTES)]
    del pieces[:-1]
    before = resident()
    startup.give_back_memory()
    assert before - resident() > MEGABYTES // 2
    assert pieces[0].sum() == PIECE


async def test_that_is_done_once_when_the_list_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(startup, "SETTLED", 0.01)
    monkeypatch.setattr(startup, "give_back_memory", lambda: given.append(1))
    app = LostkeysApp(tmp_path / "none.db", Settings(name="mira"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+r")
        await settled(pilot)
        await pilot.pause(0.05)
    assert given == [1]
