"""What a pane has read for it: one place for late answers, slow ones, and those that fail."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from core.errors import LostkeysError
from tui.text.line import Line
from tui.theme.glyphs import spell

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from core.views.session import Session
    from tui.app.app import LostkeysApp
    from tui.widgets.pane import Pane

T = TypeVar("T")

SLOW = 0.2
"""Seconds after which a pane says that it is still reading."""


class Loader:
    """The requests of one pane, which says in its edge that they take long, or why they failed.

    Of requests with the same key the newest counts. What was shown stays until it is answered.
    """

    def __init__(
        self,
        owner: "Widget",
        pane: "Callable[[], Pane]",
        tell: Callable[[], None] | None = None,
    ) -> None:
        """`owner` is the screen or pane that asks; `tell` writes the edge in its own way."""
        self._owner, self._pane = owner, pane
        self._tell = tell or self._write_edge
        self._timer: Timer | None = None
        self._turn = 0
        """How often all that was asked for has been given up."""
        self.busy = False
        """Whether something is being read that the pane waits for."""
        self.slow = False
        """Whether that takes long."""
        self.error: LostkeysError | None = None
        """Why the newest request has failed."""
        self._answered = False

    def load(
        self,
        key: str,
        work: "Callable[[Session], T]",
        then: Callable[[T], None],
        failed: Callable[[LostkeysError], None] | None = None,
        hint: bool = True,
        aside: bool = False,
    ) -> None:
        """Have something read; `then` gets it, or `failed` hears first why it cannot be had.

        Without a `hint` the pane does not wait for it. `aside`: beside all else, as it takes long.
        """
        services = cast("LostkeysApp", self._owner.app)
        if hint:
            self._wait()
        ask = services.ask_background if aside else services.ask
        turn = self._turn
        ask(key, work, partial(self._take, turn, then), partial(self._miss, turn, failed))

    @property
    def is_first(self) -> bool:
        """Whether what is being read is the first that the pane shows."""
        return self.busy and not self._answered

    def stop(self) -> None:
        """Wait for nothing any more; what comes of it is dropped."""
        self._turn += 1
        self._end()

    def fail(self, error: LostkeysError) -> None:
        """Say why there is nothing newer."""
        self._end()
        self.error = error
        self._tell()

    def edge(self) -> Line | None:
        """What the pane's edge says of it: that it takes long, or why it failed."""
        if self.error is not None:
            return self._pane().error_line(self.error)
        return Line(spell("reading…"), "ink-3") if self.slow else None

    def _wait(self) -> None:
        self.busy = True
        if self._timer is None:
            self._timer = self._owner.set_timer(SLOW, self._say_slow)

    def _say_slow(self) -> None:
        self._timer = None
        if self.busy:  # a timer that has run out may be heard after it was stopped
            self.slow = True
            self._tell()

    def _take(self, turn: int, then: Callable[[T], None], found: T) -> None:
        if turn == self._turn:
            self._end()
            then(found)

    def _miss(
        self, turn: int, failed: Callable[[LostkeysError], None] | None, error: LostkeysError
    ) -> None:
        if turn != self._turn:
            return
        if failed is not None:
            failed(error)
        self.fail(error)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer, self.busy, self.slow, self.error = None, False, False, None
        self._answered = True

    def _write_edge(self) -> None:
        edge = self.edge()
        if edge is not None:
            self._pane().tell(edge)
