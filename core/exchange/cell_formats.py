"""Shares, times and durations in cells of a workbook, as the workbook shows them.

The reader of workbooks gives their values alone: 0.52 for a cell that shows 52%. Which cells have
such a format stands in the styles of an `.xlsx` or `.xls`; an `.ods` has what they show as text.
"""

import datetime
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

from core.stats.number_format import format_decimal

# Formats of the cells of an `.xls` of Excel 97 and later (BIFF8 in a compound file).
#
# What is not sound in it has no formats: whether the workbook can be read is for its reader to say.
# Sources: [MS-CFB] for the file in sectors, [MS-XLS] for the records.

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
                        cells += _read_cell_styles(said, one == _MANY_CELLS)
    except (struct.error, IndexError, UnicodeDecodeError):
        return {}, [], []
    return codes, styles, cells


def _read_cell_styles(content: bytes, are_many: bool) -> Iterator[tuple[_Place, int]]:
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


Place = tuple[int, int]
"""Row and column of a cell, from 0."""

DAY = 86_400

MOST_SHOWN = 1_000_000
"""Cells of a sheet of which is known what they show; others are read by their values."""

_BUILT_IN = {
    9: "0%",
    10: "0.00%",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
}
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_TIME = re.compile(r"\[(h+|m+|s+)\]|(h+|m+|s+)|(AM/PM|A/P)|(\.0+)|(.)", re.IGNORECASE)
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
_CELL = re.compile(r"([A-Z]+)([0-9]+)")


def read_formats(path: Path, sheet: str) -> dict[Place, str]:
    """Return the format of each cell that shows a share, a time or a duration (`.xlsx`, `.xls`)."""
    if not zipfile.is_zipfile(path):
        return _read_old_formats(path, sheet)
    with zipfile.ZipFile(path) as parts:
        names = set(parts.namelist())
        if not {"xl/styles.xml", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= names:
            return {}
        styles = _read_styles(parts)
        part = _find_sheet(parts, sheet) if styles else None
        if part not in names:
            return {}
        return {
            place: styles[style] for place, style in _read_cells(parts, part) if style in styles
        }


def _read_old_formats(path: Path, sheet: str) -> dict[Place, str]:
    codes, styles, cells = read_cells(path, sheet)
    shown = [_find_format({**_BUILT_IN, **codes}, number) for number in styles]
    return {place: code for place, style in cells if style < len(shown) and (code := shown[style])}


def read_shown(path: Path, sheet: str) -> dict[Place, str]:
    """Return what cells of an `.ods` show that hold a share, a time or a duration."""
    if not zipfile.is_zipfile(path):
        return {}
    with zipfile.ZipFile(path) as parts:
        if "content.xml" not in parts.namelist():
            return {}
        return dict(_read_shown_cells(parts, sheet))


def _read_shown_cells(parts: zipfile.ZipFile, sheet: str) -> Iterator[tuple[Place, str]]:
    row, left, table = 0, MOST_SHOWN, None
    for event, element in _parse_events(parts, "content.xml"):
        tag = _tag(element)
        if event == "start" and tag == "table":
            table = _attribute(element, "name")
        if event == "start" or tag != "table-row":
            continue
        times = int(_attribute(element, "number-rows-repeated") or 1)
        found = list(_read_row(element, left)) if table == sheet else []
        for more in range(min(times, left) if found else 0):
            left -= len(found)
            yield from (((row + more, column), shown) for column, shown in found)
        row += times if table == sheet else 0
        element.clear()


def _read_row(row: Any, most: int) -> Iterator[tuple[int, str]]:
    """The columns of cells that hold a share, a time or a duration, and what they show."""
    column = 0
    for cell in row:
        times = int(_attribute(cell, "number-columns-repeated") or 1)
        kind = _attribute(cell, "value-type")
        if kind in ("percentage", "time"):
            lines = ["".join(one.itertext()) for one in cell if _tag(one) == "p"]
            shown = "\n".join(lines).strip() or _show_value(cell, kind)
            yield from ((column + more, shown) for more in range(min(times, most)) if shown)
        column += times


def _show_value(cell: Any, kind: str) -> str:
    """What a cell holds, where it has no text; empty where that is no share or duration."""
    if kind == "percentage":
        return f"{100 * float(_attribute(cell, 'value') or 'nan'):.10g}%"
    found = _DURATION.fullmatch(_attribute(cell, "time-value") or "")
    if found is None:
        return ""
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return _show_time(3600 * hours + 60 * minutes + seconds, "[h]:mm:ss")


def _attribute(element: Any, name: str) -> str | None:
    """An attribute by its name in whichever vocabulary."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), None)


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _parse(parts: zipfile.ZipFile, name: str) -> Iterator[Any]:
    """The elements of a part, as they end."""
    return (element for event, element in _parse_events(parts, name) if event == "end")


def _parse_events(parts: zipfile.ZipFile, name: str) -> Iterator[tuple[str, Any]]:
    """Where elements begin and end; none where a part defines entities, which none needs."""
    content = parts.read(name)
    if b"<!DOCTYPE" not in content:
        yield from ElementTree.iterparse(BytesIO(content), ("start", "end"))  # noqa: S314


def _read_styles(parts: zipfile.ZipFile) -> dict[int, str]:
    """The formats of styles, of those that show a share, a time or a duration."""
    codes, found = dict(_BUILT_IN), {}
    for element in _parse(parts, "xl/styles.xml"):
        if _tag(element) == "numFmt":
            codes[int(element.get("numFmtId", 0))] = element.get("formatCode", "")
        elif _tag(element) == "cellXfs":
            styles = [one for one in element if _tag(one) == "xf"]
            for number, style in enumerate(styles):
                if code := _find_format(codes, int(style.get("numFmtId", 0))):
                    found[number] = code
    return found


def _find_format(codes: Mapping[int, str], number: int) -> str:
    """A format by its number, if it shows a share, a time or a duration; else an empty text."""
    plain = _QUOTED.sub("", codes.get(number, "").split(";")[0])
    return plain if is_shown_otherwise(plain) else ""


def is_shown_otherwise(code: str) -> bool:
    """Return whether a format shows a share, a time or a duration, and no date."""
    plain = code.lower()
    if "%" in plain:
        return True
    return re.search("[hs]", plain) is not None and re.search("[ydg]", plain) is None


def _find_sheet(parts: zipfile.ZipFile, sheet: str) -> str | None:
    """The part that has a sheet's cells."""
    ids = {
        element.get("name"): next(
            (value for key, value in element.items() if key.endswith("}id")), None
        )
        for element in _parse(parts, "xl/workbook.xml")
        if _tag(element) == "sheet"
    }
    for element in _parse(parts, "xl/_rels/workbook.xml.rels"):
        if _tag(element) == "Relationship" and element.get("Id") == ids.get(sheet, ""):
            target = element.get("Target", "")
            return target[1:] if target.startswith("/") else str(PurePosixPath("xl") / target)
    return None


def _read_cells(parts: zipfile.ZipFile, part: str) -> Iterator[tuple[Place, int]]:
    for element in _parse(parts, part):
        if _tag(element) == "c":
            found = _CELL.fullmatch(element.get("r", ""))
            style = element.get("s", "")
            if found and style.isdecimal():
                column = 0
                for letter in found[1]:
                    column = 26 * column + ord(letter) - 64
                yield (int(found[2]) - 1, column - 1), int(style)
        elif _tag(element) == "row":
            element.clear()


def show_cell(value: Any, code: str) -> str | None:
    """Return a number or a time as a format shows it; None for what is neither."""
    if isinstance(value, bool) or not isinstance(
        value, int | float | datetime.time | datetime.timedelta
    ):
        return None
    if "%" in code:
        if not isinstance(value, int | float):
            return None
        places = len(re.findall(r"[0#?]", code.partition(".")[2]))
        return f"{format_decimal(100 * value, places)}%"
    return _show_time(_count_seconds(value), code)


def _count_seconds(value: float | datetime.time | datetime.timedelta) -> float:
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return value * DAY


def _show_time(seconds: float, code: str) -> str:
    """A time of a day, or where a unit stands in brackets all of them, as `[h]:mm:ss`."""
    decimals = len(max(re.findall(r"\.0+", code), default=".")) - 1
    total = round(abs(seconds), decimals)
    whole = int(total)
    halved = re.search("AM/PM|A/P", code, re.IGNORECASE) is not None
    hours = whole // 3600 % 24
    units = {"h": (hours % 12 or 12) if halved else hours, "m": whole // 60 % 60, "s": whole % 60}
    every = {"h": whole // 3600, "m": whole // 60, "s": whole}
    shown = ["-"] if seconds < 0 else []
    for elapsed, unit, half, fraction, sign in _TIME.findall(code):
        if elapsed:
            shown.append(str(every[elapsed[0].lower()]).zfill(len(elapsed)))
        elif unit:
            shown.append(str(units[unit[0].lower()]).zfill(len(unit)))
        elif half:
            shown.append("AM" if hours < 12 else "PM")
        elif fraction:
            shown.append(f"{total - whole:.{decimals}f}"[1:])
        else:
            shown.append(sign)
    return "".join(shown).strip()


def show_duration(value: datetime.timedelta) -> str:
    """Return a duration whose format is not known, as hours, minutes and seconds."""
    return _show_time(value.total_seconds(), "[h]:mm:ss")
