"""The schema as a series of named migrations.

Shapes are chosen for 4.5 million responses: a response's id *is* its slot (see `db.slots`), so
the ten tasks of a fact lie side by side and no text key is stored twice; grades are keyed by
response and grader version; labels are also kept as dense grids (see `db.label_grids`), from which
all figures are computed.
"""

from typing import TYPE_CHECKING

from sqlite_utils import Migrations

from db.migrations import FIFTH, FIRST, FOURTH, SECOND, THIRD

if TYPE_CHECKING:
    from sqlite_utils import Database

migrations = Migrations("lostkeys")

_SIXTH = """
CREATE TABLE served (
    id INTEGER PRIMARY KEY,
    model INTEGER NOT NULL REFERENCES model (id),
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (model, name, fingerprint)
) STRICT;

ALTER TABLE draw ADD COLUMN served INTEGER REFERENCES served (id);
"""


@migrations()
def m001_first(db: "Database") -> None:
    """All tables and views of the first version."""
    _run_script(db, FIRST)


@migrations()
def m002_actions_and_search(db: "Database") -> None:
    """What people did, to be undone (`db.actions`); the full-text index (`db.search`)."""
    _run_script(db, SECOND)


@migrations()
def m003_jobs(db: "Database") -> None:
    """Jobs with their stages, spending and events; leases and claims; batches; curtailed runs."""
    _run_script(db, THIRD)


@migrations()
def m004_decisions(db: "Database") -> None:
    """Which actions were one decision, and between which graders (`db.actions`)."""
    _run_script(db, FOURTH)


@migrations()
def m005_building_and_review(db: "Database") -> None:
    """Documents and what stages made of them; reviews, samples; grades of earlier golds."""
    _run_script(db, FIFTH)


@migrations()
def m006_served(db: "Database") -> None:
    """What servers call the models that answered (`db.served_models`)."""
    _run_script(db, _SIXTH)


def _run_script(db: "Database", script: str) -> None:
    """Run several statements inside the caller's transaction.

    `executescript` of the standard library would commit that transaction first.
    """
    for statement in script.split(";\n"):
        if statement.strip():
            db.execute(statement)
