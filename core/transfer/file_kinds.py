"""The kinds of files that can be read: what names end in, and what reads them."""

from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO

from core.errors import LostkeysError
from core.scale.lake import is_lake
from core.settings.compression import (
    COMPRESSIONS,
    DamagedStreamError,
    compression_of,
    open_bytes,
)
from core.specs.file_specs import ImportWords
from core.transfer.arrow_files import ArrowFile, ParquetFile
from core.transfer.delimited import CsvFile, TsvFile
from core.transfer.folders import SUFFIXES, Folder, TextFile
from core.transfer.json_files import JsonFile, JsonlFile
from core.transfer.lake_rows import LakeFolder
from core.transfer.row_source import RowSource
from core.transfer.spreadsheets import Spreadsheet
from db.open_files import refuse_open

STREAMED: dict[str, type[RowSource]] = {
    ".csv": CsvFile,
    ".tsv": TsvFile,
    ".jsonl": JsonlFile,
    ".ndjson": JsonlFile,
    ".json": JsonFile,
}
"""Text, which may be compressed."""

SOURCES: dict[str, type[RowSource]] = {
    **STREAMED,
    ".parquet": ParquetFile,
    ".arrow": ArrowFile,
    ".feather": ArrowFile,
    ".xlsx": Spreadsheet,
    ".xls": Spreadsheet,
    ".ods": Spreadsheet,
}

KINDS: dict[str, type[RowSource]] = {**SOURCES, **dict.fromkeys(SUFFIXES, TextFile)}
"""What reads a file, by what its name ends in; texts are documents."""

BEGINNING = 2**16
"""Bytes by which it is told what a stream is."""

_MAGIC = (
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
    (b"\x1f\x8b", ".gz"),
    (b"BZh", ".bz2"),
    (b"\xfd7zXZ", ".xz"),
    (b"\x28\xb5\x2f\xfd", ".zst"),
    (b"PK", ".xlsx"),
    (b"\xd0\xcf\x11\xe0", ".xls"),
)


def kind_of(path: Path) -> type[RowSource] | None:
    """What reads a file of this name; None for one that nothing reads."""
    if compression_of(path):
        return STREAMED.get(Path(path.stem).suffix.lower())
    return KINDS.get(path.suffix.lower())


def open_source(path: Path, words: ImportWords | None = None) -> RowSource:
    """The reader for a file, by its extension, or for a folder: of texts, or a lake.

    Raises `LostkeysError`.
    """
    if path.is_dir():
        return LakeFolder(path) if is_lake(path) else Folder(path)
    check_file(path)
    kind = kind_of(path)
    if kind is None:
        raise LostkeysError(
            f"{path}: the name must end in one of {', '.join(KINDS)} to say what the file is; "
            f"behind .csv, .tsv and .json* there may be {', '.join(COMPRESSIONS)}"
        )
    return kind(path, words)


def check_file(path: Path) -> None:
    """Raise `LostkeysError` where there is no file that can be read from its start again."""
    if not path.exists():
        raise LostkeysError(f"{path} does not exist: check the name")
    if not path.is_file():
        raise LostkeysError(f"{path} is not a regular file: save what it holds to one first")
    refuse_open(path)


def guess_ending(start: bytes) -> str:
    """What the name of a file that begins so would end in; `.csv` where nothing else fits."""
    for magic, ending in _MAGIC:
        if start.startswith(magic):
            return ending
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return ".json"
    if not text.startswith(b"{"):
        return ".csv"
    first, _, rest = text.partition(b"\n")
    ends = first.rstrip().endswith(b"}")
    return ".jsonl" if ends and rest.lstrip()[:1] in (b"{", b"") else ".json"


def save_stream(stream: BinaryIO, folder: Path) -> Path:
    """What a stream holds as a file in a folder, named by what it begins with."""
    draft = folder / "stdin"
    with draft.open("wb") as file:
        copyfileobj(stream, file)
    ending = guess_ending(_start(draft))
    if ending in COMPRESSIONS:
        draft = draft.rename(draft.with_name(f"stdin{ending}"))
        try:
            ending = guess_ending(_start(draft)) + ending
        except DamagedStreamError:
            ending = f".csv{ending}"
    return draft.rename(folder / f"stdin{ending}")


def _start(path: Path) -> bytes:
    with open_bytes(path) as file:
        return file.read(BEGINNING)
