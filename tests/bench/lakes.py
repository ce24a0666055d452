"""A lake of a million facts and 80 million labels of one model, beside the bare DuckDB statements.

The baseline numbers the facts and counts labels folder by folder, one GROUP BY each, and that is
all: no question is checked, no profile derived. The program runs as a command of its own, whose
peak of memory is told, and so does the baseline. Run it:
`uv run python -m tests.bench.lakes [--facts 1000000] [--samples 8]`.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.scale.lake import FACTS, LakeCell, write_marker
from core.scoring.verdicts import CELLS
from core.transfer.lake_parquet import (
    FACTS_IN_GROUP,
    fact_schema,
    label_schema,
    part_name,
    response_schema,
    write_part,
)
from core.vocabulary import LABELS

MODEL, GRADER, PLAN = "openai:m/8b", "lexical", "bench"
FACTS_AT_ONCE = 50_000
TOPICS = ("Arts", "Geography", "People", "Science")

BASELINE = """
import resource, sys, time, glob
import duckdb
lake = sys.argv[1]
start = time.perf_counter()
one = duckdb.connect()
one.execute("SET memory_limit = '768MB'; SET preserve_insertion_order = false; "
    "SET enable_progress_bar = false")
one.execute("CREATE TABLE fact AS SELECT fact_id, row_number() OVER () AS number "
    f"FROM read_parquet('{lake}/facts/*.parquet')")
kinds = ("CORRECT", "INCORRECT", "PARTIALLY", "OTHER")
counts = ", ".join(f"count(*) FILTER (label = '{kind}')" for kind in kinds)
for folder in sorted(glob.glob(f"{lake}/labels/*/*/*/*")):
    one.execute(f"SELECT number, found.* EXCLUDE (fact_id) FROM (SELECT fact_id, {counts} "
        f"FROM read_parquet('{folder}/*.parquet') GROUP BY fact_id) AS found "
        "JOIN fact USING (fact_id)").fetchnumpy()
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

SUBJECT = """
import resource, sys, time
from pathlib import Path
from core.scale.lake_counts import LakeCounts
from core.scale.lake_results import read_profiles
from core.scoring.policy import Policy
start = time.perf_counter()
with LakeCounts(Path(sys.argv[1])) as counts:
    read_profiles(counts, Policy())
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class LakeScale:
    """How many facts, and how many answers each question has."""

    facts: int = 1_000_000
    samples: int = 8


@dataclass(frozen=True)
class LakeMeasured:
    """Seconds and megabytes of both, and bytes a label."""

    subject: float
    subject_mb: float
    baseline: float
    baseline_mb: float
    label_bytes: float

    @property
    def ratio(self) -> float:
        """How many times as long the program takes."""
        return self.subject / self.baseline

    def __str__(self) -> str:
        return (
            f"profiles {self.subject:.1f} s, {self.subject_mb:,.0f} MB; bare statements "
            f"{self.baseline:.1f} s, {self.baseline_mb:,.0f} MB; {self.ratio:.2f} times as long; "
            f"{self.label_bytes:.2f} bytes a label"
        )


def build(path: Path, scale: LakeScale) -> None:
    """Write the lake; facts are known by chance, their answers alike."""
    random = np.random.default_rng(1)
    path.mkdir()
    write_marker(path)
    ids = _ids(random, scale.facts)
    schema = fact_schema(())
    write_part(path / FACTS / part_name(PLAN, 0), schema, _facts(ids), None, FACTS_IN_GROUP)
    for task, thinking in CELLS:
        cell = LakeCell(MODEL, thinking, task)
        known = random.beta(0.5, 0.5, scale.facts)
        name = part_name(PLAN, 0)
        labels = _labels(random, ids, known, scale.samples)
        write_part(path / cell.folder(GRADER) / name, label_schema(GRADER), labels)
        responses = _responses(ids, scale.samples)
        write_part(path / cell.folder() / name, response_schema(), responses)


def _ids(random: np.random.Generator, facts: int) -> list[str]:
    """Ids as those of the published data: a page, two underscores, a number."""
    pages = random.choice(10 * facts, facts, replace=False)
    return sorted(f"{page}__{page % 7}" for page in pages.tolist())


def _facts(ids: list[str]) -> Iterator[pa.RecordBatch]:
    schema = fact_schema(())
    for start in range(0, len(ids), FACTS_AT_ONCE):
        some = ids[start : start + FACTS_AT_ONCE]
        columns: list[list[object]] = []
        for name in schema.names:
            if name == "fact_id":
                columns.append([*some])
            elif name == "gbc":
                columns.append(list(range(start, start + len(some))))
            elif name == "category":
                columns.append([TOPICS[place % len(TOPICS)] for place in range(len(some))])
            else:
                columns.append([_text(name, one) for one in some])
        yield pa.record_batch(columns, schema=schema)


def _text(column: str, fact_id: str) -> str:
    """A text of a fact; the options of a question are its answer and three others, as a list."""
    if column.endswith("_choices"):
        answer = _text(column.replace("_choices", "_answer"), fact_id)
        return json.dumps([answer, "Never", "Nope", "No"])
    return f"What is the {column} of {fact_id}, asked at some length?"


def _keys(ids: list[str], start: int, samples: int) -> tuple[int, pa.Array, pa.Array]:
    some = ids[start : start + FACTS_AT_ONCE]
    each = np.repeat(np.arange(len(some)), samples)
    numbers = np.tile(np.arange(samples, dtype=np.int16), len(some))
    return len(some), pa.array(some, pa.string()).take(pa.array(each)), pa.array(numbers)


def _labels(
    random: np.random.Generator, ids: list[str], known: np.ndarray, samples: int
) -> Iterator[pa.RecordBatch]:
    words = pa.array([str(label) for label in LABELS])
    for start in range(0, len(ids), FACTS_AT_ONCE):
        many, fact_ids, numbers = _keys(ids, start, samples)
        chance = random.random((many, samples))
        right = chance < 0.92 * known[start : start + many, None]
        rest = np.where(chance < 0.92, 1, np.where(chance < 0.95, 2, 3))
        codes = np.where(right, 0, rest).astype(np.int8).ravel()
        label = pa.DictionaryArray.from_arrays(pa.array(codes), words)
        version = pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(len(codes), np.int32)), pa.array(["2"])
        )
        columns = [fact_ids, numbers, label, version]
        yield pa.record_batch(columns, schema=label_schema(GRADER))


def _responses(ids: list[str], samples: int) -> Iterator[pa.RecordBatch]:
    schema = response_schema()
    for start in range(0, len(ids), FACTS_AT_ONCE):
        many, fact_ids, numbers = _keys(ids, start, samples)
        rows = many * samples
        texts = pa.array(["an answer"] * rows)
        none = [pa.nulls(rows, field.type) for field in list(schema)[3:]]
        yield pa.record_batch([fact_ids, numbers, texts, *none], schema=schema)


def measure(path: Path, runs: int) -> LakeMeasured:
    """Run both in turn, each as a program of its own; the best of some runs."""
    found = [[_run(SUBJECT, path), _run(BASELINE, path)] for _ in range(runs)]
    (subject, subject_kb), (baseline, baseline_kb) = (
        min(pair[place] for pair in found) for place in range(2)
    )
    files = list((path / "labels").rglob("*.parquet"))
    size = sum(file.stat().st_size for file in files)
    rows = sum(json.loads(_run_text(ROWS, file)) for file in files)
    return LakeMeasured(subject, subject_kb / 1024, baseline, baseline_kb / 1024, size / rows)


ROWS = "import sys; from pyarrow import parquet; print(parquet.read_metadata(sys.argv[1]).num_rows)"


def _run(program: str, path: Path) -> tuple[float, float]:
    seconds, kilobytes = _run_text(program, path).split()
    return float(seconds), float(kilobytes)


def _run_text(program: str, path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout


def main() -> None:
    """Build the lake, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--runs", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lake"
        build(path, LakeScale(asked.facts, asked.samples))
        print(measure(path, asked.runs))


if __name__ == "__main__":
    main()
