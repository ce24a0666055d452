"""Files that are made to harm what reads them: small ones that unfold, lie or never end."""

import bz2
import gzip
import lzma
import os
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
from backports import zstd
from pyarrow import feather, parquet

FACT = b'{"fact_id": "1", "direct": "Who?", "direct_answer": "She"}\n'
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_LINK = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="{}/{}" Target="{}"/></Relationships>'
)


def write_all(folder: Path) -> Iterator[Path]:
    """Write every hostile file, one after the other."""
    for make in (_workbooks, _packed, _columns, _texts, _archives, _no_files):
        yield from make(folder)


def write_sheet(path: Path, *cells: str) -> Path:
    """A workbook of Excel in which these cells say `q`."""
    rows = "".join(f'<row><c r="{c}" t="inlineStr"><is><t>q</t></is></c></row>' for c in cells)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, content in (
            ("_rels/.rels", _LINK.format(_RELATIONS, "officeDocument", "xl/workbook.xml")),
            (
                "xl/workbook.xml",
                f'<workbook xmlns="{_SHEETS}" xmlns:r="{_RELATIONS}"><sheets>'
                '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
            ),
            (
                "xl/_rels/workbook.xml.rels",
                _LINK.format(_RELATIONS, "worksheet", "worksheets/sheet1.xml"),
            ),
            (
                "xl/worksheets/sheet1.xml",
                f'<worksheet xmlns="{_SHEETS}"><sheetData>{rows}</sheetData></worksheet>',
            ),
        ):
            parts.writestr(name, content)
    return path


def write_open_sheet(path: Path, rows: int, columns: int) -> Path:
    """An open document with one cell that is repeated so many times."""
    cell = (
        f'<table:table-row table:number-rows-repeated="{rows}"><table:table-cell '
        f'table:number-columns-repeated="{columns}" office:value-type="string">'
        "<text:p>q</text:p></table:table-cell></table:table-row>"
    )
    names = " ".join(f'xmlns:{one}="{_ODF}:{one}:1.0"' for one in ("office", "table", "text"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        parts.writestr(
            "META-INF/manifest.xml", f'<m:manifest xmlns:m="{_ODF}:manifest:1.0"></m:manifest>'
        )
        parts.writestr(
            "content.xml",
            f"<office:document-content {names}><office:body><office:spreadsheet>"
            f'<table:table table:name="s">{cell}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def old_record(kind: int, content: bytes) -> bytes:
    """A record of a workbook of Excel 97."""
    return struct.pack("<HH", kind, len(content)) + content


def write_old_book(path: Path, styles: bytes, cells: bytes) -> Path:
    """A workbook of Excel 97 with records of styles and, in its sheet `s`, of cells."""

    def begin(kind: int) -> bytes:
        return old_record(0x809, struct.pack("<HHHHII", 0x600, kind, 0xDBB, 0x7CC, 0, 6))

    end = old_record(0x0A, b"")
    head = begin(5) + styles
    start = len(head) + 4 + 9 + len(end)
    head += old_record(0x85, struct.pack("<IHBB", start, 0, 1, 0) + b"s") + end
    stream = (head + begin(0x10) + cells + end).ljust(4096, b"\0")
    sectors = len(stream) // 512
    chain = [*range(3, sectors + 2), -2]
    fat = struct.pack("<128i", -3, -2, *chain, *[-1] * (126 - len(chain)))

    def entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
        text = name.encode("utf-16-le") + b"\0\0"
        return (
            text.ljust(64, b"\0")
            + struct.pack("<HBBiii", len(text) if name else 0, kind, 1, -1, -1, child)
            + bytes(36)
            + struct.pack("<iQ", first, size)
        )

    folder = entry("Root Entry", 5, 1, -2, 0) + entry("Workbook", 2, -1, 2, len(stream))
    folder += entry("", 0, -1, 0, 0) * 2
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack(
        "<HHHHH6xIIIIIiIiI", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, -2, 0, -2, 0
    )
    header += struct.pack("<109i", 0, *[-1] * 108)
    path.write_bytes(header + fat + folder + stream)
    return path


def write_old_sheet(path: Path, row: int, column: int) -> Path:
    """A workbook of Excel 97 that says it has four billion rows, with a number far out."""
    cells = old_record(0x200, struct.pack("<IIHHH", 0, 2**32 - 1, 0, 2**16 - 1, 0))
    cells += old_record(0x203, struct.pack("<HHHd", 0, 0, 0, 1.0))
    cells += old_record(0x203, struct.pack("<HHHd", row, column, 0, 1.0))
    return write_old_book(path, b"", cells)


def write_many_members(path: Path, count: int) -> Path:
    """An archive with so many empty members."""
    local, central, at = bytearray(), bytearray(), 0
    for number in range(count):
        name = b"%07d" % number
        local += struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 7, 0) + name
        central += (
            struct.pack(
                *("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 7, 0, 0, 0, 0, 0, at)
            )
            + name
        )
        at += 37
    size = len(central)
    end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, at)
    end += struct.pack("<4sIQI", b"PK\6\7", 0, at + size, 1)
    few = min(count, 0xFFFF)
    end += struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, few, few, size, 0xFFFFFFFF, 0)
    path.write_bytes(bytes(local) + bytes(central) + end)
    return path


def _workbooks(folder: Path) -> Iterator[Path]:
    yield write_sheet(folder / "corner.xlsx", "A1", "XFD1048576")
    yield write_sheet(folder / "wide.xlsx", "A1", "XFD4096")
    yield write_sheet(folder / "nowhere.xlsx", "A1", "ZZZZZZ99999999999")
    yield write_open_sheet(folder / "repeated.ods", 2**20, 2**14)
    yield write_open_sheet(folder / "columns.ods", 2**20, 6)
    yield write_open_sheet(folder / "rows.ods", 4_000_000_000, 1)
    yield write_old_sheet(folder / "corner.xls", 65_535, 255)
    bomb = write_sheet(folder / "bomb.xlsx", "A1")
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_BZIP2) as parts:
        parts.writestr("xl/sharedStrings.xml", bytes(60_000_000))
    yield bomb
    whole = write_sheet(folder / "whole.xlsx", "A1", "A2").read_bytes()
    for name, content in (("cut.xlsx", whole[: len(whole) // 2]), ("none.xls", whole[:100])):
        (folder / name).write_bytes(content)
        yield folder / name


def _packed(folder: Path) -> Iterator[Path]:
    for ending, pack in PACKERS.items():
        packed = pack(FACT * 1_000)
        for name, content in (
            (f"bomb.jsonl.{ending}", pack(FACT + b" " * 5_000_000)),
            (f"bomb.json.{ending}", pack(b"[" * 5_000_000)),
            (f"bomb.csv.{ending}", pack(b"fact_id,direct,direct_answer\n" + b"q" * 5_000_000)),
            (f"cut.jsonl.{ending}", packed[: len(packed) // 2]),
            (f"none.csv.{ending}", FACT),
        ):
            (folder / name).write_bytes(content)
            yield folder / name


def _columns(folder: Path) -> Iterator[Path]:
    names = ("fact_id", "direct", "direct_answer")
    table = pa.table({name: ["value"] * 100 for name in names})
    for name, count, text in (("many", 8_000_000, "q"), ("long", 100_000, "q" * 50_000_000)):
        same = pa.DictionaryArray.from_arrays(pa.array(bytes(count), pa.int8()), [text])
        path = folder / f"{name}.parquet"
        parquet.write_table(pa.table(dict.fromkeys(names, same)), path, compression="zstd")
        yield path
    parquet.write_table(table, folder / "t.parquet")
    feather.write_feather(table, str(folder / "t.feather"))
    schema = table.schema
    with pa.OSFile(str(folder / "t.arrow"), "wb") as file, pa.ipc.new_stream(file, schema) as out:
        out.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        whole = (folder / name).read_bytes()
        for at in range(0, len(whole), max(8, len(whole) // 10 // 8 * 8)):
            path = folder / f"{at}{name}"
            path.write_bytes(whole[:at] + struct.pack("<q", 2**62) + whole[at + 8 :])
            yield path
        (folder / f"cut{name}").write_bytes(whole[: len(whole) // 2])
        yield folder / f"cut{name}"


def _texts(folder: Path) -> Iterator[Path]:
    million = 1_000_000
    for name, content in (
        ("deep.json", b"[" * million + b"]" * million),
        ("deep.jsonl", b'{"a":' * million + b"1" + b"}" * million),
        ("line.jsonl", b'{"direct": "' + b"q" * 100 * million),
        ("line.json", b'[{"direct": "' + b"q" * 100 * million),
        ("line.csv", b"q" * 100 * million),
        ("quote.csv", b'direct,direct_answer\n"' + b"q\n" * 5 * million),
        ("header.csv", b",".join(b"c%d" % one for one in range(100_000)) + b"\n"),
        ("nul.csv", bytes(million)),
        ("number.jsonl", b'{"direct": ' + b"9" * million + b"}\n"),
        ("lists.json", b"[" + b"[]," * 10_000 + b"[]]"),
        ("cut.json", b'[{"fact_id": "1", "direct"'),
        ("cut.md", b"\xff" * million),
        ("fences.md", b"> " * 100_000 + b"`" * 100_000),
    ):
        (folder / name).write_bytes(content)
        yield folder / name


def _archives(folder: Path) -> Iterator[Path]:
    yield write_many_members(folder / "many.eval", 1_000_000)
    yield write_many_members(folder / "many.xlsx", 1_000_000)
    for name, member, content in (
        ("bomb.eval", "header.json", bytes(300_000_000)),
        ("deep.eval", "header.json", b"[" * 1_000_000),
        ("above.eval", "../header.json", b"{}"),
        ("number.eval", "header.json", b'{"version": 2, "eval": {"model": NaN}, "results": 1e999}'),
        ("strange.eval", "header.json", b'{"version": [], "eval": [], "plan": 1, "status": {}}'),
    ):
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as parts:
            parts.writestr(member, content)
        yield folder / name
    (folder / "cut.eval").write_bytes((folder / "bomb.eval").read_bytes()[:200])
    yield folder / "cut.eval"


def _no_files(folder: Path) -> Iterator[Path]:
    os.mkfifo(folder / "pipe.jsonl")
    os.mkfifo(folder / "pipe.eval")
    (folder / "endless.csv").symlink_to("/dev/zero")
    (folder / "loop.json").symlink_to("loop.json")
    (folder / "folder.jsonl").mkdir()
    (folder / "holder").mkdir()
    os.mkfifo(folder / "holder" / "pipe.txt")
    (folder / "holder" / "endless.txt").symlink_to("/dev/zero")
    for name in ("pipe.jsonl", "pipe.eval", "endless.csv", "loop.json", "folder.jsonl", "holder"):
        yield folder / name
