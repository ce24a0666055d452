"""However lines come back, the same answers are here."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.jobs.answer_collection import collect
from core.project import OpenProject
from tui.cli.main import cli

RAW = ("--completion", "raw", "--questions", "raw")

Row = dict[str, Any]


def lostkeys(folder: Path, *words: object) -> None:
    result = CliRunner().invoke(cli, ["--db", str(folder / "a.db"), *map(str, words)])
    assert result.exit_code == 0, (result.output, result.exception)


@contextmanager
def a_plan(facts: Path) -> Iterator[Path]:
    """A folder with a database whose plan is out in `reqs`."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        lostkeys(folder, "import", facts)
        words = ("requests", "--model", "file:m", *RAW, "--shards", 2, "-o", folder / "reqs")
        lostkeys(folder, *words)
        yield folder


def answered(folder: Path) -> list[Row]:
    """A whole answer to every request."""
    files = sorted((folder / "reqs").glob("part-*"))
    asked = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
    return [
        {
            "custom_id": one["custom_id"],
            "choices": [
                {"index": place, "text": f" {one['custom_id']} {place}"}
                for place in range(one["body"]["n"])
            ],
        }
        for one in asked
    ]


def write(path: Path, lines: Sequence[bytes]) -> Path:
    path.write_bytes(b"\n".join(lines))
    return path


def stored(folder: Path) -> dict[int, str]:
    with OpenProject(folder / "a.db", "read") as project:
        return dict(project.connection.execute("SELECT id, text FROM response"))


@pytest.fixture
def facts(shared: Callable[[str], Path]) -> Path:
    return shared("design/examples/scale-plan/facts.jsonl")


@pytest.mark.slow
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_order_and_any_doubling_end_in_the_same_answers(facts: Path, data: Any) -> None:
    with a_plan(facts) as folder:
        rows = answered(folder)
        lines = [json.dumps(one).encode() for one in rows]
        doubled = data.draw(st.lists(st.sampled_from(lines), max_size=30))
        mixed = data.draw(st.permutations([*lines, *doubled]))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(mixed)), max_size=3)))
        pieces = [
            mixed[start:end] for start, end in zip([0, *cuts], [*cuts, len(mixed)], strict=True)
        ]
        at_once = data.draw(st.booleans())
        files = [write(folder / f"{k}.jsonl", piece) for k, piece in enumerate(pieces)]
        with OpenProject(folder / "a.db", "write") as project:
            for some in [files] if at_once else [[file] for file in files]:
                _, found = collect(project, folder / "reqs", some)
        texts = stored(folder).values()
        wanted = {choice["text"] for one in rows for choice in one["choices"]}
        assert (found.complete, found.here) == (True, len(wanted))
        assert sorted(texts) == sorted(wanted)
