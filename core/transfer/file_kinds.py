"""The kinds of files that can be read: what names end in, and what reads them."""

from pathlib import Path

from core.errors import LostkeysError
from core.scale.lake import is_lake
from core.transfer.arrow_files import ParquetFile
from core.transfer.delimited import CsvFile, TsvFile
from core.transfer.folders import SUFFIXES, Folder, TextFile
from core.transfer.json_files import JsonFile, JsonlFile
from core.transfer.lake_rows import LakeFolder
from core.transfer.readers import RowSource

SOURCES: dict[str, type[RowSource]] = {
    ".csv": CsvFile,
    ".tsv": TsvFile,
    ".jsonl": JsonlFile,
    ".ndjson": JsonlFile,
    ".json": JsonFile,
    ".parquet": ParquetFile,
}


KINDS: dict[str, type[RowSource]] = {**SOURCES, **dict.fromkeys(SUFFIXES, TextFile)}
"""What reads a file, by what its name ends in; texts are documents."""


def open_source(path: Path) -> RowSource:
    """The reader for a file, by its extension, or for a folder: of texts, or a lake.

    Raises `LostkeysError`.
    """
    if not path.exists():
        raise LostkeysError(f"{path} does not exist: check the name")
    if path.is_dir():
        return LakeFolder(path) if is_lake(path) else Folder(path)
    if not path.is_file():
        raise LostkeysError(f"{path} is not a regular file: save what it holds to one first")
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise LostkeysError(
            f"{path}: the name must end in one of {', '.join(KINDS)} to say what the file is"
        )
    return kind(path)
