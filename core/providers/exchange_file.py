"""Requests and responses as they went over the wire, kept beside the database for audit.

A file of JSON lines in gzip members, one for each flush, so that a program killed while it writes
spoils no more than the last. First a header, `{"lostkeys_raw": 1, "model": ..., "capabilities":
...}`, then one record for each reply: what was asked, which samples it brought, the answers, and
the bodies both ways. Without headers and keys. A file may hold several models, each with a header.
"""

import errno
import gzip
import json
import mmap
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.errors import LostkeysError
from core.providers.base import Exchange, Reply, Request
from core.providers.capabilities import Capabilities
from core.providers.openai_format import is_thinking

VERSION = 1
MAGIC = b"\x1f\x8b\x08"
"""What a gzip member begins with."""

CHUNK = 64 * 1024

FLUSH_BYTES = 256 * 1024
FLUSH_SECONDS = 1.0
"""What may wait to be written: members of a few records would hardly be compressed."""


def raw_path(database: Path) -> Path:
    """Where the raw file of a database lies: `some.db` has `some.raw.jsonl.gz`."""
    return database.with_name(f"{database.stem}.raw.jsonl.gz")


class RawFile:
    """Appends what was asked and answered. Used by one thread; other programs may append, too."""

    def __init__(self, path: Path, model: str, capabilities: Capabilities) -> None:
        """`model` and `capabilities` are those of the model that answers."""
        self.path = path
        self._model = model
        self._lines = [_line(_header(model, capabilities))]
        self._size, self._since = 0, time.monotonic()

    def append(
        self,
        samples: Sequence[int],
        stage: str,
        request: Request,
        reply: Reply,
        model: str | None = None,
    ) -> None:
        """Note a reply; `samples` are the numbers of its draws, in their order.

        model: whose reply it is, where it is not that of the header.
        Now and then what has gathered is written. Raises `LostkeysError` as `flush` does.
        """
        line = _line(_record(model or self._model, samples, stage, request, reply))
        self._lines.append(line)
        self._size += len(line)
        late = time.monotonic() - self._since > FLUSH_SECONDS
        if late or self._size > FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered. Raises `LostkeysError` where that is not possible."""
        self._since = time.monotonic()
        if not self._size:
            return
        member = gzip.compress(b"".join(self._lines), compresslevel=6, mtime=0)
        try:
            # One write at the end of the file: members of two programs do not mix.
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                whole = os.write(file, member) == len(member)
            finally:
                os.close(file)
        except OSError as error:
            raise LostkeysError(
                f"{self.path}: cannot be written ({error.strerror or error}); free some space, or "
                "resume without --raw"
            ) from error
        if not whole:
            raise LostkeysError(
                f"{self.path}: the disk is full; free some space, or resume without --raw"
            )
        self._lines, self._size = [], 0

    def close(self) -> None:
        """Write the rest."""
        self.flush()


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a raw file, or of a plain file of JSON lines, each a JSON object.

    Members that are torn are passed over. Raises `LostkeysError` for a file that cannot be read
    and for a whole line that is no JSON object.
    """
    number = 0
    try:
        for line in _split(path):
            number += 1
            if line.strip():
                yield _parse_line(path, number, line)
    except OSError as error:
        raise LostkeysError(
            f"{path}: cannot be read ({error.strerror or error}); name a file with answers"
        ) from error


def _split(path: Path) -> Iterator[bytes]:
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, "no such file")
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            file.seek(0)
            yield from file
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            for member in _members(content):
                yield from member.splitlines()


def _members(content: mmap.mmap) -> Iterator[bytes]:
    """The gzip members that are whole, unpacked."""
    start = 0
    while start >= 0:
        text, end = _member(content, start)
        if text is not None:
            yield text
        start = content.find(MAGIC, end)


def _member(content: mmap.mmap, start: int) -> tuple[bytes | None, int]:
    """The member that begins here, unpacked, and where to look for the next; None if it is torn."""
    unpacker, parts, at = zlib.decompressobj(wbits=31), [], start
    while at < len(content) and not unpacker.eof:
        chunk = content[at : at + CHUNK]
        try:
            parts.append(unpacker.decompress(chunk))
        except zlib.error:
            return None, start + 1
        at += len(chunk)
    if not unpacker.eof:
        return None, start + 1
    return b"".join(parts), at - len(unpacker.unused_data)


def _parse_line(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise LostkeysError(f"{path}, line {number}: no JSON object; lines are like {{...}}")
    return value


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _header(model: str, capabilities: Capabilities) -> dict[str, Any]:
    return {"lostkeys_raw": VERSION, "model": model, "capabilities": capabilities.as_json()}


def _record(
    model: str, samples: Sequence[int], stage: str, request: Request, reply: Reply
) -> dict[str, Any]:
    asked: dict[str, Any] = (
        {"text": request.text}
        if request.messages is None
        else {"messages": [[message.role, message.content] for message in request.messages]}
    )
    return {
        "model": model,
        "stage": stage,
        **asked,
        "thinking": is_thinking(request),
        "samples": list(samples),
        "draws": [
            {
                "text": draw.text,
                "finish": draw.finish,
                "reasoning": draw.reasoning,
                "reasoning_tokens": draw.reasoning_tokens,
                **({"served": [draw.served.name, draw.served.fingerprint]} if draw.served else {}),
            }
            for draw in reply.draws
        ],
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "exchanges": [_exchange(one) for one in reply.exchanges],
    }


def _exchange(exchange: Exchange) -> dict[str, str]:
    return {
        "sent": exchange.sent.decode(errors="replace"),
        "received": exchange.received.decode(errors="replace"),
    }
