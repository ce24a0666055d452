"""The members of an `.eval` archive, as JSON: deflated or packed with Zstandard.

Nothing is written to disk, so that names with `..` lead nowhere; they are refused all the same,
as is whatever a log has no use for: encryption, members that grow beyond all measure.
"""

import sys
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from core.errors import LostkeysError
from core.exchange.json_rows import parse_lean

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

MOST_BYTES = 2**30
"""Bytes of one member: a sample with all of its events is a few megabytes."""

MOST_GROWTH = 1_000
FREE_BYTES = 2**24
"""Bytes of a member from which its growth counts; ordinary text grows by less than a hundred."""

PIECE = 2**20
ZSTANDARD = 93
"""The number of this packing in archives."""

ENCRYPTED = 0x1
WHOLE = "write the log again if it was cut off"


class LogArchive:
    """An open archive. Raises `LostkeysError` where it is not sound."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self._read_error(f"not a sound archive ({error})") from None
        self._members = {one.filename: one for one in self._file.infolist()}
        self.names = [name for name in self._members if not name.endswith("/")]
        for name in self.names:
            if ".." in name.split("/") or name.startswith(("/", "\\")):
                raise self._read_error(
                    f"a member is named {name[:80]!r}", "such an archive is not read"
                )

    def __enter__(self) -> "LogArchive":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def read_member(self, name: str) -> Any:
        """What a member holds."""
        content = self._content(name)
        try:
            return parse_lean(content)
        except (ValueError, RecursionError) as error:
            raise self._read_error(f"{name} is not valid JSON ({error})") from None

    def _content(self, name: str) -> bytes:
        member = self._members[name]
        if member.flag_bits & ENCRYPTED:
            raise self._read_error(f"{name} is encrypted", "decrypt the archive first")
        most = min(MOST_BYTES, max(FREE_BYTES, MOST_GROWTH * member.compress_size))
        if member.file_size > most:
            raise self._too_large(name)
        pieces, size = [], 0
        try:
            with self._file.open(member) as file:
                while piece := file.read(PIECE):
                    size += len(piece)
                    if size > most:
                        raise self._too_large(name)
                    pieces.append(piece)
        except (zipfile.BadZipFile, EOFError, zlib.error, ZstdError, OSError) as error:
            raise self._read_error(f"{name} cannot be unpacked ({error})") from None
        except (NotImplementedError, RuntimeError) as error:
            remedy = "pack it as Inspect does, with deflate or Zstandard"
            raise self._read_error(f"{name} cannot be unpacked ({error})", remedy) from None
        return b"".join(pieces)

    def _too_large(self, name: str) -> LostkeysError:
        what = f"{name} unpacks to more than its {MOST_GROWTH:,}-fold or {MOST_BYTES >> 30} GiB"
        return self._read_error(what, "no log has such a member")

    def _read_error(self, what: str, remedy: str = WHOLE) -> LostkeysError:
        return LostkeysError(f"{self._path}: {what}: {remedy}")
