"""How the bytes of a text file are read as characters."""

import codecs
import io
from typing import BinaryIO

from core.errors import UsageError

UTF8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LIKELY = "cp1252"
"""What text that is not UTF-8 most often is: what Windows writes in western Europe."""

SHOWN = 40


def check_encoding(name: str) -> str:
    """The encoding of that name. Raises `UsageError` where there is none for text."""
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True):
        raise UsageError(
            f"--encoding {name!r} is not known: utf-8, utf-16, cp1252, latin-1, shift_jis, gb18030"
        )
    return found.name


def encoding_of(file: BinaryIO, wanted: str | None) -> str:
    """How an opened file is encoded: as its mark says, else as `wanted`, else UTF-8.

    The file stands at its beginning afterwards.
    """
    start = file.peek(4)[:4] if isinstance(file, io.BufferedReader) else b""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    return check_encoding(wanted) if wanted else UTF8


def bad_line(file: BinaryIO, encoding: str) -> tuple[int, str]:
    """The first line, from 1, that is not of an encoding, and how it reads in the likely one."""
    if encoding in (UTF8, "utf-8-sig") or encoding.startswith("cp"):
        for number, line in enumerate(file, 1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                start = max(0, error.start - SHOWN // 2)
                near = line[start : error.start + SHOWN]
                return number, near.decode(LIKELY, "replace").strip()
    return 0, ""
