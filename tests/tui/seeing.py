"""What a screen shows, as text: its rows, and the style of every cell; and when it is at rest."""

import asyncio
import time
from string import ascii_letters, digits
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import pyte
import pytest
from rich.segment import Segment
from textual import events
from textual.app import App
from textual.keys import _character_to_key
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from tests.patience import PATIENCE
from tui.app.app import LostkeysApp
from tui.app.db_requests import DbWorker

QUIET = 0.15
LOOK_EVERY = 0.05
MOVING = 60.0
"""Seconds after which an app that is never at rest is left to what the test looks for."""

HELD = 1_000
"""Looks to wait for what an app has others do: it may be held up on purpose. A look takes 2 ms,
and longer on a busy machine, where the others take longer as well."""

TURNS = 3
"""Looks in a row that must find an app at rest: what is under way takes a turn to arrive."""

LETTERS = ascii_letters + digits
RESTING: WeakSet[DbWorker] = WeakSet()
"""Desks whose thread waits for something to do."""

PAINTS: WeakKeyDictionary[App[Any], int] = WeakKeyDictionary()
"""How often each app has painted."""


def rows(app: App[Any]) -> list[list[Segment]]:
    """The rows of the screen in sight, dialogs included, as styled text."""
    strips = app.screen._compositor.render_strips(app.size)
    return [list(strip) for strip in strips]


def text(app: App[Any]) -> str:
    """The screen as text."""
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows(app))


def picture(app: LostkeysApp) -> str:
    """The screen as text, then a letter for the style of each character, then what they mean."""
    legend: dict[str, str] = {}
    styles = []
    for row in rows(app):
        line = ""
        for segment in row:
            letter = legend.setdefault(str(segment.style), LETTERS[len(legend) % len(LETTERS)])
            line += letter * len(segment.text)
        styles.append(line)
    meaning = [f"{letter} {style}" for style, letter in legend.items()]
    return "\n".join([text(app), "", *styles, "", *meaning])


def _is_busy(pump: MessagePump) -> bool:
    """Whether a pump has messages to handle, or is at one, or has yet to begin."""
    if pump._closing or pump._closed:
        return False
    if not pump.is_running:
        return pump._task is not None
    queue: Any = pump._message_queue
    waits = queue.empty() and queue.ready_event._waiters
    return not waits or bool(pump._next_callbacks)


def is_moving(app: App[Any]) -> bool:
    """Whether anything of an app has messages to handle or something to paint.

    A new size is taken in a little after it is heard of. An app that ends paints no more.
    """
    if app._exit or not app.is_running:
        return False
    if app._resize_event is not None or any(_is_busy(pump) for pump in (app, *app._registry)):
        return True
    if not app._screen_stack:
        return False
    screen = app.screen
    waits = screen._dirty_widgets or screen._callbacks
    return bool(waits or screen._layout_required or screen._repaint_required)


def is_waiting(app: App[Any]) -> bool:
    """Whether others are at work for an app: its db workers, and its own."""
    if any(not worker.is_finished for worker in app.workers):
        return True
    if not isinstance(app, LostkeysApp):
        return False
    return any(worker._waiting or worker not in RESTING for worker in app.db.workers)


async def rest(app: App[Any], longest: float = MOVING) -> None:
    """Wait until an app has handled, painted and heard all that it was to."""
    began, turns, looks = time.monotonic(), 0, 0
    while turns < TURNS:
        moving = is_moving(app)
        if time.monotonic() - began > longest:
            return
        at_rest = not moving and (looks > HELD or not is_waiting(app))
        turns = turns + 1 if at_rest else 0
        looks += not moving
        await asyncio.sleep(0 if moving or at_rest else 0.002)


async def stillness(app: App[Any], longest: float = MOVING) -> None:
    """Wait until an app has handled and painted what it has heard, whoever is still at work."""
    began, turns = time.monotonic(), 0
    while turns < TURNS and time.monotonic() - began < longest:
        turns = 0 if is_moving(app) else turns + 1
        await asyncio.sleep(0)


async def settled(pilot: Pilot[None]) -> str:
    """Wait until the screen has stopped changing; gives it.

    A look counts as quiet time only up to when its sleep was to end: all that was due by then
    has been handled and painted, however late the machine comes to it.
    """
    app = pilot.app
    assert isinstance(app, LostkeysApp)
    loop = asyncio.get_running_loop()
    start = loop.time()
    await pilot.pause()
    before, painted = text(app), PAINTS.get(app, 0)
    since = due = loop.time()
    while due - since < QUIET:
        assert loop.time() - start < PATIENCE, f"never comes to rest:\n{before}"
        due = loop.time() + LOOK_EVERY
        await asyncio.sleep(LOOK_EVERY)
        await rest(app)
        if PAINTS.get(app, 0) != painted:
            painted, now = PAINTS.get(app, 0), text(app)
            if now != before:
                before, since = now, loop.time()
    return before


def send(app: LostkeysApp, *keys: str) -> None:
    """Press keys all at once, as a terminal hands them over; each by name or character."""
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 else key
        character = key if len(key) == 1 else "\r" if key == "enter" else None
        app.post_message(events.Key(name, character))


class Painted:
    """What a terminal shows of an app: only what has really been painted."""

    def __init__(self, app: LostkeysApp, patch: pytest.MonkeyPatch) -> None:
        self.screen = pyte.Screen(app.size.width, app.size.height)
        stream = pyte.Stream(self.screen)
        display = app._display

        def painted(screen: Any, update: Any) -> None:
            if hasattr(update, "render_segments"):
                stream.feed(update.render_segments(app.console))
            display(screen, update)

        patch.setattr(app, "_display", painted)
        app.screen.refresh(layout=True)

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(row.rstrip() for row in self.screen.display)
