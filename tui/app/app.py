"""The program's app: screens that keep their place, dialogs, looks, and quitting."""

import gc
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from textual import events
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter

from core.errors import LostkeysError, UsageError
from core.settings.preferences import Settings, load, save
from tui import keys
from tui.app.driver import LastingDriver
from tui.app.job_controller import WorkingApp
from tui.app.lens_controller import TICK
from tui.frame.too_small import TooSmall, too_small
from tui.frame.top_bar import lens_line
from tui.screens import SCREENS
from tui.screens.audit_screen import AuditScreen
from tui.screens.size_classes import BY_HEIGHT, BY_WIDTH, NARROW
from tui.text.line import Line
from tui.theme.filters import Colourless, DarkInk
from tui.theme.look import Look, look_named
from tui.theme.themes import fitting, themes

NAME_VARIABLE = "LOSTKEYS_USER"

STDIN = 0

SETTLED = 1.0
"""Seconds after which nothing of the start is garbage any more."""

if TYPE_CHECKING:
    from core.curation.undo_history import Undone
    from core.jobs.external_activity import Followed
    from core.specs import Spec
    from core.views.fact_query import Filters
    from core.views.lens import Lens
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from core.views.target import Target
    from core.vocabulary import Task
    from tui.dialogs.palette import Command
    from tui.screens.jobs.screen import JobsScreen


class Back(NamedTuple):
    """Where Task was opened from: the screen, the lens's model there, and the one on Task."""

    tab: str
    model: str | None
    shown: str | None


class LostkeysApp(WorkingApp):
    """The program on one database."""

    TITLE = "Lostkeys"
    BINDINGS = keys.bindings("everywhere")
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    DEFAULT_MODE = SCREENS[0].tab
    HORIZONTAL_BREAKPOINTS = BY_WIDTH
    VERTICAL_BREAKPOINTS = BY_HEIGHT

    def __init__(
        self,
        path: Path,
        settings: Settings | None = None,
        job: "Spec | None" = None,
        followed: "Followed | None" = None,
    ) -> None:
        super().__init__(path, job, followed)
        self.settings, self._settings_error = _settings(settings)
        self.trusted: set[str] = set()
        """Models at an address that came out of a file, which a person lets be asked."""
        self._screens: dict[str, AuditScreen] = {}
        self._looks: dict[tuple[str, bool], Look] = {}
        self._back: Back | None = None
        for place in SCREENS:
            self.add_mode(place.tab, partial(self.audit_screen, place.tab))
        for theme in themes():
            self.register_theme(theme)
        self.theme = self._fitting(self.settings.theme)
        self.set_keymap(dict(self.settings.keys))

    def on_load(self) -> None:
        """Have the database read while the first screen is made."""
        self.open_database(self.path)

    def on_mount(self) -> None:
        """Begin to look for what is new."""
        self.set_interval(TICK, self.tick)
        self.set_timer(SETTLED, _collect_garbage)
        if self._settings_error is not None:
            self.call_after_refresh(self.fail, self._settings_error)

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is too little room for anything."""
        if too_small(event.size) and not isinstance(self.screen, TooSmall):
            self.push_screen(TooSmall())

    def on_unmount(self) -> None:
        """Let what is still to be written be written."""
        self.close_db_worker()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What styles pass before they are written; Textual's own grey would be black here."""
        if self.no_color:
            return (Colourless(),)
        few = (DarkInk(),) if self.console.color_system == "256" else ()
        return (*super().get_line_filters(), *few)

    def get_driver_class(self) -> type[Driver]:
        """Textual's own, which may be set in the environment; that of this system lasts."""
        found = super().get_driver_class()
        return LastingDriver if found is LinuxDriver else found

    def tick(self) -> None:
        """Look for what is new; end where the terminal is gone and no signal has said so."""
        if not self.is_headless and not os.isatty(STDIN):
            self.exit()
        super().tick()

    @property
    def fault(self) -> Exception | None:
        """The fault of the program that ended it, if one did."""
        return self._exception

    def _fatal_error(self) -> None:
        """End after a fault; the command line tells of it in one line, as of all others."""
        self._close_messages_no_wait()

    # How things look

    @property
    def look(self) -> Look:
        """Roles and marks under the present theme."""
        key = (self.theme, self.settings.glyphs == "ascii")
        if key not in self._looks:
            self._looks[key] = look_named(*key)
        return self._looks[key]

    # Screens

    def audit_screen(self, tab: str) -> AuditScreen:
        """The one screen of a tab, made when it is first wanted."""
        if tab not in self._screens:
            place = next(place for place in SCREENS if place.tab == tab)
            self._screens[tab] = place.make()
        return self._screens[tab]

    @property
    def tab(self) -> str:
        """The tab that is seen (a dialog may be before it)."""
        return self.current_mode

    async def action_visit(self, tab: str) -> None:
        """Go to a screen, as it was left; where Task was opened from it, under its lens again."""
        self.look_now()
        back, lens = self._back, self.lens
        self._back = back if tab == "task" else None
        await self.switch_mode(tab)
        if back is not None and tab == back.tab and lens is not None and lens.model == back.shown:
            self.look_at(back.model)
        self.settle_frame()

    def open_task(
        self,
        fact: int,
        task: "Task",
        model: str | None = None,
        answer: tuple[bool, int] | None = None,
    ) -> None:
        """Show one question on the Task screen; `escape` leads back to the screen in sight.

        With a `model` the lens is its until then; an `answer` of it (thinking or not, its number
        from 0) is opened.
        """
        now = self.lens.model if self.lens is not None else None
        back = Back(self.tab, now, model or now)

        async def opened() -> None:
            self.look_at(model)
            await self.action_visit("task")
            self._back = back
            self.audit_screen("task").open(fact, task, answer)

        self.call_next(opened)

    async def go_back(self) -> None:
        """From Task to the screen that has opened it; to Facts where none has."""
        await self.action_visit(self._back.tab if self._back is not None else SCREENS[0].tab)

    def open_facts(self, filters: "Filters") -> None:
        """Show the facts that filters let through on the Facts screen, `escape` leads back."""
        tab = self.tab

        async def opened() -> None:
            await self.action_visit("facts")
            self.audit_screen("facts").open(filters, tab)

        self.call_next(opened)

    def open_database(self, path: Path) -> None:
        """Work on another database; a file that is not there counts as empty."""
        self.open_db_worker(path)
        for screen in self._screens.values():
            if screen.is_mounted:
                screen.forget()
                self.call_next(self.action_visit, SCREENS[0].tab)
        if self.person:
            self.write(partial(_take_name, self.person), lambda _: None)
        self.open_board()
        self.settle_frame()

    def show_board(self, board: "Snapshot") -> None:
        """Let every screen take in a board; those not seen do so when they are."""
        for screen in self._screens.values():
            screen.take_board(board)
        self.settle_frame()

    def foreseen(self, lens: "Lens") -> bool:
        """Whether the screen in sight is right under a lens before its board is there."""
        screen = self._screens.get(self.tab)
        return screen is not None and screen.is_mounted and screen.foresee(lens)

    def say_lens(self, lens: "Lens") -> None:
        """Say what the lens is now, where the top bar has room for the model only."""
        if self.size.width < NARROW:
            self.say(lens_line(lens, NARROW, self.look))

    def show_index(self) -> None:
        """Let the screen in sight take in that more can be found."""
        screen = self._screens.get(self.tab)
        if screen is not None and screen.is_mounted:
            screen.index_told()

    def show_jobs(self) -> None:
        """Let the Jobs screen show how far jobs are."""
        if (screen := self._jobs_screen()) is not None:
            screen.told()

    def show_begun(self, job: int) -> None:
        """Let the Jobs screen go to a job that was started just now."""
        if (screen := self._jobs_screen()) is not None:
            screen.go_to(job)

    def read_jobs(self) -> None:
        """Let the Jobs screen read what the file holds of jobs."""
        if (screen := self._jobs_screen()) is not None:
            screen.read()

    def _jobs_screen(self) -> "JobsScreen | None":
        """The Jobs screen if it is seen: only then what it shows matters."""
        screen = self._screens.get("jobs") if self.tab == "jobs" else None
        return cast("JobsScreen", screen) if screen is not None and screen.is_mounted else None

    def settle_frame(self) -> None:
        """Let the frame of the screen in sight show what has changed."""
        screen = self._screens.get(self.tab)
        if screen is not None and screen.is_mounted:
            screen.settle_frame()

    def action_renew(self) -> None:
        """Show what is new; after trouble, try to read the database again."""
        super().action_renew()
        self.audit_screen(self.tab).renew()

    def action_next_pane(self) -> None:
        """Focus the next pane."""
        self.screen.focus_next()

    def action_previous_pane(self) -> None:
        """Focus the previous pane."""
        self.screen.focus_previous()

    # Dialogs

    def action_model(self) -> None:
        """Choose the model that all numbers are about, or the models of a screen with several."""
        if not self.audit_screen(self.tab).choose_models():
            super().action_model()

    def fail(self, error: LostkeysError) -> None:
        """Show what went wrong until it has been seen."""
        from tui.dialogs.error_dialog import ErrorDialog

        self.push_screen(ErrorDialog(error))

    def action_start(self) -> None:
        """Start something: ask a model, grade, import, export; or go on with a job in sight."""
        from tui.dialogs.start.start_context import offer_start

        offer_start(self, self.audit_screen(self.tab).to_go_on)

    def action_go(self) -> None:
        """Wait for the digit or letter of a screen."""
        from tui.dialogs.go_dialog import Go

        self.push_screen(Go(), self._gone)

    async def _gone(self, tab: str | None) -> None:
        if tab is not None:
            await self.action_visit(tab)

    def action_help(self) -> None:
        """Show all keys, marks and profiles."""
        from tui.dialogs.help_dialog import Help

        self.push_screen(Help(self.screen))

    def action_command_palette(self) -> None:
        """Find a command by typing."""
        from tui.dialogs.palette import PaletteCommands

        self.push_screen(PaletteCommands(self), self._commanded)

    async def _commanded(self, command: "Command | None") -> None:
        if command is not None and (doing := command()) is not None:
            await doing

    def action_help_quit(self) -> None:
        """Say how to quit, for who tries ctrl+c."""
        self.say("`q` quits")

    # People

    @property
    def person(self) -> str:
        """Whose labels are set here: as in the settings, else `$LOSTKEYS_USER`, else nobody."""
        return self.settings.name or os.environ.get(NAME_VARIABLE, "")

    def with_name(self, then: Callable[[str], None]) -> None:
        """Go on with the person's name, asked for once."""
        if self.person:
            self._named(then, self.person)
            return
        from tui.app.user import wrong_name
        from tui.dialogs.line_dialog import AskLine

        asked = AskLine("your name", "Your labels carry your name. Name:", getuser(), wrong_name)
        self.push_screen(asked, partial(self._named, then))

    def _named(self, then: Callable[[str], None], name: str | None) -> None:
        if not name:
            return
        if name != self.settings.name:
            self.remember(replace(self.settings, name=name))
        self.write(partial(_take_name, name), lambda _: then(name))

    def action_undo(self) -> None:
        """Undo the person's newest label or flag."""
        self.write(_undo, self._undone)

    def _undone(self, done: "tuple[Undone | None, Target | None, Snapshot]") -> None:
        from tui.app.user import undone_line

        undone, of, board = done
        self.board_changed(board)
        self.say(undone_line(undone, of, board.lens.model))

    def copy(self, text: str) -> None:
        """Put text into the clipboard, where the terminal allows it."""
        self.copy_to_clipboard(text)
        self.say(Line().add("copied ", "ink-2").add(text))

    def action_picture(self) -> None:
        """Save the screen as a picture in the folder where the program was started."""
        from tui.app import screenshot

        svg, tab = screenshot.drawn(self), self.tab
        self.write(lambda _: screenshot.save(svg, tab, Path.cwd()), self._pictured)

    def _pictured(self, path: Path) -> None:
        self.say(Line().add("the picture is in ", "ink-2").add(path.name))

    # Settings

    def remember(self, settings: Settings) -> None:
        """Go by other settings, and remember them."""
        self.settings = settings
        try:
            save(self.settings)
        except LostkeysError as error:
            self.report(error)

    def action_theme(self, name: str) -> None:
        """Another theme, from now on."""
        self.remember(replace(self.settings, theme=name))
        self.theme = self._fitting(name)

    def _fitting(self, name: str) -> str:
        """A theme as it is set; `auto` goes by the terminal, and no colour is ANSI's own."""
        if self.no_color:
            return "ansi"
        return fitting(os.environ) if name == "auto" else name

    def action_glyphs(self, name: str) -> None:
        """Marks in Unicode or in ASCII, from now on."""
        self.remember(replace(self.settings, glyphs=name))
        self._repaint()

    def watch_theme(self) -> None:
        """Paint everything in the new theme."""
        self._repaint()

    def _repaint(self) -> None:
        for screen in self._screens.values():
            if screen.is_mounted:
                screen.repaint()


def _settings(given: Settings | None) -> tuple[Settings, LostkeysError | None]:
    """The settings to start with, and what is wrong with the settings file.

    What cannot hold is left out, all else holds.
    """
    try:
        settings = load(keys.BY_ID) if given is None else given
    except LostkeysError as error:
        return Settings(), error
    kept, clashes = keys.settle(settings.keys)
    faults = [*settings.faults, *clashes]
    if not faults:
        return settings, None
    more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
    return replace(settings, keys=kept), UsageError(faults[0] + more)


def _collect_garbage() -> None:
    """From now on, and never again in what the start has left: that would take long."""
    gc.freeze()
    gc.enable()


def _take_name(name: str, session: "Session") -> None:
    session.name = name


def _undo(session: "Session") -> "tuple[Undone | None, Target | None, Snapshot]":
    undone, board = session.undo()
    return undone, None if undone is None else session.target(undone.what), board
