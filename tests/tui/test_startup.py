"""What the start leaves is given back to the system."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

from core.settings.preferences import Settings
from tests.tui.seeing import settled
from tui.app import startup
from tui.app.app import LostkeysApp

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
