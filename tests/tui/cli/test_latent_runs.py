"""`zp-lke check`, `run` and `positions` against servers that are honest, and that are not."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import core.providers.base
import db.integrity
from core.errors import LostkeysError
from core.project import OpenProject
from core.providers.embedded import weights
from core.providers.logprobs.option_tree import locate_tokens, option_tree
from core.zero_prompt import score_writer
from tests.commands import Commands
from tests.commands import commands as forked_commands
from tests.core.jobs.scored import FACTS, fill
from tests.core.making import new_project
from tests.effort import HEAVY
from tests.fakes.score_servers import (
    FakeChat,
    FakeEcho,
    FakeLlama,
    FakeScores,
    FakeSglang,
    FakeVllm,
    Lie,
)
from tests.fakes.service import listening
from tests.fakes.toy_model import ToyModel
from tests.patience import wait_until
from tests.terminal import ROOT
from tui.cli.main import cli

SMALL = ("--examples", "3", "--options", "10")
FEW = (*SMALL, "--facts", "4")
PLACES = ("--relation", "born", "--length", "5")
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "born.db"
    with new_project(path) as project:
        fill(project, tmp_path)
    return path


@pytest.fixture
def lostkeys(database: Path) -> Run:
    """Run a command of `zp-lke` beside a fake server, in a thread of its own."""

    async def run(name: str, *words: str) -> Result:
        arguments = ["zp-lke", name, *words]
        if name != "check":
            arguments += ["--db", str(database)]
        return await asyncio.to_thread(CliRunner().invoke, cli, arguments)

    return run


def model_of(fake: FakeScores) -> tuple[str, str]:
    return "--model", f"openai:m@{fake.base_url}"


def said(result: Result) -> str:
    """What a command that went wrong says, on one line."""
    assert result.exit_code != 0, result.output
    assert isinstance(result.exception, SystemExit | LostkeysError), result.exception
    return " ".join(f"{result.output} {result.exception}".split())


def stored(database: Path) -> list[dict[str, Any]]:
    """What `export` writes of the scores."""
    file = database.with_suffix(".jsonl")
    words = ["export", "zp-scores", "-o", str(file), "--db", str(database)]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def by_the_model(model: ToyModel, text: str, options: list[str]) -> list[float]:
    """What the scores of options have to be."""
    ids = [[*model.before, *model.tokenize(f"{text} {one}")] for one in options]
    begin = len(model.before)
    trees = [
        locate_tokens(f"{text} {option}", one, [model.bytes_of([token]) for token in one], begin)
        for option, one in zip(options, ids, strict=True)
    ]
    border = len(option_tree(trees, len(text.encode())).prefix)
    return [model.score(text, f" {one}", border) for one in options]


@pytest.mark.parametrize(
    ("kind", "begin"),
    [
        (FakeVllm, True),
        pytest.param(FakeVllm, False, marks=pytest.mark.slow),
        *(
            pytest.param(kind, begin, marks=pytest.mark.slow)
            for kind in (FakeLlama, FakeSglang, FakeEcho)
            for begin in (False, True)
        ),
    ],
)
async def test_honest_servers_are_scored_rightly(
    kind: type[FakeScores], begin: bool, lostkeys: Run, database: Path
) -> None:
    fake = kind(ToyModel(begin))
    async with listening(fake):
        checked = await lostkeys("check", *model_of(fake))
        assert checked.exit_code == 0, checked.output
        assert "log probabilities by" in checked.output
        ran = await lostkeys("run", *model_of(fake), *FEW)
        assert ran.exit_code == 0, ran.output
        asked = len(fake.calls)
        again = await lostkeys("run", *model_of(fake), *FEW)
        assert again.exit_code == 0
        assert len(fake.calls) == asked, "a second run asks nothing"
    rows = await asyncio.to_thread(stored, database)
    assert len(rows) == 4
    for row in rows:
        shown = await lostkeys("show", row["id"], *SMALL, "--json")
        text = json.loads(shown.stdout)["input"]
        expected = by_the_model(fake.model, text, row["options"])
        assert row["logprobs"] == pytest.approx(expected, abs=1e-4)


LIES = [
    (FakeEcho, Lie.IGNORES_ECHO, "takes echo and ignores it"),
    (FakeEcho, Lie.LOSES_CACHED, "values of tokens that the server has cached are lost"),
    *(
        pytest.param(kind, lie, reason, marks=[pytest.mark.slow] * (kind is not FakeVllm))
        for lie, reason in (
            (Lie.AFTER_SAMPLING, "those after sampling"),
            (Lie.OTHER_TOKEN, "values of other tokens"),
            (Lie.BY_ORDER, "change with the order of the options"),
        )
        for kind in (FakeLlama, FakeVllm, FakeSglang, FakeEcho)
    ),
]


@pytest.mark.parametrize(("kind", "lie", "reason"), LIES)
async def test_each_lie_is_refused_by_its_true_reason(
    kind: type[FakeScores], lie: Lie, reason: str, lostkeys: Run, database: Path
) -> None:
    fake = kind(ToyModel(), lie)
    async with listening(fake):
        for name, words in (("check", ()), ("run", FEW)):
            result = await lostkeys(name, *model_of(fake), *words)
            assert reason in said(result)
            assert "try --test response" in said(result)
    assert await asyncio.to_thread(stored, database) == []


async def test_what_a_server_of_chat_alone_can_do_is_offered_and_works(
    lostkeys: Run, database: Path
) -> None:
    fake = FakeChat()
    async with listening(fake):
        for name, words in (("check", ()), ("run", FEW)):
            result = await lostkeys(name, *model_of(fake), *words)
            assert "no endpoint that continues a text" in said(result)
            assert "--test response" in said(result)
        result = await lostkeys("run", *model_of(fake), *FEW, "--test", "response")
        assert result.exit_code == 0, result.output
    rows = await asyncio.to_thread(stored, database)
    assert [row["response"] for row in rows] == [" answer 0\n"] * 4


@pytest.mark.parametrize("model", ["openai:gpt-4o", "gemini:gemini-2.5-flash"])
async def test_services_of_chat_alone_are_refused_unasked(
    model: str, lostkeys: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    for name, words in (("check", ()), ("run", FEW), ("positions", PLACES)):
        result = await lostkeys(name, "--model", model, *words)
        assert "--test response" in said(result)


async def test_another_model_under_a_label_needs_another_label(
    lostkeys: Run, database: Path
) -> None:
    fake = FakeVllm()
    async with listening(fake):
        assert (await lostkeys("run", *model_of(fake), *FEW, "--as", "mine")).exit_code == 0
        other = f"openai:other@{fake.base_url}"
        asked = len(fake.calls)
        result = await lostkeys("run", "--model", other, *SMALL, "--as", "mine")
        assert "another recipe (different: model)" in said(result)
        assert "--as NAME" in said(result)
        assert len(fake.calls) == asked, "nothing is asked"


async def test_what_cannot_be_asked_is_left_out_unasked(lostkeys: Run) -> None:
    fake = FakeVllm()
    async with listening(fake):
        for words, would_do in (
            (("--examples", "11", "--options", "10"), "--examples 10 would do"),
            (("--examples", "3", "--options", "21"), "--options 20 would do"),
        ):
            result = await lostkeys("run", *model_of(fake), *words)
            assert would_do in said(result)
    assert fake.calls == []


@pytest.mark.parametrize("kind", [FakeVllm, FakeEcho])
async def test_inputs_beyond_the_context_say_what_fits(
    kind: type[FakeScores], lostkeys: Run
) -> None:
    fake = kind()
    async with listening(fake):
        await lostkeys("run", *model_of(fake), *FEW, "--facts", "1")  # the way is tested
        fake.context = 60
        wide = ("--examples", "8", "--options", "10", "--facts", "2")
        result = await lostkeys("run", *model_of(fake), *wide)
        said = " ".join(result.output.split())
        assert "maximum context length is 60 tokens. However, your prompt has" in said
        found = re.search(r"born: 8 examples do not fit: --examples (\d+) would do", said)
        assert found, said
        fits = ("--options", "10", "--facts", "2", "--examples")
        result = await lostkeys("run", *model_of(fake), *fits, found[1])
        assert result.exit_code == 0, result.output
        result = await lostkeys("run", *model_of(fake), *fits, str(int(found[1]) + 1))
        assert result.exit_code == 1, "one more is one too many"
        result = await lostkeys(
            "positions", *model_of(fake), "--relation", "born", "--length", "10"
        )
        assert re.search(r"born: 10 places do not fit: --length \d would do", result.output)


def scores_in(database: Path) -> dict[int, bytes]:
    """Every score that is there, by its row."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return dict(connection.execute("SELECT id, logprobs FROM option_score"))


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """More facts than are scored before the last kill."""
    try:
        weights.find()
    except LostkeysError as error:
        pytest.skip(str(error))
    path = tmp_path / "many.db"
    with new_project(path) as project:
        fill(project, tmp_path, 3 * FACTS)
    return path


@pytest.fixture
def commands(many: Path) -> Iterator[Commands]:
    with forked_commands(many.parent) as commands:
        yield commands


@pytest.mark.slow
def test_killed_at_random_no_score_is_lost_or_doubled(many: Path, commands: Commands) -> None:
    words = ("--db", many, "zp-lke", "run", "--model", "embedded:smollm2-135m", *SMALL)
    random = np.random.default_rng(16)
    before: dict[int, bytes] = {}
    for number in range(20 if HEAVY else 6):
        run, there = commands.start(*words), len(before)
        if number % 4:
            wait_until(lambda there=there: len(scores_in(many)) > there)  # type: ignore[misc]
        time.sleep(float(random.uniform(0, 0.3)))
        os.kill(run, signal.SIGKILL)
        ended = commands.wait(run)
        assert ended.code == -signal.SIGKILL, "it was through: there was nothing to kill"
        now = scores_in(many)
        assert before.items() <= now.items(), "no score is lost, none is changed"
        before = now
    assert 3 < len(before) < 3 * FACTS
    assert commands.run(*words).code == 0
    after = scores_in(many)
    assert before.items() <= after.items()
    assert len(after) == 3 * FACTS
    with OpenProject(many, "read") as project:
        facts = project.connection.execute("SELECT count(DISTINCT fact) FROM option_score")
        assert facts.fetchone() == (3 * FACTS,)
        assert not score_writer.arrays_are_stale(project)
        assert db.integrity.faults(project.connection) == []
    assert commands.run(*words).code == 0
    assert scores_in(many) == after, "a second run asks nothing"
