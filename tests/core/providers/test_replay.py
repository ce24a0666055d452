"""Recorded answers given again: the same in every slot, and what was never recorded is said so."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import db.facts
from core.errors import UsageError
from core.project import OpenProject
from core.providers.base import Draw, Provider, Reply, Request, UnanswerableError
from core.providers.capabilities import Capabilities
from core.providers.exchange_file import RawFile
from core.providers.model_traits import ModelTraits
from core.providers.registry import describe, open_provider
from core.providers.replay import Replay
from core.sampling.recipe import recipe_for
from core.sampling.sample_plan import Plan
from db.connection import write_transaction
from prompts import Message
from tests.core.making import new_project
from tests.core.sampling.filling import Running
from tests.core.sampling.scripted import Scripted, capital
from tui.cli.main import cli

MODEL = "openai:m@http://127.0.0.1:9/v1"
NATIVE = ModelTraits("native", off={"reasoning_effort": "none"}).apply_to(describe(MODEL))


class Recording(Provider):
    """Another provider, with what it answers written to a raw file."""

    def __init__(self, provider: Provider, file: RawFile) -> None:
        self._provider, self._file = provider, file

    async def draw(self, request: Request) -> Reply:
        reply = await self._provider.draw(request)
        self._file.append(request.samples, "answer", request, reply)
        return reply


def numbered() -> Scripted:
    """Says something new every time."""
    numbers = iter(range(10_000))

    def script(request: Request) -> Reply:
        return Reply(tuple(Draw(f" {next(numbers)}\n", "stop", "Hm.") for _ in range(request.n)))

    return Scripted(script)


def ask(text: str, samples: tuple[int, ...] = (0,), **options: object) -> Request:
    messages = (Message("system", "Be short."), Message("user", text))
    return Request(len(samples), 32, 1.0, 1.0, messages, options=options, samples=samples)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    with new_project(tmp_path / "some.db") as project:
        with write_transaction(project.connection):
            db.facts.insert(project.connection, [capital(1, "France", "Paris")])
        project.refresh()
        yield project


def plan(project: OpenProject, model: str, label: str) -> Plan:
    return Plan(model, label, 8, np.ones(len(project.index), np.bool_))


def answers(project: OpenProject, label: str) -> dict[tuple[int, bool, int], tuple[Any, ...]]:
    """Everything that was drawn, by question, thinking and sample."""
    rows = project.connection.execute(
        "SELECT question, thinking, sample, text, shown, finish, reasoning FROM response "
        "JOIN draw ON draw.response = response.id JOIN setting ON setting.id = response.setting "
        "JOIN model ON model.id = setting.model WHERE label = ?",
        (label,),
    )
    return {(row[0], bool(row[1]), row[2]): row[3:] for row in rows}


@pytest.mark.parametrize("known", [describe(MODEL), NATIVE], ids=["steps", "native"])
async def test_a_run_again_gives_every_slot_its_answer(
    project: OpenProject, tmp_path: Path, known: Capabilities, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.raw.jsonl.gz"
    monkeypatch.setattr("core.sampling.recipe.describe", lambda name: known)
    file = RawFile(path, MODEL, known)
    await Running().fill(project, Recording(numbered(), file), plan(project, MODEL, "first"))
    file.close()
    monkeypatch.undo()
    name = f"replay:{path}"
    outcome = await Running().fill(project, open_provider(name), plan(project, name, "again"))
    assert (outcome.done, outcome.failed) == ((10 + 8) * 8, 0)
    assert answers(project, "again") == answers(project, "first")
    assert len(answers(project, "first")) == 18 * 8


async def test_the_recipe_is_that_of_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    file = RawFile(path, MODEL, NATIVE)
    file.append((0,), "answer", ask("Who?"), Reply((Draw("I"),)))
    file.close()
    recipe = recipe_for(f"replay:{path}")
    assert (recipe.thinking, recipe.model) == ("native", f"replay:{path}")
    assert recipe.options["thinking_off"] == {"reasoning_effort": "none"}
    assert describe(f"replay:{path}").draws == 1


def recorded(path: Path, *models: str) -> None:
    for model in models:
        file = RawFile(path, model, describe(model))
        reply = Reply((Draw(f"{model} off 4"), Draw(f"{model} off 6")))
        file.append((4, 6), "answer", ask("Who?"), reply)
        reply = Reply((Draw(f"{model} on 4"),))
        file.append((4,), "answer", ask("Who?", thinking=True), reply)
        file.close()


async def texts(provider: Provider, request: Request) -> list[str]:
    return [draw.text for draw in (await provider.draw(request)).draws]


async def test_prompt_thinking_and_sample_tell_answers_apart(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    recorded(path, MODEL)
    replay = Replay(str(path))
    assert await texts(replay, ask("Who?", (4, 6))) == [f"{MODEL} off 4", f"{MODEL} off 6"]
    assert await texts(replay, ask("Who?", (6, 4))) == [f"{MODEL} off 6", f"{MODEL} off 4"]
    assert await texts(replay, ask("Who?", (4,), thinking=True)) == [f"{MODEL} on 4"]
    assert await texts(replay, ask("Who?", (4, 5, 6))) == [f"{MODEL} off 4"]
    for missing in (ask("Who?", (5,)), ask("Whom?", (4,)), ask("Who?", (6,), thinking=True)):
        with pytest.raises(UnanswerableError, match="no answer is recorded") as caught:
            await replay.draw(missing)
        assert str(path) in str(caught.value)


async def test_the_newest_of_two_recordings_counts(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    for text in ("set aside", "drawn again"):
        file = RawFile(path, MODEL, describe(MODEL))
        file.append((0,), "answer", ask("Who?"), Reply((Draw(text),)))
        file.close()
    assert await texts(Replay(str(path)), ask("Who?")) == ["drawn again"]


async def test_a_file_of_several_models(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl.gz"
    other = "gemini:gemini-2.5-flash"
    recorded(path, MODEL, other)
    with pytest.raises(UsageError, match=f"say whose, as in replay:.*#{other}"):
        open_provider(f"replay:{path}")
    name = f"replay:{path}#{other}"
    assert await texts(open_provider(name), ask("Who?", (4,))) == [f"{other} off 4"]
    assert describe(name).thinking == "native"
    with pytest.raises(UsageError, match="no answers of nobody in it"):
        describe(f"replay:{path}#nobody")


BY_HAND = (
    {"prompt": "Who?", "answers": ["I", "You"]},
    {"prompt": "The capital of France is", "answers": ["Paris."], "thinking": False},
    {"prompt": "Where?", "answers": ["Here"], "thinking": True},
)


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    path = tmp_path / "my answers.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in BY_HAND), encoding="utf-8")
    return path


async def test_answers_written_by_hand(by_hand: Path) -> None:
    replay = open_provider(f"replay:{by_hand}")
    assert await texts(replay, ask("Who?", (0, 1, 2))) == ["I", "You", "I"]
    assert await texts(replay, ask("Who?\nA) I\nB) You", (1,))) == ["You"]
    assert await texts(replay, ask("Who?", (0,), thinking=True)) == ["I"]
    assert await texts(replay, ask("Where?", (0,), thinking=True)) == ["Here"]
    raw = Request(2, 8, 1.0, 1.0, text="The capital of France is")
    assert await texts(replay, raw) == ["Paris.", "Paris."]
    for missing in (ask("Where?"), ask("Who is it?"), ask("The capital", thinking=True)):
        with pytest.raises(UnanswerableError):
            await replay.draw(missing)


@pytest.mark.parametrize(
    "line",
    [
        {"prompt": "Who?"},
        {"prompt": 3, "answers": ["I"]},
        {"prompt": "Who?", "answers": []},
        {"prompt": "Who?", "answers": "I"},
        {"prompt": "Who?", "answers": [1]},
        {"draws": [{}], "samples": [0], "text": "a", "thinking": False},
        {"draws": [{"text": 3}], "samples": [0], "text": "a", "thinking": False},
        {"draws": [{"text": "a"}], "samples": ["x"], "text": "a", "thinking": False},
        {"draws": [3], "samples": [0], "text": "a", "thinking": False},
        {"draws": 3, "samples": [0], "text": "a", "thinking": False},
        {"draws": [], "samples": [0], "messages": [3], "thinking": False},
    ],
)
def test_records_in_no_known_form(tmp_path: Path, line: dict[str, Any]) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(line), encoding="utf-8")
    with pytest.raises(UsageError, match="record 1: not of the form"):
        Replay(str(path))


@pytest.mark.parametrize(
    "content",
    ['{"lostkeys_raw": 1, "model": "m"}', '{"lostkeys_raw": 1, "capabilities": {"a": 1}}'],
)
def test_a_header_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="its header cannot be read"):
        describe(f"replay:{path}")


@pytest.mark.parametrize("use", [describe, open_provider])
def test_a_file_that_is_not_there(use: Callable[[str], object], tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path, Path("/dev/null")):
        with pytest.raises(UsageError, match=f"{path}: cannot be read"):
            use(f"replay:{path}")


def invoke(database: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--db", str(database), *words])


@pytest.mark.slow
def test_from_the_command_line(tmp_path: Path) -> None:
    facts, said = tmp_path / "facts.jsonl", tmp_path / "said.jsonl"
    fact = {"fact_id": "1", "subject": "France", "object": "Paris"}
    facts.write_text(
        json.dumps(fact | {"completion": "The capital of France is ", "direct": "Which capital?"}),
        encoding="utf-8",
    )
    said.write_text(
        '{"prompt": "The capital of France is", "answers": ["Paris."]}\n'
        '{"prompt": "Which capital?", "answers": ["Paris", "Lyon"]}\n',
        encoding="utf-8",
    )
    database = tmp_path / "some.db"
    assert invoke(database, "import", str(facts)).exit_code == 0
    drawn = invoke(database, "sample", "--model", f"replay:{said}", "--as", "played")
    assert drawn.exit_code == 0, drawn.output
    with OpenProject(database, "read") as project:
        found = answers(project, "played")
    assert len(found) == 8 + 8 + 8
    assert [found[key][0] for key in sorted(found) if key[1]] == ["Paris", "Lyon"] * 4
    shown = invoke(database, "models", "--json", "--check")
    entry = json.loads(shown.stdout)["models"][0]
    assert (entry["model"], entry["asked_as"]) == ("played", f"replay:{said}")
    assert entry["checks"][0]["result"] == "passed"
    missing = invoke(database, "sample", "--model", f"replay:{tmp_path / 'none'}")
    assert isinstance(missing.exception, UsageError)
