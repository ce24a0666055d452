"""A model that runs here: the OpenAI-compatible provider on the program's own server."""

import asyncio

from core.errors import LostkeysError
from core.providers.base import FatalError, Provider, Reply, Request
from core.providers.embedded.gguf_file import GgufFile
from core.providers.embedded.model_server import EmbeddedServer
from core.providers.openai_compatible import OpenAICompatible

NO_CHAT = 400
"""The status with which a server refuses chat."""


class EmbeddedModel(Provider):
    """Starts the program's server with the first request, and again whenever it has died.

    `file` None: the bundled model. One without a chat template is asked by raw texts alone.
    `close` leaves the server running for the next job; it ends with the program, or by
    `EmbeddedServer.stop_shared`.
    """

    def __init__(self, file: GgufFile | None = None) -> None:
        self._file = file
        self._server: EmbeddedServer | None = None
        self._client: OpenAICompatible | None = None
        self._connecting = asyncio.Lock()

    async def draw(self, request: Request) -> Reply:
        """As `Provider.draw`; `FatalError` too if the server cannot be started."""
        file = self._file
        if request.messages is not None and file is not None and file.template is None:
            raise FatalError(
                f"{file.path.name} has no chat template: it only continues texts, and can neither "
                "grade nor build",
                status=NO_CHAT,
            )
        return await (await self._open_client()).draw(request)

    @property
    def remarks(self) -> tuple[str, ...]:
        """How a file is run, and what its server did not take."""
        said = () if self._client is None else self._client.remarks
        return said if self._file is None else (self._file.seats_in_words, *said)

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
                self._server, client = await asyncio.to_thread(_connect, self._file)
            except LostkeysError as error:
                raise FatalError(str(error)) from error
            self._client = client
            return client


def _connect(file: GgufFile | None) -> tuple[EmbeddedServer, OpenAICompatible]:
    server = EmbeddedServer.open_shared(file)
    return server, OpenAICompatible(server.model, server.base_url, server.api_key)
