"""The embedded model: the OpenAI-compatible provider on the program's own server."""

import asyncio

from core.errors import LostkeysError
from core.providers.base import FatalError, Provider, Reply, Request
from core.providers.embedded.model_server import EmbeddedServer
from core.providers.openai_compatible import OpenAICompatible


class EmbeddedModel(Provider):
    """Starts the program's server with the first request, and again whenever it has died.

    `close` leaves the server running for the next job; it ends with the program, or by
    `EmbeddedServer.stop_shared`.
    """

    def __init__(self) -> None:
        self._server: EmbeddedServer | None = None
        self._client: OpenAICompatible | None = None
        self._connecting = asyncio.Lock()

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`; `FatalError` too if the server cannot be started."""
        return await (await self._open_client()).draw(request)

    @property
    def most_answers(self) -> int | None:
        """As the server that runs says."""
        return self._client.most_answers if self._client is not None else None

    async def close(self) -> None:
        """Give back the connections."""
        if self._client is not None:
            await self._client.close()
        self._server = self._client = None

    async def _open_client(self) -> OpenAICompatible:
        async with self._connecting:
            if self._client is not None and self._server is not None and self._server.alive:
                return self._client
            await self.close()
            try:
                self._server, client = await asyncio.to_thread(_connect)
            except LostkeysError as error:
                raise FatalError(str(error)) from error
            self._client = client
            return client


def _connect() -> tuple[EmbeddedServer, OpenAICompatible]:
    server = EmbeddedServer.open_shared()
    return server, OpenAICompatible(server.model, server.base_url, server.api_key)
