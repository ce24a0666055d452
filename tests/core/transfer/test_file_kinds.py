"""Tables in every dialect, encoding, packing and kind of file come in as the same rows."""

import bz2
import gzip
import lzma
import struct
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from backports import zstd
from openpyxl import Workbook
from pyarrow import feather, parquet

from core.errors import LostkeysError, UsageError
from core.settings import compression
from core.specs.file_specs import ImportWords
from core.transfer.file_kinds import guess_ending, kind_of, open_source
from core.transfer.row_source import BadRow
from tests.hostile_files import old_record, write_old_book

ROWS = [{"q": "Größe; 1,5 | x", "a": "„ja“"}, {"q": "two\nlines", "a": ""}]
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}


def rows(path: Path, **words: Any) -> list[Any]:
    return [row for _, row in open_source(path, ImportWords(**words)).read_rows()]


def as_text(delimiter: str) -> str:
    cells = [["q", "a"], *(list(row.values()) for row in ROWS)]
    return "".join(delimiter.join(f'"{cell}"' for cell in line) + "\r\n" for line in cells)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_dialect_and_a_marked_encoding_are_found(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(as_text(delimiter).encode(encoding))
    assert rows(path) == ROWS


def test_an_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(as_text(";").encode("cp1252"))
    with pytest.raises(LostkeysError, match=r"not UTF-8 text: .*--encoding cp1252` .*Größe"):
        rows(path)
    assert rows(path, encoding="cp1252") == ROWS
    for name in ("klingon", "base64", "rot13"):
        with pytest.raises(UsageError, match="--encoding"):
            rows(path, encoding=name)


def test_rows_end_in_any_line_end_and_columns_without_a_name_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\n,q,a,\r0,x,y,\r\n1,z,w,\n,,,\n")
    source = open_source(path)
    assert list(source.read_rows()) == [(3, {"q": "x", "a": "y"}), (4, {"q": "z", "a": "w"})]
    assert source.keys() == ["q", "a"]
    assert source.notices == ("left out, a column without a name: column 1, 4",)


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_text_is_read_and_bombs_and_cut_off_files_are_not(
    tmp_path: Path, ending: str
) -> None:
    pack = PACKERS[ending]
    text = as_text(",").encode()
    (tmp_path / f"t.csv{ending}").write_bytes(pack(text))
    assert rows(tmp_path / f"t.csv{ending}") == ROWS
    lines = b'{"q": "a"}\n{"q": "b"}\n'
    (tmp_path / f"t.jsonl{ending}").write_bytes(pack(lines))
    assert rows(tmp_path / f"t.jsonl{ending}") == [{"q": "a"}, {"q": "b"}]
    (tmp_path / f"t.json{ending}").write_bytes(pack(b'[{"q": "a"}]'))
    assert rows(tmp_path / f"t.json{ending}") == [{"q": "a"}]
    (tmp_path / f"cut.jsonl{ending}").write_bytes(pack(lines)[:-5])
    (tmp_path / f"bomb.jsonl{ending}").write_bytes(pack(lines + b" " * 40_000_000))
    for name, why in (("cut", "not a sound"), ("bomb", "holds more than 1,000 times its size")):
        where = r"(, after line [1-9])?"
        with pytest.raises(LostkeysError, match=rf"{name}\.jsonl{ending}{where}: {why}"):
            open_source(tmp_path / f"{name}.jsonl{ending}").scan(lambda rows: None)


def test_lines_and_lists_of_json_are_read_in_their_encoding(tmp_path: Path) -> None:
    for name, text in (("t.jsonl", '{"q": "ü"}\n{"q": "b"}\n'), ("t.json", '[{"q": "ü"}]')):
        (tmp_path / name).write_text(text, encoding="utf-16")
        assert rows(tmp_path / name)[0] == {"q": "ü"}
        (tmp_path / name).write_text(text, encoding="cp1252")
        assert rows(tmp_path / name, encoding="cp1252")[0] == {"q": "ü"}


@pytest.mark.parametrize(
    "text",
    [
        '{"q": ["x", "y"], "n": [1, 2]}',
        '{"q": {"0": "x", "1": "y"}, "n": {"0": 1, "1": 2}}',
        '{"data": [{"q": "x", "n": 1}, {"q": "y", "n": 2}]}',
        '{"columns": ["q", "n"], "index": [0, 1], "data": [["x", 1], ["y", 2]]}',
        '{"features": [], "rows": [{"row_idx": 0, "row": {"q": "x", "n": 1}},'
        ' {"row_idx": 1, "row": {"q": "y", "n": 2}}], "num_rows_total": 2}',
    ],
)
def test_json_has_many_shapes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(text)
    assert rows(path) == [{"q": "x", "n": 1}, {"q": "y", "n": 2}]


def test_what_the_viewer_cut_off_and_columns_of_other_lengths_are_bad(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        '{"rows": [{"row": {"q": "x"}, "truncated_cells": ["q"]}, {"row": {"q": "y"}}]}'
    )
    assert rows(path) == [BadRow("the viewer cut off ['q']"), {"q": "y"}]
    path.write_text('{"q": [1, 2], "a": [1]}')
    with pytest.raises(LostkeysError, match="not a list of objects"):
        rows(path)


def workbook(path: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "first"
    sheet.append([])
    sheet.append([None, "q", "n", "when", "f"])
    sheet.append([None, "merged", 3.0, date(2020, 1, 2), "=1+1"])
    sheet.append([None, None, 0.5, datetime(2020, 1, 2, 3, 4), True])  # noqa: DTZ001
    sheet.append([])
    sheet.append([None, " =cmd()", -1, None, "x"])
    sheet.merge_cells("B3:B4")
    other = book.create_sheet("second")
    other.append(["q"])
    other.append(["y"])
    book.save(path)
    return path


def test_a_workbook_reads_as_a_person_sees_it(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx")
    source = open_source(path)
    assert list(source.read_rows()) == [
        (3, {"q": "merged", "n": "3", "when": "2020-01-02", "f": ""}),
        (4, {"q": "merged", "n": "0.5", "when": "2020-01-02T03:04:00", "f": "true"}),
        (6, {"q": " =cmd()", "n": "-1", "when": "", "f": "x"}),
    ]
    assert [notice.partition(":")[0] for notice in source.notices] == [
        "read is the sheet 'first' of 'first', 'second'",
        "1 range of merged cells",
    ]
    assert rows(path, sheet="second") == [{"q": "y"}]
    with pytest.raises(UsageError, match="no sheet 'third': sheets are 'first', 'second'"):
        rows(path, sheet="third")


def test_a_workbook_that_unfolds_too_far_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_BZIP2) as parts:
        parts.writestr("xl/big.xml", bytes(60_000_000))
    with pytest.raises(LostkeysError, match="holds more than 1,000 times its size"):
        rows(path)


def test_open_documents_are_read(tmp_path: Path) -> None:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    document = OpenDocumentSpreadsheet()
    table = Table(name="T")
    for line in (["q", "a"], ["größer", "<script>"]):
        row = TableRow()
        for text in line:
            cell = TableCell(valuetype="string")
            cell.addElement(P(text=text))
            row.addElement(cell)
        table.addElement(row)
    document.spreadsheet.addElement(table)
    document.save(str(tmp_path / "t.ods"))
    assert rows(tmp_path / "t.ods") == [{"q": "größer", "a": "<script>"}]


def test_columns_of_every_kind_come_as_rows(tmp_path: Path) -> None:
    schema = pa.schema([("q", pa.large_string()), ("g", pa.map_(pa.string(), pa.string()))])
    table = pa.table({"q": ["x", "y"], "g": [[("m", "CORRECT")], []]}, schema=schema)
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.feather"))
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file, pa.ipc.new_stream(file, schema) as out:
        out.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        assert rows(tmp_path / name) == [{"q": "x", "g": {"m": "CORRECT"}}, {"q": "y", "g": {}}]


def test_a_kind_is_told_by_name_and_of_a_stream_by_its_beginning(tmp_path: Path) -> None:
    assert all(kind_of(Path(f"t.{one}")) for one in ("csv", "CSV.GZ", "jsonl.zst", "xlsx", "txt"))
    assert not any(kind_of(Path(f"t.{one}")) for one in ("gz", "parquet.gz", "docx", "zip"))
    starts = {
        b"a;b\n": ".csv",
        b'\xef\xbb\xbf[{"a": 1}]': ".json",
        b'{"a": 1}\n{"a": 2}\n': ".jsonl",
        b'{"a": 1}\n': ".jsonl",
        b'{\n "data": []}': ".json",
        gzip.compress(b"x"): ".gz",
        zstd.compress(b"x"): ".zst",
        workbook(tmp_path / "t.xlsx").read_bytes(): ".xlsx",
        b"": ".csv",
    }
    assert {start: guess_ending(start) for start in starts} == starts
    buffer = BytesIO()
    parquet.write_table(pa.table({"a": [1]}), buffer)
    assert guess_ending(buffer.getvalue()) == ".parquet"


def test_a_line_longer_than_any_row_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "LONGEST_LINE", 2**20)
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"q": "a"}\n{"q": "' + b"x" * 2**20 + b'"}\n')
    with pytest.raises(LostkeysError, match=r"t\.jsonl.*: a line is longer than 1 MiB"):
        rows(path)
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(LostkeysError, match=r"a line is longer than 1 MiB"):
        rows(packed)


def test_lengths_that_an_arrow_file_makes_up_are_refused(tmp_path: Path) -> None:
    table = pa.table({"q": ["value"] * 100})
    name, schema = str(tmp_path / "t.arrow"), table.schema
    with pa.OSFile(name, "wb") as file, pa.ipc.new_stream(file, schema) as out:
        out.write_table(table)
    whole = (tmp_path / "t.arrow").read_bytes()
    offsets = whole.index(b"".join(n.to_bytes(4, "little") for n in (0, 5, 10, 15)))
    (tmp_path / "t.arrow").write_bytes(
        whole[: offsets + 4] + (2**30).to_bytes(4, "little") + whole[offsets + 8 :]
    )
    with pytest.raises(LostkeysError, match=r"not a sound Arrow file"):
        rows(tmp_path / "t.arrow")


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.52, "0%", "52%"),
        (0.1234, "0.00%", "12.34%"),
        (timedelta(hours=26, minutes=30), "[h]:mm:ss", "26:30:00"),
        (time(14, 30), "h:mm", "14:30"),
        (time(14, 5), "h:mm AM/PM", "2:05 PM"),
        (timedelta(minutes=3, seconds=43, milliseconds=100), "mm:ss.0", "03:43.1"),
        (3.5, "0.0", "3.5"),
    ],
)
def test_shares_times_and_durations_are_read_as_shown(
    value: object, code: str, shown: str, tmp_path: Path
) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["id", "value"])
    sheet.append(["a", value])
    sheet["B2"].number_format = code
    book.save(tmp_path / "t.xlsx")
    assert rows(tmp_path / "t.xlsx") == [{"id": "a", "value": shown}]


def test_open_documents_say_what_their_cells_show(tmp_path: Path) -> None:
    from odf.office import Annotation
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    def cell(kind: str, text: str = "", times: int = 1, **value: str) -> Any:
        made = TableCell(valuetype=kind, numbercolumnsrepeated=times, **value)
        if text:
            made.addElement(P(text=text))
        return made

    document = OpenDocumentSpreadsheet()
    for name in ("other", "T"):
        table = Table(name=name)
        noted = cell("percentage", "52%", value="0.52")
        note = Annotation()
        note.addElement(P(text="a note"))
        noted.insertBefore(note, noted.firstChild)
        lines = [
            [cell("string", one) for one in "abcdef"],
            [noted, cell("time", "26:30:00", timevalue="PT26H30M00S"),
             cell("time", "02:05 PM", timevalue="PT14H05M00S"), cell("float", "3.50", value="3.5"),
             cell("percentage", "7.5 %", 2, value="0.075")],
            [cell("percentage", value="0.125"), cell("time", timevalue="PT1H2M3S"),
             cell("string", "x", 4)],
        ]  # fmt: skip
        for number, line in enumerate(lines):
            row = TableRow(numberrowsrepeated=2 if number == 1 else 1)
            for one in line:
                row.addElement(one)
            table.addElement(row)
        document.spreadsheet.addElement(table)
    document.save(str(tmp_path / "t.ods"))
    shown = {"a": "52%", "b": "26:30:00", "c": "02:05 PM", "d": "3.5", "e": "7.5 %", "f": "7.5 %"}
    assert rows(tmp_path / "t.ods", sheet="T") == [
        shown,
        shown,
        {"a": "12.5%", "b": "1:02:03", "c": "x", "d": "x", "e": "x", "f": "x"},
    ]


def test_old_workbooks_are_read_as_they_show(tmp_path: Path) -> None:
    """Numbers, short numbers and formulas of a workbook of Excel 97, by their styles' formats."""
    codes = {164: "0.0%", 165: "[h]:mm", 166: '"for" h:mm AM/PM'}
    styles = b"".join(
        old_record(0x41E, struct.pack("<HHB", number, len(code), 0) + code.encode("latin-1"))
        for number, code in codes.items()
    )
    for number in (0, 9, *codes):
        styles += old_record(0xE0, struct.pack("<HHHHHHHII", 0, number, 0, 0, 0, 0, 0, 0, 0))
    cells = old_record(0x200, struct.pack("<IIHHH", 0, 2, 0, 6, 0))
    for column, name in enumerate("abcdef"):
        cells += old_record(0x204, struct.pack("<HHHHB", 0, column, 0, 1, 0) + name.encode())
    for column, (style, value) in enumerate([(0, 0.5), (1, 0.52), (2, 0.125), (3, 26.5 / 24)]):
        cells += old_record(0x203, struct.pack("<HHHd", 1, column, style, value))
    many = [(4, 14.5 / 24), (1, 0.25)]
    short = [struct.unpack("<Q", struct.pack("<d", value))[0] >> 34 << 2 for _, value in many]
    cells += old_record(
        0xBD,
        struct.pack("<HH", 1, 4)
        + b"".join(
            struct.pack("<HI", style, rk) for (style, _), rk in zip(many, short, strict=True)
        )
        + struct.pack("<H", 5),
    )
    path = write_old_book(tmp_path / "t.xls", styles, cells)
    assert rows(path) == [
        {"a": "0.5", "b": "52%", "c": "12.5%", "d": "26:30", "e": "2:30 PM", "f": "25%"}
    ]
