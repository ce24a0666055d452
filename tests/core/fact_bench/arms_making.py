"""Small sets of triples with answers of arms, for tests."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import db.prepared_triples
import db.triples
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.project import OpenProject
from core.vocabulary import Outcome, Side, Task
from db.connection import write_transaction
from db.facts import Fact
from db.prepared_triples import Preparation, PreparedTriple
from db.question_rows import Gold, Question
from db.triples import StoredTriple, TripleRecord
from tests.core.making import Row, new_project, put_rows

SET = "some"
OBJECTS = {
    "a": ("Riga", "capital", "entity"),
    "b": ("Oslo", "capital", "entity"),
    "c": ("1918-11-18", "inception", "date"),
    "d": ("12 km", "length", "number"),
    "e": ("Turku", "", "entity"),
}
"""Triples by id: object, relation, type of the answer."""


def put_triples(
    project: OpenProject, objects: Mapping[str, tuple[str, str, str]] = OBJECTS
) -> None:
    """Add a set of these triples; each is in a domain of its own or in none."""
    with write_transaction(project.connection):
        db.triples.insert(
            project.connection,
            [
                StoredTriple(
                    Fact(
                        name,
                        subject=f"Subject {name}",
                        object=gold,
                        category="" if name == "e" else f"domain {kind}",
                        golds={Side.OBJECT: Gold(gold)},
                        questions={Task.DIRECT: Question(f"What of {name}?")},
                    ),
                    TripleRecord(relation, answer_type=kind),
                    SET,
                )
                for name, (gold, relation, kind) in objects.items()
            ],
        )
    project.refresh()


def put_preparation(project: OpenProject, said: Mapping[str, PreparedTriple]) -> None:
    """Keep what preparing the set says of triples."""
    keys = dict(zip(project.index.fact_ids, project.index.ids.tolist(), strict=True))
    rows = [(keys[name], one) for name, one in said.items()]
    with write_transaction(project.connection):
        db.prepared_triples.replace(project.connection, SET, Preparation(), rows)


NO_LABELS: Mapping[str, Outcome] = {}


def answers(
    label: str, texts: Mapping[str, str], judge: Mapping[str, Outcome] = NO_LABELS
) -> list[Row]:
    """Answers of an arm to triples, with labels of `judge:j`."""
    return [
        Row(name, Task.DIRECT, label, False, 0, _labels(judge.get(name)), text)
        for name, text in texts.items()
    ]


def _labels(outcome: Outcome | None) -> dict[str, Outcome]:
    return {} if outcome is None else {"judge:j": outcome}


def new_set(path: Path, rows: Iterable[Row]) -> OpenProject:
    """A new project with the triples and these answers."""
    project = new_project(path)
    put_triples(project)
    put_rows(project, list(rows))
    return project


def evidence(project: OpenProject, **choice: object) -> BenchEvidence:
    """The evidence under a choice."""
    return BenchEvidence(project, BenchChoice(**choice))  # type: ignore[arg-type]


def table_rows(
    rows: Sequence[Mapping[str, object]], *keys: str
) -> dict[tuple[object, ...], Mapping[str, object]]:
    """Rows by some of their fields."""
    return {tuple(row[key] for key in keys): row for row in rows}
