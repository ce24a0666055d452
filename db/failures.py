"""Slots that could not be filled: asked for in vain, how often and why."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.responses import BY_IDS, samples_in


def find_failed_in(
    connection: sqlite3.Connection, cells: Iterable[int], samples: int
) -> dict[int, set[int]]:
    """The same for samples that were asked for in vain."""
    return samples_in(connection, "failure", "slot", cells, samples)


def record_failure(connection: sqlite3.Connection, slots: Iterable[int], reason: str) -> None:
    """Note that these slots could not be filled, and how often. Inside a transaction."""
    connection.executemany(
        "INSERT INTO failure (slot, reason, count) VALUES (?1, ?2, 1) "
        "ON CONFLICT (slot) DO UPDATE SET reason = ?2, count = count + 1, at = CURRENT_TIMESTAMP",
        [(key, reason) for key in slots],
    )


def failures_since(
    connection: sqlite3.Connection, slots: Sequence[int], since: str
) -> dict[int, str]:
    """Those of these slots that could not be filled since a time (UTC text), and why."""
    return dict(
        connection.execute(
            f"SELECT slot, reason FROM failure WHERE at >= ? AND slot {BY_IDS}",
            (since, json.dumps(list(slots))),
        )
    )


def find_failed(connection: sqlite3.Connection) -> list[int]:
    """Slots that could not be filled so far."""
    rows = connection.execute(
        "SELECT slot FROM failure WHERE NOT EXISTS "
        "(SELECT 1 FROM response WHERE response.id = slot) ORDER BY slot"
    )
    return [key for (key,) in rows]


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Slots that could not be filled for one reason: how many, and one of them."""

    reason: str
    count: int
    fact_id: str
    task: str
    model: str
    thinking: bool
    sample: int


def group_failures(connection: sqlite3.Connection, model: str | None = None) -> list[FailureGroup]:
    """Slots that could not be filled so far (of one model label, or all), most common first."""
    return [
        FailureGroup(reason, count, fact_id, task, label, bool(thinking), sample)
        for reason, count, fact_id, task, label, thinking, sample in connection.execute(
            "WITH open AS (SELECT failure.reason, label, count(*) AS count, min(slot) AS slot "
            "FROM failure JOIN setting ON setting.id = (slot >> 10) & 1023 "
            "JOIN model ON model.id = setting.model WHERE ?1 IS NULL OR label = ?1 "
            "GROUP BY failure.reason, label) "
            "SELECT reason, count, fact_id, task, label, thinking, slot & 1023 FROM open "
            "JOIN setting ON setting.id = (slot >> 10) & 1023 "
            "JOIN question ON question.id = slot >> 20 JOIN fact ON fact.id = question.fact "
            "ORDER BY count DESC, reason, label",
            (model,),
        )
    ]


def count_failures(connection: sqlite3.Connection) -> dict[int, int]:
    """How many slots of each setting (id) have no answer because asking failed."""
    return dict(
        connection.execute(
            "SELECT (slot >> 10) & 1023 AS setting, count(*) FROM failure GROUP BY setting"
        )
    )
