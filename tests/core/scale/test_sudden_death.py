"""A plan that is killed at any moment on its way gives the profiles that `sample` gives.

Nothing is lost, and nothing comes twice: killed, in pieces, beside others, and where little is
left of what the system has.
"""

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random

import pytest

import db.facts
import db.label_grids
from core.project import Project
from db.connection import writing
from tests import commands as forking
from tests.commands import Commands
from tests.core.sampling.scripted import capital
from tests.fakes.openai_server import FakeOpenAI
from tests.fakes.service import listening

pytestmark = pytest.mark.slow

KILLS = 10
"""Of each command."""

FACTS = 24
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
    with Project(path, "create") as project, writing(project.connection):
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
    with Project(path, "read") as project:
        grids = db.label_grids.load(project.connection)
        assert not db.label_grids.differ(grids, db.label_grids.rebuilt(project.connection))
        found = dict(project.connection.execute("SELECT id, text FROM response"))
        (draws,) = project.connection.execute("SELECT count(*) FROM draw").fetchone()
        assert draws == len(found)
        return found


def kill_often(commands: Commands, random: Random, whole: float, *words: object) -> int:
    """Kill a command at moments of chance of the time that it takes; gives how often it was."""
    killed = 0
    for _ in range(KILLS):
        ended = commands.run(*words, killed_after=random.uniform(0.005, whole))
        assert ended.code in (0, 1, -signal.SIGPROF), ended.output
        killed += ended.code == -signal.SIGPROF
    return killed


async def test_killed_at_thirty_moments(
    commands: Commands, fake: FakeOpenAI, tmp_path: Path
) -> None:
    """Three shards are answered by two programs in turn, and collected in both orders."""

    def play() -> None:
        random = Random(19)
        model, reqs = f"openai:m@{fake.base_url}", tmp_path / "reqs"
        ours, sampled, spare = (
            put_facts(tmp_path / f"{name}.db", FACTS) for name in ("ours", "sampled", "spare")
        )
        assert commands.run("--db", sampled, "sample", "--model", model).code == 0
        words = ("requests", "--model", model, "--shards", 3)
        taken = commands.run("--db", spare, *words, "-o", tmp_path / "spare").seconds
        killed = kill_often(commands, random, taken, "--db", ours, *words, "-o", reqs)
        if not reqs.exists():
            assert commands.run("--db", ours, *words, "-o", reqs).code == 0
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".reqs")] == []
        assert json.loads((reqs / "manifest.json").read_bytes())["requests"] == REQUESTS

        first, *others = parts(reqs)
        programs = ((tmp_path / "a.jsonl", [first]), (tmp_path / "b.jsonl", others))
        at = ("--at", fake.base_url, "--requests", 8)
        begun = len(fake.bodies)
        for out, files in programs:
            answer = ("answer", *files, *at, "-o", out)
            killed += kill_often(commands, random, 0.3, *answer)
            assert commands.run(*answer).code == 0
        assert len(fake.bodies) - begun < REQUESTS + 2 * KILLS * 9

        outs = [out for out, _ in programs]
        there = ("--db", spare, "collect", tmp_path / "spare")
        taken = commands.run(*there, *outs).seconds
        here = ("--db", ours, "collect", reqs)
        killed += kill_often(commands, random, taken, *here, *outs)
        ended = commands.run(*here, *reversed(outs), "--json")
        report = json.loads(ended.output)
        assert (ended.code, report["here"], report["retry"]) == (0, ANSWERS, 0)
        assert killed >= 2 * KILLS  # of the others some were done before
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
