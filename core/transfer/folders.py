"""Folders of text, Markdown, web pages and PDF, and single such files: one document a file."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import orjson

from core.errors import LostkeysError
from core.settings.extras import missing_part
from core.transfer.paragraphs import join_blocks, read_markdown, read_plain_text
from core.transfer.row_source import BOM, BadRow, Row, RowSource

MARKDOWN = (".md", ".markdown")
RENDERED = (".html", ".htm", ".pdf")
SUFFIXES = (".txt", *MARKDOWN, *RENDERED)

CHILD = Path(__file__).with_name("document_child.py")


class Folder(RowSource):
    """Text files under a folder, in the order of their paths; rows are numbered by it.

    A file that cannot be used is a bad row. Files and folders whose names begin with a dot are
    passed over, and symbolic links are not followed.
    """

    unit = "file"

    def __init__(self, path: Path) -> None:
        """Looks which files there are; raises `LostkeysError` where that cannot be seen."""
        super().__init__(path)
        self._files: list[Path] = []
        self._others = 0
        for file in _list_files(path):
            if file.suffix.lower() in SUFFIXES:
                self._files.append(file)
            else:
                self._others += 1
        self.size = sum(file.stat().st_size for file in self._files)

    @property
    def notices(self) -> Sequence[str]:
        """How many files were passed over."""
        if not self._others:
            return ()
        files = f"{self._others:,} files are" if self._others > 1 else "1 file is"
        return (f"{files} neither {' nor '.join(SUFFIXES)}: left out",)

    def keys(self) -> Sequence[str]:
        """Those that every document has here."""
        return ("id", "title", "text") if self._files else ()

    def scan(self, tell: Callable[[int], None]) -> int:
        """How many files there are; what is wrong with one stops no other."""
        return len(self._files)

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        for number, file in enumerate(self._files, 1):
            yield number, _document(file, file.relative_to(self.path).as_posix())


class TextFile(RowSource):
    """One such file: one document, whose id is the file's name."""

    unit = "file"

    def keys(self) -> Sequence[str]:
        """Those of a document."""
        return ("id", "title", "text")

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        if isinstance(self._row, BadRow):
            raise LostkeysError(self._row.reason)
        yield 1, self._row

    @cached_property
    def _row(self) -> Row:
        return _document(self.path, self.path.name)


def _list_files(folder: Path) -> Iterator[Path]:
    """Regular files anywhere under a folder, in the order of their paths."""

    def raise_unseen(error: OSError) -> None:
        raise LostkeysError(f"{error.filename} cannot be read ({error.strerror}): check its rights")

    found = []
    for here, folders, files in os.walk(folder, onerror=raise_unseen):
        folders[:] = [name for name in folders if not name.startswith(".")]
        every = (Path(here) / name for name in files if not name.startswith("."))
        found += [file for file in every if file.is_file() and not file.is_symlink()]
    return iter(sorted(found, key=lambda file: file.relative_to(folder).parts))


def _document(file: Path, name: str) -> Row:
    """The document in a file; its title is the first heading, else the file's name."""
    if file.suffix.lower() in RENDERED:
        return _read_rendered(file, name)
    try:
        text = file.read_bytes().removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        return BadRow(f"{name} is not UTF-8 text (byte {error.start + 1:,}): save it as UTF-8")
    except OSError as error:
        return BadRow(f"{name} cannot be read ({error.strerror}): check its rights")
    if "\0" in text:
        return BadRow(f"{name} holds a NUL character: it is no text")
    markdown = file.suffix.lower() in MARKDOWN
    return _make_row(file, name, *(read_markdown(text) if markdown else read_plain_text(text)))


def _read_rendered(file: Path, name: str) -> Row:
    """The document of a web page or a PDF, read by a program of its own."""
    if why := missing_part("documents"):
        return BadRow(f"{name}: {why}")
    child = subprocess.run(
        [sys.executable, "-P", str(CHILD), str(file.absolute())],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    try:
        said = orjson.loads(child.stdout)
    except orjson.JSONDecodeError:
        return BadRow(f"{name} takes too much time or memory to read: save it as text")
    if "fault" in said:
        return BadRow(f"{name}: {said['fault']}")
    return _make_row(file, name, *join_blocks(said["title"], said["blocks"]))


def _make_row(file: Path, name: str, title: str, body: str) -> Row:
    if not body.strip():
        return BadRow(f"{name} is empty: there is no text in it")
    return {"id": name, "title": title or file.stem, "text": body}
