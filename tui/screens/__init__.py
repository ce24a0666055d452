"""The screens there are, in the order of their tabs."""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tui.screens.audit_screen import AuditScreen


class Place(NamedTuple):
    """A screen: its tab, its name, its key, its letter after ctrl+o, and where its class is."""

    tab: str
    name: str
    key: str
    letter: str
    module: str
    cls: str

    def make(self) -> "AuditScreen":
        """A new screen; its module is imported only now."""
        made: AuditScreen = getattr(import_module(self.module), self.cls)()
        return made


SCREENS = (
    Place("facts", "Facts", "f1", "f", "tui.screens.facts.screen", "FactsScreen"),
    Place("task", "Task", "f2", "t", "tui.screens.task.screen", "TaskScreen"),
    Place("profiles", "Profiles", "f3", "p", "tui.screens.profiles.screen", "ProfilesScreen"),
    Place("confusion", "Confusion", "f4", "c", "tui.screens.confusion.screen", "ConfusionScreen"),
    Place("review", "Review", "f5", "r", "tui.screens.review.screen", "ReviewScreen"),
    Place("jobs", "Jobs", "f6", "j", "tui.screens.jobs.screen", "JobsScreen"),
    Place("figures", "Figures", "f7", "i", "tui.screens.figures.screen", "FiguresScreen"),
)
