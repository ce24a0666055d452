"""What is painted first, and that what the start leaves is given back to the system."""

import ctypes
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from textual.app import App
from textual.events import Key

from core.settings.preferences import Settings
from core.views.saved_session import SavedSession
from core.views.session import Session
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app import saved_session_controller, startup
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


async def test_other_models_are_counted_behind_the_first_frame(
    tmp_path: Path, frames: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys wait for that; what the frame and the list say stays as it is."""
    monkeypatch.setattr(startup, "LONGEST", 60.0)
    may_count, look = Event(), Session.look
    remembered: list[int] = []

    def late(self: Session, lens: Any) -> Any:
        assert may_count.wait(60)
        return look(self, lens)

    monkeypatch.setattr(Session, "look", late)
    monkeypatch.setattr(
        saved_session_controller,
        "remember_database",
        lambda path, snapshot: remembered.append(len(snapshot.models)),
    )
    app = LostkeysApp(sample_project(tmp_path / "p.db"), Settings(theme="dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: bool(frames))
        await until(pilot, lambda: app.facts is not None)
        assert app.snapshot is not None
        assert not app.snapshot.whole
        app.post_message(Key("f3", None))
        await pilot.pause(0.6)  # the app looks what is new meanwhile, too
        first = text(app).splitlines()
        assert app.tab == "facts"
        assert not remembered
        may_count.set()
        await until(pilot, lambda: app.snapshot is not None and app.snapshot.whole)
        await until(pilot, lambda: app.tab == "profiles")
        await pilot.press("f1")
        await settled(pilot)
        last = text(app).splitlines()
    assert FACT in frames[0]
    edge = first[1].index("╮") + 1
    assert first[0] == last[0]
    assert [row[:edge] for row in first] == [row[:edge] for row in last]
    assert set(remembered) == {2}


@pytest.mark.parametrize(
    ("left", "shows"),
    [
        (SavedSession(), True),
        (SavedSession("facts", None, {"facts": {"asking": {"columns": None}}}), True),
        (SavedSession("facts", None, {"facts": {"asking": {"columns": ["profile:m"]}}}), False),
        (SavedSession("facts", None, {"facts": ["what is no position"]}), True),
        (SavedSession("profiles"), False),
    ],
)
def test_the_list_shows_one_model_unless_it_has_columns(left: SavedSession, shows: bool) -> None:
    assert saved_session_controller.shows_one_model(left) is shows


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
