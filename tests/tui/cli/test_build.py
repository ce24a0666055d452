"""`lostkeys build`: documents in, facts out, the funnel, wrong words in one line."""

import asyncio
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import db.facts
from core.pipeline.stage_table import STAGES
from core.project import OpenProject
from tests.core.making import new_project
from tests.core.pipeline.making import documents
from tests.fakes.building_model import BuildingModel, Shares
from tests.fakes.service import listening
from tui.cli.main import cli

COUNT = 5


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [
        {"id": one.key, "title": one.title, "text": one.paragraphs[0].text, "views": one.views}
        for one in documents(COUNT)
    ]
    path = tmp_path / "documents.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.mark.slow
async def test_documents_to_facts(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "p.db"
    async with listening(model := BuildingModel(Shares(0, 0))):
        words = ("--db", path, "build", "--model", f"openai:m@{model.base_url}")
        made = await asyncio.to_thread(run, *words, "--documents", file, "--json")
        heard = dict(model.heard)
        again = await asyncio.to_thread(run, *words, "--documents", file)
    document = json.loads(made.stdout)
    assert [row["stage"] for row in document["stages"]] == [stage.name for stage in STAGES]
    rows = {row["stage"]: row for row in document["stages"]}
    assert rows["length"] == {
        **rows["length"],
        "waiting": 0,
        "taken": COUNT,
        "kept": COUNT,
        "dropped": 0,
        "failed": 0,
    }
    assert document["facts"] == rows["facts"]["kept"] > 0
    assert rows["verify-difficulty"]["paper"]["taken"] == 33_709
    assert rows["filter-direct"]["paper"]["dropped_share"] == 0.106
    assert f"{document['facts']} facts built" in made.stderr
    assert model.heard == heard
    assert "in paper" in again.stdout
    with OpenProject(path) as project:
        assert all(len(fact.questions) == 10 for fact in db.facts.read_facts(project.connection))


def test_what_needs_no_model_and_how_to_go_on(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "p.db"
    result = run("--db", path, "build", "--documents", file)
    assert f"{COUNT} wait for a model: --model M goes on" in result.stderr
    shown = run("--db", path, "build", "--funnel", "--json")
    assert json.loads(shown.stdout)["stages"][1]["waiting"] == COUNT


def test_an_estimate_asks_nothing(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "p.db"
    model = "gemini:gemini-2.5-flash"
    result = run("--db", path, "build", "--documents", file, "--model", model, "--dry-run")
    assert "requests" in result.stdout
    assert "cost" in result.stdout
    assert not path.exists()
    run("--db", path, "import", file)
    small = run("--db", path, "build", "--model", model, "--max-cost", "0.000001", code=1)
    assert "does not pay for the first request" in str(small.exception)
    none = run("--db", path, "build", "--dry-run")
    assert "requests   none" in none.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--until", "nothing"), "no stage named nothing: stages are length, classify"),
        (("--only", "facts", "--until", "facts"), "--until and --only exclude each other"),
        (("--redo", "Direct"), "no stage named Direct"),
        (("--redo", "direct"), "direct asks a model: name it with --model"),
        (("--model", "some"), "some"),
        (("--model", "embedded:smollm2-135m", "--grounding", "bing"), "no grounding 'bing'"),
    ],
)
def test_wrong_words(tmp_path: Path, file: Path, words: tuple[str, ...], said: str) -> None:
    path = tmp_path / "p.db"
    run("--db", path, "import", file)
    result = CliRunner().invoke(cli, ["--db", str(path), "build", *words])
    assert result.exit_code != 0
    assert said in str(result.exception)
    assert "\n" not in str(result.exception)


def test_wrong_words_bring_nothing_in(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "p.db"
    for words in (("--model", "some"), ("--grounding", "bing"), ("--only", "some")):
        wrong = run("--db", path, "build", "--documents", file, *words, code=1)
        assert "\n" not in str(wrong.exception)
        assert not path.exists()
    none = run("--db", path, "build", code=1)
    assert "name documents with --documents" in str(none.exception)


def test_what_was_done_is_said_of_a_part(tmp_path: Path, file: Path) -> None:
    path = tmp_path / "p.db"
    run("--db", path, "import", file)
    early = run("--db", path, "build", "--only", "facts")
    assert "nothing to do: nothing has come through" in early.stderr
    done = run("--db", path, "build", "--until", "length")
    assert f"{COUNT} kept by length" in done.stderr
    again = run("--db", path, "build", "--until", "length")
    assert "nothing to do that was not done before" in again.stderr
    with new_project(tmp_path / "none.db"):
        pass
    assert "no documents are here" in run("--db", tmp_path / "none.db", "build").stderr


def test_reasons_have_room_on_a_narrow_terminal_too(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "short.md").write_text("# One\n\nA few words.\n\nA few more.\n", encoding="utf-8")
    whole = ("--documents", folder, "--until", "length")
    first = run("--db", tmp_path / "p.db", "build", *whole, "--paragraphs", "first")
    assert "1 fewer than 12 words" in first.stdout
    assert "1 of 2 paragraphs, the first of each document: --paragraphs all" in first.stdout
    every = run("--db", tmp_path / "p.db", "build", "--until", "length")
    assert "2 fewer than 12 words" in every.stdout
    assert "--paragraphs all" not in every.stdout


def test_all_paragraphs_are_taken_but_of_a_wikipedia_page(tmp_path: Path) -> None:
    file = tmp_path / "documents.jsonl"
    text = "One short text.\n\nAnother short text."
    rows = ({"id": "own", "text": text}, {"id": "page", "text": f"A {text}", "views": 9})
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = run("--db", tmp_path / "p.db", "build", "--documents", file, "--until", "length")
    assert "2 fewer than 12 words, 1 fewer than 50 words" in result.stdout
    assert "3 of 4 paragraphs, the first of each Wikipedia page: --paragraphs all" in result.stdout
