"""The screens of the app: each made when it is first wanted, and what they are told."""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from core.stats.number_format import format_amount
from tui.app.tab_table import OF_RELATIONS, TABS, Tab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.jobs.job_progress import JobProgress
    from core.views.lens import Lens
    from core.views.snapshot import Snapshot
    from tui.app.app import LostkeysApp
    from tui.screens.base_screen import BaseScreen
    from tui.screens.facts.screen import FactsScreen
    from tui.screens.jobs.screen import JobsScreen
    from tui.widgets.pane_layout import Layouts


def make_screen(tab: Tab) -> "BaseScreen":
    """A new screen; its module is imported only now."""
    made: BaseScreen = getattr(import_module(tab.module), tab.cls)()
    return made


class ScreenController:
    """The screens that have been made."""

    def __init__(self, app: "LostkeysApp") -> None:
        self._app = app
        self.made: dict[str, BaseScreen] = {}
        """Screens by tab."""
        self.pane_layouts: Layouts = {}
        """How a person has laid out their panes, by tab and width class."""

    def tab_screen(self, tab: str) -> "BaseScreen":
        """The one screen of a tab, made when it is first wanted."""
        if tab not in self.made:
            self.made[tab] = make_screen(next(one for one in TABS if one.tab == tab))
        return self.made[tab]

    def fact_steps(self) -> "FactsScreen | None":
        """The list of the Facts screen; None where that has not been made."""
        facts = self.tab_screen("facts")
        return cast("FactsScreen", facts) if facts.is_mounted else None

    def summaries(self) -> dict[str, str]:
        """What waits on the screens, by tab."""
        return {one.tab: self.summary_of(one.tab) for one in TABS}

    def summary_of(self, tab: str) -> str:
        """What waits on a screen; of one not seen yet, what is known without it."""
        screen = self.made.get(tab)
        said = screen.summary if screen is not None and screen.is_mounted else ""
        return said or next((words for name, words in list_known(self._app) if name == tab), "")

    # What they are told

    @property
    def _in_sight(self) -> "BaseScreen | None":
        """The screen that is seen, once it is mounted."""
        screen = self.made.get(self._app.tab)
        return screen if screen is not None and screen.is_mounted else None

    @property
    def _jobs_screen(self) -> "JobsScreen | None":
        """The Jobs screen if it is seen: only then what it shows matters."""
        return cast("JobsScreen", self._in_sight) if self._app.tab == "jobs" else None

    def show_snapshot(self, snapshot: "Snapshot") -> None:
        """Let every screen take in a snapshot; those not seen do so when they are."""
        for screen in self.made.values():
            screen.apply_snapshot(snapshot)
        self.refresh_frame()

    def preview_lens(self, lens: "Lens") -> bool:
        """Whether the screen in sight is right under a lens before its snapshot is there."""
        screen = self._in_sight
        return screen is not None and screen.preview_lens(lens)

    def forget(self) -> None:
        """Show nothing of the present database any more, and go to the first screen."""
        self.pane_layouts.clear()
        for screen in self.made.values():
            if screen.is_mounted:
                screen.forget()
                screen.layouts.apply()
                self._app.call_next(self._app.switch_mode, TABS[0].tab)

    def show_index(self) -> None:
        """Let the screen in sight take in that more can be found."""
        if self._in_sight is not None:
            self._in_sight.follow_index()

    def show_jobs(self) -> None:
        """Let the Jobs screen show how far jobs are."""
        if self._jobs_screen is not None:
            self._jobs_screen.show_progress()

    def show_begun(self, job: int) -> None:
        """Let the Jobs screen go to a job that was started just now."""
        if self._jobs_screen is not None:
            self._jobs_screen.go_to(job)

    def read_jobs(self) -> None:
        """Let the Jobs screen read what the file holds of jobs."""
        if self._jobs_screen is not None:
            self._jobs_screen.loader.request_jobs()

    def refresh_frame(self) -> None:
        """Let the frame of the screen in sight show what has changed."""
        if self._in_sight is not None:
            self._in_sight.refresh_frame()

    def refresh_status(self) -> None:
        """Let the status line of the screen in sight show what has changed, where that is all."""
        if self._in_sight is not None:
            self._in_sight.refresh_status()

    def repaint(self) -> None:
        """Paint everything anew (another theme)."""
        from tui.dialogs.dialog import Dialog

        dialogs = [one for one in self._app.screen_stack if isinstance(one, Dialog)]
        for dialog in dialogs:
            dialog.repaint()
        for screen in self.made.values():
            if screen.is_mounted:
                screen.repaint()


def running_words(told: "JobProgress") -> str:
    """`answering gemma3-12b, 32%`."""
    done = f", {100 * told.done // told.wanted}%" if told.wanted else ""
    return f"{told.doing} {told.name}{done}"


def list_known(app: "LostkeysApp") -> "Iterator[tuple[str, str]]":
    """What is known without asking a screen, by tab."""
    snapshot, told = app.snapshot, app.jobs.progress
    yield "jobs", running_words(told) if told is not None else "nothing runs"
    if snapshot is None:
        return
    from core.views.snapshot import AGREE
    from core.views.verdict_reasons import format_tau

    models, tau = len(snapshot.models), format_tau(snapshot.lens.policy.tau)
    yield "profiles", f"{format_amount(models, 'model')}, {app.look.glyph('tau')} {tau}"
    if len(snapshot.lens.compared) > 1:
        yield "confusion", f"{int((snapshot.differs != AGREE).sum()):,} differ"
    if not snapshot.has_relations:
        yield from ((tab, "no triples") for tab in OF_RELATIONS)
