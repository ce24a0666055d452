"""The app with one of its screens open, as tests drive it."""

from collections.abc import Callable
from typing import Generic, TypeVar

from textual.pilot import Pilot

from tests.patience import until
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.app.tab_table import TABS
from tui.screens.base_screen import BaseScreen

ScreenClass = TypeVar("ScreenClass", bound=BaseScreen)


class ScreenDriver(Generic[ScreenClass]):
    """The app on a database, and the screen that a test is about.

    A class of its own for a screen says which it is (`of`) and when it has read what it shows
    (`read`).
    """

    of: type[ScreenClass]

    def __init__(self, app: LostkeysApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> ScreenClass:
        """The screen, seen or not."""
        screen = self.app.tab_screen(self.of.tab)
        assert isinstance(screen, self.of)
        return screen

    def read(self) -> bool:
        """Whether the screen has read what it shows."""
        raise NotImplementedError

    async def until(self, come: Callable[[], bool]) -> None:
        """Let the app work until something has come true."""
        await self.pilot.pause()
        await until(come, lambda: text(self.app), lambda: self.pilot.pause(0.02))
        await self.pilot.pause()

    async def open(self) -> None:
        """Go to the screen by its key, and wait until it has read."""
        await self.until(lambda: self.app.snapshot is not None)
        await self.pilot.press(next(one.key for one in TABS if one.tab == self.of.tab))
        await self.until(self.read)

    async def press(self, *keys: str) -> None:
        """Press keys, each handled before the next."""
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    @property
    def said(self) -> str:
        """What the status line says just now; empty if nothing."""
        return self.app.status.said.text if self.app.status.said else ""
