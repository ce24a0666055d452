"""What a person should know of how a file was read, alike rows under one notice."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.stats.number_format import format_amount

MOST_NOTICES = 1_000
"""Kinds of notices that are told apart; more than anybody reads."""

MOST_NAMES = 100_000
"""Texts of one kind that are told apart, to say how many facts it is about."""

OTHER = "other reasons"
"""What the rows beyond all kinds go under."""

_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|['"].*?\.\.\.)"""
_VARIES = re.compile(rf"{_QUOTED}|\b\d[\d,.]*\b")
"""What differs between rows with one reason: values as `repr` quotes them, and numbers."""

_ABOUT = re.compile(rf"(unknown )?(fact|triple|document|model|task) {_QUOTED}( \w+)?")
"""How a reason begins that is about something with a name, up to its verb."""

_VERBS = {" has": " have", " is": " are", " was": " were", None: ""}
"""Of one, and of several."""


@dataclass(slots=True)
class Notice:
    """A text, of the whole file (`rows` is 0) or of rows, with the place of the first.

    `texts` are the hashes of all texts that differ from it in quoted values and numbers alone;
    `files` counts the files of a notice of several, whose `first` names its file too.
    """

    text: str
    rows: int = 0
    first: int | str | None = None
    texts: set[int] = field(default_factory=set)
    files: int = 0

    def describe(self, unit: str = "") -> str:
        """The text with its rows; `unit` says what `first` counts, as in `line 17`."""
        if self.files and not self.rows:
            others = (
                "" if self.files == 1 else f" and {format_amount(self.files - 1, 'other file')}"
            )
            return f"{self.first}{others}: {self.text}"
        if not self.rows:
            return self.text
        place = str(self.first) if self.files else f"{unit} {self.first}"
        if self.rows == 1:
            return f"{place}: {self.text}"
        where = f"{format_amount(self.rows, 'row')}, first in {place}"
        if len(self.texts) == 1:
            return f"{self.text}: {where}"
        about = _ABOUT.match(self.text)
        if about is None or about[3] not in _VERBS or _VARIES.search(self.text, about.end()):
            return f"{self.text}: {where}, with other values in other rows"
        unknown, noun, verb = about.groups("")
        many = f"{len(self.texts):,} {unknown}{noun}s{_VERBS[verb or None]}"
        more = "over " if len(self.texts) == MOST_NAMES else ""
        return f"{more}{many}{self.text[about.end() :]}: {where}"


class Notices:
    """Notices of a file in the order of their coming.

    Whatever is read in a way that a person might not expect is one: `add` it with the place of
    the row, once for every row, and rows that differ in quoted values and numbers alone
    (`quote` of `row_values`) are counted as one notice.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """`texts` hold of the whole file."""
        self._found: dict[str, Notice] = {}
        for text in texts:
            self.add(text)

    def __iter__(self) -> Iterator[Notice]:
        return iter(self._found.values())

    def by_place(self) -> list[Notice]:
        """Those of the whole file, then those of rows by their first; as they came by names."""
        found = list(self)
        if all(isinstance(one.first, int | None) for one in found):
            found.sort(key=lambda one: -1 if one.first is None else int(one.first))
        return found

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notices) and self._found == other._found

    def add(self, text: str, place: int | str | None = None, rows: int = 1) -> None:
        """Take in what holds of the row at `place` (of `rows` from there on), or of the file."""
        key = text if place is None else _VARIES.sub("\0", text)
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= MOST_NOTICES:
                key = text = OTHER
            found = self._found.setdefault(key, Notice(text))
        if place is not None:
            found.rows += rows
            first = found.first
            earlier = isinstance(first, int) and isinstance(place, int) and place < first
            found.first = place if first is None or earlier else first
            if len(found.texts) < MOST_NAMES:
                found.texts.add(hash(text))

    def sort(self) -> None:
        """Bring notices in the order of their first lines; others stay as they came."""
        lines = {key: one.first for key, one in self._found.items() if isinstance(one.first, int)}
        if len(lines) == len(self._found):
            self._found = {key: self._found[key] for key in sorted(lines, key=lines.__getitem__)}

    def lines(self, unit: str) -> list[str]:
        """One line for each; `unit` says what places count: `line` or `row`."""
        return [one.describe(unit) for one in self]

    def add_file(self, found: "Notices", unit: str, file: str) -> None:
        """Take in those of another file (its name), alike ones of several files as one."""
        for key, one in found._found.items():
            mine = self._found.get(key)
            place = f"{unit} {one.first} of {file}" if one.rows else file
            if mine is None:
                mine = self._found[key] = Notice(one.text, first=place)
            mine.rows += one.rows
            mine.texts |= one.texts
            mine.files += 1

    def to_json(self) -> list[list[Any]]:
        """All of them, for another program."""
        return [[one.text, one.first, one.rows] for one in self]

    def add_json(self, found: Iterable[list[Any]], lines: int = 0) -> None:
        """Take in those of another program, whose part of the file has so many lines before it."""
        for text, first, rows in found:
            place = first + lines if type(first) is int else first
            self.add(text, place, rows)
