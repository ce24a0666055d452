"""The statement for DuckDB and the script for Ray of the guides run as they are shown."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from core.analyses.analysis import analyse
from core.project import OpenProject
from core.scoring.policy import Policy
from core.transfer.exports import export
from core.vocabulary import LABELS, TASKS
from tests.core.scale.random_projects import make_project
from tests.fakes.process import running
from tui.cli.main import cli

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = [DOCS / "guides" / name for name in ("lakes.md", "request-files.md")]


def block(word: str) -> str:
    """The code of the pages that holds a word."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    blocks = re.findall(r"```[a-z]*\n(.*?)```", text, re.DOTALL)
    (found,) = (one for one in blocks if word in one)
    return str(found)


def test_the_statement_for_duckdb_counts_as_the_program_does(tmp_path: Path) -> None:
    with make_project(tmp_path / "p.db", 2) as project:
        export(project, "lake", tmp_path / "lake")
        expected = shares(project)
    statement = block("FROM read_parquet").replace("'L/", f"'{tmp_path}/lake/")
    rows = duckdb.connect().execute(statement).fetchall()
    # `choice` joins every list last, which the statement does not know.
    found = {(model, task): share for model, task, share in rows if task[:3] != "mc_"}
    assert found == pytest.approx(expected)
    assert expected


def shares(project: OpenProject) -> dict[tuple[str, str], float]:
    """The share of right answers by model and task, thinking off, as `lexical` says."""
    tally = analyse(project, "direction", Policy(graders=("lexical",))).evidence.tally
    found = {}
    for place, model in enumerate(tally.models):
        for number, task in enumerate(TASKS):
            row = tally.rows[place, 0]
            counts = tally.labels[row, :, number].sum(axis=1) if row >= 0 else [0] * len(LABELS)
            if sum(counts) and not task.is_choice:
                found[model, task.value] = counts[0] / sum(counts)
    return found


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: nothing here needs it")
def test_the_script_for_ray_answers_a_plan(tmp_path: Path) -> None:
    def lostkeys(*words: object) -> None:
        result = CliRunner().invoke(cli, ["--db", str(tmp_path / "p.db"), *map(str, words)])
        assert result.exit_code == 0, result.output

    facts = [
        {"fact_id": f"f{n}", "subject": "France", "object": "Paris", "direct": f"Capital {n}?"}
        for n in range(6)
    ]
    lines = "".join(json.dumps(fact) + "\n" for fact in facts)
    (tmp_path / "facts.jsonl").write_text(lines, encoding="utf-8")
    lostkeys("import", tmp_path / "facts.jsonl")
    lostkeys("requests", "--model", "file:m", "--shards", 2, "-o", tmp_path / "reqs")
    script = tmp_path / "play.py"
    script.write_text(block("import ray"), encoding="utf-8")
    with running("openai_server", tmp_path / "log") as server:
        for shard in range(2):
            part = tmp_path / "reqs" / f"part-{shard:05}.chat.jsonl"
            subprocess.run(
                [sys.executable, script, part, tmp_path / f"out{shard}"],
                env={**os.environ, "AT": f"http://127.0.0.1:{server.port}/v1"},
                check=True,
            )
    outs = [tmp_path / f"out{shard}" for shard in range(2)]
    lostkeys("collect", tmp_path / "reqs", *outs, "--lake", tmp_path / "lake")
    lostkeys("grade", "--grader", "exact", "--lake", tmp_path / "lake")
    lostkeys("profiles", "--from", tmp_path / "lake", "--grader", "exact")
