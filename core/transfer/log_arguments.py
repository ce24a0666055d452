"""Logs of one task in one command that were run with other arguments: their ids are to say so.

Such logs may ask other questions under the same numbers. Only the arguments in which the logs of a
command differ are named, so that models which were asked the same meet.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import LostkeysError
from core.exchange.inspect_log import ARCHIVE, HEADERS, find_task
from core.exchange.log_archive import LogArchive
from core.exchange.log_reader import mapping_of
from core.settings.compression import DamagedStreamError, open_bytes, plain_path
from core.specs.file_specs import ImportWords

HEAD = 2**20
"""Bytes of a `.json` log in which it says what was run, before its samples."""

_SPEC = '"eval":'


def name_arguments(files: Sequence[Path], words: ImportWords) -> list[ImportWords]:
    """Return the words for each file: with the task arguments that its ids are to name."""
    if len(files) < 2 or words.prefix:
        return [words] * len(files)
    told = [_read_task(file) for file in files]
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for one in told:
        if one is not None:
            by_task.setdefault(one[0], []).append(one[1])
    unlike = {task: _find_unlike(some) for task, some in by_task.items()}
    return [
        words if one is None or not unlike[one[0]] else replace(words, arguments=unlike[one[0]])
        for one in told
    ]


def _find_unlike(arguments: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The names of arguments that some logs have otherwise than others."""
    names = {name for one in arguments for name in one}
    values = {name: {repr(one.get(name)) for one in arguments} for name in names}
    return tuple(sorted(name for name, some in values.items() if len(some) > 1))


def _read_task(file: Path) -> tuple[str, Mapping[str, Any]] | None:
    """The task of a log of Inspect and its arguments; None of another file."""
    spec = _read_archive(file) if file.suffix.lower() == ARCHIVE else _read_json(file)
    if not isinstance(spec, dict):
        return None
    return find_task(spec, file), mapping_of(spec.get("task_args"))


def _read_archive(file: Path) -> Any:
    try:
        with LogArchive(file) as archive:
            name = next((one for one in HEADERS if one in archive.names), None)
            return mapping_of(archive.read_member(name)).get("eval") if name else None
    except (LostkeysError, OSError):  # its import says what is wrong
        return None


def _read_json(file: Path) -> Any:
    if plain_path(file).suffix.lower() != ".json" or not file.is_file():
        return None
    try:
        with open_bytes(file) as content:
            head = content.read(HEAD).decode(errors="ignore")
        place = head.index(_SPEC) + len(_SPEC)
        return json.JSONDecoder().raw_decode(head[place:].lstrip())[0]
    except (ValueError, RecursionError, DamagedStreamError, OSError):
        return None
