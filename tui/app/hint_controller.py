"""Hints: while nothing is pressed, a key of the screen in sight that was not used yet."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.screen import ModalScreen

from core.settings.hint_history import HintHistory, keep_hints, load_hints
from tui import keys
from tui.frame.key_line import list_working_keys
from tui.text.line import Line

if TYPE_CHECKING:
    from textual.screen import Screen

    from tui.app.app import LostkeysApp
    from tui.app.key_queue import Pressed

IDLE = 20.0
"""Seconds without a key after which a hint is offered."""

REST = 2.0
"""Seconds without a key after which what was used is kept."""

OWN = frozenset(
    (
        keys.FACTS,
        keys.TASK,
        keys.PROFILES,
        keys.CONFUSION,
        keys.REVIEW,
        keys.JOBS,
        keys.FIGURES,
        keys.LATENT,
        keys.BENCH,
    )
)
"""Groups of keys that belong to a screen."""


class HintController:
    """The hint that stands now, and what the person has used; kept for the next start."""

    def __init__(self, app: "LostkeysApp", clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self.line: Line | None = None
        """The hint; None where none is offered."""
        self.history = HintHistory()
        self._kept: HintHistory | None = None
        self._since = clock()
        self._seen: set[tuple[str, str]] = set()

    def note_key(self, pressed: "Pressed") -> None:
        """Take in that a key is pressed: it is used, and no hint stands any more."""
        self._since = self._clock()
        if self.line is not None:
            self.line = None
            self._app.refresh_frame()
        name = (self._app.tab, pressed.key) if isinstance(pressed, events.Key) else None
        if name is None or name in self._seen or not self._app.settings.hints:
            return
        screen = self._app.screen
        if screen.focused is not None and screen.focused.check_consume_key("x", "x"):
            return  # it is typed
        self._seen.add(name)
        bound = screen.active_bindings.get(name[1])
        if bound is not None and bound.binding.id in keys.BY_ID:
            self.history = self.history.with_use(bound.binding.id)

    def poll(self) -> None:
        """Read what was kept; once nothing is pressed keep what is new, and offer a hint."""
        if not self._app.settings.hints:
            return
        if self._kept is None:
            self._kept = self.history
            self._app.ask_background("hints", lambda _: load_hints(), self._take)
        idle = self._clock() - self._since
        if idle >= IDLE and self.line is None:
            self._offer()
        if idle >= REST and self.history != self._kept:
            history = self._kept = self.history
            self._app.write_background(lambda _: keep_hints(history), self._take)

    def _take(self, found: HintHistory) -> None:
        self._kept = found
        self.history = self.history.join(found)

    def _offer(self) -> None:
        screen = self._app.screen
        if isinstance(screen, ModalScreen):
            return
        found = worth_offering(screen, self.history)
        if found is not None:
            (id_, self.line) = found
            self.history = self.history.with_offer(id_)
            self._app.refresh_frame()


def worth_offering(screen: "Screen[object]", history: HintHistory) -> tuple[str, Line] | None:
    """A key of the screen that may be offered, the one that was offered least, and its hint."""
    own = [pair for pair in list_working_keys(screen) if pair[0].group in OWN and pair[0].line]
    left = [pair for pair in own if history.may_offer(pair[0].id) and pair[0].words != "reason"]
    if not left:
        return None
    key, name = min(left, key=lambda pair: (history.offered.get(pair[0].id, 0), _rank(pair[0])))
    line = Line("hint  ", "ink-3").add(keys.caps([name]), "accent bold")
    return key.id, line.add(f" {key.alone or key.help}", "ink-2")


def _rank(key: keys.Key) -> int:
    return keys.RANK[key.id]
