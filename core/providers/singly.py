"""Several draws from a server that sends one answer to a request."""

import asyncio
from dataclasses import replace

from core.errors import ProviderError
from core.providers.base import Provider, Reply, Request


class Singly(Provider):
    """Asks another provider for each draw of a request on its own, at most `requests` at a time.

    The other provider remains its owner's to close.
    """

    def __init__(self, provider: Provider, requests: int) -> None:
        self._provider = provider
        self._free = asyncio.Semaphore(requests)

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`; answers that came are given even where some requests failed."""
        one = replace(request, n=1)
        came = await asyncio.gather(
            *(self._one(one) for _ in range(request.n)), return_exceptions=True
        )
        replies = [reply for reply in came if isinstance(reply, Reply)]
        errors = [error for error in came if isinstance(error, BaseException)]
        for error in errors:
            if not replies or not isinstance(error, ProviderError):
                raise error
        return Reply(
            tuple(draw for reply in replies for draw in reply.draws[:1]),
            _sum([reply.input_tokens for reply in replies]),
            _sum([reply.output_tokens for reply in replies]),
            _sum([reply.reasoning_tokens for reply in replies]),
        )

    async def _one(self, request: Request) -> Reply:
        async with self._free:
            return await self._provider.draw(request)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
