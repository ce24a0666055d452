"""What the app says in the status line, each for some seconds."""

import time
from typing import TYPE_CHECKING, NamedTuple

from core.stats.number_format import format_amount
from tui.text.line import Line

if TYPE_CHECKING:
    from core.errors import LostkeysError
    from tui.app.app import LostkeysApp
    from tui.app.screen_controller import ScreenController

SAYING = 6.0
"""Seconds for which a message stands in the status line."""


class RefusedWrites(NamedTuple):
    """How much could not be written since a person has seen that, and why the last of it."""

    number: int
    error: "LostkeysError"


class StatusMessages:
    """The message that stands now, until its time is over or another one comes."""

    def __init__(self, app: "LostkeysApp", screens: "ScreenController") -> None:
        self._app, self._screens = app, screens
        self.said: Line | None = None
        """What just happened; None where nothing has."""
        self.refused_writes: RefusedWrites | None = None
        """What could not be written; it stands in the status line until it has been seen."""
        self.lake_changed = False
        """Whether the lake that the open database counts is not as it was then."""
        self._is_of_screen = True
        """Whether the message that stands now leaves with the screen in sight."""
        self._until: float | None = None
        """When the message that stands now has been there for long enough."""

    def say(
        self,
        words: str | Line,
        seconds: float = SAYING,
        role: str = "ink",
        everywhere: bool = False,
    ) -> None:
        """Say in the status line what just happened, on this screen or `everywhere`."""
        self.said = Line(words, role) if isinstance(words, str) else words
        self._is_of_screen = not everywhere
        # For who hears it, it stands until something else is said.
        self._until = None if self._app.look.is_spoken else time.monotonic() + seconds
        self._screens.refresh_status()

    def leave_screen(self) -> None:
        """Say nothing any more that is about the screen which a person leaves."""
        if self.said is not None and self._is_of_screen:
            self.clear()

    def poll(self) -> None:
        """Say nothing any more where it has been said for long enough."""
        if self._until is not None and time.monotonic() >= self._until:
            self._end_message()

    def report(self, error: "LostkeysError") -> None:
        """Say in the status line what went wrong."""
        self.say(self.shorten_path(str(error)), role="label-i")

    def shorten_path(self, words: str) -> str:
        """Words with the open database by its name, so that there is room for what to do."""
        path = self._app.path
        return words.replace(str(path), path.name)

    def fail(self, error: "LostkeysError") -> None:
        """Show what went wrong until it has been seen."""
        from tui.dialogs.confirm_dialog import ErrorDialog

        self._app.push_screen(ErrorDialog(error))

    def say_dropped(self, count: int) -> None:
        """Say that so many keys are forgotten: what they were meant for was not there."""
        self.say(f"{format_amount(count, 'key')} dropped, too early")

    def refuse(self, error: "LostkeysError") -> None:
        """Say that something could not be written, until a person has seen it."""
        before = self.refused_writes
        self.refused_writes = RefusedWrites(1 if before is None else before.number + 1, error)
        self._end_message()

    def take_as_seen(self) -> None:
        """Forget what could not be written, if that stands in the status line."""
        if self._app.load_error is None and self.refused_writes is not None:
            self.refused_writes = None
            self._screens.refresh_status()

    def clear(self) -> None:
        """Say nothing any more; the frame is not told."""
        self.said = self._until = None

    def _end_message(self) -> None:
        self.said = self._until = None
        self._screens.refresh_status()
