"""What a screen shows, as text: its rows, and the style of every cell."""

import asyncio
from string import ascii_letters, digits
from typing import Any

import pyte
import pytest
from rich.segment import Segment
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot

from tui.app import LostkeysApp

PATIENCE = 30.0
QUIET = 0.15
LETTERS = ascii_letters + digits


def rows(app: LostkeysApp) -> list[list[Segment]]:
    """The rows of the screen in sight, dialogs included, as styled text."""
    strips = app.screen._compositor.render_strips(app.size)
    return [list(strip) for strip in strips]


def text(app: LostkeysApp) -> str:
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


async def settled(pilot: Pilot[None]) -> str:
    """Wait until the screen has stopped changing; gives it."""
    app = pilot.app
    assert isinstance(app, LostkeysApp)
    loop = asyncio.get_running_loop()
    start = since = loop.time()
    before = None
    while loop.time() - since < QUIET:
        await pilot.pause(0.02)
        now = text(app)
        if now != before:
            before, since = now, loop.time()
        assert loop.time() - start < PATIENCE, f"never comes to rest:\n{now}"
    return before or ""


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
