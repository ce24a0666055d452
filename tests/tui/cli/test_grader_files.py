"""Grading by files from the command line, against the fake server."""

import asyncio
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from core.errors import UsageError
from core.scale.plan_commands import list_commands
from core.specs.file_specs import FilesSpec
from tests.core.grading import obedient
from tests.core.scale.label_plans import (
    GRADER,
    WANTED,
    answer,
    grades,
    lostkeys,
    make_project,
    outcomes,
    read_requests,
    read_rows,
    write_plan,
    write_rows,
)

DIR = "no-such-folder/plan"


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_project(tmp_path / "some.db", facts=4)


async def run(database: Path, *words: object) -> Result:
    return await asyncio.to_thread(lostkeys, database, *words)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["llm:", "judge:"])
async def test_labels_are_those_of_grade(database: Path, fake: Any, kind: str) -> None:
    """Of what the server answers some is lost, some doubled, all mixed, and an end cut off."""
    fake.says = lambda prompt, number: obedient.said(prompt)
    grader = f"{kind}openai:m@{fake.base_url}"
    other = database.with_name("other.db")
    shutil.copy(database, other)
    folder, out = database.with_name("plan"), database.with_name("out.jsonl")
    written = await run(database, "requests", "--grader", grader, "-o", folder, "--shards", 3)
    assert written.exit_code == 0, (written.output, written.exception)
    parts = sorted(folder.glob("part-*"))
    assert len(parts) == 3
    played = await run(database, "answer", *parts, "--at", fake.base_url, "-o", out)
    assert played.exit_code == 0, played.exception
    rows = read_rows(out)[2:]
    rows += rows[:5]
    random.Random(3).shuffle(rows)
    write_rows(out, rows)
    out.write_bytes(out.read_bytes()[:-20])
    result = await run(database, "collect", folder, out)
    assert result.exit_code == 1
    assert "not in JSON" in result.output
    assert " got none" in result.output
    retry, more = folder / "retry.chat.jsonl", database.with_name("more.jsonl")
    await run(database, "answer", retry, "--at", fake.base_url, "-o", more)
    result = await run(database, "collect", folder, more)
    assert (result.exit_code, retry.exists()) == (0, False), result.output
    assert (await run(other, "grade", "--grader", grader)).exit_code == 0
    assert grades(database, grader) == grades(other, grader) != []
    again = await run(database, "grade", "--grader", grader)
    assert "every answer was graded already" in again.output


async def test_no_address_is_in_the_files(database: Path, fake: Any) -> None:
    fake.says = lambda prompt, number: obedient.said(prompt)
    grader, folder = f"llm:openai:m@{fake.base_url}", database.with_name("plan")
    written = await run(database, "requests", "--grader", grader, "-o", folder)
    assert written.exit_code == 0, (written.output, written.exception)
    assert all("127.0.0.1" not in one.read_text() for one in folder.iterdir())
    shown = json.loads((await run(database, "jobs", "--json")).output)["jobs"]
    assert [one["state"] for one in shown] == ["out"]


async def test_a_plan_may_not_cost_more_than_it_may(
    database: Path, tmp_path: Path, fake: Any
) -> None:
    fake.says = lambda prompt, number: obedient.said(prompt)
    model, folder = f"openai:m@{fake.base_url}", tmp_path / "plan"
    (tmp_path / "config").mkdir(exist_ok=True)
    prices = f'["{model}"]\ninput = 1000.0\noutput = 1000.0\n'
    (tmp_path / "config" / "prices.toml").write_text(prices)
    words = ("requests", "--grader", f"llm:{model}", "-o", folder, "--max-cost")
    poor = await run(database, *words, 1)
    assert f"while {model} was checked" in f"{poor.exception}{poor.output}"
    result = await run(database, *words, 24)
    assert "grade by another model, or give more" in f"{result.exception}{result.output}"
    assert not folder.exists()
    assert (await run(database, *words, 1_000_000)).exit_code == 0
    assert folder.exists()


def test_collecting_says_what_it_took(database: Path) -> None:
    folder = write_plan(database)
    out = write_rows(database.with_name("out.jsonl"), [answer(o) for o in read_requests(folder)])
    result = lostkeys(database, "collect", folder, out)
    assert f"{folder}: 32 labels taken, 32 of 32 here" in result.output
    assert outcomes(database) == {text: {label} for text, label in WANTED.items()}


def test_late_labels_of_a_cancelled_plan_are_taken(database: Path) -> None:
    folder = write_plan(database)
    assert lostkeys(database, "jobs", "cancel", 1).exit_code == 0
    out = write_rows(database.with_name("out.jsonl"), [answer(o) for o in read_requests(folder)])
    assert lostkeys(database, "collect", folder, out).exit_code == 0
    jobs = json.loads(lostkeys(database, "jobs", "--json").output)["jobs"]
    assert [one["state"] for one in jobs] == ["cancelled"]


@pytest.mark.parametrize("grader", [GRADER, "judge:openai:m@http://127.0.0.1:9/v1"])
def test_a_plan_on_the_jobs_screen(database: Path, grader: str) -> None:
    """It goes by its grader without an address, and claims nothing that could be freed."""
    folder = str(write_plan(database))
    spec = FilesSpec(folder, "file:m", grader, grader=grader)
    assert spec.subject == grader.partition("@")[0]
    said = {one.what: one.command for one in list_commands(folder, 1)}
    assert said["wait for it no more"] == "lostkeys jobs cancel 1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--grader", GRADER, "--model", "file:x"), "no responses of a model named file:x"),
        (("--grader", GRADER, "--facts", 3, "--tasks", "direct"), "--facts: llm:file:m"),
        (("--grader", GRADER, "--sample", 10**6), "there are only"),
        (("--grader", GRADER, "--effort", "low"), "file:m takes no --effort"),
        (("--grader", GRADER, "--dry-run"), "`lostkeys grade --grader G --dry-run` says"),
        (("--grader", GRADER, "--per-request", 4), "--per-request: llm:file:m"),
        (("--grader", f"{GRADER},judge:file:m"), "one grader: name one"),
        (("--grader", "lexical"), "--curtail and --grader belong together"),
        (("--grader", "llm:nothing"), "nothing"),
        (("--grader", "llm:gemini:flash"), "takes no such files"),
        (("--grader", "llm:embedded:smollm2-135m"), "takes no such files"),
        (("--grader", GRADER, "--max-cost", 1), "nobody knows what file:m costs"),
        (("--grader", GRADER, "--shards", 9), "--shards 9: the plan has 4 facts"),
        (("--grader", GRADER, "--engine", "plain", "-o", DIR), "is not a folder"),
    ],
)
def test_what_does_not_go_is_one_line(
    database: Path, tmp_path: Path, words: tuple[object, ...], said: str
) -> None:
    folder = tmp_path / "plan"
    result = lostkeys(database, "requests", "-o", folder, *words)
    assert result.exit_code != 0
    assert said in f"{result.exception}{result.output}"
    assert not folder.exists()


def test_a_plan_needs_a_folder(database: Path) -> None:
    result = lostkeys(database, "requests", "--grader", GRADER)
    assert (result.exit_code, "Missing option '-o'" in result.output) == (2, True)


def test_labels_do_not_go_into_a_lake(database: Path, tmp_path: Path) -> None:
    folder = write_plan(database)
    out = write_rows(tmp_path / "out.jsonl", [answer(one) for one in read_requests(folder)])
    result = lostkeys(database, "collect", folder, out, "--lake", tmp_path / "lake")
    assert isinstance(result.exception, UsageError)
    assert "--lake takes answers" in str(result.exception)
    assert not (tmp_path / "lake").exists()


def test_a_grader_that_nobody_asks_is_not_asked_by_grade(database: Path) -> None:
    result = lostkeys(database, "grade", "--grader", GRADER)
    assert result.exit_code != 0
    assert "lostkeys requests" in f"{result.exception}{result.output}"


@pytest.mark.parametrize("engine", ["vllm", "openai"])
@pytest.mark.parametrize("way", ["steps", "effort"])
def test_engines_and_ways_to_think(database: Path, engine: str, way: str) -> None:
    folder = write_plan(database, "--engine", engine, "--thinking-by", way)
    body = read_requests(folder)[0]["body"]
    assert ("max_completion_tokens" in body) == (engine == "openai")
    assert ("top_k" in body) == (engine == "vllm")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert manifest["recipe"]["thinking"] == (way == "effort")
