"""Tables of FACT-BENCH at full size: 2.4 million stored scores, beside means of numpy.

The baseline is what nobody can do without: five means of each arm over arrays that lie in memory.
A table is measured from its evidence, which is read before; so is the reading of all of it. So is
a key on the board of Bench, with the questions of the largest groups. Run it:
`uv run python -m tests.bench.arm_tables [--triples 20000] [--models 20]`.
"""

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import db.answer_score_arrays
import db.grades
import db.label_grids
import db.model_rows
import db.prepared_triples
import db.responses
import db.triples
from core.fact_bench.arm_results import ArmScores
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.tables import BENCH_TABLES
from core.project import OpenProject
from core.views.bench.bench_service import BenchRequest
from core.views.session import Session
from core.vocabulary import Outcome, Side, Task
from db.answer_score_arrays import ROW
from db.connection import relax_sync, write_transaction
from db.facts import Fact
from db.prepared_triples import Preparation, PreparedTriple
from db.question_rows import Gold, Question
from db.slot_ids import slot
from db.triples import StoredTriple, TripleRecord
from tests.bench.timing import Measured, compare

MODES = ("zero-shot", "1-shot", "10-shot", "10-shot:shuffle", "recite-1-shot", "reading")
PROPERTIES, DOMAINS, TIERS = 130, 20, ("bottom", "middle", "middle", "top")
SET = "bench"
TABLES = ("benchmark", "popularity", "property", "domain", "answer-type", "shuffle", "methods")


@dataclass(frozen=True)
class ArmScale:
    """How many triples and models; each model has six arms."""

    triples: int = 20_000
    models: int = 20


def triples(scale: ArmScale) -> list[StoredTriple]:
    """Triples of many properties and domains."""
    return [
        StoredTriple(
            Fact(
                f"t{number}",
                subject=f"Subject {number}",
                object=f"Object {number}",
                category=f"domain {number % DOMAINS}",
                golds={Side.OBJECT: Gold(f"Object {number}")},
                questions={Task.DIRECT: Question(f"What of {number}?")},
            ),
            TripleRecord(f"property {number % PROPERTIES}"),
            SET,
        )
        for number in range(scale.triples)
    ]


def build(path: Path, scale: ArmScale) -> None:
    """Make a database of that size, with scores of chance that are kept."""
    random = np.random.default_rng(0)
    with OpenProject(path, "create") as project, relax_sync(project.connection):
        connection = project.connection
        with write_transaction(connection):
            db.triples.insert(connection, triples(scale))
            rows = db.prepared_triples.read_set(connection, SET)
            said = [
                (one.fact, PreparedTriple("", TIERS[at % len(TIERS)], "eval"))
                for at, one in enumerate(rows)
            ]
            db.prepared_triples.replace(connection, SET, Preparation(), said)
            judge = db.grades.ensure_grader(connection, "judge:j", "1")
        settings = []
        for model in range(scale.models):
            for mode in MODES:
                with write_transaction(connection):
                    setting = db.model_rows.ensure_setting(connection, f"m{model}#{mode}", False)
                    slots = [slot(one.question, setting, 0) for one in rows]
                    db.responses.insert(connection, [(key, "x", None) for key in slots])
                    labels = np.where(random.random(len(slots)) < 0.5, 1, 2).tolist()
                    assert {1, 2} == {Outcome.CORRECT, Outcome.INCORRECT}
                    graded = [
                        (key, judge, one, None) for key, one in zip(slots, labels, strict=True)
                    ]
                    db.grades.insert_graded(connection, graded)
                settings.append(setting)
        db.label_grids.fold(connection)
        seen = db.label_grids.load(connection).seq
        for setting in settings:
            cells = np.zeros(len(rows), ROW)
            cells["question"] = [one.question for one in rows]
            cells["gold"] = [one.gold for one in rows]
            cells["f1"], cells["f1_raw"] = random.random((2, len(rows)))
            cells["em"], cells["em_raw"] = random.random((2, len(rows))) < 0.4
            with write_transaction(connection):
                assert db.answer_score_arrays.store(connection, setting, cells, seen)


def means(scores: list[ArmScores]) -> list[tuple[float, ...]]:
    """Five means of each arm, of arrays that are there."""
    return [
        tuple(float(one.mean()) for one in (s.em, s.em_raw, s.f1, s.f1_raw, s.judged_right))
        for s in scores
    ]


def measure(path: Path, runs: int) -> list[Measured]:
    """Reading all that tables need, and each table on it."""
    with OpenProject(path, "read") as project:

        def read() -> BenchEvidence:
            evidence = BenchEvidence(project, BenchChoice())
            for arm in evidence.every_arm:
                evidence.scores(arm)
            return evidence

        evidence = read()
        scores = [evidence.scores(arm) for arm in evidence.every_arm]
        against = "five means an arm"

        def make(name: str) -> Callable[[], object]:
            return lambda: BENCH_TABLES[name].as_json(evidence)

        return [
            compare("reading", read, against, lambda: means(scores), runs),
            *(compare(name, make(name), against, lambda: means(scores), runs) for name in TABLES),
        ]


def measure_keys(path: Path, runs: int) -> list[Measured]:
    """A key on the board of an arm: its groups another way, and every group's questions."""
    session = Session(path)
    session.open()
    first = session.bench.lists(BenchRequest())
    assert first is not None
    with OpenProject(path, "read") as project:
        evidence = BenchEvidence(project, BenchChoice())
        scores = [evidence.scores(arm) for arm in evidence.every_arm]

    def read(by: str, group: str) -> Callable[[], object]:
        return lambda: session.bench.lists(BenchRequest(arm=first.arm, by=by, group=group))

    found = []
    for by in ("popularity", "property", "domain"):
        lists = session.bench.lists(BenchRequest(arm=first.arm, by=by))
        assert lists is not None
        largest = max(lists.groups, key=lambda one: one.figures.n)
        what = f"key on {largest.name}, {largest.figures.n:,} questions"
        found.append(
            compare(what, read(by, largest.name), "five means an arm", lambda: means(scores), runs)
        )
    session.close()
    return found


def main() -> None:
    """Measure at the size that is asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--triples", type=int, default=ArmScale.triples)
    options.add_argument("--models", type=int, default=ArmScale.models)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--keep", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / "arms.db"
        if not path.exists():
            build(path, ArmScale(given.triples, given.models))
        for one in [*measure(path, given.runs), *measure_keys(path, given.runs)]:
            print(f"{one}; {one.subject / one.baseline:.1f} times its time")


if __name__ == "__main__":
    main()
