"""What screens, dialogs and widgets need of the app: they know it by these protocols alone."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tui.app.screen_protocols import FactSteps, TabScreen

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from textual.geometry import Size
    from textual.message import Message
    from textual.screen import Screen
    from textual.timer import Timer

    from core.errors import LostkeysError
    from core.jobs.job_progress import JobProgress
    from core.jobs.job_view import JobView
    from core.settings.preferences import Settings
    from core.specs.job_kinds import Spec
    from core.views.lens import Lens
    from core.views.saved_session import OpenedDatabase
    from core.views.session import Session
    from core.views.snapshot import Snapshot
    from tui.app.undo_text import ReadAfterUndo, TakeUndo
    from tui.text.line import Line
    from tui.theme.look import Look
    from tui.widgets.pane_layout import Layouts

T = TypeVar("T")


class DbServices(Protocol):
    """Reading and writing the open database, in the thread of a db worker."""

    @property
    def path(self) -> Path:
        """The open database, which need not be there."""

    def ask(
        self,
        key: str,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: "Callable[[LostkeysError], None] | None" = None,
        patient: bool = False,
    ) -> None:
        """Have something read; `then` gets it unless a newer ask with the same key was made.

        Patient asks (searching all answers) wait for all others, and make way for them.
        """

    def write(
        self,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Have something written; never dropped. A `failed` of one's own ends in `refuse`."""

    def ask_background(
        self,
        key: str,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Have computed what takes long, while all else goes on; the session is not open yet."""

    def ask_dialog(
        self,
        key: str | None,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        aside: bool = False,
    ) -> None:
        """Have read what a dialog opens with; keys wait until `then` has opened it.

        Without a key something is written first, which is never dropped. `aside`: the session need
        not be open for it.
        """

    def write_background(self, work: "Callable[[Session], T]", then: Callable[[T], None]) -> None:
        """Have something written that is no part of the database and takes long; never dropped."""


class StatusTexts(Protocol):
    """What stands in the status line."""

    lake_changed: bool
    """Whether the lake that the open database counts is not as it was then."""

    @property
    def said(self) -> "Line | None":
        """What just happened; None where nothing has."""

    @property
    def refused_writes(self) -> "tuple[int, LostkeysError] | None":
        """How much could not be written, and why the last of it; None once that has been seen."""

    def shorten_path(self, words: str) -> str:
        """Words with the open database by its name, so that there is room for what to do."""


class StatusServices(Protocol):
    """What just happened, for the status line."""

    @property
    def status(self) -> StatusTexts:
        """What stands there."""

    def say(self, words: "str | Line", seconds: float = ..., role: str = ...) -> None:
        """Say in the status line what just happened."""

    def report(self, error: "LostkeysError") -> None:
        """Say in the status line what went wrong."""

    def refuse(self, error: "LostkeysError") -> None:
        """Say that something could not be written, until a person has seen it."""

    def copy(self, text: str, said: "Line | None" = None) -> None:
        """Put text into the clipboard, where the terminal allows it, and say so (or `said`)."""


class LensServices(Protocol):
    """The lens, and the snapshot of all numbers under it."""

    @property
    def snapshot(self) -> "Snapshot | None":
        """Every number of one lens; None until it has been read."""

    @property
    def lens(self) -> "Lens | None":
        """The lens that was chosen last, though its snapshot may still be on the way."""

    @property
    def start_lens(self) -> "Lens | None":
        """The lens as the database was opened with, for what it could not know the present one."""

    @property
    def facts(self) -> int | None:
        """Facts that are not rejected; None until they have been counted."""

    @property
    def own(self) -> int:
        """Labels of the person's own."""

    @property
    def load_error(self) -> "LostkeysError | None":
        """Why the database cannot be read at the moment."""

    def snapshot_changed(self, snapshot: "Snapshot | None", own: bool = True) -> None:
        """Take in a snapshot; None is no change. `own`: what is new in it was written here."""

    def set_lens(self, lens: "Lens") -> None:
        """Show everything through another lens."""

    def look_at(self, model: str | None) -> None:
        """Show all numbers for a model; None is the present one."""

    def flush_lens(self) -> None:
        """Have the snapshot read that was put off, as the screen in sight did not need it."""

    def step_lens(self, lens: "Lens") -> None:
        """Show everything through another lens, say what has changed and how it goes back."""

    def tell_graders(self, names: "tuple[str, ...]") -> None:
        """Say of graders whose job is over that their labels do not count, or let them count."""

    def action_grader(self) -> None:
        """Choose whose labels count, in which order, and which graders are compared."""


class KeyServices(Protocol):
    """Keys that were pressed and have not acted yet."""

    @property
    def next_key(self) -> str | None:
        """The key that acts next, if it waits already."""


class ScreenServices(Protocol):
    """Which screen is in sight, and ways to others."""

    @property
    def tab(self) -> str:
        """The tab that is seen (a dialog may be before it)."""

    def fact_steps(self) -> FactSteps | None:
        """The list of the Facts screen; None where that has not been made."""

    def tab_screen(self, tab: str) -> TabScreen:
        """The one screen of a tab, made when it is first wanted."""

    async def action_visit(self, tab: str) -> None:
        """Go to a screen, as it was left."""

    @property
    def pane_layouts(self) -> "Layouts":
        """How a person has laid out the panes, by tab and width class; screens write into it."""

    def open_database(self, path: Path) -> None:
        """Work on another database; a file that is not there counts as empty."""

    def push_screen(
        self, screen: "Screen[T]", callback: "Callable[[T | None], Any] | None" = None
    ) -> object:
        """Show a dialog; the callback gets what it is closed with."""


class JobServices(Protocol):
    """The jobs of the open database, whoever works on them."""

    @property
    def working(self) -> bool:
        """Whether a job runs here, or is about to."""

    @property
    def progress(self) -> "JobProgress | None":
        """The job that runs here, else another program's, else one that failed and was not seen."""

    @property
    def failed(self) -> bool:
        """Whether a job has failed and the Jobs screen has not been seen since."""

    @property
    def trusted(self) -> set[str]:
        """Models at an address that came out of a file, which a person lets be asked."""

    def views(self) -> "list[JobView]":
        """The jobs that this program works on, or has worked on."""

    def find_present_id(self, job: int) -> int:
        """The present id of a job that this program began: it has another until it is stored."""

    def mark_seen(self) -> None:
        """The Jobs screen is seen: what failed is known."""

    def start(self, spec: "Spec", max_cost: float | None = None) -> None:
        """Begin a job, or put it behind those that run."""

    def pause(self, view: "JobView") -> None:
        """Let a job begin nothing new, whoever works on it."""

    def resume(self, view: "JobView") -> None:
        """Let a job go on, here if nobody works on it."""

    def cancel(self, view: "JobView") -> None:
        """Stop a job for good, whoever works on it."""

    def retry(self, view: "JobView") -> None:
        """Ask again for what has failed in a job."""


class PlaceServices(Protocol):
    """Ways from one screen to another, and back."""

    def jump(self, tab: str, *what: Any, model: str | None = None) -> None:
        """Show on another screen what is behind something, of a `model`; `escape` leads back."""

    @property
    def way_out(self) -> str | None:
        """The name of the screen that `escape` leads to from the outermost; None at the end."""

    def go_out(self) -> None:
        """Go to where the person came from; to Facts where that is nowhere."""

    def keep_origin(self, tab: str, position: Any) -> None:
        """Keep that a screen was moved on from here: `escape` leads to where it is then."""

    def pop_position(self, tab: str) -> Any:
        """Where the person was on a screen when the database was open last; asked for once."""


class SessionServices(Protocol):
    """How the open database was left."""

    def work(self, session: "Session") -> "OpenedDatabase":
        """Open the database as it was left; runs in the thread of the db worker."""

    def take_opened(self, found: "OpenedDatabase", then: Callable[[], None]) -> None:
        """Go to where the person was, then go on."""


class IndexServices(Protocol):
    """How far the search index is."""

    @property
    def share(self) -> float | None:
        """How much of what is new can be found already, 0 to 1; None where nothing is new."""


class HintServices(Protocol):
    """What is offered while nothing is pressed: a line, None where nothing is."""

    line: "Line | None"


class UndoServices(Protocol):
    """Undoing what a person did, and redoing it."""

    def undo(
        self,
        read: "ReadAfterUndo | None" = None,
        take: "TakeUndo | None" = None,
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Undo the newest act in sight; `read` reads what a screen shows then, `take` shows it."""

    def redo(
        self,
        read: "ReadAfterUndo | None" = None,
        take: "TakeUndo | None" = None,
        failed: "Callable[[LostkeysError], None] | None" = None,
    ) -> None:
        """Do again what was undone last."""

    def undo_act(self, key: int, then: Callable[[], None]) -> None:
        """Undo one act, wherever it is, and go on."""

    def say_lens_step(self, line: "Line", before: "Lens") -> None:
        """Say what a step of the lens has changed, from what it was before."""

    def take_lens_back(self) -> bool:
        """Take back the step of the lens that the status line speaks of, if it speaks of one."""


class AppServices(DbServices, StatusServices, LensServices, ScreenServices, Protocol):
    """All that they need."""

    @property
    def look(self) -> "Look":
        """Roles and marks under the present theme."""

    @property
    def settings(self) -> "Settings":
        """What the person has set."""

    @property
    def person(self) -> str:
        """Whose labels are set here; empty for nobody."""

    @property
    def jobs(self) -> JobServices:
        """Jobs, which outlive screens."""

    @property
    def key_queue(self) -> KeyServices:
        """Keys that wait."""

    @property
    def hints(self) -> HintServices:
        """Keys that were not used yet, one by one."""

    @property
    def places(self) -> PlaceServices:
        """Ways from one screen to another, and back."""

    @property
    def index(self) -> IndexServices:
        """The search index of the open database."""

    @property
    def undos(self) -> UndoServices:
        """What was done, undone and done again."""

    def with_name(self, then: Callable[[str], None]) -> None:
        """Go on with the person's name, asked for once."""


class StartupServices(Protocol):
    """What the parts of the app may leave until the list has been painted."""

    def run_painted(self, work: Callable[[], None]) -> None:
        """Do something once the list is painted, or whatever is due later on."""


class AppHost(AppServices, Protocol):
    """What the parts of the app need besides: what Textual's apps can, and whom to tell."""

    @property
    def session(self) -> SessionServices:
        """How the database was left, and is left."""

    @property
    def startup(self) -> StartupServices:
        """What waits for the first frame."""

    @property
    def no_color(self) -> bool:
        """Whether the terminal is to show no colour."""

    @property
    def size(self) -> "Size":
        """The terminal's columns and lines."""

    @property
    def screen(self) -> "Screen[Any]":
        """What is in front, be it a dialog."""

    @property
    def screen_stack(self) -> "Sequence[Screen[Any]]":
        """The screen in sight and the dialogs over it, the one in front last."""

    @property
    def is_running(self) -> bool:
        """Whether it has not begun to end."""

    def batch_update(self) -> "AbstractContextManager[None]":
        """Paint nothing until it is left."""

    def set_class(self, add: bool, *class_names: str) -> object:
        """Put style classes on the app, or take them off."""

    def set_timer(self, delay: float, callback: Callable[[], Any]) -> "Timer":
        """Call back in so many seconds."""

    def call_next(self, callback: Callable[..., Any], *args: Any) -> None:
        """Call back once what is at work has ended."""

    def post_message(self, message: "Message") -> bool:
        """Hand a message to the app, from any thread."""

    def run_worker(self, work: Coroutine[Any, Any, None], *, group: str) -> object:
        """Let something go on beside all else."""

    def switch_mode(self, mode: str) -> Awaitable[None]:
        """Bring the screen of a tab to the front."""

    def exit(self, *, return_code: int = 0) -> None:
        """End."""

    def clear_said(self) -> None:
        """Say nothing any more; the frame is not told."""

    def refresh_frame(self) -> None:
        """Let top bar, status line and key line show what has changed."""

    def fail(self, error: "LostkeysError") -> None:
        """Show what went wrong until it has been seen."""

    def poll(self) -> None:
        """Look for what is new."""

    def snapshot_came(self, before: "Snapshot | None", snapshot: "Snapshot", own: bool) -> None:
        """Another snapshot is shown; `own`: what is new in it was written here."""

    def snapshot_failed(self, error: "LostkeysError") -> None:
        """A snapshot could not be read."""
