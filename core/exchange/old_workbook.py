"""Formats of the cells of an `.xls` of Excel 97 and later (BIFF8 in a compound file).

What is not sound in it has no formats: whether the workbook can be read is for its reader to say.
Sources: [MS-CFB] for the file in sectors, [MS-XLS] for the records.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

_BEGIN, _END, _SHEET, _FORMAT, _STYLE = 0x809, 0x0A, 0x85, 0x41E, 0xE0
_ONE_CELL = frozenset([0x203, 0x27E, 0x06])
"""Records of a number, of a short one, and of a formula."""

_MANY_CELLS = 0xBD
_NO_SECTOR = 0xFFFF_FFFA
"""Numbers from there on are no sectors."""

_Place = tuple[int, int]


def read_cells(
    path: Path, sheet: str
) -> tuple[dict[int, str], list[int], list[tuple[_Place, int]]]:
    """Return the workbook's own formats by number, the format of each style, and cells' styles."""
    codes: dict[int, str] = {}
    styles: list[int] = []
    cells: list[tuple[_Place, int]] = []
    try:
        stream = _read_stream(path.read_bytes(), "Workbook")
        for kind, content in _read_records(stream, 0):
            if kind == _FORMAT:
                codes[struct.unpack_from("<H", content)[0]] = _text(content, 2, 2)
            elif kind == _STYLE:
                styles.append(struct.unpack_from("<H", content, 2)[0])
            elif kind == _SHEET and _text(content, 6, 1) == sheet:
                for one, said in _read_records(stream, struct.unpack_from("<I", content)[0]):
                    if one in _ONE_CELL or one == _MANY_CELLS:
                        cells += _read_styles(said, one == _MANY_CELLS)
    except (struct.error, IndexError, UnicodeDecodeError):
        return {}, [], []
    return codes, styles, cells


def _read_styles(content: bytes, are_many: bool) -> Iterator[tuple[_Place, int]]:
    row, column, style = struct.unpack_from("<HHH", content)
    if not are_many:
        yield (row, column), style
        return
    for number in range((len(content) - 6) // 6):
        yield (row, column + number), struct.unpack_from("<H", content, 4 + 6 * number)[0]


def _text(content: bytes, at: int, width: int) -> str:
    """A text with its length (of so many bytes) and how wide its letters are before it."""
    length = int.from_bytes(content[at : at + width], "little")
    at += width
    if content[at] & 1:
        return content[at + 1 : at + 1 + 2 * length].decode("utf-16-le")
    return content[at + 1 : at + 1 + length].decode("latin-1")


def _read_records(stream: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The records of the part that begins there, those of parts within it (charts) left out."""
    depth = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        depth += (kind == _BEGIN) - (kind == _END)
        if depth <= 0:
            return
        if depth == 1:
            yield kind, stream[at + 4 : at + 4 + length]
        at += 4 + length


def _read_stream(data: bytes, name: str) -> bytes:
    """A stream of a compound file by its name; empty where there is none."""
    shift, short_shift = struct.unpack_from("<HH", data, 30)
    first, _, cutoff, short_first, _, more, _ = struct.unpack_from("<7I", data, 48)
    size = 1 << shift

    def sector(number: int) -> bytes:
        return data[(number + 1) * size : (number + 2) * size]

    tables = [*struct.unpack_from("<109I", data, 76)]
    seen = set()
    while more < _NO_SECTOR and more not in seen:
        seen.add(more)
        *some, more = struct.unpack(f"<{size // 4}I", sector(more))
        tables += some
    parts = b"".join(sector(one) for one in tables if one < _NO_SECTOR)
    following = struct.unpack(f"<{len(parts) // 4}I", parts)
    folder = b"".join(map(sector, _follow(first, following)))
    entries = [folder[at : at + 128] for at in range(0, len(folder), 128)]
    for entry in entries:
        start, length = struct.unpack_from("<II", entry, 116)
        if entry[: struct.unpack_from("<H", entry, 64)[0]].decode("utf-16-le")[:-1] != name:
            continue
        if length >= cutoff:
            return b"".join(map(sector, _follow(start, following)))[:length]
        shorts = b"".join(map(sector, _follow(short_first, following)))
        chain = _follow(start, struct.unpack(f"<{len(shorts) // 4}I", shorts))
        root = struct.unpack_from("<I", entries[0], 116)[0]
        whole = b"".join(map(sector, _follow(root, following)))
        width = 1 << short_shift
        return b"".join(whole[one * width : (one + 1) * width] for one in chain)[:length]
    return b""


def _follow(first: int, following: tuple[int, ...]) -> Iterator[int]:
    """The sectors of a chain; one that comes back to itself ends."""
    left = len(following)
    while first < len(following) and left > 0:
        yield first
        first, left = following[first], left - 1
