"""`answer`: files played against a server, stopped and started again; and the whole way round."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import core.providers.base
from tests.fakes.openai_server import ALL_FAULTS, FakeOpenAI
from tests.fakes.process import running
from tui.cli.main import cli

RAW = ("--completion", "raw", "--questions", "raw")
LOSTKEYS = "from tui.cli.main import main; main()"
COMPARED = ("fact_id", "task", "thinking", "sample", "response")

Run = Callable[..., Result]


@pytest.fixture
def lostkeys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on a database in the test's folder."""
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)

    def run(*words: object, db: str = "some.db") -> Result:
        return CliRunner().invoke(cli, ["--db", str(tmp_path / db), *map(str, words)])

    return run


@pytest.fixture
def planned(lostkeys: Run, tmp_path: Path, shared: Callable[[str], Path]) -> Path:
    """A plan of five facts in three shards."""
    lostkeys("import", shared("design/examples/scale-plan/facts.jsonl"))
    words = ("requests", "--model", "file:m", *RAW, "--shards", 3, "-o", tmp_path / "reqs")
    assert lostkeys(*words).exit_code == 0
    return tmp_path / "reqs"


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*"))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names(path: Path) -> list[str]:
    return [one["custom_id"] for one in rows(path)]


async def play(lostkeys: Run, fake: FakeOpenAI, out: Path, *files: Path) -> Result:
    words = ("answer", *files, "--at", fake.base_url, "-o", out)
    return await asyncio.to_thread(lostkeys, *words)


async def test_bodies_go_out_to_the_letter_and_are_answered_once(
    lostkeys: Run, planned: Path, fake: FakeOpenAI, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    result = await play(lostkeys, fake, out, *parts(planned))
    assert result.exit_code == 0, result.output
    asked = [one for file in parts(planned) for one in rows(file)]
    key = json.dumps
    assert sorted(map(key, fake.asked_at("completions"))) == sorted(key(a["body"]) for a in asked)
    assert sorted(names(out)) == sorted(one["custom_id"] for one in asked)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:-9])[:-40])
    fake.bodies.clear()
    fake.paths.clear()
    assert (await play(lostkeys, fake, out, *parts(planned))).exit_code == 0
    assert len(fake.asked_at("completions")) == 10
    found = await asyncio.to_thread(lostkeys, "collect", planned, out, "--json")
    assert (found.exit_code, json.loads(found.stdout)["here"]) == (0, 392)


@pytest.mark.parametrize("most", [3, 1])
async def test_a_server_of_few_answers(
    lostkeys: Run, planned: Path, fake: FakeOpenAI, tmp_path: Path, most: int
) -> None:
    fake.most, fake.says_most = most, f"n must be at most {most}"
    out = tmp_path / "out.jsonl"
    assert (await play(lostkeys, fake, out, parts(planned)[0])).exit_code == 0
    for one in rows(out):
        choices = one["response"]["body"]["choices"]
        assert [choice["index"] for choice in choices] == list(range(8))


async def test_what_fails_is_written_down_and_the_exit_code_says_so(
    lostkeys: Run, planned: Path, fake: FakeOpenAI, tmp_path: Path
) -> None:
    def too_long(call: Any) -> bool:
        return call.asks and "Subject 0 is" in str(call.body)

    async def refuse(call: Any) -> Any:
        return fake.failure(400, "maximum context length is 5 tokens", "context_length_exceeded")

    fake.when(too_long, refuse)
    out = tmp_path / "out.jsonl"
    result = await play(lostkeys, fake, out, *parts(planned))
    assert result.exit_code == 1
    assert "too long" in result.output
    found = await asyncio.to_thread(lostkeys, "collect", planned, out, "--json")
    report = json.loads(found.stdout)
    assert (found.exit_code, report["refused"], report["retry"]) == (0, 1, 0)


def test_files_that_cannot_be(lostkeys: Run, planned: Path, tmp_path: Path) -> None:
    first, second, *_ = parts(planned)
    at = ("--at", "http://127.0.0.1:9/v1")
    assert "holds the requests" in str(lostkeys("answer", first, *at, "-o", first).exception)
    assert "several files" in str(lostkeys("answer", first, second, *at).exception)
    assert "no request" in str(lostkeys("answer", planned / "facts.jsonl", *at).exception)
    assert "check the file" in str(lostkeys("answer", tmp_path / "gone", *at).exception)
    for url in ("ftp://x", "myserver", "myserver:8000/v1"):
        refused = lostkeys("answer", first, "--at", url)
        assert f"--at {url}: an address begins with http" in str(refused.exception)


@pytest.mark.parametrize("share", [0.0, 0.2])
async def test_responses_are_those_of_sample(
    lostkeys: Run, fake: FakeOpenAI, tmp_path: Path, shared: Callable[[str], Path], share: float
) -> None:
    """With faults on the way, in shards answered apart, collected in pieces and twice."""
    fake.templates = fake.has_chat = False
    model, facts = (
        f"openai:m@{fake.base_url}",
        shared("design/examples/scale-raw-texts/facts.jsonl"),
    )
    plan = shared("design/examples/scale-plan/facts.jsonl")
    for db in ("some.db", "other.db"):
        for file in (facts, plan):
            lostkeys("import", file, db=db)
    sampled = await asyncio.to_thread(lostkeys, "sample", "--model", model, db="other.db")
    assert sampled.exit_code == 0, sampled.output
    folder = tmp_path / "reqs"
    words = ("requests", "--model", model, "--shards", 3, "-o", folder)
    assert (await asyncio.to_thread(lostkeys, *words)).exit_code == 0
    fake.at_random(share, *ALL_FAULTS)
    outs = []
    for file in parts(folder):
        outs.append(tmp_path / f"{file.stem}.out.jsonl")
        await play(lostkeys, fake, outs[-1], file)
    fake.at_random(0.0)
    mixed = [line for out in outs for line in out.read_bytes().splitlines(keepends=True)]
    random.Random(1).shuffle(mixed)
    (tmp_path / "mixed.jsonl").write_bytes(b"".join(mixed[::2] + mixed[:9])[:-5])
    for out in (tmp_path / "mixed.jsonl", *outs, outs[0]):
        await asyncio.to_thread(lostkeys, "collect", folder, out)
    for retry in sorted(folder.glob("retry.*")):
        await play(lostkeys, fake, tmp_path / "retried.jsonl", retry)
        await asyncio.to_thread(lostkeys, "collect", folder, tmp_path / "retried.jsonl")
    found: dict[str, set[str]] = {}
    for db in ("some.db", "other.db"):
        file = tmp_path / f"{db}.jsonl"
        assert lostkeys("export", "responses", "-o", file, db=db).exit_code == 0
        found[db] = {json.dumps([one[name] for name in COMPARED]) for one in rows(file)}
        lostkeys("grade", "--grader", "lexical", db=db)
    assert len(found["some.db"]) == len(found["other.db"])
    if share == 0.0:  # else fewer came at once now and then, and the fake numbers them anew
        assert found["some.db"] == found["other.db"]
        asked = ("profiles", "--per-fact", "--json", "--grader", "lexical")
        one, other = (json.loads(lostkeys(*asked, db=db).stdout) for db in found)
        assert one == other
        assert not one["provisional"]


def program(*words: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", LOSTKEYS, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_killed_and_stopped_it_goes_on(planned: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    asked = sorted(name for file in parts(planned) for name in names(file))
    with running("openai_server", tmp_path / "log", "--latency", "0.15") as server:
        words = ("answer", *parts(planned), "--at", f"http://127.0.0.1:{server.port}/v1")
        for turn in range(6):
            one = program(*words, "-o", out, "--requests", 2)
            time.sleep(random.Random(turn).uniform(0.5, 2.5))
            one.send_signal(signal.SIGKILL if turn % 2 else signal.SIGTERM)
            code = one.wait()
            assert code in ((-signal.SIGKILL, 0) if turn % 2 else (130, 0, -signal.SIGTERM))
        last = program(*words, "-o", out)
        assert last.wait() == 0
    whole = [json.loads(line) for line in out.read_bytes().splitlines() if is_json(line)]
    assert sorted({one["custom_id"] for one in whole}) == asked


def is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


@pytest.mark.slow
def test_two_programs_write_one_file(planned: Path, tmp_path: Path) -> None:
    with running("openai_server", tmp_path / "log", "--latency", "0.5") as server:
        words = ("answer", *parts(planned), "--at", f"http://127.0.0.1:{server.port}/v1")
        one = program(*words, "-o", tmp_path / "out.jsonl", "--requests", 1)
        time.sleep(3)
        two = program(*words, "-o", tmp_path / "out.jsonl")
        assert two.wait() == 1
        os.kill(one.pid, signal.SIGTERM)
        one.wait()
