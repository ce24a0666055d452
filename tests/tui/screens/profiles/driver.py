"""The app with the Profiles screen open, for tests."""

from core.views.profiles.profile_counts import ProfileCounts
from tests.tui.screens.screen_driver import ScreenDriver
from tests.tui.seeing import text
from tui.screens.facts.fact_list import FactList
from tui.screens.facts.screen import FactsScreen
from tui.screens.profiles.screen import ProfilesScreen


class Driver(ScreenDriver[ProfilesScreen]):
    """The app with the Profiles screen open."""

    of = ProfilesScreen

    @property
    def facts(self) -> FactsScreen:
        screen = self.app.tab_screen("facts")
        assert isinstance(screen, FactsScreen)
        return screen

    def read(self) -> bool:
        return self.screen.state.shown is not None

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
