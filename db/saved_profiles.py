"""Policies saved under a name, and profiles saved with them on request; those are derived."""

import json
import sqlite3
from collections.abc import Iterable, Mapping

Row = tuple[int, str, str | None, bool | None, bool | None, bool | None]
"""Model id, fact_id, profile, E, K0, KT."""


def save(
    connection: sqlite3.Connection, name: str, policy: Mapping[str, object], rows: Iterable[Row]
) -> None:
    """Save profiles; those saved under the name before are replaced. Inside a transaction."""
    save_policy(connection, name, policy)
    connection.executemany(
        "INSERT INTO saved_profile (policy, model, fact, profile, e, k0, kt) "
        "SELECT ?, ?, id, ?, ?, ?, ? FROM fact WHERE fact_id = ?",
        [(name, model, *verdict, fact_id) for model, fact_id, *verdict in rows],
    )


def save_policy(
    connection: sqlite3.Connection,
    name: str,
    policy: Mapping[str, object],
    keep_profiles: bool = False,
) -> None:
    """Save a policy alone; profiles under its name go unless kept. Inside a transaction."""
    if not keep_profiles:
        connection.execute("DELETE FROM saved_profile WHERE policy = ?", (name,))
    connection.execute(
        "INSERT INTO saved_policy (name, policy) VALUES (?, ?) ON CONFLICT (name) DO UPDATE "
        "SET policy = excluded.policy, at = excluded.at",
        (name, json.dumps(policy)),
    )


def policies(connection: sqlite3.Connection) -> dict[str, str]:
    """All saved policies by name, as JSON, the newest last."""
    return dict(
        connection.execute("SELECT name, policy FROM saved_policy ORDER BY at, name").fetchall()
    )


def read_saves(connection: sqlite3.Connection) -> dict[str, tuple[str, int]]:
    """When each policy was saved (UTC), and how many profiles are saved with it."""
    rows = connection.execute(
        "SELECT name, at, (SELECT count(*) FROM saved_profile WHERE policy = name) "
        "FROM saved_policy"
    )
    return {name: (at, count) for name, at, count in rows}


def remove(connection: sqlite3.Connection, name: str) -> bool:
    """Remove a policy with its profiles; gives whether it was there. Inside a transaction."""
    connection.execute("DELETE FROM saved_profile WHERE policy = ?", (name,))
    return connection.execute("DELETE FROM saved_policy WHERE name = ?", (name,)).rowcount > 0
