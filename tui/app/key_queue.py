"""Keys in the order in which they are pressed, each acting only when the one before has acted.

A terminal hands over many keys at once. What the first of them opens, or goes on to, is there a
frame later, and the others are meant for that.
"""

import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message
from textual.widget import Widget

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

Pressed = events.Key | events.Paste

PATIENCE = 1.0
"""Seconds that keys wait before one that leads away may overtake them."""

LOOK = 0.01
"""Seconds between two looks at whether the next key can act."""

ROUNDS = 2
"""Ways from a widget up to the app: that of a key, then that of the messages it has sent."""


class KeyPassed(Message):
    """Goes the way of a key behind it, and so is at the app when the key has acted."""

    def __init__(self, way_from: Widget, turn: int, rounds: int = 1) -> None:
        super().__init__()
        self.way_from, self.turn, self.rounds = way_from, turn, rounds


class KeyQueue:
    """Gives keys to an app one by one; those that it cannot take yet wait."""

    def __init__(self, app: "LostkeysApp", clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._waiting: deque[tuple[float, Pressed]] = deque()
        self._acting: Widget | None = None
        """The widget that got the key which acts now."""
        self._turn = 0
        """How many keys have been given: a message behind an earlier one says nothing of this."""
        self._looking = False

    async def press(self, key: Pressed) -> None:
        """Take in a key. Where others wait for long, one that is not meant for the same acts."""
        if self._overdue and not self._joins(key):
            self.drop()
            await self._give(key)
            return
        self._waiting.append((self._clock(), key))
        await self._go_on()

    async def take_passed(self, message: KeyPassed) -> None:
        """A key has come back; the next one may act."""
        way_from, turn, rounds = message.way_from, message.turn, message.rounds + 1
        if turn != self._turn:
            return
        if rounds <= ROUNDS and way_from.post_message(KeyPassed(way_from, turn, rounds)):
            return
        self._acting = None
        await self._go_on()
        if self._waiting:  # for what is painted next, as a rule: looking now and then comes later
            self._app.call_after_refresh(self._go_on_next)

    @property
    def next_key(self) -> str | None:
        """The key that acts next, if it waits already; None for none, or for text pasted."""
        first = self._waiting[0][1] if self._waiting else None
        return first.key if isinstance(first, events.Key) else None

    def drop(self) -> None:
        """Forget the keys that wait, and say so."""
        count = len(self._waiting)
        self._waiting.clear()
        if count:
            self._app.say_dropped(count)

    def _go_on_next(self) -> None:
        # A key that closes a screen would wait for itself in that screen's task.
        self._app.call_next(self._go_on)

    async def _go_on(self) -> None:
        while self._waiting and self._free and self._app.takes_keys:
            await self._give(self._waiting.popleft()[1])
        if self._waiting and not self._looking:
            self._looking = True
            self._app.set_timer(LOOK, self._look)

    async def _look(self) -> None:
        self._looking = False
        await self._go_on()

    async def _give(self, key: Pressed) -> None:
        way_from = self._app.focused or self._app.screen
        self._acting = way_from
        self._turn += 1
        turn = self._turn
        await self._app.give_key(key)
        if not way_from.post_message(KeyPassed(way_from, turn)) and turn == self._turn:
            self._acting = None

    @property
    def _free(self) -> bool:
        """Whether no key acts: it is over also where it has brought another screen to the front."""
        acting = self._acting
        return acting is None or not acting.is_attached or acting.screen is not self._app.screen

    @property
    def _overdue(self) -> bool:
        return bool(self._waiting) and self._clock() - self._waiting[0][0] > PATIENCE

    def _joins(self, key: Pressed) -> bool:
        """Whether it is a key of the pane that those before it wait for."""
        focused = self._app.focused
        if focused is None or not isinstance(key, events.Key):
            return False
        bound = self._app.screen.active_bindings.get(key.key)
        return bound is not None and bound.node is focused
