"""How tests wait: for a state, never for a time.

`PATIENCE` ends a wait that has come to nothing, on the busiest machine; no test waits it out.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

PATIENCE = 180.0
"""Seconds to wait for a state before it counts as never coming."""

LOOK_EVERY = 0.01
"""Seconds between two looks."""


def wait_until(holds: Callable[[], object], told: Callable[[], str] = lambda: "") -> None:
    """Wait in this thread until something holds; `told` says how things stand if it never does."""
    last = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < last, f"it never came to that\n{told()}"
        time.sleep(LOOK_EVERY)


async def until(
    holds: Callable[[], object],
    told: Callable[[], str] = lambda: "",
    pause: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(LOOK_EVERY),
) -> None:
    """Let others work until something holds; `pause` lets them."""
    last = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < last, f"it never came to that\n{told()}"
        await pause()
