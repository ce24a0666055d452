"""A server that answers at once, or after a while, and does next to nothing else.

It speaks as much of OpenAI's chat and completions format as a well-behaved client needs. Run it:
`python -m tests.bench.answering_server [--latency SECONDS]`; its first line of output is the port.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_N = re.compile(rb'"n": *(\d+)')
_TEXT = "An answer of the length that answers have, which is some sixty letters: "


class _Connection(asyncio.Protocol):
    """One kept-alive connection; requests on it come one after another."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._buffer = b""
        self._count = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._buffer, 0, end)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < whole:
                return
            body, self._buffer = self._buffer[end + 4 : whole], self._buffer[whole:]
            answer = self._answer(body)
            if self._latency:
                asyncio.get_running_loop().call_later(self._latency, self._transport.write, answer)
            else:
                self._transport.write(answer)

    def _answer(self, body: bytes) -> bytes:
        found = _N.search(body)
        n = int(found[1]) if found else 1
        chat = b'"messages"' in body
        choices = ", ".join(self._choice(index, chat) for index in range(n))
        usage = f'{{"prompt_tokens": 40, "completion_tokens": {15 * n}, "total_tokens": 0}}'
        said = (
            f'{{"id": "x", "object": "chat.completion", "created": 0, "model": "m", '
            f'"choices": [{choices}], "usage": {usage}}}'
        ).encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(said)}"
        return head.encode() + b"\r\n\r\n" + said

    def _choice(self, index: int, chat: bool) -> str:
        self._count += 1
        text = f'"{_TEXT}{self._count}"'
        said = (
            f'"message": {{"role": "assistant", "content": {text}}}' if chat else f'"text": {text}'
        )
        return f'{{"index": {index}, {said}, "finish_reason": "stop"}}'


async def _serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(latency), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def serving(latency: float) -> Iterator[str]:
    """The address of such a server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.answering_server", "--latency", str(latency)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env=os.environ,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--latency", type=float, default=0.0)
    asyncio.run(_serve(options.parse_args().latency))
