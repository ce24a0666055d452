"""The app with the Profiles screen open, for tests."""

from collections.abc import Callable

from textual.pilot import Pilot

from core.views.profiles.profile_counts import ProfileCounts
from tests.patience import until
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.screens.facts.fact_list import FactList
from tui.screens.facts.screen import FactsScreen
from tui.screens.profiles.screen import ProfilesScreen


class Driver:
    """The app with the Profiles screen open."""

    def __init__(self, app: LostkeysApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> ProfilesScreen:
        screen = self.app.audit_screen("profiles")
        assert isinstance(screen, ProfilesScreen)
        return screen

    @property
    def facts(self) -> FactsScreen:
        screen = self.app.audit_screen("facts")
        assert isinstance(screen, FactsScreen)
        return screen

    async def until(self, come: Callable[[], bool]) -> None:
        await self.pilot.pause()
        await until(come, lambda: text(self.app), lambda: self.pilot.pause(0.02))
        await self.pilot.pause()

    async def open(self) -> None:
        await self.until(lambda: self.app.snapshot is not None)
        await self.pilot.press("f3")
        await self.until(lambda: self.screen.state.shown is not None)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    def seen(self) -> str:
        return text(self.app)

    @property
    def material(self) -> ProfileCounts:
        found = self.screen.state.material
        assert found is not None
        return found

    @property
    def listed(self) -> set[int]:
        """Ids of the facts that are listed."""
        shown = self.facts.query_one(FactList).listing
        snapshot = self.app.snapshot
        return (
            set()
            if shown is None or snapshot is None
            else {int(snapshot.index.ids[at]) for at in shown.places}
        )
