"""Export of responses to Parquet, against pyarrow writing columns that are ready.

Run it: `uv run python -m tests.bench.parquet [--facts N]` (166 are 344,000 responses).
"""

import argparse
import tempfile
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from core.project import OpenProject
from core.transfer.exports import export
from tests.bench.generator import Scale, write_lines
from tests.bench.importing import imported, with_facts
from tests.bench.timing import Measured, best


def measure(scale: Scale, folder: Path) -> list[Measured]:
    """One run of each."""
    database, lines, file = folder / "a.db", folder / "a.jsonl", folder / "a.parquet"
    write_lines(lines, scale)
    with_facts(database, scale)
    imported(database, lines)
    pa.array([""])  # pyarrow looks for pandas on its first array, which neither side is to pay for
    with OpenProject(database, "read") as project:
        ours = best(lambda: export(project, "responses", file))
    table = parquet.read_table(file)
    columns = {name: table[name].to_pylist() for name in table.column_names}

    def bare() -> None:
        parquet.write_table(pa.table(columns, schema=table.schema), folder / "bare.parquet")

    what = f"Parquet of {scale.responses:,} responses"
    return [Measured(what, ours, best(bare), "pyarrow from columns")]


def main() -> None:
    """Measure at a given size, in a passing folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=166)
    with tempfile.TemporaryDirectory() as folder:
        for line in measure(Scale(facts=parser.parse_args().facts), Path(folder)):
            print(line)


if __name__ == "__main__":
    main()
