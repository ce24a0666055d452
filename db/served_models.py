"""What servers call the models that answer: a name and a fingerprint, kept once for each label."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from db.model_rows import ensure_model

MOST = 64
"""Kept for one label: a server that never says the same twice fills no file."""


@dataclass(frozen=True, slots=True)
class StoredServed:
    """One name and fingerprint by which a label's model was served, and since when (UTC)."""

    name: str
    fingerprint: str
    at: str


def ensure(
    connection: sqlite3.Connection, label: str, wanted: Collection[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    """Ids of names with fingerprints, made where they are new and there is room.

    Inside a transaction.
    """
    if not wanted:
        return {}
    model = ensure_model(connection, label)
    known = _read_ids(connection, model)
    for name, fingerprint in wanted:
        if (name, fingerprint) not in known and len(known) < MOST:
            cursor = connection.execute(
                "INSERT INTO served (model, name, fingerprint) VALUES (?, ?, ?)",
                (model, name, fingerprint),
            )
            known[name, fingerprint] = int(cursor.lastrowid or 0)
    return known


def _read_ids(connection: sqlite3.Connection, model: int) -> dict[tuple[str, str], int]:
    rows = connection.execute("SELECT name, fingerprint, id FROM served WHERE model = ?", (model,))
    return {(name, fingerprint): key for name, fingerprint, key in rows}


def read_by_label(connection: sqlite3.Connection) -> dict[str, list[StoredServed]]:
    """How the models of all labels were served, in the order in which that was seen."""
    found: dict[str, list[StoredServed]] = {}
    for label, *row in connection.execute(
        "SELECT label, served.name, fingerprint, at FROM served "
        "JOIN model ON model.id = served.model ORDER BY served.id"
    ):
        found.setdefault(label, []).append(StoredServed(*row))
    return found
