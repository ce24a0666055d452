"""The screens there are, in the order of their tabs; their modules are named as text."""

from typing import NamedTuple


class Tab(NamedTuple):
    """A screen: its tab, its name, its key, its letter after ctrl+o, and where its class is."""

    tab: str
    name: str
    key: str
    letter: str
    module: str
    cls: str


TABS = (
    Tab("facts", "Facts", "f1", "f", "tui.screens.facts.screen", "FactsScreen"),
    Tab("task", "Task", "f2", "t", "tui.screens.task.screen", "TaskScreen"),
    Tab("profiles", "Profiles", "f3", "p", "tui.screens.profiles.screen", "ProfilesScreen"),
    Tab("confusion", "Confusion", "f4", "c", "tui.screens.confusion.screen", "ConfusionScreen"),
    Tab("review", "Review", "f5", "r", "tui.screens.review.screen", "ReviewScreen"),
    Tab("jobs", "Jobs", "f6", "j", "tui.screens.jobs.screen", "JobsScreen"),
    Tab("figures", "Figures", "f7", "i", "tui.screens.figures.screen", "FiguresScreen"),
)
