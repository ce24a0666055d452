"""A run against a server that thinks, recorded and played again; its key is nowhere to be found."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.providers.embedded.model_server import EmbeddedServer
from core.providers.exchange_file import raw_path, read_lines
from core.providers.model_names import key_variable
from tests.core.providers import servers
from tests.fakes.openai_server import serving
from tui.cli.main import cli

KEY = "sk-very-secret-0123456789"
FACT = {
    "fact_id": "1__0",
    "subject": "France",
    "object": "Paris",
    "completion": "The capital of France is ",
    "direct": "What is the capital of France?",
    "reverse": "Paris is the capital of what?",
    "reverse_choices": '["France", "Norway", "Poland", "Greece"]',
}

Run = Callable[..., Any]


class Echo(servers.Thinker):
    """Thinks unless told not to, and tells everybody the key that it was given."""

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        return {**super().normal(body), "system_fingerprint": f"for {self.headers[-1]}"}


@pytest.fixture(autouse=True)
def no_embedded_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    EmbeddedServer.stop_shared()
    monkeypatch.setenv("LOSTKEYS_GGUF", str(tmp_path / "none.gguf"))


@pytest.fixture
async def fake(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Echo]:
    monkeypatch.setenv(key_variable("127.0.0.1"), KEY)
    server = Echo(servers.ollama().thinks)
    server.key = KEY
    async with serving(server):
        yield server


@pytest.fixture
def database(tmp_path: Path) -> Path:
    facts = tmp_path / "facts.jsonl"
    facts.write_text(json.dumps(FACT) + "\n", encoding="utf-8")
    path = tmp_path / "some.db"
    assert CliRunner().invoke(cli, ["--db", str(path), "import", str(facts)]).exit_code == 0
    return path


@pytest.fixture
def lostkeys(database: Path) -> Run:
    """Run a command beside the fake server, in a thread of its own."""

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["--db", str(database), *words])

    return run


def answers(database: Path, label: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(database)
    rows = connection.execute(
        "SELECT response.question, setting.thinking, response.sample, text, shown, finish, "
        "reasoning FROM response JOIN draw ON draw.response = response.id "
        "JOIN setting ON setting.id = response.setting JOIN model ON model.id = setting.model "
        "WHERE label = ? ORDER BY 1, 2, 3",
        (label,),
    ).fetchall()
    connection.close()
    return rows


async def test_recorded_and_played_again(
    fake: Echo, lostkeys: Run, database: Path, tmp_path: Path
) -> None:
    model = f"openai:m@{fake.base_url}"
    first = await lostkeys("sample", "--model", model, "--as", "first", "--raw")
    assert first.exit_code == 0, first.output
    assert "thinking: reasoning_effort none / plain" in first.stderr
    drawn = answers(database, "first")
    # Completion off only; direct, reverse and its multiple choice in both settings.
    assert len(drawn) == (1 + 3 * 2) * 8
    assert all(bool(row[-1]) == bool(row[1]) for row in drawn), "reasoning where thinking is on"

    file = raw_path(database)
    records = [line for line in read_lines(file) if "draws" in line]
    assert sum(len(line["draws"]) for line in records) == len(drawn)
    for line in records:
        sent = json.loads(line["exchanges"][0]["sent"])
        assert (sent.get("reasoning_effort") == "none") == (not line["thinking"])
        assert json.loads(line["exchanges"][0]["received"])["choices"]

    fake.bodies.clear()
    again = await lostkeys("sample", "--model", f"replay:{file}", "--as", "again")
    assert again.exit_code == 0, again.output
    assert answers(database, "again") == drawn
    assert fake.bodies == []
    written = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {file, database} <= set(written)
    for path in written:
        assert KEY.encode() not in path.read_bytes(), path
    everything = "".join(map(json.dumps, read_lines(file)))
    assert KEY not in everything + first.output + again.output
    assert "for {" in everything, "the server did tell"


async def test_check_shows_how_thinking_is_switched(fake: Echo, lostkeys: Run) -> None:
    model = f"openai:m@{fake.base_url}"
    await lostkeys("sample", "--model", model, "--as", "first", "--tasks", "direct")
    fake.bodies.clear()
    result = await lostkeys("models", "--check", "--yes", "--json")
    first, _ = json.loads(result.stdout)["models"]
    checks = {check["name"]: check for check in first["checks"]}
    assert checks["thinking"]["detail"] == "reasoning_effort none / plain"
    assert checks["thinking off"]["result"] == "passed"
    assert [body["n"] for body in fake.bodies] == [8, 1], "it was found out; replies were not"
    shown = (await lostkeys("models", "--check", "--yes")).stdout
    assert "reasoning_effort" in shown
