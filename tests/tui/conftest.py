"""No test of the screens reads or writes anybody's own settings, or guesses whether it is idle."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from tests.tui.seeing import PAINTS, RESTING, rest, stillness
from tui.app.db_requests import DbRequest, DbWorker
from tui.theme.glyphs import draw_unicode


@pytest.fixture(autouse=True, scope="session")
def parses_styles_once() -> Iterator[None]:
    """Apps with the same colours share what Textual has parsed of its style sheets.

    It does so for the style sheets of one app, until a colour changes: each app would parse all
    of them anew, several times.
    """
    parsed: dict[frozenset[tuple[str, str]], Any] = {}
    make, set_variables = Stylesheet.__init__, Stylesheet.set_variables

    def share(sheet: Stylesheet) -> None:
        sheet._parse_cache = parsed.setdefault(frozenset(sheet._variables.items()), {})

    def made(sheet: Stylesheet, *, variables: dict[str, str] | None = None) -> None:
        make(sheet, variables=variables)
        share(sheet)

    def changed(sheet: Stylesheet, variables: dict[str, str]) -> None:
        sheet._parse_cache = {}  # type: ignore[assignment]  # Textual empties the one it has
        set_variables(sheet, variables)
        share(sheet)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "__init__", made)
        patch.setattr(Stylesheet, "set_variables", changed)
        yield


@pytest.fixture(autouse=True, scope="session")
def counts_paints() -> Iterator[None]:
    """Each app's paints are counted: between two of them the screen stays as it is."""
    display = App._display

    def counted(app: App[Any], screen: Any, update: Any) -> None:
        PAINTS[app] = PAINTS.get(app, 0) + 1
        display(app, screen, update)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "_display", counted)
        yield


@pytest.fixture(autouse=True, scope="session")
def waits_for_states() -> Iterator[None]:
    """Keys and pauses of a pilot wait until the app is at rest.

    Textual takes a process that gets no processor time for idle, so on a busy machine it would
    not wait at all. And it has each widget of a screen answer a message, to know that it has
    handled those before: looking at what waits tells the same, and costs a tenth.
    """
    take = DbWorker._next

    def watched(worker: DbWorker) -> DbRequest | None:
        RESTING.add(worker)
        ask = take(worker)
        RESTING.discard(worker)
        return ask

    async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 0.0) -> None:
        await rest(active_app.get())

    async def wait_for_screen(pilot: Pilot[Any], timeout: float = 0.0) -> bool:
        await stillness(pilot.app)
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DbWorker, "_next", watched)
        for module in (textual.app, textual.pilot):
            patch.setattr(module, "wait_for_idle", wait_for_idle)
        patch.setattr(Pilot, "_wait_for_screen", wait_for_screen)
        yield


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and recent databases of nobody."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("LOSTKEYS_USER", raising=False)


@pytest.fixture(autouse=True)
def draws_unicode() -> Iterator[None]:
    """What one test draws in ASCII, the next one draws as it is written."""
    yield
    draw_unicode()
