"""The database thread of a build: replies taken in a second, and finding what waits.

Run it: `uv run python -m tests.bench.building [--documents N]`.
"""

import argparse
import shutil
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import db.build_steps
import db.connection
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.pipeline.build_scope import BuildScope, before
from core.pipeline.build_work import BuildWork
from core.pipeline.funnel import tell
from core.pipeline.grounding import open_grounding
from core.pipeline.stage_requests import Asker, StageModel
from core.pipeline.stage_runner import StageRequest
from core.pipeline.stage_table import BY_NAME
from core.pipeline.stages.triple_questions import QUESTION
from core.project import OpenProject
from core.providers.base import Draw, Reply
from core.providers.registry import describe
from db.build_steps import OF_PASSAGES
from db.connection import write_transaction
from tests.bench.timing import Measured, compare
from tests.core.pipeline.making import MODEL, documents, made, said
from tests.fakes.openai_schemas import say_in_json

BATCH = 32
"""Replies that are taken in at once: what the engine's db writer finds when it comes round."""

STAGES_OF_PAGES = [name for name in BY_NAME if name != QUESTION.name]
"""Every stage but that of triples, of which pages have none."""

_COLUMNS = "stage, unit, version, verdict, reason, value, raw, sources"


@contextmanager
def begun(path: Path) -> Iterator[tuple[OpenProject, BuildWork]]:
    """A build as the engine has it, without the engine; its model is not asked anything."""
    with (
        OpenProject(path, "write") as project,
        closing(LeaseHolder(project.connection)) as lease_holder,
    ):
        stage_model = StageModel(MODEL, describe(MODEL))
        asker = Asker(stage_model, stage_model, open_grounding("local", project, MODEL))
        counters = RunCounters()
        tell(project.connection, BuildScope(), counters)
        yield project, BuildWork(project, BuildScope(), asker, lease_holder, counters)


def whole(path: Path) -> tuple[int, float]:
    """Build to the end; gives how many replies were taken in, and in how many seconds.

    What the fake takes to answer is left out; finding and asking what follows a reply is in.
    """
    count, seconds = 0, 0.0
    with begun(path) as (project, building):
        while asks := list(building.next(BATCH) or []):
            while asks:
                some, asks = asks[:BATCH], asks[BATCH:]
                replies = [(ask, _reply(ask)) for ask in some]
                started = time.perf_counter()
                with write_transaction(project.connection):
                    taken = building.take_all(replies)
                seconds += time.perf_counter() - started
                count += len(replies)
                asks[:0] = [item for one in taken for item in one.further]
    return count, seconds


def _reply(ask: StageRequest) -> Reply:
    text = str(said(ask.request, ""))
    if ask.request.schema is not None:
        text = say_in_json(ask.request.schema, text)
    return Reply((Draw(text, "stop"),), 0, 0)


def bare(path: Path, folder: Path) -> float:
    """Seconds for bare inserts of the same steps in transactions of as many."""
    with closing(db.connection.connect(path, "read")) as connection:
        rows = connection.execute(f"SELECT {_COLUMNS} FROM step ORDER BY id").fetchall()
    with closing(db.connection.connect(folder / "bare.db", "create")) as connection:
        started = time.perf_counter()
        for start in range(0, len(rows), BATCH):
            with write_transaction(connection):
                connection.executemany(
                    f"INSERT INTO step ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    rows[start : start + BATCH],
                )
        return time.perf_counter() - started


def every_stage(connection: sqlite3.Connection) -> list[int]:
    """What waits for each stage, as a build asks for it: block by block."""
    found = []
    for name in STAGES_OF_PAGES:
        found += db.build_steps.find_waiting(connection, name, before(name), "first", 0, BATCH)
    return found


def by_hand(connection: sqlite3.Connection) -> list[int]:
    """What is simpler: read all steps in use, and look in memory which units wait."""
    firsts = {
        key for key, _ in connection.execute("SELECT id, min(place) FROM passage GROUP BY document")
    }
    candidates = dict(connection.execute("SELECT id, passage FROM candidate WHERE NOT aside"))
    done, kept = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    dropped: set[int] = set()
    for stage, unit, verdict in connection.execute(
        "SELECT stage, unit, verdict FROM step WHERE NOT aside"
    ):
        done[stage].add(unit)
        if verdict == "kept":
            kept[stage].add(unit)
        elif verdict == "dropped" and stage not in OF_PASSAGES:
            dropped.add(unit)
    found = []
    for name in STAGES_OF_PAGES:
        theirs = [kept[one] for one in before(name) if one in OF_PASSAGES]
        if name in OF_PASSAGES:
            waiting = firsts.intersection(*theirs)
        else:
            passages = set(candidates.values()).intersection(*theirs)
            mine = [kept[one] for one in before(name) if one not in OF_PASSAGES]
            on = {key for key, passage in candidates.items() if passage in passages}
            waiting = on.intersection(*mine) - dropped
        found += sorted(waiting - done[name])[:BATCH]
    return found


def go_back(path: Path) -> None:
    """Set the later half of all steps aside, so that every stage has something to find."""
    with closing(db.connection.connect(path, "write")) as connection, write_transaction(connection):
        connection.execute("UPDATE step SET aside = 1 WHERE id > (SELECT max(id) / 2 FROM step)")


def measure(count: int, folder: Path, runs: int = 3) -> tuple[Measured, Measured]:
    """Replies taken in against bare inserts of their steps, and the queries for what waits."""
    path = made(folder / "built.db", documents(count))
    replies, seconds = whole(path)
    taking = Measured(
        f"{replies:,} replies, {replies / seconds:,.0f} a second",
        seconds,
        bare(path, folder),
        "bare inserts of their steps",
    )
    half = folder / "half.db"
    shutil.copy(path, half)
    go_back(half)
    with closing(db.connection.connect(half, "read")) as connection:
        assert every_stage(connection) == by_hand(connection) != []
        finding = compare(
            f"what waits for {len(BY_NAME)} stages half-way, {count:,} documents",
            lambda: every_stage(connection),
            "all steps read into memory",
            lambda: by_hand(connection),
            runs,
        )
    return taking, finding


def main() -> None:
    """Measure at a given size, in a passing folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=600)
    count = parser.parse_args().documents
    with tempfile.TemporaryDirectory() as folder:
        for line in measure(count, Path(folder)):
            print(line)


if __name__ == "__main__":
    main()
