"""The file of what a server answered to request files: what is in it, and what is added."""

import fcntl
import os
from collections.abc import Iterable
from io import BufferedRandom
from pathlib import Path
from typing import Any

import orjson

from core.errors import LostkeysError
from core.scale.engine_output import read_answer, read_blocks, read_row

Documents = tuple[dict[str, Any], ...]


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
        self._read_done()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _read_done(self) -> None:
        """Learn what is there, and begin a new line where the last one was cut off."""
        for block in read_blocks(self.path):
            for name, content in zip(block.names, block.contents, strict=True):
                answer = read_answer(read_row(content))
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


def write_answered(name: str, came: Documents) -> bytes:
    """The line of a request that was answered, in one go or several, whole or in part."""
    body = dict(came[0])
    if len(came) > 1:
        choices = [choice for one in came for choice in one.get("choices") or []]
        body["choices"] = [{**one, "index": place} for place, one in enumerate(choices)]
    return _line(name, {"status_code": 200, "request_id": str(body.get("id", "")), "body": body})


def write_failed(name: str, reason: str, refused: bool) -> bytes:
    """The line of a request that failed for good, or was refused."""
    error = {"message": reason, "code": 400 if refused else None}
    status = {"status_code": 400, "request_id": "", "body": {"error": error}} if refused else None
    return _line(name, status, None if refused else error)


def _line(name: str, response: object, error: object = None) -> bytes:
    row = {"id": name, "custom_id": name, "response": response, "error": error}
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
