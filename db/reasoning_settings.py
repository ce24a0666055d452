"""Which settings hold answers that show reasoning."""

import sqlite3

from db.slots import MAX_SETTING, SAMPLE_BITS


def counts(connection: sqlite3.Connection) -> dict[int, int]:
    """Answers with reasoning by setting (reads the whole table of draws)."""
    rows = connection.execute(
        "SELECT response >> ? & ? AS setting, count(*) FROM draw "
        "WHERE reasoning_tokens > 0 OR trim(reasoning) <> '' GROUP BY setting",
        (SAMPLE_BITS, MAX_SETTING),
    )
    return dict(rows.fetchall())
