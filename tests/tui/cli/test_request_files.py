"""`requests` and `collect` on the worked examples, and what goes wrong."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import core.providers.base
import core.scale.plan_draft
import db.leases
import db.model_rows
import db.plan_ranges
from core.project import OpenProject
from core.providers.endpoints import Endpoints
from core.sampling.recipe import apply_endpoints, recipe_for
from core.sampling.sample_plan import Plan
from core.sampling.sample_work import CLAIMED
from core.scale.engine_fields import describe_files
from db.connection import write_transaction
from tests.core.sampling.filling import run
from tests.core.sampling.scripted import Scripted, say
from tests.fakes.openai_server import FakeOpenAI
from tui.cli.main import cli

RAW = ("--completion", "raw", "--questions", "raw")
BASE = ("requests", "--model", "file:base", *RAW)

Run = Callable[..., Result]


@pytest.fixture
def lostkeys(tmp_path: Path) -> Run:
    """Run a command on a database in the test's folder."""
    database = str(tmp_path / "some.db")

    def run(*words: object) -> Result:
        return CliRunner().invoke(cli, ["--db", database, *map(str, words)])

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def same_plan(found: Path, expected: Path) -> None:
    """Each file as it should be; the manifest has more keys."""
    wanted = json.loads((expected / "manifest.json").read_text(encoding="utf-8"))
    there = json.loads((found / "manifest.json").read_text(encoding="utf-8"))
    assert len(there["files"]) == len(wanted["files"])
    for one, other in zip(there["files"], wanted["files"], strict=True):
        assert one.items() >= other.items()
    assert {key: there[key] for key in wanted if key != "files"} == {
        key: wanted[key] for key in wanted if key != "files"
    }
    for file in expected.glob("*.jsonl"):
        assert lines(found / file.name) == lines(file)
    names = {file.name for file in expected.iterdir()}
    assert {file.name for file in found.iterdir()} == names


def recipe_of_files(path: Path) -> None:
    """Let imported responses stand for the recipe that plans of the label have."""
    known = apply_endpoints(describe_files("vllm", "steps"), "file:base", Endpoints("raw", "raw"))
    with OpenProject(path, "write") as project, write_transaction(project.connection):
        recipe = recipe_for("file:base", None, known).as_json()
        db.model_rows.set_recipe(project.connection, "file:base", recipe)


@pytest.mark.parametrize("which", ["all", "rest"])
def test_the_plan_is_that_of_the_example(
    lostkeys: Run, tmp_path: Path, shared: Callable[[str], Path], which: str
) -> None:
    folder = shared("design/examples/scale-plan")
    assert lostkeys("import", folder / "facts.jsonl").exit_code == 0
    if which == "rest":
        assert lostkeys("import", folder / "responses.jsonl").exit_code == 0
        refused = lostkeys(*BASE, "-o", tmp_path / "none")
        assert "imported responses" in str(refused.exception)
        recipe_of_files(tmp_path / "some.db")
    result = lostkeys(*BASE, "--shards", 2, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    same_plan(tmp_path / "out", folder / which)
    again = lostkeys(*BASE, "--shards", 2, "-o", tmp_path / "more")
    assert (again.exit_code, (tmp_path / "more").exists()) == (0, False)
    assert "nothing to ask: what is missing is out in files" in again.output
    told = lostkeys(*BASE, "--dry-run").output
    assert f"{392 - 11 * (which == 'rest')} answers are out in files" in told


def test_a_dry_run_has_the_rows_of_the_guide_and_needs_no_folder(
    lostkeys: Run, shared: Callable[[str], Path]
) -> None:
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    told = lostkeys(*BASE, "--dry-run").output.splitlines()
    assert [line[:16].strip() for line in told] == [
        *("requests", "facts", "thinking off", "thinking on", "GPU hours", "request files"),
        *("answers", "labels", "profiles", "lexical", "in one database"),
    ]
    assert told[7].split()[1:3] == ["357", "B"]  # 392 labels of 0.91 bytes
    assert told[10].split()[3:5] == ["47", "kB"]  # 392 answers of 119 bytes
    refused = lostkeys(*BASE)
    assert refused.exit_code == 2
    assert "Missing option '-o'" in refused.output + str(refused.exception)


@pytest.fixture
def planned(lostkeys: Run, tmp_path: Path, shared: Callable[[str], Path]) -> Run:
    """The example's plan is out in `out`."""
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    assert lostkeys(*BASE, "-o", tmp_path / "out").exit_code == 0
    return lostkeys


def test_a_whole_plan_is_two_ranges_and_frees_them(planned: Run, tmp_path: Path) -> None:
    jobs = json.loads(planned("jobs", "--json").output)["jobs"]
    (job,) = [one for one in jobs if one["kind"] == "files"]
    assert job["state"] == "out"
    assert [stage["waiting"] for stage in job["stages"][1:]] == [232, 160]
    with OpenProject(tmp_path / "some.db", "read") as project:
        ranges = project.connection.execute("SELECT count(*) FROM plan_range").fetchone()
    assert ranges == (2,)
    assert planned("jobs", "cancel", job["id"]).exit_code == 0
    assert planned(*BASE, "-o", tmp_path / "again").exit_code == 0


def test_sample_leaves_what_is_out_and_says_so(planned: Run, tmp_path: Path) -> None:
    with OpenProject(tmp_path / "some.db", "write") as project:
        plan = Plan(
            "file:base",
            "file:base",
            9,
            np.ones(len(project.index), np.bool_),
            endpoints=Endpoints("raw", "raw"),
        )
        provider = Scripted(say(" Paris"))
        counters = run(project, provider, plan)
        assert {request.n for request in provider.seen} == {1}
    assert counters.done == 49
    left = {reason.partition(" since ")[0]: count for reason, count in counters.reasons.items()}
    assert left == {f"out in {tmp_path / 'out'}": 392}


@pytest.mark.parametrize("command", [("sample",), ("run", "--grader", "lexical")])
def test_a_dry_run_leaves_what_is_out_and_says_so(planned: Run, command: tuple[str, ...]) -> None:
    def estimate(samples: int) -> dict[str, str]:
        words = ("--model", "file:base", *RAW, "--samples", samples, "--dry-run")
        told = planned(*command, *words).output
        return {line.split()[0]: " ".join(line.split()[1:]) for line in told.splitlines()}

    all_out, one_more = estimate(8), estimate(9)
    assert all_out["answers"] == "0"
    assert one_more["answers"].startswith("49 ")
    for told in (all_out, one_more):
        assert told["questions"] == "49"
        assert told["out"] == "392 answers are out in files and not asked for"
    (job,) = (one["id"] for one in jobs_of(planned) if one["kind"] == "files")
    assert planned("jobs", "cancel", job).exit_code == 0
    freed = estimate(9)
    assert freed["answers"].startswith("441 ")
    assert "out" not in freed


def jobs_of(lostkeys: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(lostkeys("jobs", "--json").output)["jobs"]
    return found


def test_what_a_lease_holds_is_left_out(
    lostkeys: Run, tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    with (
        OpenProject(tmp_path / "some.db", "write") as project,
        write_transaction(project.connection),
    ):
        connection = project.connection
        setting = db.model_rows.ensure_setting(connection, "file:base", False)
        keys = [int(key) << 20 | setting << 10 for key in project.index.questions[1:3, 2]]
        db.leases.claim(connection, db.leases.take(connection), CLAIMED, keys)
    assert lostkeys(*BASE, "-o", tmp_path / "out").exit_code == 0
    asked = {one["custom_id"][:13] for one in lines(tmp_path / "out" / "part-00000.raw.jsonl")}
    assert "f0-direct-off" in asked
    assert not asked & {"f1-direct-off", "f2-direct-off"}
    with OpenProject(tmp_path / "some.db", "read") as project:
        rows = project.connection.execute(
            "SELECT first, last FROM plan_range WHERE setting = ?", (setting,)
        ).fetchall()
    held = {key >> 20 for key in keys}
    assert not any(first <= key <= last for first, last in rows for key in held)


def test_shards_that_cannot_be(planned: Run, tmp_path: Path) -> None:
    assert planned(*BASE, "--shards", 0, "-o", tmp_path / "x").exit_code == 2
    result = planned(*BASE, "--as", "other", "--shards", 6, "-o", tmp_path / "x")
    assert "--shards 6: the plan has 5 facts" in str(result.exception)
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_dir()) == ["out", "state"]
    assert planned(*BASE, "--as", "other", "-o", tmp_path / "x").exit_code == 0


def test_a_folder_that_is_there(planned: Run, tmp_path: Path) -> None:
    result = planned(*BASE, "--as", "other", "-o", tmp_path / "out")
    assert "is there already" in str(result.exception)


def test_a_full_disk_leaves_nothing(
    lostkeys: Run,
    tmp_path: Path,
    shared: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(core.scale.plan_draft, "_sync", full)
    result = lostkeys(*BASE, "-o", tmp_path / "out")
    assert "No space left on device" in str(result.exception)
    assert "nothing was left behind" in str(result.exception)
    assert [file.name for file in tmp_path.iterdir() if file.is_dir()] == []
    monkeypatch.undo()
    assert lostkeys(*BASE, "-o", tmp_path / "out").exit_code == 0


def test_a_draft_of_a_program_that_is_gone_goes(planned: Run, tmp_path: Path) -> None:
    gone = tmp_path / ".next.4194304.part"
    mine = tmp_path / f".next.{os.getppid()}.part"
    gone.mkdir()
    mine.mkdir()
    assert planned(*BASE, "--as", "other", "-o", tmp_path / "next").exit_code == 0
    assert (gone.exists(), mine.exists()) == (False, True)


@pytest.mark.parametrize(
    ("words", "limit", "fields"),
    [
        ((), "max_tokens", {"top_k": -1, "min_p": 0.0}),
        (("--engine", "openai"), "max_completion_tokens", {}),
        (("--engine", "plain"), "max_tokens", {}),
    ],
)
def test_engines_have_their_fields(
    lostkeys: Run,
    tmp_path: Path,
    shared: Callable[[str], Path],
    words: tuple[str, ...],
    limit: str,
    fields: dict[str, object],
) -> None:
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    assert lostkeys("requests", "--model", "file:m", *words, "-o", tmp_path / "o").exit_code == 0
    for one in lines(tmp_path / "o" / "part-00000.chat.jsonl"):
        assert one["url"] == "/v1/chat/completions"
        assert limit in one["body"]
        assert {name: one["body"][name] for name in ("top_k", "min_p") if name in one["body"]} == (
            fields
        )


def test_thinking_by_the_template(
    lostkeys: Run, tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    words = ("requests", "--model", "file:m", "--thinking-by", "template", "--per-request", 3)
    assert lostkeys(*words, "-o", tmp_path / "o").exit_code == 0
    for one in lines(tmp_path / "o" / "part-00000.chat.jsonl"):
        on = "-on-" in one["custom_id"]
        assert one["body"]["chat_template_kwargs"] == {"enable_thinking": on, "thinking": on}
        assert one["body"]["max_tokens"] == (24 if "completion" in one["custom_id"] else 32) + (
            16384 * on
        )
        assert one["body"]["n"] in (2, 3)


async def test_a_model_at_an_address_stands_for_the_many(
    lostkeys: Run,
    tmp_path: Path,
    shared: Callable[[str], Path],
    fake: FakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)
    fake.templates = fake.has_chat = False
    fake.most = 4
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    words = ("requests", "--model", f"openai:m@{fake.base_url}", "-o", tmp_path / "o")
    result = await asyncio.to_thread(lostkeys, *words)
    assert result.exit_code == 0, result.output
    text = (tmp_path / "o" / "manifest.json").read_text(encoding="utf-8")
    assert "127.0.0.1" not in text
    assert json.loads(text).items() >= {"label": "openai:m", "model": "m", "per_request": 4}.items()
    asked = lines(tmp_path / "o" / "part-00000.raw.jsonl")
    assert {one["body"]["n"] for one in asked} == {4}
    assert len(asked) == 98
