"""Files that are compressed: read as what they hold, to a limit."""

import bz2
import errno
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from db.open_files import refuse_open

MOST_BYTES = 16 * 2**30
"""What a file may hold when it is unpacked."""

MOST_FOLD = 1_000
"""How many times its own size a file may hold."""

SMALL = 2**20
"""Bytes that any file may hold, however small it is."""

LONGEST_LINE = 2**28
"""Bytes of a line of JSON: one with all events of a sample has a few megabytes."""

_BUFFER = 2**20


class DamagedStreamError(Exception):
    """What is wrong with a compressed file, and what to do."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


def _open_zstd(path: Path) -> BinaryIO:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("BinaryIO", zstd.open(path, "rb"))


_OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".zst": _open_zstd,
}

COMPRESSIONS = tuple(_OPENERS)
"""What names of compressed files end in."""


class _UnpackedBytes(io.RawIOBase):
    """The bytes of a compressed file; `DamagedStreamError` past the limit or where it is broken."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__()
        self._inner = _OPENERS[kind](path)
        self._kind = kind.removeprefix(".")
        self._left = self._most = byte_limit(path.stat().st_size)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._inner.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        try:
            got = self._inner.read(len(buffer))
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise DamagedStreamError(
                f"not a sound {self._kind} file ({error})",
                "mend the file, or write it again if it was cut off",
            ) from None
        except Exception as error:  # of Zstandard: a class of its own, where it is installed
            if type(error).__name__ != "ZstdError":
                raise
            raise DamagedStreamError(
                f"not a sound {self._kind} file ({error})", "write it again"
            ) from None
        self._left -= len(got)
        if self._left < 0:
            most = "16 GiB" if self._most == MOST_BYTES else f"{MOST_FOLD:,} times its size"
            raise DamagedStreamError(
                f"holds more than {most}", "unpack it yourself if you trust it"
            )
        buffer[: len(got)] = got
        return len(got)


def byte_limit(size: int) -> int:
    """How many bytes a packed file of this size may hold."""
    return min(MOST_BYTES, max(SMALL, MOST_FOLD * size))


def compression_of(path: Path) -> str:
    """The ending that says how a file is compressed; empty where it is not."""
    ending = path.suffix.lower()
    return ending if ending in _OPENERS else ""


def plain_path(path: Path) -> Path:
    """The path of a file as it is called when it is unpacked."""
    return path.with_suffix("") if compression_of(path) else path


def find_packed(path: Path) -> Path | None:
    """The file of this path, or a compressed one in its place; None where there is neither."""
    names = [path, *(path.with_name(path.name + ending) for ending in COMPRESSIONS)]
    return next((one for one in names if one.is_file()), None)


def open_file(path: Path) -> BinaryIO:
    """A regular file to be read as bytes. Raises `OSError`, for a pipe or a device at once."""
    refuse_open(path)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return path.open("rb")


def open_bytes(path: Path, kind: str | None = None) -> BinaryIO:
    """A file to be read as bytes, unpacked. Reading may raise `DamagedStreamError`.

    `kind` is one of `COMPRESSIONS`, where the name of the file does not say it.
    """
    kind = kind or compression_of(path)
    if not kind:
        return open_file(path)
    open_file(path).close()
    return io.BufferedReader(_UnpackedBytes(path, kind), _BUFFER)


def read_lines(file: BinaryIO, size: int) -> list[bytes]:
    """The next lines of a file, of about so many bytes; none at its end.

    Raises `DamagedStreamError` for a line that is longer than any.
    """
    lines = list[bytes]()
    while size > 0 and (line := file.readline(LONGEST_LINE + 1)):
        if len(line) > LONGEST_LINE:
            raise DamagedStreamError(
                f"a line is longer than {LONGEST_LINE >> 20} MiB", "take that line out"
            )
        lines.append(line)
        size -= len(line)
    return lines
