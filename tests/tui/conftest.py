"""No test of the screens reads or writes anybody's own settings, or guesses whether it is idle."""

from pathlib import Path

import pytest
import textual.app
import textual.pilot
from textual._context import active_app

from tests.tui.seeing import RESTING, rest
from tui.app.db_worker import DbRequest, DbWorker


@pytest.fixture(autouse=True)
def waits_for_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and pauses of a pilot wait until the app is at rest.

    Textual takes a process that gets no processor time for idle, so on a busy machine it would
    not wait at all.
    """
    take = DbWorker._next

    def watched(worker: DbWorker) -> DbRequest | None:
        RESTING.add(worker)
        ask = take(worker)
        RESTING.discard(worker)
        return ask

    async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 0.0) -> None:
        await rest(active_app.get())

    monkeypatch.setattr(DbWorker, "_next", watched)
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", wait_for_idle)


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and recent databases of nobody."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("LOSTKEYS_USER", raising=False)
