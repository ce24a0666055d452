"""Removing a set, a relation, a model, a grader or an imported file with what came with it."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

import db.build_steps
import db.label_grids
import db.option_score_arrays
import db.row_removal
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.stats.number_format import format_amount
from core.transfer.row_values import quote, quote_names
from core.zero_prompt.score_writer import compute_arrays


class RemovalKind(StrEnum):
    """What can be removed."""

    SET = "set"
    RELATION = "relation"
    MODEL = "model"
    GRADER = "grader"
    FILE = "file"


_COUNTED = {
    "model": "model",
    "triple_set": "set",
    "relation": "relation",
    "grader": "grader version",
    "fact": "fact",
    "question": "question",
    "response": "response",
    "grade": "label",
    "option_score": "score",
    "arm": "arm",
    "note": "note",
    "tagged": "tag",
    "audit": "audit",
    "reference_set": "reference set",
    "aside": "discarded response",
}
"""The rows that are told of, by their tables."""

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Removal:
    """Something that is removed, or would be: ids by table, and the rows that go by table."""

    kind: RemovalKind
    name: str
    roots: Mapping[str, tuple[int, ...]]
    rows: Mapping[str, int]
    number: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """What goes, in people's words: `{"facts": 190, ...}`."""
        return {
            f"{word}s": self.rows[table] for table, word in _COUNTED.items() if table in self.rows
        }

    def describe(self) -> str:
        """The same in a line: `190 facts, 1,520 responses`."""
        parts = [
            format_amount(self.rows[table], word)
            for table, word in _COUNTED.items()
            if table in self.rows
        ]
        return ", ".join(parts) or "nothing"


def plan_removal(project: OpenProject, kind: RemovalKind, name: str) -> Removal:
    """What would go with a thing of this name; changes nothing.

    A relation is named alone, or as SET/RELATION; a grader with all of its versions, or as
    GRADER#VERSION. Raises `UsageError` where there is none, or more than one.
    """
    roots = _find_roots(project.connection, kind, name)
    rows = db.row_removal.find(project.connection, roots, db.build_steps.OF_PASSAGES)
    return Removal(kind, name, roots, rows)


def remove(project: OpenProject, planned: Removal) -> Removal:
    """Remove it in one transaction; what goes is kept until the project is closed."""
    number = next(_numbers)
    rows = db.row_removal.remove(
        project.connection,
        number,
        planned.roots,
        db.build_steps.OF_PASSAGES,
        lambda: _renew_arrays(project),
    )
    db.label_grids.fold_if_due(project.connection)
    project.refresh()
    return Removal(planned.kind, planned.name, planned.roots, rows, number)


def restore(project: OpenProject, removal: Removal) -> None:
    """Put back what was removed by this project, exactly.

    Raises `LostkeysError` where something new stands in its place.
    """
    try:
        db.row_removal.restore(project.connection, removal.number, lambda: _renew_arrays(project))
    except sqlite3.IntegrityError as error:
        raise LostkeysError(
            f"{removal.kind} {quote(removal.name)} cannot be put back: something else was added "
            "in its place since"
        ) from error
    db.label_grids.fold_if_due(project.connection)
    project.refresh()


def _renew_arrays(project: OpenProject) -> None:
    project.refresh()
    db.option_score_arrays.replace(project.connection, compute_arrays(project))


def _find_roots(
    connection: sqlite3.Connection, kind: RemovalKind, name: str
) -> dict[str, tuple[int, ...]]:
    there = db.row_removal.list_named(connection, kind)
    found = tuple(key for key, known in there if known == name)
    if kind is RemovalKind.RELATION and not found:
        found = tuple(key for key, known in there if known.partition("/")[2] == name)
        if len(found) > 1:
            raise UsageError(f"{len(found)} sets have a relation {quote(name)}: say SET/RELATION")
    if not found:
        names = quote_names(dict.fromkeys(known for _, known in there)) if there else "none"
        raise UsageError(f"no {kind} named {quote(name)}: there is {names}")
    match kind:
        case RemovalKind.SET:
            return {"triple_set": found, "fact": db.row_removal.find_set_facts(connection, found)}
        case RemovalKind.RELATION:
            arms = db.row_removal.find_arms_with(connection, found)
            if arms:
                raise UsageError(
                    f"{quote(arms[0])} shows facts of {quote(name)} as examples: remove that model "
                    "first, or the whole set"
                )
            facts = db.row_removal.find_relation_facts(connection, found)
            return {"relation": found, "fact": facts}
        case RemovalKind.MODEL:
            return {"model": (*found, *db.row_removal.find_arms_of(connection, name))}
        case RemovalKind.GRADER:
            return {"grader": found}
        case RemovalKind.FILE:
            return {"source_file": found, "fact": db.row_removal.find_log_facts(connection, found)}


def list_removable(project: OpenProject) -> list[tuple[RemovalKind, str]]:
    """What can be removed, kind by kind: each grader once, relations as SET/RELATION."""
    return [
        (kind, name)
        for kind in RemovalKind
        for name in dict.fromkeys(
            known for _, known in db.row_removal.list_named(project.connection, kind)
        )
        if kind is not RemovalKind.GRADER or "#" not in name
    ]
