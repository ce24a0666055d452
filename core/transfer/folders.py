"""Folders of plain text and Markdown, and single such files: one document a file."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import LostkeysError
from core.transfer.paragraphs import read_markdown, read_plain_text
from core.transfer.row_source import BOM, BadRow, Row, RowSource

MARKDOWN = (".md", ".markdown")
SUFFIXES = (".txt", *MARKDOWN)


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

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        for number, file in enumerate(self._files, 1):
            yield number, _document(file, file.relative_to(self.path).as_posix())


class TextFile(RowSource):
    """One file of plain text or Markdown: one document, whose id is the file's name."""

    unit = "file"

    def keys(self) -> Sequence[str]:
        """Those of a document."""
        return ("id", "title", "text")

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        row = _document(self.path, self.path.name)
        if isinstance(row, BadRow):
            raise LostkeysError(row.reason)
        yield 1, row


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
    try:
        text = file.read_bytes().removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        return BadRow(f"{name} is not UTF-8 text (byte {error.start + 1:,}): save it as UTF-8")
    except OSError as error:
        return BadRow(f"{name} cannot be read ({error.strerror}): check its rights")
    if "\0" in text:
        return BadRow(f"{name} holds a NUL character: it is no text")
    markdown = file.suffix.lower() in MARKDOWN
    title, body = read_markdown(text) if markdown else read_plain_text(text)
    if not body.strip():
        return BadRow(f"{name} is empty: there is no text in it")
    return {"id": name, "title": title or file.stem, "text": body}
