"""No test of the screens reads or writes anybody's own settings, or waits longer than it must."""

import asyncio
from pathlib import Path
from time import monotonic, process_time

import pytest
import textual.app
import textual.pilot
from textual._context import active_app

from tests.tui.seeing import reading

TURN = 0.01
"""Seconds between two looks at whether the app is idle; half of what Textual waits at least."""

LONGEST = 0.1
"""Seconds that a key waits for what is asked for, which may be held up on purpose."""


async def _idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until the process does next to nothing and the app has what it has asked for."""
    start = monotonic()
    while (past := monotonic() - start) < max_sleep:
        before = process_time()
        await asyncio.sleep(TURN)
        at_rest = process_time() - before < TURN / 10
        if at_rest and past >= min_sleep and (past > LONGEST or not reading(active_app.get())):
            return


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and pauses of a pilot wait for the app, and no fixed time beyond that."""
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", _idle)


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and recent databases of nobody."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("LOSTKEYS_USER", raising=False)
