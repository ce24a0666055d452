"""However lines come back, the same answers are here; killed at any moment, nothing is lost."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.jobs.collection import collect
from core.project import Project
from tui.cli.main import cli

RAW = ("--completion", "raw", "--questions", "raw")
LOSTKEYS = "from tui.cli.main import main; main()"

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
    with Project(folder / "a.db", "read") as project:
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
        with Project(folder / "a.db", "write") as project:
            for some in [files] if at_once else [[file] for file in files]:
                _, found = collect(project, folder / "reqs", some)
        texts = stored(folder).values()
        wanted = {choice["text"] for one in rows for choice in one["choices"]}
        assert (found.complete, found.here) == (True, len(wanted))
        assert sorted(texts) == sorted(wanted)


@pytest.mark.slow
def test_two_collections_at_once_double_nothing(facts: Path) -> None:
    with a_plan(facts) as folder:
        rows = answered(folder)
        out = write(folder / "out.jsonl", [json.dumps(one).encode() for one in rows])
        both = [program(folder, "collect", folder / "reqs", out) for _ in range(2)]
        assert [one.wait() for one in both] == [0, 0]
        assert len(stored(folder)) == 392


def program(folder: Path, *words: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", LOSTKEYS, "--db", str(folder / "a.db"), *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_killed_in_collect_it_ends_the_same(facts: Path) -> None:
    with a_plan(facts) as folder:
        rows = answered(folder)
        lines = [json.dumps(one).encode() for one in rows]
        out = write(folder / "out.jsonl", lines * 30)
        for turn in range(10):
            one = program(folder, "collect", folder / "reqs", out)
            time.sleep(random.Random(turn).uniform(0.3, 1.6))
            one.send_signal(signal.SIGKILL)
            one.wait()
        assert program(folder, "collect", folder / "reqs", out).wait() == 0
        wanted = sorted(choice["text"] for one in rows for choice in one["choices"])
        assert sorted(stored(folder).values()) == wanted


@pytest.mark.slow
def test_killed_in_requests_a_plan_is_whole_or_not_there(facts: Path) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        many = folder / "facts.jsonl"
        one = json.loads(facts.read_bytes().splitlines()[2])
        copies = [json.dumps({**one, "fact_id": f"f{k}"}) for k in range(1500)]
        many.write_text("\n".join(copies))
        lostkeys(folder, "import", many)
        words = ("requests", "--model", "file:m", *RAW, "-o", folder / "reqs")
        for turn in range(10):
            started = program(folder, *words)
            time.sleep(random.Random(turn).uniform(0.4, 3.0))
            os.kill(started.pid, signal.SIGKILL)
            started.wait()
            if (folder / "reqs").exists():
                break
        if not (folder / "reqs").exists():
            lostkeys(folder, *words)
        manifest = json.loads((folder / "reqs" / "manifest.json").read_bytes())
        assert manifest["facts"] == 1500
        rows = answered(folder)
        out = write(folder / "out.jsonl", [json.dumps(row).encode() for row in rows])
        lostkeys(folder, "collect", folder / "reqs", out)
        assert len(stored(folder)) == manifest["answers"]
        assert [file.name for file in folder.iterdir() if file.name.endswith(".part")] == []
