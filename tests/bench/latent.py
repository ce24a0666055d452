"""Scores of options at full size: room in the file, tables, pairs of models, and their import.

Run it: `uv run python -m tests.bench.latent [--facts 50000] [--models 20] [--options 100]
[--rows 20000]`. The baselines are of the same run: a row an option, and a `GROUP BY` over them,
of a part of the facts, times how many parts there are.
"""

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
import numpy.typing as npt

import db.model_rows
import db.option_score_arrays
import db.option_scores
import db.triples
from core.project import OpenProject
from core.transfer.imports import import_file
from core.views.latent.latent_relations import LatentOrder
from core.views.latent.latent_service import LatentRequest
from core.views.session import Session
from core.vocabulary import Side
from core.zero_prompt.analyses import LATENT_ANALYSES
from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
from core.zero_prompt.score_matrix import Setup
from db.connection import relax_sync, write_transaction
from db.facts import Fact
from db.option_score_arrays import ROW, ScoreState
from db.option_scores import OptionNumbers, SeriesKey, StoredScore
from db.question_rows import Gold
from db.triples import StoredTriple, TripleRecord
from tests.bench.timing import Measured, best, compare

RELATIONS = 50
AT_ONCE = 2_000
FEWER = 10
"""Examples of the other setup."""
TABLES = ("accuracy", "models", "relations", "at-k")
PAIRS = ("subsumption", "correlation", "agreement")


@dataclass(frozen=True)
class LatentScale:
    """How many facts, models and options a benchmark has."""

    facts: int = 50_000
    models: int = 20
    options: int = 100

    @property
    def setup(self) -> Setup:
        """The setup of all scores."""
        return Setup(options=self.options)


def triples(scale: LatentScale) -> list[StoredTriple]:
    """Facts of fifty relations, with twice as many objects as there are options."""
    return [
        StoredTriple(
            Fact(
                f"f{number}",
                subject=f"Subject {number}",
                object=f"Object {number % (2 * scale.options)}",
                golds={Side.OBJECT: Gold(f"Object {number % (2 * scale.options)}")},
            ),
            TripleRecord(f"relation {number % RELATIONS}", split="eval"),
            "bench",
        )
        for number in range(scale.facts)
    ]


def options_of(number: int, scale: LatentScale) -> list[str]:
    """The options of a fact, its object first."""
    every = 2 * scale.options
    return [f"Object {(number + place) % every}" for place in range(scale.options)]


def build(path: Path, scale: LatentScale) -> None:
    """Make a database of that size; what scores come to is worked out for all facts at once."""
    random = np.random.default_rng(0)
    with OpenProject(path, "create") as project, relax_sync(project.connection):
        connection = project.connection
        with write_transaction(connection):
            db.triples.insert(connection, triples(scale))
            numbers = OptionNumbers(connection)
            lists = [
                db.option_scores.insert_list(
                    connection,
                    at + 1,
                    scale.options,
                    [numbers[one] for one in options_of(at, scale)],
                )
                for at in range(scale.facts)
            ]
        for model in range(scale.models):
            key = SeriesKey(f"model {model}", "zero-prompt", 50, 0, 0, "", scale.options)
            for start in range(0, scale.facts, AT_ONCE):
                places = range(start, min(start + AT_ONCE, scale.facts))
                shape = (len(places), scale.options)
                logprobs = random.uniform(-14, -0.5, shape).astype(np.float32)
                with write_transaction(connection):
                    owner = db.model_rows.ensure_model(connection, key.model)
                    series = db.option_scores.ensure_series(connection, key, owner)
                    stored = [
                        StoredScore(at + 1, lists[at], logprobs[row], None)
                        for row, at in enumerate(places)
                    ]
                    db.option_scores.insert_scores(connection, series, stored)
                    cells = score_all([lists[at] for at in places], places, logprobs)
                    db.option_score_arrays.record(connection, series, cells)
            db.option_score_arrays.fold_if_due(connection)


def score_all(
    lists: Sequence[int], places: Sequence[int], logprobs: npt.NDArray[np.float32]
) -> npt.NDArray[np.void]:
    """What scores come to, for many facts at once; chance leaves no ties to speak of."""
    values = logprobs.astype(np.float64)
    p = np.exp(values)
    rank = 1 + (values[:, 1:] >= values[:, :1]).sum(axis=1)
    cells = np.zeros(len(values), ROW)
    cells["fact"] = np.array(places) + 1
    asked = ScoreState.ASKED | ScoreState.USABLE
    cells["state"] = np.where(rank == 1, asked | ScoreState.CORRECT, asked)
    cells["options"], cells["rank"] = lists, rank
    mass = p.sum(axis=1)
    cells["p_top"], cells["p_gold"], cells["mass"] = p.max(axis=1) / mass, p[:, 0] / mass, mass
    return cells


def option_rows(path: Path, scale: LatentScale, facts: int) -> None:
    """The baseline: a row an option, with text keys made into integers."""
    random = np.random.default_rng(0)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE score (model INTEGER, fact INTEGER, option INTEGER, logprob REAL, "
            "gold INTEGER, PRIMARY KEY (model, fact, option)) WITHOUT ROWID"
        )
        for model in range(scale.models):
            values = random.uniform(-14, -0.5, (facts, scale.options))
            connection.executemany(
                "INSERT INTO score VALUES (?, ?, ?, ?, ?)",
                (
                    (model, fact, option, value, option == 0)
                    for fact, row in enumerate(values.tolist())
                    for option, value in enumerate(row)
                ),
            )
        connection.commit()


GROUPED = (
    "SELECT model, avg(right) FROM (SELECT model, fact, max(CASE WHEN gold THEN logprob END) > "
    "max(CASE WHEN NOT gold THEN logprob END) AS right FROM score GROUP BY model, fact) "
    "GROUP BY model"
)


def measure_tables(path: Path, baseline: Path, scale: LatentScale, parts: int) -> list[str]:
    """Reading the file, tables on what is read, and all pairs, beside grouping the rows."""
    with closing(sqlite3.connect(baseline)) as connection:
        grouped = parts * best(lambda: connection.execute(GROUPED).fetchall())
    lines = []
    with OpenProject(path, "read") as project:

        def read() -> LatentEvidence:
            evidence = LatentEvidence(project, ScoreChoice(scale.setup))
            assert evidence.scores.models
            return evidence

        against = "GROUP BY over a row an option"
        seconds = min(best(read) for _ in range(3))
        lines.append(str(Measured("read triples and arrays", seconds, grouped, against)))
        for name, tables in (("four tables", TABLES), ("all pairs, three tables", PAIRS)):
            seconds = min(_tables(read, tables) for _ in range(3))
            lines.append(str(Measured(name, seconds, grouped, against)))
    return lines


def _tables(read: Callable[[], LatentEvidence], names: Sequence[str]) -> float:
    """Seconds that tables take on scores that are read."""
    evidence = read()
    return best(lambda: [LATENT_ANALYSES[name].as_json(evidence) for name in names])


def add_fewer(path: Path, scale: LatentScale) -> None:
    """What scores come to after fewer examples, for all facts and models, without the scores."""
    random = np.random.default_rng(2)
    with OpenProject(path, "write") as project, relax_sync(project.connection):
        connection = project.connection
        for model in range(scale.models):
            key = SeriesKey(f"model {model}", "zero-prompt", FEWER, 0, 0, "", scale.options)
            cells = np.zeros(scale.facts, ROW)
            cells["fact"] = np.arange(scale.facts) + 1
            right = random.random(scale.facts) < 0.4
            asked = ScoreState.ASKED | ScoreState.USABLE
            cells["state"] = np.where(right, asked | ScoreState.CORRECT, asked)
            with write_transaction(connection):
                owner = db.model_rows.ensure_model(connection, key.model)
                series = db.option_scores.ensure_series(connection, key, owner)
                db.option_score_arrays.record(connection, series, cells)
        db.option_score_arrays.fold_if_due(connection)


def measure_keys(path: Path, baseline: Path, scale: LatentScale, parts: int) -> list[str]:
    """What keys of the Latent screen read, beside the rows of one fact for all models."""
    asked = LatentRequest(scale.setup)
    add_fewer(path, scale)
    with closing(Session(path)) as session, closing(sqlite3.connect(baseline)) as rows:
        session.open()
        latent = session.latent
        lists = latent.lists(asked)
        assert lists.facts is not None
        facts, keys = cycle(lists.facts.ids.tolist()), [row.key for row in lists.board.rows]
        orders, relations = cycle(LatentOrder), cycle(keys)
        fewer = replace(asked, setup=replace(scale.setup, n=FEWER))
        numbers = cycle((scale.setup, fewer.setup))
        somewhere = cycle(range(scale.facts // parts))

        def read_rows() -> None:
            fact = next(somewhere)
            for model in range(scale.models):
                rows.execute(
                    "SELECT option, logprob FROM score WHERE model = ? AND fact = ?", (model, fact)
                ).fetchall()

        acts: dict[str, Callable[[], object]] = {
            "a fact": lambda: latent.fact(keys[0], next(facts), scale.setup, lists.model),
            "another order": lambda: latent.lists(replace(asked, order=next(orders))),
            "another number of examples": lambda: latent.lists(replace(asked, setup=next(numbers))),
            "another relation": lambda: latent.lists(replace(asked, relation=next(relations))),
        }
        against = "rows of one fact, a row an option"
        unseen = partial(latent.lists, fewer)
        return [
            str(compare("key, a number of examples not seen yet", unseen, against, read_rows, 1)),
            *(
                str(compare(f"key, {what}", act, against, read_rows, 9))
                for what, act in acts.items()
            ),
        ]


def score_file(path: Path, scale: LatentScale, rows: int) -> None:
    """A file of scores of one more model."""
    random = np.random.default_rng(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            logprobs = random.uniform(-14, -0.5, scale.options).round(5).tolist()
            row = {"id": f"f{number}", "model": "imported", "n": 50, "logprobs": logprobs}
            file.write(json.dumps({**row, "options": options_of(number, scale)}) + "\n")


def measure_import(path: Path, folder: Path, scale: LatentScale, rows: int) -> list[str]:
    """Importing so many rows, beside putting a row an option into a table."""
    file = folder / "scores.jsonl"
    score_file(file, scale, rows)
    with OpenProject(path, "write") as project:
        start = time.perf_counter()
        report = import_file(project, file)
        seconds = time.perf_counter() - start
    assert (report.added, report.bad) == (rows, 0)
    start = time.perf_counter()
    option_rows(folder / "rows.db", LatentScale(rows, 1, scale.options), rows)
    baseline = time.perf_counter() - start
    return [str(Measured(f"import of {rows:,} rows", seconds, baseline, "a row an option"))]


def measure(scale: LatentScale, folder: Path, rows: int, parts: int) -> list[str]:
    """All of it, a line each; the baselines are made of one in so many facts."""
    path, baseline = folder / "latent.db", folder / "baseline.db"
    build(path, scale)
    option_rows(baseline, scale, scale.facts // parts)
    size, of_rows = path.stat().st_size, parts * baseline.stat().st_size
    return [
        f"{scale.facts:,} facts x {scale.models} models x {scale.options} options",
        f"room: {size / 1e6:,.0f} MB; a row an option: {of_rows / 1e6:,.0f} MB; "
        f"{of_rows / size:.1f} times",
        *measure_tables(path, baseline, scale, parts),
        *measure_keys(path, baseline, scale, parts),
        *measure_import(path, folder, scale, min(rows, scale.facts)),
    ]


def main() -> None:
    """Measure at the size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=50_000)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--options", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--parts", type=int, default=100)
    asked = parser.parse_args()
    scale = LatentScale(asked.facts, asked.models, asked.options)
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(measure(scale, Path(folder), asked.rows, asked.parts)))


if __name__ == "__main__":
    main()
