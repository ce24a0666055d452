"""A few tries at a request outside of the engine, such as one of a check."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from core.providers.base import Provider, Reply, Request, TransientError

T = TypeVar("T")

TRIES = 3
FIRST_WAIT = 0.5
LONGEST_WAIT = 10.0
"""Seconds between tries, doubled each time; a server may ask for more, up to the longest."""


async def retry_request(provider: Provider, request: Request, whole: bool = False) -> Reply:
    """The reply to a request, tried again where that may help.

    `whole`: an answer that is none in its form is not asked for again.
    """
    return await retry_call(lambda: provider.ask(request), whole)


async def retry_call(ask: Callable[[], Awaitable[T]], whole: bool = False) -> T:
    """What asking brings, tried again after a `TransientError`; the last one is raised.

    `whole` as with `retry_request`.
    """
    for attempt in range(TRIES - 1):
        try:
            return await ask()
        except TransientError as error:
            if whole and error.status is not None and error.status < 400:
                raise
            wait = error.retry_after if error.retry_after is not None else FIRST_WAIT * 2**attempt
        await asyncio.sleep(min(wait, LONGEST_WAIT))
    return await ask()
