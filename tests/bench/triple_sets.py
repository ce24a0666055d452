"""Import of a set of triples, preparing it, and counterfactual answers, each beside plain code.

Run it: `uv run python -m tests.bench.triple_sets [--triples N]` (20,000 is the paper's size, of
which the largest group of a property has 4,073 here).
"""

import argparse
import hashlib
import json
import random
import re
import sqlite3
import tempfile
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from math import floor
from pathlib import Path

import db.connection
from core.fact_bench.counterfactuals import assign_counterfactuals
from core.fact_bench.set_preparation import DEFAULT, prepare
from core.fact_bench.stored_sets import read_set
from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import score_response
from core.project import OpenProject
from core.transfer.imports import import_file
from db.connection import relax_sync, write_transaction
from db.prepared_triples import SetTriple
from tests.bench.timing import Measured, best, compare
from tests.core.making import new_project

TRIPLES, LARGEST = 20_000, 4_073
AT_ONCE = 2_000
"""Triples in a transaction, as the import has them."""

PLACES = ("Riga", "Oslo", "Tartu", "Cork", "Jena", "Lyon", "Faro", "Bern", "Ghent", "Bergen")
PROPERTIES = (
    ("place of birth", "P19", "entity", "", "Where was {} born?"),
    ("date of birth", "P569", "date", "", "On what date was {} born?"),
    ("length", "P2043", "number", "km", "How long is {}, in kilometers?"),
    ("father", "P22", "entity", "", "Who is the father of {}?"),
)


def make_rows(count: int, seed: int = 1) -> Iterator[dict[str, object]]:
    """Triples of twenty domains and four properties, a few of which cannot be used."""
    chance = random.Random(seed)
    for number in range(count):
        relation, property_id, kind, unit, asked = PROPERTIES[number % len(PROPERTIES)]
        subject = f"{chance.choice(PLACES)} {chance.choice(PLACES)} {number}"
        answers = {
            "entity": f"{chance.choice(PLACES)} {chance.randint(1, 999)}",
            "date": f"{chance.randint(1500, 2020)}-{chance.randint(1, 12):02}-17",
            "number": f"{chance.randint(1, 9999)}.{chance.randint(1, 9)}",
        }
        yield {
            "id": f"t{number:06}",
            "subject": subject,
            "subject_id": f"Q{number - (number % 97 == 0)}",
            "relation": relation,
            "property_id": property_id,
            "object": answers[kind],
            "aliases": [f"{answers[kind]} again", chance.choice(PLACES)],
            "domain": f"domain {number % 20}",
            "popularity": chance.randint(1, 10**6),
            "answer_type": kind,
            "unit": unit,
            "question": asked.format(subject),
        }


def write_set(path: Path, count: int) -> list[dict[str, object]]:
    """A file of triples; gives its rows."""
    rows = list(make_rows(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return rows


def insert_bare(path: Path, rows: list[dict[str, object]]) -> None:
    """Nothing but `executemany` of ready rows into the same tables, batch by batch."""
    connection = db.connection.connect(path, "write")
    with closing(connection), relax_sync(connection):
        with write_transaction(connection):
            connection.execute("INSERT INTO triple_set (id, name) VALUES (1, 'bare')")
            connection.executemany(
                "INSERT INTO relation (id, triple_set, name) VALUES (?, 1, ?)",
                [(place, one[0]) for place, one in enumerate(PROPERTIES, 1)],
            )
        for start in range(0, len(rows), AT_ONCE):
            with write_transaction(connection):
                _insert_batch(connection, rows[start : start + AT_ONCE], start + 1)


def _insert_batch(
    connection: sqlite3.Connection, rows: list[dict[str, object]], first: int
) -> None:
    places = {one[0]: place for place, one in enumerate(PROPERTIES, 1)}
    numbered = list(enumerate(rows, first))
    connection.executemany(
        "INSERT INTO fact (id, fact_id, views, category, subject, object) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (key, one["id"], one["popularity"], one["domain"], one["subject"], one["object"])
            for key, one in numbered
        ],
    )
    connection.executemany(
        "INSERT INTO gold (fact, side, version, text, aliases, current) "
        "VALUES (?, 'object', 1, ?, ?, 1)",
        [(key, one["object"], json.dumps(one["aliases"])) for key, one in numbered],
    )
    connection.executemany(
        "INSERT INTO question (fact, task, version, text, current) VALUES (?, 'direct', 1, ?, 1)",
        [(key, one["question"]) for key, one in numbered],
    )
    connection.executemany(
        "INSERT INTO triple (fact, relation, subject_id, property_id, answer_type, unit) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                key,
                places[str(one["relation"])],
                one["subject_id"],
                one["property_id"],
                one["answer_type"],
                one["unit"],
            )
            for key, one in numbered
        ],
    )


def import_set(path: Path, file: Path) -> None:
    """The real import."""
    with OpenProject(path, "write") as project:
        assert import_file(project, file, "triples").bad == 0


def measure_import(count: int, folder: Path, runs: int) -> Measured:
    """Import and bare insert, each into a file of its own every time."""
    file = folder / "set.jsonl"
    rows = write_set(file, count)
    times = []
    for run in range(runs):
        paths = [folder / f"{name}{run}.db" for name in ("ours", "bare")]
        for path in paths:
            new_project(path).close()
        ours, bare = paths
        times.append((best(lambda: import_set(ours, file)), best(lambda: insert_bare(bare, rows))))  # noqa: B023
    return Measured(
        f"import of {count:,} triples",
        min(one for one, _ in times),
        min(one for _, one in times),
        "bare executemany of ready rows",
    )


def fold_plainly(text: str) -> str:
    """Words of a text in lower case without accents."""
    bare = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(char for char in bare if not unicodedata.combining(char))
    words = " ".join(re.findall(r"[^\W_]+", bare))
    return f" {words} "


def prepare_plainly(triples: list[SetTriple]) -> Counter[str]:
    """The default filters, tiers and split as plain loops over dictionaries."""
    kept = keep_plainly(triples)
    tiers = {}
    for domain in {one.domain for one in kept}:
        ranked = sorted(
            (one for one in kept if one.domain == domain),
            key=lambda one: (one.popularity or 0, one.fact_id),
        )
        few = len(ranked) // 4
        for place, one in enumerate(ranked):
            is_top = place >= len(ranked) - few
            tiers[one.fact] = "bottom" if place < few else "top" if is_top else "middle"
    strata = defaultdict(list)
    for one in kept:
        strata[one.domain, tiers[one.fact]].append(one)
    train = floor(len(kept) / 4 + 0.5)
    sizes = {key: floor(train * len(one) / len(kept)) for key, one in strata.items()}
    rest = sorted(strata, key=lambda key: (-(train * len(strata[key]) % len(kept)), key))
    for stratum in rest[: train - sum(sizes.values())]:
        sizes[stratum] += 1
    found: Counter[str] = Counter()
    for stratum, members in strata.items():
        members.sort(key=lambda one: hashlib.sha256(f"0/split/{one.fact_id}".encode()).hexdigest())
        found["train"] += len(members[: sizes[stratum]])
        found["eval"] += len(members[sizes[stratum] :])
    return found


def keep_plainly(triples: list[SetTriple]) -> list[SetTriple]:
    """The triples that no default filter drops."""
    seen: set[tuple[str, str, str]] = set()
    keys, first = {}, []
    for one in triples:
        key = (one.subject_id.casefold(), one.property_id.casefold())
        if (*key, one.object.casefold()) not in seen:
            first.append(one)
        seen.add((*key, one.object.casefold()))
        keys[one.fact] = key
    counts = Counter(keys[one.fact] for one in first)
    return [
        one
        for one in first
        if "(" not in one.subject and counts[keys[one.fact]] == 1 and not leaks_plainly(one)
        if not one.unit or re.search(r"\bkm\b|\bkilomet(er|re)s?\b", one.asked)
    ]


def leaks_plainly(one: SetTriple) -> bool:
    """Whether the answer stands in the question."""
    asked = fold_plainly(one.asked)
    names = [one.object, *(name for name in one.aliases if len(name) > 3)]
    return any(fold_plainly(name) in asked for name in names)


def assign_plainly(triples: list[SetTriple]) -> dict[int, int]:
    """Counterfactual answers as the rule is written, each comparison by the grader."""
    g = sorted(
        triples, key=lambda one: hashlib.sha256(f"0/shuffle/{one.fact_id}".encode()).hexdigest()
    )
    n = len(g)
    given = [(place + 1) % n for place in range(n)]

    def clash(i: int, j: int) -> bool:
        kind = AnswerKind(g[i].answer_type, g[i].unit)
        return i == j or score_response(g[j].object, (g[i].object, *g[i].aliases), kind).em == 1

    for i in range(n):
        if clash(i, given[i]):
            for j in [*range(i + 1, n), *range(i)]:
                if not clash(i, given[j]) and not clash(j, given[i]):
                    given[i], given[j] = given[j], given[i]
                    break
    return {g[i].fact: g[given[i]].fact for i in range(n) if not clash(i, given[i])}


def measure_sets(count: int, largest: int, folder: Path, runs: int) -> list[Measured]:
    """Preparing a set, and counterfactual answers of one property."""
    file, path = folder / "prepared.jsonl", folder / "prepared.db"
    write_set(file, count)
    with new_project(path) as project:
        assert import_file(project, file, "triples").bad == 0
        triples = read_set(project).triples
    said = prepare(triples, DEFAULT)
    splits = Counter(one.split for one in said.values() if one.split)
    assert splits == prepare_plainly(triples)
    group = [one for one in triples if one.relation == "place of birth"][:largest]
    found = {fact: one.fact for fact, one in assign_counterfactuals(group, 0).items()}
    assert found == assign_plainly(group)
    return [
        compare(
            f"preparing {count:,} triples",
            lambda: prepare(triples, DEFAULT),
            "plain loops",
            lambda: prepare_plainly(triples),
            runs,
        ),
        compare(
            f"counterfactual answers of {len(group):,} triples",
            lambda: assign_counterfactuals(group, 0),
            "plain loops",
            lambda: assign_plainly(group),
            runs,
        ),
    ]


def main() -> None:
    """Print a line for each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--triples", type=int, default=TRIPLES)
    options.add_argument("--runs", type=int, default=3)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(measure_import(given.triples, folder, given.runs))
        for found in measure_sets(given.triples, LARGEST, folder, given.runs):
            print(found)


if __name__ == "__main__":
    main()
