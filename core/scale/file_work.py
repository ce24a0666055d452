"""The work that plays files of requests against a server, and writes down what it answers.

What was answered stands in the file of answers alone, a line a request: whoever starts it again
asks for what that file lacks.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BufferedRandom
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from core.engine.work_source import ItemResult
from core.errors import LostkeysError
from core.providers.base import Reply, Request
from core.providers.written_requests import WrittenRequest
from core.scale.engine_output import read_answer, read_blocks, read_row
from core.scale.request_line import URLS

STAGE, CHANNEL = "answer", "server"
"""Its stage, which counts requests, and its only channel."""

LINES_AT_ONCE = 2**18

Documents = tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class FileItem:
    """A line of a file of requests, with what came for some of its answers already."""

    name: str
    written: WrittenRequest
    request: Request
    came: Documents = field(default=(), compare=False)
    stage: str = STAGE
    channel: str = CHANNEL
    things: int = 1


class AnswerFile:
    """The file of answers, held by one program at a time. A context manager."""

    def __init__(self, path: Path) -> None:
        """Raises `LostkeysError` where it cannot be written, or another program writes it."""
        self.path = path
        self.done: set[int] = set()
        """Requests that it has answers to, or that were refused, by the hash of their names."""

    def __enter__(self) -> "AnswerFile":
        try:
            self.path.touch()
            self._file: BufferedRandom = self.path.open("r+b")
        except OSError as error:
            raise self._fault(error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise LostkeysError(
                f"{self.path} is being written by another program: wait, or name another with -o"
            ) from None
        self._read()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _read(self) -> None:
        """Learn what is there, and begin a new line where the last one was cut off."""
        for block in read_blocks(self.path):
            for name, content in zip(block.names, block.contents, strict=True):
                answer = read_answer(read_row(content), False)
                if answer.draws or answer.refused:
                    self.done.add(hash(name))
        size = self._file.seek(0, os.SEEK_END)
        if size:
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def write(self, lines: Iterable[bytes]) -> None:
        """Add lines. Raises `LostkeysError` where there is no room."""
        try:
            self._file.writelines(lines)
            self._file.flush()
        except OSError as error:
            raise self._fault(error) from None

    def _fault(self, error: OSError) -> LostkeysError:
        return LostkeysError(
            f"{self.path} cannot be written ({error.strerror or error}): make room and start "
            "again; what is in it is not asked again"
        )


class FileWork:
    """A `WorkSource` of files of requests. All of it runs in one thread."""

    def __init__(self, files: Sequence[Path], answers: AnswerFile) -> None:
        self._answers = answers
        self._items = (item for file in files for item in read_items(file))

    def next(self, most: int) -> Sequence[FileItem] | None:
        """Up to so many requests that the answers lack; None at the end."""
        fresh = (one for one in self._items if hash(one.name) not in self._answers.done)
        return list(islice(fresh, most)) or None

    def take_all(self, replies: Sequence[tuple[FileItem, Reply]]) -> list[ItemResult[FileItem]]:
        """Write answers down; a request that got fewer than it asked for is asked for the rest."""
        lines, found = list[bytes](), list[ItemResult[FileItem]]()
        for item, reply in replies:
            came = (*item.came, *(orjson.loads(one.received) for one in reply.exchanges))
            left = item.request.n - len(reply.draws)
            if left > 0:
                request = replace(item.request, n=left, samples=())
                found.append(ItemResult([replace(item, request=request, came=came)]))
                continue
            lines.append(_answered(item.name, came))
            found.append(ItemResult(done=1))
        self._answers.write(lines)
        return found

    def fail(self, item: FileItem, reason: str, refused: bool) -> ItemResult[FileItem]:
        """Write down that a request failed; what came of it so far is kept."""
        line = _answered(item.name, item.came) if item.came else _failed(item.name, reason, refused)
        self._answers.write([line])
        return ItemResult(failed=1, reason=reason)


def read_items(path: Path) -> Iterator[FileItem]:
    """The requests of a file. Raises `LostkeysError` for a line that is none."""
    number = 0
    try:
        with path.open("rb") as file:
            while lines := file.readlines(LINES_AT_ONCE):
                for line in lines:
                    number += 1
                    if line.strip():
                        yield _read_item(path, number, line)
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror or error}: check the file") from None


def _read_item(path: Path, number: int, line: bytes) -> FileItem:
    try:
        row = orjson.loads(line)
        name, url, body = row["custom_id"], row["url"], row["body"]
        if not isinstance(name, str) or url not in URLS.values() or not isinstance(body, dict):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise LostkeysError(
            f"{path}, line {number}: no request to {' or '.join(URLS.values())}: name files that "
            "`lostkeys requests` wrote"
        ) from None
    written = WrittenRequest(url, body)
    return FileItem(name, written, written.request())


def count_items(files: Sequence[Path]) -> int:
    """Lines of these files, for a progress bar."""
    return sum(block.count(b"\n") for file in files for block in _blocks(file))


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(LINES_AT_ONCE):
                yield block
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror or error}: check the file") from None


def _answered(name: str, came: Documents) -> bytes:
    """The line of a request that was answered, in one go or several."""
    body = dict(came[0])
    if len(came) > 1:
        choices = [choice for one in came for choice in one.get("choices") or []]
        body["choices"] = [{**one, "index": place} for place, one in enumerate(choices)]
    return _line(name, {"status_code": 200, "request_id": str(body.get("id", "")), "body": body})


def _failed(name: str, reason: str, refused: bool) -> bytes:
    error = {"message": reason, "code": 400 if refused else None}
    status = {"status_code": 400, "request_id": "", "body": {"error": error}} if refused else None
    return _line(name, status, None if refused else error)


def _line(name: str, response: object, error: object = None) -> bytes:
    row = {"id": name, "custom_id": name, "response": response, "error": error}
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
