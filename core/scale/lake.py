"""A lake: facts, responses and labels as folders of Parquet files that any engine reads.

`lake.json` says what it is. Facts lie in `facts/`, responses in
`responses/model=/thinking=/task=/`, labels in `labels/grader=/model=/thinking=/task=/`, and in
`runs/` what curtailed and open runs asked, if there were any. Names in folders are
percent-encoded, as Hive and what follows it write them.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from core.errors import LostkeysError
from core.settings.file_writer import explain_unwritable
from core.vocabulary import TASKS, Task

MARKER = "lake.json"
VERSION_KEY = "lostkeys_lake"
VERSION = 1
ENDING = ".parquet"
FACTS, RESPONSES, LABELS, RUNS = "facts", "responses", "labels", "runs"

CELL_KEYS = ("model", "thinking", "task")
LABEL_KEYS = ("grader", *CELL_KEYS)
_THINKING = {"off": False, "on": True}

LONGEST_NAME = 255
"""Bytes of a folder's name on common file systems."""


@dataclass(frozen=True, slots=True)
class LakeCell:
    """A model's answers to one task in one setting: a folder of responses, or of labels."""

    model: str
    thinking: bool
    task: Task

    def folder(self, grader: str | None = None) -> Path:
        """Where its responses lie under the lake, or its labels by a grader."""
        names = {
            "model": self.model,
            "thinking": "on" if self.thinking else "off",
            "task": self.task.value,
        }
        if grader is None:
            return _folder(RESPONSES, names)
        return _folder(LABELS, {"grader": grader, **names})

    def __str__(self) -> str:
        return f"{self.model}, thinking {'on' if self.thinking else 'off'}, {self.task}"


def _folder(root: str, names: Mapping[str, str]) -> Path:
    return Path(root, *(f"{key}={encode_name(name)}" for key, name in names.items()))


def encode_name(name: str) -> str:
    """A name as a folder has it: letters, digits and `_.-~` as they are, all else as %XX.

    Raises `LostkeysError` for a name that no folder can have.
    """
    found = quote(name, safe="")
    if not found or len(found) > LONGEST_NAME - len("thinking="):
        raise LostkeysError(
            f"{name[:60]!r} cannot be the name of a folder: give the model or grader a shorter one"
        )
    return found


@dataclass(frozen=True, slots=True)
class Lake:
    """A lake that is there, with the files that it has.

    `responses` and `labels` hold the files of each cell in the order of their names, labels by
    grader first.
    """

    path: Path
    facts: tuple[Path, ...]
    responses: Mapping[LakeCell, tuple[Path, ...]]
    labels: Mapping[str, Mapping[LakeCell, tuple[Path, ...]]] = field(repr=False)
    runs: tuple[Path, ...] = ()

    @property
    def models(self) -> list[str]:
        """All models that have responses, by name."""
        return sorted({cell.model for cell in self.responses})

    @property
    def graders(self) -> list[str]:
        """All graders that have labels, by name."""
        return sorted(self.labels)

    def settings(self, model: str) -> list[bool]:
        """With which thinking a model has responses, off first."""
        return sorted({cell.thinking for cell in self.responses if cell.model == model})


def is_lake(path: Path) -> bool:
    """Whether a folder says that it is a lake."""
    return path.is_dir() and (path / MARKER).is_file()


def open_lake(path: Path) -> Lake:
    """The lake at `path`.

    Raises `LostkeysError` where there is none, where a newer version wrote it, where a folder
    lacks a part of its name, and where a cell has labels and no responses.
    """
    check_marker(path)
    facts = tuple(_files(path / FACTS))
    if not facts:
        raise LostkeysError(f"{path / FACTS} holds no Parquet file: copy the facts there")
    responses = {cell: files for (cell, _), files in _cells(path, RESPONSES, CELL_KEYS).items()}
    labels: dict[str, dict[LakeCell, tuple[Path, ...]]] = {}
    for (cell, grader), files in _cells(path, LABELS, LABEL_KEYS).items():
        if cell not in responses:
            raise LostkeysError(
                f"{path / cell.folder()} is missing, and {grader} has labels of it: "
                "copy the responses there, or take these labels away"
            )
        labels.setdefault(grader, {})[cell] = files
    return Lake(path, facts, responses, labels, tuple(_files(path / RUNS)))


def check_marker(path: Path) -> None:
    """Raise `LostkeysError` unless there is a lake that this program can read."""
    if not path.exists():
        raise LostkeysError(f"{path} does not exist: name the folder of a lake")
    if not is_lake(path):
        raise LostkeysError(f"{path} is no lake, it has no {MARKER}: name the folder that has it")
    try:
        found = json.loads((path / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise LostkeysError(f"{path / MARKER} cannot be read ({error}): write it again") from None
    version = found.get(VERSION_KEY) if isinstance(found, dict) else None
    if type(version) is not int or version < 1:
        raise LostkeysError(f'{path / MARKER} has no "{VERSION_KEY}": the folder is no lake')
    if version > VERSION:
        raise LostkeysError(
            f"{path} was written by a newer Lostkeys (lake {version}, this one knows {VERSION}): "
            "update Lostkeys"
        )


@contextmanager
def draft_lake(path: Path, name: str) -> Iterator[Path]:
    """The folder in which a new lake is written; it is put at `path` whole, or not at all.

    `name` tells drafts of different writers apart. What a killed one left is removed by the next
    of its name. Raises `LostkeysError` where the folder cannot be written.
    """
    draft = path.with_name(f".{path.name}.{name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        draft.mkdir()
        yield draft
        write_marker(draft)
        draft.rename(path)
    except OSError as error:
        raise explain_unwritable(path, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_marker(path: Path) -> None:
    """Say in a folder that it is a lake of this version."""
    (path / MARKER).write_text(json.dumps({VERSION_KEY: VERSION}) + "\n", encoding="utf-8")


def _files(folder: Path) -> Iterator[Path]:
    """The Parquet files right in a folder, by name; those half written have another ending."""
    if folder.is_dir():
        with os.scandir(folder) as there:
            names = sorted(one.name for one in there if one.name.endswith(ENDING))
        yield from (folder / name for name in names if not name.startswith((".", "_")))


def _cells(
    path: Path, root: str, keys: tuple[str, ...]
) -> dict[tuple[LakeCell, str], tuple[Path, ...]]:
    """The files of every folder under a root, by the cell and the grader that it names."""
    found = {}
    for here, folders, names in os.walk(path / root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        if not any(name.endswith(ENDING) and not name.startswith((".", "_")) for name in names):
            continue
        place = Path(here)
        values = _values(place, place.relative_to(path / root).parts, keys)
        cell = _cell(place, values)
        found[cell, values.get("grader", "")] = tuple(_files(place))
    return found


def _values(place: Path, parts: tuple[str, ...], keys: tuple[str, ...]) -> dict[str, str]:
    pairs = [part.partition("=") for part in parts]
    there = {key: unquote(name) for key, _, name in pairs}
    missing = next((key for key in keys if not there.get(key)), None)
    if missing is not None or len(parts) != len(keys):
        wanted = "/".join(f"{key}=" for key in keys)
        lacking = f"lacks {missing}=" if missing else "is one folder too deep"
        raise LostkeysError(f"{place} {lacking}: its files belong under {wanted}")
    return there


def _cell(place: Path, values: Mapping[str, str]) -> LakeCell:
    thinking, task = values["thinking"], values["task"]
    if thinking not in _THINKING:
        raise LostkeysError(f"{place}: thinking is off or on, not {thinking!r}: rename the folder")
    if task not in TASKS:
        raise LostkeysError(
            f"{place}: unknown task {task!r}: tasks are {', '.join(TASKS)}; rename the folder"
        )
    return LakeCell(values["model"], _THINKING[thinking], Task(task))
