"""Completing a path as it is typed: folders, and the files that can be imported."""

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.transfer.file_formats import ARCHIVE
from core.transfer.file_kinds import kind_of
from core.transfer.folders import SUFFIXES

MOST_LOOKED_AT = 20_000
"""Entries of one folder that are looked at: more would take longer than anybody waits."""


@dataclass(frozen=True, slots=True)
class PathEntry:
    """A folder, or a file of `size` bytes; `whole`: all texts in a folder, as one thing."""

    path: Path
    is_folder: bool
    size: int = 0
    whole: bool = False


def expand_path(typed: str) -> Path:
    """The path that somebody types, `~` spelled out."""
    try:
        return Path(typed).expanduser()
    except RuntimeError:  # nobody knows whose home that is
        return Path(typed)


def entries(typed: str, texts: bool = False) -> list[PathEntry]:
    """What the path could go on to: folders first, then files, by name.

    With `texts` also files of plain text at the end, and before them the folder itself where it
    holds any, as it can be imported as one. Hidden ones only where their dot is typed. Raises
    `OSError` where the folder cannot be read.
    """
    folder, start = _split_path(typed)
    with os.scandir(folder) as there:
        names = [one.name for one in islice(there, MOST_LOOKED_AT) if _fits(one.name, start)]
    found = [entry for name in names if (entry := _entry(folder / name, texts))]
    if not start and any(one.path.suffix.lower() in SUFFIXES for one in found):
        found.append(PathEntry(folder, False, whole=True))
    return sorted(found, key=_rank)


def _rank(entry: PathEntry) -> tuple[int, str]:
    if entry.is_folder:
        rank = 0
    elif entry.whole:
        rank = 2
    else:
        rank = 3 if entry.path.suffix.lower() in SUFFIXES else 1
    return rank, entry.path.name.casefold()


def complete_path(entry: PathEntry, typed: str) -> str:
    """The path to put in place of what was typed; a folder ends in the separator."""
    folder, separator, _ = typed.rpartition(os.sep)
    if entry.whole:
        return typed
    return folder + separator + entry.path.name + (os.sep if entry.is_folder else "")


def _split_path(typed: str) -> tuple[Path, str]:
    """The folder that a path names so far, and the beginning of a name in it."""
    folder, separator, start = typed.rpartition(os.sep)
    return expand_path(folder + separator) if separator else Path(), start


def _fits(name: str, start: str) -> bool:
    if name.startswith(".") and not start.startswith("."):
        return False
    return name.casefold().startswith(start.casefold())


def _entry(path: Path, texts: bool) -> PathEntry | None:
    try:
        if path.is_dir():
            return PathEntry(path, True)
        known = kind_of(path) or path.suffix.lower() == ARCHIVE
        if known and (texts or path.suffix.lower() not in SUFFIXES) and path.is_file():
            return PathEntry(path, False, path.stat().st_size)
    except OSError:  # gone meanwhile, or not ours to look at
        return None
    return None
