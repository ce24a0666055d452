"""Base models and servers with few answers to a request, by the commands themselves."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import core.providers.base
from core.errors import UsageError
from core.providers.embedded.model_server import EmbeddedServer
from tests.fakes.openai_server import FakeOpenAI
from tui.cli.main import cli

FACT = {
    "fact_id": "1__0",
    "subject": "France",
    "object": "Paris",
    "completion": "The capital of France is \n",
    "direct": "What is the capital of France?",
    "direct_choices": ["Paris", "Lyon", "Nice", "Lille"],
}
COMPLETIONS, CHAT = "completions", "chat/completions"

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(core.providers.base, "FIRST_WAIT", 0.0)
    EmbeddedServer.stop_shared()
    monkeypatch.setenv("LOSTKEYS_GGUF", str(tmp_path / "none.gguf"))


@pytest.fixture
def lostkeys(tmp_path: Path) -> Run:
    """Run a command on a database with one fact, beside the fake server."""
    facts = tmp_path / "facts.jsonl"
    facts.write_text(json.dumps(FACT) + "\n", encoding="utf-8")
    database = str(tmp_path / "some.db")
    result = CliRunner().invoke(cli, ["--db", database, "import", str(facts)])
    assert result.exit_code == 0, result.output

    async def run(*words: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, cli, ["--db", database, *words])

    return run


def drawn(fake: FakeOpenAI, endpoint: str) -> list[dict[str, Any]]:
    """Requests for answers to the fact, to one endpoint."""
    return [body for body in fake.asked_at(endpoint) if "capital of France" in json.dumps(body)]


async def entry(lostkeys: Run, model: str, *words: str) -> dict[str, Any]:
    result = await lostkeys("models", "--json", *words)
    assert result.exit_code == (1 if "--check" in words else 0), "the embedded model is not here"
    found: list[dict[str, Any]] = json.loads(result.stdout)["models"]
    return next(one for one in found if one["model"] == model)


async def test_a_base_model_is_profiled(fake: FakeOpenAI, lostkeys: Run) -> None:
    fake.unique, fake.templates, fake.has_chat = True, False, False
    model = f"openai:m@{fake.base_url}"
    result = await lostkeys("run", "--model", model)
    assert result.exit_code == 0, result.output
    assert (len(drawn(fake, CHAT)), len(fake.asked_at(CHAT))) == (0, 1)
    prompts = [body["prompt"] for body in drawn(fake, COMPLETIONS)]
    assert "The capital of France is" in prompts, "without its white space, and alone"
    assert sum(one.endswith("\nAnswer:") for one in prompts) == 1 + 4
    assert sum(one.endswith("\nReason:") for one in prompts) == 1 + 4
    seen = await entry(lostkeys, model)
    assert (seen["completion"], seen["questions"], seen["most_answers"]) == ("raw", "raw", None)
    seen = await entry(lostkeys, model, "--check", "--yes")
    assert seen["state"] == "answers"
    details = {check["name"]: check["detail"] for check in seen["checks"]}
    assert details["endpoints"] == "completion raw, questions raw"
    assert len(fake.asked_at(CHAT)) == 1, "what is known is not tried again"
    profiles = json.loads((await lostkeys("profiles", "--json")).stdout)
    assert profiles["models"][0]["thinking"] is True


async def test_a_base_model_without_thinking(fake: FakeOpenAI, lostkeys: Run) -> None:
    fake.unique, fake.templates, fake.has_chat = True, False, False
    model = f"openai:m@{fake.base_url}"
    result = await lostkeys("run", "--model", model, "--thinking", "off")
    assert result.exit_code == 0, result.output
    profiles = json.loads((await lostkeys("profiles", "--json")).stdout)
    assert profiles["models"][0]["thinking"] is False


@pytest.mark.slow
async def test_a_server_with_both_endpoints(fake: FakeOpenAI, lostkeys: Run) -> None:
    fake.unique, fake.templates = True, False
    model = f"openai:m@{fake.base_url}"
    result = await lostkeys("sample", "--model", model, "--thinking", "off")
    assert result.exit_code == 0, result.output
    (completion,) = drawn(fake, COMPLETIONS)
    assert completion["prompt"] == "The capital of France is"
    assert "stop" not in completion
    assert len(drawn(fake, CHAT)) == 1 + 4
    contrary = ("sample", "--model", model, "--samples", "16", "--questions", "raw")
    result = await lostkeys(*contrary)
    assert isinstance(result.exception, UsageError)
    assert "--as NAME" in str(result.exception)
    result = await lostkeys(*contrary, "--as", "base", "--thinking", "off")
    assert result.exit_code == 0, result.output
    assert (await entry(lostkeys, "base"))["questions"] == "raw"
    before = len(drawn(fake, CHAT))
    result = await lostkeys("sample", "--model", model, "--as", "base", "--samples", "24")
    assert result.exit_code == 0, result.output
    assert len(drawn(fake, CHAT)) == before, "it goes on as it began"


async def test_a_template_around_the_text(fake: FakeOpenAI, lostkeys: Run) -> None:
    fake.unique = True
    model = f"openai:m@{fake.base_url}"
    result = await lostkeys("sample", "--model", model, "--thinking", "off")
    assert result.exit_code == 0, result.output
    assert drawn(fake, COMPLETIONS) == []
    seen = await entry(lostkeys, model)
    assert (seen["completion"], seen["questions"]) == ("chat", "chat")


async def test_four_answers_to_a_request(fake: FakeOpenAI, lostkeys: Run) -> None:
    fake.unique, fake.most = True, 4
    model = f"openai:m@{fake.base_url}"
    words = ("sample", "--model", model, "--thinking", "off", "--tasks", "direct")
    result = await lostkeys(*words)
    assert result.exit_code == 0, result.output
    assert "at most 4 answers to a request" in result.stderr
    assert [body["n"] for body in drawn(fake, CHAT)] == [4, 4]
    assert (await entry(lostkeys, model))["most_answers"] == 4
    fake.bodies.clear()
    fake.paths.clear()
    assert (await lostkeys(*words, "--samples", "16")).exit_code == 0
    assert max(body["n"] for body in fake.bodies) == 4, "it is known"


async def test_an_unchecked_run_learns_the_limit_too(fake: FakeOpenAI, lostkeys: Run) -> None:
    fake.unique, fake.most, fake.says_most = True, 3, "n is too large"
    model = f"openai:m@{fake.base_url}"
    words = ("sample", "--model", model, "--thinking", "off", "--tasks", "direct", "--unchecked")
    result = await lostkeys(*words)
    assert result.exit_code == 0, result.output
    assert [body["n"] for body in drawn(fake, CHAT)] == [8, 4, 2, 2, 2, 2]
    assert (await entry(lostkeys, model))["most_answers"] == 2


async def test_what_is_known_without_asking(lostkeys: Run) -> None:
    seen = await entry(lostkeys, "embedded:smollm2-135m")
    assert (seen["completion"], seen["questions"], seen["most_answers"]) == ("raw", "chat", None)
    result = await lostkeys("sample", "--model", "gemini:gemini-2.5-flash", "--questions", "raw")
    assert isinstance(result.exception, UsageError)
    assert "no endpoint for raw completions" in str(result.exception)
