"""The work that plays files of requests against a server, and writes down what it answers.

What was answered stands in the file of answers alone, a line a request: whoever starts it again
asks for what that file lacks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import orjson

from core.engine.work_source import ItemResult
from core.errors import LostkeysError
from core.providers.base import Reply, Request
from core.providers.written_requests import WrittenRequest
from core.scale.answer_file import AnswerFile, Documents, write_answered, write_failed
from core.scale.request_line import URLS
from core.settings.compression import open_file

STAGE, CHANNEL = "answer", "server"
"""Its stage, which counts requests, and its only channel."""

LINES_AT_ONCE = 2**18


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
            lines.append(write_answered(item.name, came))
            found.append(ItemResult(done=1))
        self._answers.write(lines)
        return found

    def fail(self, item: FileItem, reason: str, refused: bool) -> ItemResult[FileItem]:
        """Write down that a request failed; what came of it so far is kept."""
        name, came = item.name, item.came
        line = write_answered(name, came) if came else write_failed(name, reason, refused)
        self._answers.write([line])
        return ItemResult(failed=1, reason=reason)


def read_items(path: Path) -> Iterator[FileItem]:
    """The requests of a file. Raises `LostkeysError` for a line that is none."""
    number = 0
    try:
        with open_file(path) as file:
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
        with open_file(path) as file:
            while block := file.read(LINES_AT_ONCE):
                yield block
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror or error}: check the file") from None
