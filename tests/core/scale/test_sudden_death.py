"""A plan that is killed at any moment on its way gives the profiles that `sample` gives.

Nothing is lost, and nothing comes twice: killed, in pieces, beside others, and where little is
left of what the system has.
"""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from random import Random

import pytest

import db.facts
import db.label_grids
from core.project import OpenProject
from db.connection import write_transaction
from tests import commands as forking
from tests.commands import Commands
from tests.core.sampling.scripted import capital
from tests.effort import HEAVY
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import listening
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

KILLS = 10 if HEAVY else 4
"""Of each command that meet it at work."""

FACTS = 12
REQUESTS, ANSWERS = 42 * FACTS, 144 * FACTS

RAW = ("--completion", "raw", "--questions", "raw")


@pytest.fixture
async def fake() -> AsyncIterator[FakeOpenAI]:
    """A base model without a chat template, which says the same again."""
    fake = FakeOpenAI()
    fake.has_chat = fake.templates = False
    async with listening(fake):
        yield fake


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    with forking.commands(tmp_path) as commands:
        yield commands


def put_facts(path: Path, count: int) -> Path:
    """A new database."""
    with OpenProject(path, "create") as project, write_transaction(project.connection):
        facts = [capital(number, f"Country {number}", f"City {number}") for number in range(count)]
        db.facts.insert(project.connection, facts)
    return path


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*"))


def answer_all(folder: Path, out: Path, more: str = "") -> Path:
    """Whole answers to all requests of a plan; each ends with `more`."""
    with out.open("w") as file:
        for part in parts(folder):
            for line in lines(part):
                one = json.loads(line)
                name, n = one["custom_id"], one["body"]["n"]
                texts = [f" {name} {place}{more}" for place in range(n)]
                file.write(json.dumps({"custom_id": name, "generated_text": texts}) + "\n")
    return out


def stored(path: Path) -> dict[int, str]:
    """All texts by slot; the grids say the same."""
    with OpenProject(path, "read") as project:
        grids = db.label_grids.load(project.connection)
        assert not db.label_grids.differ(grids, db.label_grids.rebuild(project.connection))
        found = dict(project.connection.execute("SELECT id, text FROM response"))
        (draws,) = project.connection.execute("SELECT count(*) FROM draw").fetchone()
        assert draws == len(found)
        return found


def kill_often(
    commands: Commands,
    random: Random,
    progress: Callable[[], int],
    whole: int,
    *programs: Sequence[object],
    mend: Callable[[], object],
) -> None:
    """Kill programs that run at once, as far as chance has it, until enough were killed.

    `progress`: how far they have come, of `whole`. What ends by itself does not count; `mend` lets
    there be something to do again where all is done.
    """
    killed = 0
    for _ in range(10 * KILLS):
        if progress() >= whole:
            mend()
        far = min(progress() + random.randrange(whole // 3), whole)
        runs = [commands.start(*words) for words in programs]
        last = time.monotonic() + PATIENCE
        while progress() < far:
            assert time.monotonic() < last
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.02))
        for run in runs:
            os.kill(run, signal.SIGKILL)
        ended = [commands.wait(run) for run in runs]
        assert all(one.code in (0, -signal.SIGKILL) for one in ended), ended
        killed += sum(one.code == -signal.SIGKILL for one in ended)
        if killed >= KILLS:
            return
    raise AssertionError(f"{killed} of {KILLS} were killed")


def count_bytes(folders: Iterable[Path]) -> int:
    """Of all files in folders that another program may take away."""
    count = 0
    for folder in folders:
        with suppress(OSError):
            for file in folder.rglob("*"):
                count += file.stat().st_size
    return count


def count_lines(paths: Iterable[Path]) -> int:
    return sum(len(lines(path)) for path in paths if path.exists())


def count_responses(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM response").fetchone()[0])


def split(outs: Sequence[Path], folder: Path) -> Path:
    """The lines of files in many small ones, each of which is taken in by itself."""
    folder.mkdir()
    every = [line for out in outs for line in lines(out)]
    for place, start in enumerate(range(0, len(every), 40)):
        (folder / f"{place:03}.jsonl").write_bytes(b"".join(every[start : start + 40]))
    return folder


def ask_often(commands: Commands, random: Random, folder: Path, *words: object) -> Path:
    """Write a plan in spite of all kills."""
    database, reqs = folder / "ours.db", folder / "reqs"
    asked = ("--db", database, "requests", *words, "-o", reqs)
    size = count_bytes([folder / "spare"])

    def written() -> int:
        """What programs left that were killed counts, until the next one takes it away."""
        return size if reqs.exists() else min(count_bytes(folder.glob(".reqs.*")), size)

    def give_up() -> None:
        """A plan that is out is given up, so that it can be written once more."""
        for draft in folder.glob(".reqs.*"):
            shutil.rmtree(draft)
        jobs = json.loads(commands.run("--db", database, "jobs", "--json").output)["jobs"]
        for job in jobs:
            if job["state"] == "out":
                assert commands.run("--db", database, "jobs", "cancel", job["id"]).code == 0
        shutil.rmtree(reqs, ignore_errors=True)

    kill_often(commands, random, written, size, asked, mend=give_up)
    give_up()
    assert commands.run(*asked).code == 0
    assert [one.name for one in folder.iterdir() if one.name.startswith(".reqs")] == []
    assert json.loads((reqs / "manifest.json").read_bytes())["requests"] == REQUESTS
    return reqs


def answer_often(commands: Commands, random: Random, fake: FakeOpenAI, reqs: Path) -> list[Path]:
    """Two programs answer three shards at once in spite of all kills."""
    first, *others = parts(reqs)
    outs = [reqs.with_name("a.jsonl"), reqs.with_name("b.jsonl")]
    at = ("--at", fake.base_url, "--requests", 8)
    programs = [
        ("answer", *files, *at, "-o", out)
        for out, files in zip(outs, ([first], others), strict=True)
    ]
    begun, rounds = len(fake.bodies), [outs]

    def begin_anew() -> None:
        rounds.append(outs)
        for out in outs:
            out.unlink()

    answered = partial(count_lines, outs)
    kill_often(commands, random, answered, REQUESTS, *programs, mend=begin_anew)
    assert [commands.run(*words).code for words in programs] == [0, 0]
    assert len(fake.bodies) - begun < REQUESTS * len(rounds) + 2 * KILLS * 9
    return outs


def collect_often(
    commands: Commands, random: Random, database: Path, reqs: Path, outs: Sequence[Path]
) -> None:
    """Collect in spite of all kills, in the end in the other order."""
    shutil.copy(database, database.with_suffix(".empty"))
    here = ("--db", database, "collect", reqs)

    def begin_anew() -> None:
        for ending in ("-wal", "-shm"):
            database.with_name(database.name + ending).unlink(missing_ok=True)
        shutil.copy(database.with_suffix(".empty"), database)

    taken = partial(count_responses, database)
    pieces = split(outs, reqs.with_name("pieces"))
    kill_often(commands, random, taken, ANSWERS, (*here, pieces), mend=begin_anew)
    ended = commands.run(*here, *reversed(outs), "--json")
    report = json.loads(ended.output)
    assert (ended.code, report["here"], report["retry"]) == (0, ANSWERS, 0)


async def test_killed_at_many_moments(commands: Commands, fake: FakeOpenAI, tmp_path: Path) -> None:
    def play() -> None:
        random, model = Random(19), f"openai:m@{fake.base_url}"
        ours, sampled, spare = (
            put_facts(tmp_path / f"{name}.db", FACTS) for name in ("ours", "sampled", "spare")
        )
        assert commands.run("--db", sampled, "sample", "--model", model).code == 0
        words = ("--model", model, "--shards", 3)
        assert commands.run("--db", spare, "requests", *words, "-o", tmp_path / "spare").code == 0
        reqs = ask_often(commands, random, tmp_path, *words)
        outs = answer_often(commands, random, fake, reqs)
        collect_often(commands, random, ours, reqs, outs)
        assert stored(ours) == stored(sampled)
        found = []
        for path in (ours, sampled):
            assert commands.run("--db", path, "grade", "--grader", "lexical").code == 0
            asked = ("profiles", "--per-fact", "--json", "--grader", "lexical")
            found.append(json.loads(commands.run("--db", path, *asked).output))
        assert found[0] == found[1]
        assert not found[0]["provisional"]

    await asyncio.to_thread(play)


def write_plan(commands: Commands, database: Path, reqs: Path, *words: object) -> Path:
    """The plan of a model that nobody asks."""
    asked = ("requests", "--model", "file:m", *RAW, *words, "-o", reqs)
    ended = commands.run("--db", database, *asked)
    assert ended.code == 0, ended.output
    return reqs


async def test_collect_beside_another_and_beside_sample(
    commands: Commands, fake: FakeOpenAI, tmp_path: Path
) -> None:
    """A plan that was cancelled is collected twice while `sample` asks for the same."""

    def play() -> None:
        database, reqs = put_facts(tmp_path / "a.db", FACTS), tmp_path / "reqs"
        model = f"openai:m@{fake.base_url}"
        asked = ("--db", database, "requests", "--model", model, "-o", reqs)
        assert commands.run(*asked).code == 0
        out = answer_all(reqs, tmp_path / "out.jsonl")
        assert commands.run("--db", database, "jobs", "cancel", 1).code == 0
        sample = commands.start("--db", database, "sample", "--model", model)
        both = [commands.start("--db", database, "collect", reqs, out, "--json") for _ in range(2)]
        ended = [commands.wait(one) for one in both]
        assert commands.wait(sample).code == 0
        assert [one.code for one in ended] == [0, 0], ended
        texts = stored(database)
        assert len(texts) == ANSWERS
        taken = sum(json.loads(one.output)["taken"] for one in ended)
        ours = {f" {json.loads(line)['custom_id']}" for part in parts(reqs) for line in lines(part)}
        assert sum(text.rpartition(" ")[0] in ours for text in texts.values()) == taken

    await asyncio.to_thread(play)


def test_more_files_than_the_system_opens_at_once(commands: Commands, tmp_path: Path) -> None:
    database = put_facts(tmp_path / "a.db", FACTS)
    reqs = write_plan(commands, database, tmp_path / "reqs", "--shards", FACTS)
    folder = tmp_path / "outs"
    folder.mkdir()
    for place, line in enumerate(lines(answer_all(reqs, tmp_path / "out.jsonl"))[::8]):
        (folder / f"{place}.jsonl").write_bytes(line)
    ended = commands.run("--db", database, "collect", reqs, folder, "--json", NOFILE=24)
    report = json.loads(ended.output)
    assert (ended.code, report["lines"], report["unknown"]) == (1, REQUESTS // 8, 0), ended.output
    again = put_facts(tmp_path / "b.db", FACTS)
    words = ("requests", "--model", "file:m", *RAW, "--shards", FACTS, "-o", tmp_path / "again")
    assert commands.run("--db", again, *words, NOFILE=24).code == 0
    assert len(parts(tmp_path / "again")) == FACTS


def test_a_full_disk(commands: Commands, tmp_path: Path) -> None:
    """`requests` leaves nothing behind; `collect` goes on later."""
    database, reqs = put_facts(tmp_path / "a.db", 60), tmp_path / "reqs"
    size = 1_250_000
    assert database.stat().st_size < size
    asked = ("requests", "--model", "file:m", *RAW, "-o", reqs)
    ended = commands.run("--db", database, *asked, FSIZE=size)
    assert (ended.code, ended.output.count("\n")) == (1, 1), ended.output
    assert "nothing was left behind" in ended.output
    assert [one.name for one in tmp_path.iterdir() if "reqs" in one.name] == []
    assert commands.run("--db", database, *asked).code == 0

    out = answer_all(reqs, tmp_path / "out.jsonl", ", at length" * 40)
    collect = ("--db", database, "collect", reqs, out)
    ended = commands.run(*collect, FSIZE=size)
    assert (ended.code, ended.output.count("\n")) == (1, 1), ended.output
    assert "full" in ended.output
    ended = commands.run(*collect, "--json")
    assert (ended.code, json.loads(ended.output)["here"]) == (0, 60 * 144), ended.output
    assert len(stored(database)) == 60 * 144
