"""`models --check`, `sample` and `run` against a server on loopback that can misbehave."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner, Result

import core.providers.base
from core.providers.embedded.model_server import EmbeddedServer
from core.settings.known_addresses import FILE
from tests.fakes import openai_changes as faults
from tests.fakes.faults import crash
from tests.fakes.openai_changes import misbehave
from tests.fakes.service import Call
from tui.cli.main import cli
from tui.cli.terminal_text import one_line

NAMES = ["answers", "endpoints", "thinking", "thinking off", "n", "sampling", "usage"]
FACT = {
    "fact_id": "1__0",
    "subject": "France",
    "object": "Paris",
    "completion": "The capital of France is ",
    "direct": "What is the capital of France?",
}
EVIL = "[/red][bold]\x1b[31m\x1b]52;c;x\x07\u202eevil"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)


@pytest.fixture(autouse=True)
def no_embedded_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """These tests are about servers; the embedded one may run from an earlier test."""
    EmbeddedServer.stop_shared()
    monkeypatch.setenv("LOSTKEYS_GGUF", str(tmp_path / "none.gguf"))


@pytest.fixture
def database(tmp_path: Path) -> str:
    facts = tmp_path / "facts.jsonl"
    facts.write_text(json.dumps(FACT) + "\n", encoding="utf-8")
    path = str(tmp_path / "some.db")
    result = CliRunner().invoke(cli, ["--db", path, "import", str(facts)])
    assert result.exit_code == 0, result.output
    return path


Run = Callable[..., Any]


async def busy_thinking(call: Call) -> web.StreamResponse:
    """A field that the server does not take."""
    return call.fake.failure(400, "Unrecognized request argument supplied: reasoning_effort")


@pytest.fixture
def lostkeys(database: str) -> Run:
    """Run a command beside the fake server, in a thread of its own."""

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["--db", database, *words])

    return run


def questions(fake: Any) -> list[int]:
    """How many answers were asked for in each request that asks a question of the fact."""
    return [body["n"] for body in fake.bodies if "capital of France" in json.dumps(body)]


def responses(database: str) -> int:
    with sqlite3.connect(database) as connection:
        (count,) = connection.execute("SELECT count(*) FROM response").fetchone()
    connection.close()
    return int(count)


async def test_a_model_that_passes_is_drawn_from(fake: Any, lostkeys: Run, database: str) -> None:
    model = f"openai:m@{fake.base_url}"
    result = await lostkeys("sample", "--model", model, "--thinking", "off")
    assert (result.exit_code, responses(database)) == (0, 16), result.output
    assert questions(fake) == [8, 8]
    fake.bodies.clear()
    again = await lostkeys("sample", "--model", model, "--thinking", "off")
    assert again.exit_code == 0
    assert fake.bodies == [], "nothing is missing"


@pytest.mark.parametrize("command", ["sample", "run"])
async def test_a_model_that_fails_stops_the_run(
    fake: Any, lostkeys: Run, database: str, command: str
) -> None:
    misbehave(fake, faults.reasons)
    words = (command, "--model", f"openai:m@{fake.base_url}", "--thinking", "off")
    result = await lostkeys(*words)
    assert result.exit_code == 1
    assert "thinking off: 8 of 8 answers" in str(result.exception)
    assert "--unchecked" in str(result.exception)
    assert responses(database) == 0
    assert questions(fake) == []
    anyway = await lostkeys(*words, "--unchecked")
    assert (anyway.exit_code, responses(database)) == (0, 16), anyway.output
    assert "16 answers show reasoning though thinking is off" in anyway.stderr
    assert questions(fake) == [8, 8]


def spends(database: str) -> list[tuple[str, int, int, float | None]]:
    """Stage, requests, tokens and cost of all that jobs have used."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT stage, requests, input_tokens + output_tokens, cost FROM spend ORDER BY job"
        ).fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize("words", [(), ("--grader", "llm:")], ids=["answers", "graded by a model"])
async def test_all_that_a_run_asks_is_counted(
    fake: Any, lostkeys: Run, database: str, words: tuple[str, ...]
) -> None:
    """With refused fields, answers that fail, and requests without any."""
    model = f"openai:m@{fake.base_url}"
    fake.when(lambda call: "reasoning_effort" in call.body, busy_thinking)
    fake.when(lambda call: call.asks and len(fake.bodies) % 5 == 3, crash)
    named = tuple(f"{one}{model}" if one.endswith(":") else one for one in words)
    result = await lostkeys("run", "--model", model, "--thinking", "off", *named)
    found = spends(database)
    assert sum(requests for _, requests, _, _ in found) == len(fake.bodies), result.output
    assert fake.faults["crash"]
    check = next(one for one in found if one[0] == "check")
    assert check[1] > 3
    assert check[2] > 0


async def test_what_a_build_tries_first_is_counted(
    fake: Any, lostkeys: Run, database: str, tmp_path: Path
) -> None:
    text = "Ada was born in Rome. " * 20
    documents = tmp_path / "documents.jsonl"
    documents.write_text(json.dumps({"id": "1", "title": "Ada", "text": text, "views": 1}) + "\n")
    model = f"openai:m@{fake.base_url}"
    result = await lostkeys("build", "--documents", str(documents), "--model", model)
    found = spends(database)
    assert "check" in {stage for stage, *_ in found}, result.output
    assert sum(requests for _, requests, _, _ in found) == len(fake.bodies)


async def test_a_budget_pays_what_is_asked_before_the_run(
    fake: Any, lostkeys: Run, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = f"openai:m@{fake.base_url}"
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))
    prices = tmp_path / "prices.toml"
    prices.write_text(f'["{model}"]\ninput = 1000.0\noutput = 1000.0\n')
    words = ("sample", "--model", model, "--thinking", "off", "--max-cost")
    usage = {"prompt_tokens": 100, "completion_tokens": 12}
    monkeypatch.setattr(fake, "_usage", lambda body: usage)
    some = await lostkeys(*words, "1.3")
    asked = len(fake.bodies)
    assert "the next request may cost more than is left" in str(some.exception)
    assert questions(fake) == []
    found = spends(database)
    assert [stage for stage, *_ in found] == ["check"]
    assert found[0][1] == asked > 0
    assert found[0][3] is not None
    assert 0 < found[0][3] <= 1.3
    rich = await lostkeys(*words, "100")
    assert rich.exit_code == 0, rich.output
    costs = [cost or 0.0 for *_, cost in spends(database)]
    assert sum(requests for _, requests, _, _ in spends(database)) == len(fake.bodies)
    assert sum(costs) == pytest.approx(sum(one for _, _, one, _ in spends(database)) / 1000)


async def test_a_server_that_is_not_there_is_one_line(lostkeys: Run, database: str) -> None:
    result = await lostkeys("sample", "--model", "openai:m@http://127.0.0.1:9/v1")
    assert result.exit_code == 1
    assert "nothing listens at this address" in str(result.exception)
    assert "--unchecked" not in str(result.exception)
    assert responses(database) == 0


async def test_single_requests_are_said_and_used(fake: Any, lostkeys: Run, database: str) -> None:
    misbehave(fake, faults.sends(1))
    words = ("sample", "--model", f"openai:m@{fake.base_url}", "--thinking", "off")
    result = await lostkeys(*words)
    assert (result.exit_code, responses(database)) == (0, 16), result.output
    assert "at most 1 answer to a request" in result.stderr
    assert questions(fake) == [1] * 16


async def sampled(fake: Any, lostkeys: Run, *labels: str) -> None:
    for label in labels:
        model = f"openai:m@{fake.base_url}"
        words = ("--model", model, "--thinking", "off", "--as", label, "--tasks", "direct")
        result = await lostkeys("sample", *words, "--unchecked")
        assert result.exit_code == 0, result.output
    fake.bodies.clear()


async def test_check_as_json(fake: Any, lostkeys: Run) -> None:
    await sampled(fake, lostkeys, "first", "second")
    misbehave(fake, faults.always_the_same)
    result = await lostkeys("models", "--check", "--yes", "--json")
    assert result.exit_code == 1
    first, second, embedded = json.loads(result.stdout)["models"]
    names = [*NAMES, "replies"]
    assert [check["name"] for check in first["checks"]] == names
    assert [check["result"] for check in first["checks"]] == [
        "failed" if name == "sampling" else "passed" for name in names
    ]
    assert all(set(check) == {"name", "result", "detail"} for check in first["checks"])
    assert first["failed"] is True
    assert first["state"].startswith("sampling: ")
    assert second == {**first, "model": "second"}
    assert len(fake.bodies) == 2, "one model under two labels is checked once, and its replies"
    assert embedded["checks"][0]["result"] == "failed"
    assert "none.gguf" in embedded["state"]


async def test_check_for_people(fake: Any, lostkeys: Run) -> None:
    await sampled(fake, lostkeys, "first", "second")
    misbehave(fake, faults.no_usage, faults.sends(1))
    shown = (await lostkeys("models", "--check", "--yes")).stdout
    assert shown.count("thinking off") == 2, "one block for the server, one for the embedded model"
    assert "at most 1" in shown
    assert "1 failed" in shown
    without = (await lostkeys("models")).stdout
    assert "sampling" not in without
    document = json.loads((await lostkeys("models", "--json")).stdout)
    assert [model["checks"] for model in document["models"]] == [[], [], []]


async def test_an_address_out_of_the_database_is_sent_nothing_unasked(
    fake: Any, lostkeys: Run, state: Path
) -> None:
    await sampled(fake, lostkeys, "first", "second")
    (state / FILE).unlink()  # as on the machine of somebody else
    result = await lostkeys("models", "--check", "--json")
    first, second, _ = json.loads(result.stdout)["models"]
    assert first["state"] == second["state"] == "not asked: its address came out of the file"
    assert first["checks"] == []
    assert fake.bodies == []


async def test_an_address_is_asked_about_once(
    fake: Any, lostkeys: Run, database: str, state: Path
) -> None:
    from core.sampling.model_list import catalogue

    await sampled(fake, lostkeys, "first")
    other = f"openai:other@{fake.base_url}"
    words = ("sample", "--model", other, "--thinking", "off", "--tasks", "direct")
    assert (await lostkeys(*words)).exit_code == 0
    fake.bodies.clear()
    (state / FILE).unlink()
    addresses: list[str] = []

    def may_ask(address: str) -> bool:
        addresses.append(address)
        return True

    entries = await asyncio.to_thread(catalogue, Path(database), may_ask)
    assert addresses == [fake.base_url]
    assert sorted(body["model"] for body in fake.bodies) == ["m"] * 2 + ["other"] * 2
    assert [entry.state for entry in entries][:2] == ["answers", "answers"]


async def test_what_a_server_says_never_reaches_the_terminal_raw(fake: Any, lostkeys: Run) -> None:
    await sampled(fake, lostkeys, "first")

    def evil(document: dict[str, Any]) -> dict[str, Any]:
        for choice in document["choices"]:
            choice.get("message", choice)["content"] = EVIL
        return document

    misbehave(fake, evil)
    shown = (await lostkeys("models", "--check", "--yes")).stdout
    assert "[/red]" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    document = json.loads((await lostkeys("models", "--check", "--yes", "--json")).stdout)
    assert EVIL in document["models"][0]["state"]
    refused = await lostkeys("sample", "--model", f"openai:m@{fake.base_url}", "--as", "x")
    assert refused.exit_code == 1
    assert "\x1b" not in one_line(str(refused.exception))
