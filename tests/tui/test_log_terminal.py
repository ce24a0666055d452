"""A log of Inspect in the real program: picked, audited at the keyboard, edits written back."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.terminal import LOSTKEYS, forked, surroundings

pytestmark = pytest.mark.slow

NAME, LOG = "new.db", "cities.json"
SAMPLES = 12


def sample(number: int) -> dict[str, Any]:
    """A sample whose answer is right from the third on, and which its scorer calls wrong."""
    answer = f"It is City{number}." if number > 2 else "No idea."
    message = {"role": "assistant", "content": answer}
    score = {"value": "I", "answer": None, "explanation": "not [/red] \x1b[31mexact"}
    return {
        "id": number,
        "epoch": 1,
        "uuid": f"u-{number}",
        "input": f"Which city is number {number}?",
        "target": f"City{number}",
        "messages": [],
        "output": {"model": "m", "choices": [{"message": message, "stop_reason": "stop"}]},
        "scores": {"match": score},
        "metadata": {},
        "store": {},
        "events": [],
        "model_usage": {},
        "attachments": {},
    }


def a_log() -> dict[str, Any]:
    time = "2026-01-02T03:04:05+00:00"
    spec = {
        "run_id": "r",
        "eval_id": "ev",
        "task_id": "t",
        "created": time,
        "task": "cities",
        "task_version": 0,
        "model": "m-8",
        "model_generate_config": {},
        "model_args": {},
        "dataset": {"name": "cities", "samples": SAMPLES},
        "config": {"epochs": 1},
        "packages": {},
    }
    return {
        "version": 2,
        "status": "success",
        "eval": spec,
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {"total_samples": SAMPLES, "completed_samples": SAMPLES, "scores": []},
        "stats": {"started_at": time, "completed_at": time, "model_usage": {}},
        "samples": [sample(number) for number in range(1, SAMPLES + 1)],
    }


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LOSTKEYS, "--db", NAME, *words],
        cwd=folder,
        env=surroundings(folder),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_log_is_picked_ten_disagreements_decided_and_edits_exported(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('name = "mira"\n')
    (tmp_path / LOG).write_text(json.dumps(a_log()))
    before = (tmp_path / LOG).read_bytes()
    with forked(("--db", NAME), tmp_path, 120, 40) as terminal:
        terminal.wait("import a file")
        terminal.press("down", "enter")
        terminal.wait("path of a file")
        terminal.press(LOG)
        terminal.wait("enter imports it")
        terminal.press("enter")
        terminal.wait(f"{SAMPLES} facts")
        run(tmp_path, "grade", "--grader", "lexical")
        terminal.press("ctrl+o", "c")
        terminal.wait("A inspect:match")
        terminal.wait("B lexical")
        terminal.wait("not [/red]")
        terminal.press("enter")
        terminal.wait("A/B right")
        for _ in range(10):
            terminal.press("b")
            terminal.settle()
        terminal.wait(f"10 of {SAMPLES} decided")
        terminal.press("q")
        assert terminal.end() == 0

    run(tmp_path, "export", "edits", "-o", "e.jsonl")
    edits = [json.loads(line) for line in (tmp_path / "e.jsonl").read_bytes().splitlines()]
    assert [(row["sample_id"], row["value"]) for row in edits] == [
        *((number, "N") for number in (1, 2)),
        *((number, "C") for number in range(3, 11)),
    ]
    assert {(row["was"], row["author"], row["score"]) for row in edits} == {("I", "mira", "match")}
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    assert "10 edits" in run(tmp_path, "export", "edits", "--apply", LOG, "--to", "out")
    assert (tmp_path / LOG).read_bytes() == before
    copy = json.loads((tmp_path / "out" / LOG).read_text())
    assert [one["scores"]["match"]["value"] for one in copy["samples"]] == list("NNCCCCCCCCII")
