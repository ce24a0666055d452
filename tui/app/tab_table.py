"""The screens there are, in the order of their tabs; their modules are named as text."""

from enum import StrEnum
from typing import NamedTuple


class TabGroup(StrEnum):
    """What one goes to a screen for."""

    READ = "read"
    JUDGE = "judge"
    RUN = "run"


class Tab(NamedTuple):
    """A screen: its name in the code, what people read and press, and where its class is."""

    tab: str
    name: str
    short: str
    """The name where there is little room."""
    key: str
    """A function key."""
    letter: str
    """After ctrl+o."""
    group: TabGroup
    question: str
    """What it answers."""
    module: str
    cls: str

    @property
    def digit(self) -> str:
        """The number of its function key."""
        return self.key.removeprefix("f")


TABS = (
    Tab(
        *("facts", "Facts", "Facts", "f1", "f", TabGroup.READ),
        "which facts, and what became of each",
        *("tui.screens.facts.screen", "FactsScreen"),
    ),
    Tab(
        *("task", "Task", "Task", "f2", "t", TabGroup.READ),
        "what was asked and answered, word for word",
        *("tui.screens.task.screen", "TaskScreen"),
    ),
    Tab(
        *("profiles", "Profiles", "Prof", "f3", "p", TabGroup.READ),
        "how much of it is known, by model",
        *("tui.screens.profiles.screen", "ProfilesScreen"),
    ),
    Tab(
        *("confusion", "Confusion", "Conf", "f4", "c", TabGroup.JUDGE),
        "where graders part",
        *("tui.screens.confusion.screen", "ConfusionScreen"),
    ),
    Tab(
        *("review", "Review", "Rev", "f5", "r", TabGroup.JUDGE),
        "are the questions good",
        *("tui.screens.review.screen", "ReviewScreen"),
    ),
    Tab(
        *("jobs", "Jobs", "Jobs", "f6", "j", TabGroup.RUN),
        "what runs, what it costs",
        *("tui.screens.jobs.screen", "JobsScreen"),
    ),
    Tab(
        *("figures", "Figures", "Fig", "f7", "i", TabGroup.READ),
        "the paper's figures from these data",
        *("tui.screens.figures.screen", "FiguresScreen"),
    ),
    Tab(
        *("latent", "Latent", "Lat", "f8", "l", TabGroup.READ),
        "what is known where nobody asks",
        *("tui.screens.latent.screen", "LatentScreen"),
    ),
    Tab(
        *("bench", "Bench", "Ben", "f9", "b", TabGroup.READ),
        "what is said right, by mode and exemplars",
        *("tui.screens.bench.screen", "BenchScreen"),
    ),
)

OF_RELATIONS = frozenset(("latent", "bench"))
"""Screens that are empty until the database has relations."""


NAMES = {one.tab: one.name for one in TABS}
