"""The fake OpenAI server."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.openai_server import FakeOpenAI, serving


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    """The server, listening."""
    async with serving() as server:
        yield server
