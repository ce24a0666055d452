"""The program's app: screens that keep their place, dialogs, looks, and quitting."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import App
from textual.css.query import QueryError
from textual.dom import DOMError
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter

from core.errors import LostkeysError
from core.settings.preferences import Settings
from tui import keys
from tui.app.db_requests import DbRequests, ResultArrived
from tui.app.driver import LastingDriver
from tui.app.hint_controller import HintController
from tui.app.job_controller import LOOK_EVERY, JobController
from tui.app.key_queue import KeyPassed, KeyQueue, Pressed
from tui.app.lens_controller import TICK, LensController
from tui.app.place_controller import PlaceController
from tui.app.saved_session_controller import SessionController
from tui.app.screen_controller import ScreenController
from tui.app.search_index_controller import IndexController
from tui.app.settings_controller import SettingsController
from tui.app.startup import Startup
from tui.app.status_messages import StatusMessages
from tui.app.tab_table import TABS
from tui.app.undo_controller import UndoController
from tui.text.line import Line
from tui.theme.look import Look
from tui.theme.terminal_colours import ColourlessFilter, DarkInk
from tui.theme.themes import themes
from tui.widgets.pane_layout import BY_HEIGHT, BY_WIDTH, is_too_small

STDIN = 0

if TYPE_CHECKING:
    from core.jobs.followed_job import FollowedJob
    from core.specs.job_kinds import Spec
    from core.views.lens import Lens
    from core.views.snapshot import Snapshot
    from tui.dialogs.palette import Command


class LostkeysApp(App[None], inherit_css=False):
    """The program on one database."""

    TITLE = "Lostkeys"
    DEFAULT_CSS = "LostkeysApp { background: $background; color: $foreground; }"
    BINDINGS = keys.bindings("everywhere")
    ENABLE_COMMAND_PALETTE = ALLOW_SELECT = False
    DEFAULT_MODE = TABS[0].tab
    HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS = BY_WIDTH, BY_HEIGHT

    def __init__(
        self,
        path: Path,
        settings: Settings | None = None,
        job: "Spec | None" = None,
        followed: "FollowedJob | None" = None,
        fresh: bool = False,
        reader: bool = False,
    ) -> None:
        """`job` is begun, a `followed` one of another program kept; `fresh`: not as it was left."""
        super().__init__()
        self._disable_tooltips = self._disable_notifications = True  # else each screen has both
        self.refused: LostkeysError | None = None
        """Why the program ended at once: the database it was started on cannot be opened."""
        self.key_queue = KeyQueue(self)
        self.preferences = SettingsController(self, settings, reader)
        self.HORIZONTAL_BREAKPOINTS = BY_WIDTH[:1] if self.preferences.reader else BY_WIDTH
        self.startup, self.screens = Startup(self), ScreenController(self)
        self.db, self.status = DbRequests(self, path), StatusMessages(self, self.screens)
        self.places = PlaceController(self, self.screens)
        self.lenses = LensController(self, self.screens)
        self.jobs = JobController(self, self.screens, job, followed)
        self.index, self.hints = IndexController(self), HintController(self)
        self.undos = UndoController(self)
        self.session = SessionController(self, self.places, fresh)
        self._opened = False
        self._offer()
        for one in TABS:
            self.add_mode(one.tab, partial(self.screens.tab_screen, one.tab))
        for theme in themes(self.preferences.own_themes.values()):
            self.register_theme(theme)
        self.theme = self.preferences.theme(self.no_color)
        self.stylesheet.set_variables(self.get_css_variables())
        self.set_keymap(dict(self.settings.keys))

    def _offer(self) -> None:
        """What the parts do for screens, dialogs and widgets."""
        self.ask, self.ask_background = self.db.ask, self.db.ask_background
        self.write, self.write_background = self.db.write, self.db.write_background
        self.say, self.report = self.status.say, self.status.report
        self.refuse, self.clear_said = self.status.refuse, self.status.clear
        self.fail, self.say_dropped = self.status.fail, self.status.say_dropped
        self.snapshot_changed, self.step_lens = self.lenses.snapshot_changed, self.lenses.step_lens
        self.set_lens, self.look_at = self.lenses.set_lens, self.lenses.look_at
        self.flush_lens, self.tell_graders = self.lenses.flush_lens, self.lenses.tell_graders
        self.tab_screen, self.fact_steps = self.screens.tab_screen, self.screens.fact_steps
        self.refresh_frame, self.ask_dialog = self.screens.refresh_frame, self.db.ask_dialog
        self.pane_layouts, self.with_name = self.screens.pane_layouts, self.preferences.with_name

    def on_load(self) -> None:
        """Have the database read while the first screen is made."""
        self.open_database(self.path)

    def on_mount(self) -> None:
        """Begin to look for what is new."""
        self.set_interval(TICK, self.poll)
        self.set_interval(LOOK_EVERY, self.jobs.look_elsewhere)
        self.startup.begin()
        self.call_after_refresh(self.preferences.tell_faults, self.theme)
        if self.jobs.working:
            self.call_after_refresh(self.jobs.begin)

    def on_resize(self, event: events.Resize) -> None:
        """Say so where there is too little room for anything."""
        if is_too_small(*event.size):
            from tui.frame.too_small import cover_screens

            cover_screens(self)

    def on_unmount(self) -> None:
        """Let what is still to be written be written; leave nothing running."""
        self.session.close()
        self.db.close()
        self.index.stop()
        self.jobs.close()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What styles pass before they are written where colours are few, or none."""
        if self.no_color:
            return (ColourlessFilter(),)
        return (DarkInk(),) if self.console.color_system == "256" else ()

    def delay_update(self, delay: float = 0.005) -> None:
        """Paint nothing while screens are switched; Textual goes on doing so for 50 ms."""
        super().delay_update(delay)

    def get_driver_class(self) -> type[Driver]:
        """Textual's own, which may be set in the environment; that of this system lasts."""
        found = super().get_driver_class()
        return LastingDriver if found is LinuxDriver else found

    def poll(self) -> None:
        """Look for what is new; end where the terminal is gone and no signal has said so."""
        if not self.is_headless and not os.isatty(STDIN):
            self.exit()
        if not self.is_headless:  # else what is seen would depend on the time
            self.hints.poll()
        self.status.poll()
        self.db.poll()
        self.lenses.poll()
        self.jobs.poll()
        self.session.poll()

    def exit(self, *args: Any, **how: Any) -> None:
        """End; what is in sight is as it is left."""
        self.session.look()
        super().exit(*args, **how)

    @property
    def fault(self) -> Exception | None:
        """The fault of the program that ended it, if one did."""
        return self._exception

    def _handle_exception(self, error: Exception) -> None:
        # Once the app ends nothing is mounted: what begins to mount misses its parts, no fault.
        if not (self._exit and isinstance(error, DOMError | QueryError)):
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End after a fault; the command line tells of it in one line, as of all others."""
        self._close_messages_no_wait()

    # Keys, one by one

    async def on_event(self, event: events.Event) -> None:
        """Let keys wait for their turn; a click goes before those that wait, and drops them."""
        if isinstance(event, Pressed) and not event.is_forwarded:
            return await self.key_queue.press(event)
        if isinstance(event, events.MouseDown) and not event.is_forwarded:
            self.key_queue.drop()
            if self.lenses.completes:
                return None
        return await super().on_event(event)

    @property
    def takes_keys(self) -> bool:
        """Whether what a key is meant for is there: a dialog that opens, what is decided next."""
        screen = self.screen if self.screen_stack else None
        if screen is None or not (self.startup.paints and screen.is_mounted and screen.is_attached):
            return False  # it comes, or goes
        waits = self.db.opens_dialog or self.lenses.completes
        return not waits and bool(getattr(screen, "takes_keys", True))

    async def give_key(self, key: Pressed) -> None:
        """Let a key act."""
        self.hints.note_key(key)
        await super().on_event(key)

    async def on_key_passed(self, message: KeyPassed) -> None:
        """Let the next key act."""
        await self.key_queue.take_passed(message)

    # What the parts know

    @property
    def path(self) -> Path:
        """The open database, which need not be there."""
        return self.db.path

    @property
    def settings(self) -> Settings:
        """What the person has set."""
        return self.preferences.settings

    @property
    def person(self) -> str:
        """Whose labels are set here; empty for nobody."""
        return self.preferences.person

    @property
    def snapshot(self) -> "Snapshot | None":
        """Every number of one lens; None until it has been read."""
        return self.lenses.snapshot

    @property
    def lens(self) -> "Lens | None":
        """The lens that was chosen last, though its snapshot may still be on the way."""
        return self.lenses.lens

    @property
    def start_lens(self) -> "Lens | None":
        """The lens as the database was opened with, for what it could not know the present one."""
        return self.lenses.start_lens

    @property
    def facts(self) -> int | None:
        """Facts that are not rejected; None until they have been counted."""
        return self.lenses.facts

    @property
    def own(self) -> int:
        """Labels of the person's own."""
        return self.lenses.own

    @property
    def load_error(self) -> LostkeysError | None:
        """Why the database cannot be read at the moment."""
        return self.lenses.load_error

    @property
    def look(self) -> Look:
        """Roles and marks under the present theme."""
        return self.preferences.look

    # What comes of their threads

    def on_result_arrived(self, message: ResultArrived) -> None:
        """Hand an answer of the db worker to who has asked for it."""
        self.db.take(message)
        self.startup.take(message)

    def on_job_changed(self) -> None:
        """Show how far jobs are."""
        self.jobs.tell()

    def on_index_changed(self) -> None:
        """Let searches take in what can be found now."""
        if self.is_running:
            self.screens.show_index()

    def snapshot_came(self, before: "Snapshot | None", snapshot: "Snapshot", own: bool) -> None:
        """See what has grown."""
        self._opened = True
        if before is None or before.tally is not snapshot.tally:  # else nothing has been written
            counted = snapshot.tally.answers
            self.jobs.watch(counted, own)
            self.index.take(snapshot, counted)

    def snapshot_failed(self, error: LostkeysError) -> None:
        """End if the database could never be read; else go on, and count what comes anew."""
        self.jobs.forget_others()
        if not self._opened:
            self.refused = error
            self.exit(return_code=error.exit_code)

    # Screens

    @property
    def tab(self) -> str:
        """The tab that is seen (a dialog may be before it)."""
        return self.current_mode

    async def action_visit(self, tab: str) -> None:
        """Go to a screen, as it was left; where one came from it, under its lens again."""
        await self.places.visit(tab)

    async def action_place(self, steps: int) -> None:
        """Go to an earlier place, or to a later one."""
        await self.places.step(steps)

    def open_database(self, path: Path) -> None:
        """Work on another database; a file that is not there counts as empty."""
        self.session.close()
        self.index.stop()
        self.jobs.turn_to(path)
        self.db.open(path)
        self.lenses.forget_error()
        self.screens.forget()
        self.places.forget()
        self.preferences.sign()
        self.lenses.open()
        self.refresh_frame()

    def action_renew(self) -> None:
        """Show what is new; after trouble, try to read the database again."""
        self.status.take_as_seen()
        self.lenses.reopen()
        self.tab_screen(self.tab).reload()

    def action_next_pane(self) -> None:
        """Focus the next pane."""
        self.screen.focus_next()

    def action_previous_pane(self) -> None:
        """Focus the previous pane."""
        self.screen.focus_previous()

    # The lens

    def action_grader(self) -> None:
        """Choose whose labels count, in which order, and which graders are compared."""
        self.lenses.choose_graders()

    def action_thinking(self) -> None:
        """Thinking off, on, both."""
        self.lenses.step_thinking()

    def action_tau(self, step: int) -> None:
        """The next threshold up or down."""
        self.lenses.step_tau(step)

    def action_strategy(self, step: int) -> None:
        """The next way with questions that cannot be graded."""
        self.lenses.step_strategy(step)

    def action_weight(self, step: int) -> None:
        """The weight of PARTIALLY a step up or down."""
        self.lenses.step_weight(step)

    def action_start_values(self) -> None:
        """The policy and whose labels count, as they were when the database was opened."""
        self.lenses.restore_start()

    def action_model(self) -> None:
        """Choose the model that all numbers are about, or the models of a screen with several."""
        if not self.tab_screen(self.tab).choose_models():
            self.lenses.choose_model()

    # Dialogs

    def action_start(self) -> None:
        """Start something: ask a model, grade, import, export; or go on with a job in sight."""
        from tui.dialogs.start.start_context import open_start_dialog

        screen = self.tab_screen(self.tab)
        open_start_dialog(self, screen.to_go_on, screen.starts, set_name=screen.set_in_sight)

    def action_go(self) -> None:
        """Show the map of the screens, and wait for the digit or letter of one."""
        from tui.dialogs.map_dialog import BACK, Map

        async def visit(tab: str | None) -> None:
            if tab == BACK:
                await self.action_place(1)
            elif tab is not None:
                await self.action_visit(tab)

        self.push_screen(Map(self.tab, self.screens.summaries(), self.places.came_from()), visit)

    def action_help(self) -> None:
        """Show all keys, marks and profiles."""
        from tui.dialogs.help_dialog import Help

        self.push_screen(Help(self.screen))

    def action_command_palette(self) -> None:
        """Find a command by typing."""
        from tui.dialogs.palette import PaletteCommands

        self.push_screen(PaletteCommands(self), self._run_command)

    async def _run_command(self, command: "Command | None") -> None:
        if command is not None and (doing := command()) is not None:
            await doing

    async def action_quit(self) -> None:
        """Quit; where a job runs, ask what becomes of it. A second time nothing is waited for."""
        self.jobs.quit()

    def action_help_quit(self) -> None:
        """Say how to quit, for who tries ctrl+c."""
        self.say("`q` quits")

    # What a person does

    def copy(self, text: str, said: Line | None = None) -> None:
        """Put text into the clipboard, where the terminal allows it."""
        self.copy_to_clipboard(text)
        self.say(said or Line().add("copied ", "ink-2").add(text))

    def action_picture(self) -> None:
        """Save the screen as a picture in the folder where the program was started."""
        from tui.app import screenshot

        screenshot.save_screen(self, screenshot.draw_svg(self))

    # Settings

    def action_theme(self, name: str) -> None:
        """Another theme, from now on."""
        self.preferences.remember(replace(self.settings, theme=name))
        self.theme = self.preferences.theme(self.no_color)
        self.preferences.tell_theme(self.theme)

    def action_glyphs(self, name: str) -> None:
        """Marks in Unicode or in ASCII, from now on."""
        self.preferences.remember(replace(self.settings, glyphs=name))
        self.screens.repaint()

    def refresh_css(self, animate: bool = True) -> None:
        """Style everything anew; before the first screen there is nothing to style."""
        if self.screen_stack:
            super().refresh_css(animate)

    def watch_theme(self, theme: str) -> None:
        """Paint everything in the new theme."""
        self.preferences.take_theme(theme)
        if self.screen_stack:
            self.screens.repaint()
