"""Profiles saved on request; they are derived, and kept only under a name with their policy."""

import json
import sqlite3
from collections.abc import Iterable, Mapping

Row = tuple[int, str, str | None, bool | None, bool | None, bool | None]
"""Model id, fact_id, profile, E, K0, KT."""


def save(
    connection: sqlite3.Connection, name: str, policy: Mapping[str, object], rows: Iterable[Row]
) -> None:
    """Save profiles; those saved under the name before are replaced. Inside a transaction."""
    connection.execute("DELETE FROM saved_profile WHERE policy = ?", (name,))
    connection.execute(
        "INSERT OR REPLACE INTO saved_policy (name, policy) VALUES (?, ?)",
        (name, json.dumps(policy)),
    )
    connection.executemany(
        "INSERT INTO saved_profile (policy, model, fact, profile, e, k0, kt) "
        "SELECT ?, ?, id, ?, ?, ?, ? FROM fact WHERE fact_id = ?",
        [(name, model, *verdict, fact_id) for model, fact_id, *verdict in rows],
    )
