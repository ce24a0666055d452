"""Documents between rows and the database.

Two documents may have one text: both are kept, and `build` makes facts of the first only.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import db.documents
from core.project import OpenProject
from core.transfer.file_formats import DOCUMENT_KEYS
from core.transfer.import_report import ImportReport
from core.transfer.paragraphs import paragraphs
from core.transfer.row_values import RowError, page_created, quote, text, views
from db.connection import write_transaction
from db.documents import Document, list_differences


def parse(row: Mapping[str, Any]) -> Document:
    """The document in a row. Raises `RowError`.

    A document without a title is called by its id. A dictionary of views (by day, as Wikipedia
    gives them) counts as their sum.
    """
    key = _text(row, "id").strip()
    if not key:
        raise RowError("missing: id")
    found = paragraphs(_text(row, "text"))
    if not found:
        raise RowError("no text: there is nothing to make facts of")
    title = " ".join(_text(row, "title").split())
    item = _text(row, "item_id").strip()
    created = page_created(row.get("page_created"))
    return Document(key, title or key, found, _views(row), item, created)


def _name(row: Mapping[str, Any], value: str) -> str:
    """The key under which a row has a value: the first that holds one."""
    names = DOCUMENT_KEYS[value]
    return next((name for name in names if row.get(name) not in (None, "")), names[0])


def _text(row: Mapping[str, Any], value: str) -> str:
    name = _name(row, value)
    found = text(row, name)
    if "\0" in found:
        raise RowError(f"{name} holds a NUL character: it is no text")
    return found


def _views(row: Mapping[str, Any]) -> int | None:
    name = _name(row, "views")
    given = row.get(name)
    if not isinstance(given, Mapping):
        return views(given, name)
    days = [views(count, name) for count in given.values()]
    known = [count for count in days if count is not None]
    return views(sum(known), name) if known else None


class Documents:
    """Takes the rows of one file, batch by batch."""

    def __init__(self, project: OpenProject, report: ImportReport) -> None:
        self._connection = project.connection
        self._report = report

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add the documents that are new, in one transaction; those there must be the same."""
        batch = self._report.parse_each(rows, parse)
        with write_transaction(self._connection):
            db.documents.insert(self._connection, self._find_fresh(batch))

    def _find_fresh(self, batch: Sequence[tuple[int, Document]]) -> list[Document]:
        keys = [document.key for _, document in batch]
        known = {one.key: one for one in db.documents.read_documents(self._connection, keys)}
        fresh = []
        for line, document in batch:
            there = known.setdefault(document.key, document)
            if differ := list_differences(document, there):
                self._report.refuse(
                    line,
                    f"document {quote(document.key)} is there with another "
                    f"{', '.join(differ)}: the first is kept",
                )
                continue
            self._report.count(there is document)
            if there is document:
                fresh.append(document)
        return fresh
