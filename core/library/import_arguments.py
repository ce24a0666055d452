"""Imports as Python asks for them: options by the command line's names, lists and mappings."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from core.errors import LostkeysError, UsageError
from core.exchange.score_labels import parse_words
from core.library.arguments import IMPORT_CHECKS, check_values
from core.library.results import ImportedFiles
from core.project import OpenProject
from core.specs.file_specs import ImportWords

OPTION_FIELDS = {"as": "as_label", "map": "mapping", "property": "properties", "set": "set_name"}
"""Fields of `ImportWords` that the command line calls otherwise."""

THINKING_WORDS = {True: "on", False: "off", "on": "on", "off": "off", None: None}


def read_words(options: Mapping[str, Any]) -> ImportWords:
    """The words of an import. Raises `UsageError` for an option that is none, or cannot be so.

    `map` may be a dictionary of targets and columns, `property` and `scores` may be lists, `words`
    a list or one text, `thinking` a boolean.
    """
    given = {OPTION_FIELDS.get(name, name): value for name, value in options.items()}
    known = {one.name for one in fields(ImportWords)}
    for name in given:
        if name not in known:
            called = {field: name for name, field in OPTION_FIELDS.items()}
            there = ", ".join(sorted(called.get(one, one) for one in known))
            raise UsageError(f"no such option of an import: {name!r}; there is {there}")
    check_values(given, IMPORT_CHECKS)
    for name in ("mapping", "properties"):
        if name in given:
            given[name] = _to_words(given[name])
    if "scores" in given:
        given["scores"] = tuple(",".join(_to_words(given["scores"])).split(","))
    if "words" in given:
        given["words"] = ",".join(_to_words(given["words"]))
        parse_words(given["words"])
    if "thinking" in given:
        given["thinking"] = THINKING_WORDS[given["thinking"]]
    return ImportWords(**given)


def _to_words(value: str | Mapping[str, str] | Iterable[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Mapping):
        return tuple(f"{name}={column}" for name, column in value.items())
    return tuple(value)


def import_files(
    project: OpenProject,
    paths: Sequence[str | os.PathLike[str]],
    format: str,  # noqa: A002
    options: Mapping[str, Any],
) -> ImportedFiles:
    """Import files one after another; of several, one that cannot be read stops no other."""
    from core.transfer.import_report import ImportReport, report_broken
    from core.transfer.imports import import_file
    from core.transfer.log_arguments import name_arguments
    from core.transfer.log_files import SamplePool

    files = [Path(path) for path in paths]
    each = name_arguments(files, read_words(options))
    pool: SamplePool = {}

    def load(path: Path, words: ImportWords) -> ImportReport:
        try:
            return import_file(project, path, format, words=words, pool=pool)
        except LostkeysError as error:
            if len(paths) == 1:
                raise
            return report_broken(error)

    pairs = zip(files, each, strict=True)
    return ImportedFiles(tuple(load(path, its).as_json(path.name) for path, its in pairs))
