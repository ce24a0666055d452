"""`lostkeys prompts`: the list, a prompt as it is sent, and one's own copies."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import prompts
from core.errors import UsageError
from tui.cli.main import cli

FACT = {
    "fact_id": "1__0",
    "subject": "France",
    "object": "Paris",
    "completion": "The capital of France is",
    "direct": "What is the capital of \x1b[31mFrance?",
    "direct_choices": ["Paris", "Lyon", "Nice", "Lille"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the person's own prompts would lie; it is not there yet."""
    mine = tmp_path / "mine"
    monkeypatch.setenv("LOSTKEYS_PROMPTS", str(mine))
    return mine


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A database with one fact."""
    (tmp_path / "facts.jsonl").write_text(json.dumps(FACT) + "\n", encoding="utf-8")
    path = str(tmp_path / "some.db")
    lostkeys("--db", path, "import", str(tmp_path / "facts.jsonl"))
    return path


def lostkeys(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words), env={"COLUMNS": "200"})


def test_every_prompt_is_listed_with_its_place_in_the_papers(folder: Path) -> None:
    found = json.loads(lostkeys("prompts", "--json").stdout)
    assert found["folder"] == str(folder)
    assert [row["name"] for row in found["prompts"]] == prompts.list_names()
    row = next(row for row in found["prompts"] if row["name"] == "question_steps")
    assert (row["source"], row["replaced"], row["version"]) == (
        "Calderon et al., Box D.17", False, 2,
    )  # fmt: skip
    assert row["hash"] == prompts.load("question_steps").hash
    assert not folder.exists()
    judge = next(one for one in found["prompts"] if one["name"] == "judge")
    assert judge["source"] == "FACT-BENCH, section 2.2 and table 12"


def test_a_prompt_is_shown_as_it_would_be_sent(database: str, folder: Path) -> None:
    shown = lostkeys("--db", database, "prompts", "show", "question")
    assert shown.exit_code == 0
    assert "What is the capital of" in shown.stdout
    assert "\x1b" not in shown.stdout
    options = lostkeys("--db", database, "prompts", "show", "choice").stdout
    assert "A) Paris\nB) Lyon\nC) Nice\nD) Lille" in options
    judged = lostkeys("--db", database, "prompts", "show", "judge").stdout
    assert "Paris" in judged
    assert "{response}" in judged, "what no fact has stays as its name"


def test_a_prompt_of_ones_own_takes_its_place(folder: Path) -> None:
    assert lostkeys("prompts", "copy", "question", "judge").stdout.split() == [
        str(folder / "question.md"),
        str(folder / "judge.md"),
    ]
    ours = prompts.read_source("question")
    assert (folder / "question.md").read_text(encoding="utf-8") == ours
    mine = ours.replace("version = 1", "version = 7")
    (folder / "question.md").write_text(mine, encoding="utf-8")
    prompts.load.cache_clear()
    again = lostkeys("prompts", "copy")
    assert again.exit_code == 0
    assert "left as they are: " in again.stderr
    assert (folder / "question.md").read_text(encoding="utf-8") == mine
    rows = json.loads(lostkeys("prompts", "--json").stdout)["prompts"]
    row = next(row for row in rows if row["name"] == "question")
    assert (row["replaced"], row["version"]) == (True, 7)


def test_a_broken_prompt_is_one_line_with_its_place(folder: Path) -> None:
    folder.mkdir()
    text = prompts.read_source("question").replace("{question}", "nothing")
    (folder / "question.md").write_text(text, encoding="utf-8")
    prompts.load.cache_clear()
    found = lostkeys("prompts")
    assert found.exit_code == 1
    assert "input 'question' is declared but has no placeholder" in found.stderr
    row = next(
        row
        for row in json.loads(lostkeys("prompts", "--json").stdout)["prompts"]
        if row["name"] == "question"
    )
    assert str(folder / "question.md") in row["fault"]
    assert row["version"] is None


def test_names_that_are_none_are_refused(folder: Path, database: str) -> None:
    for words in (("show", "oral"), ("copy", "oral"), ("show", "../judge")):
        error = lostkeys("--db", database, "prompts", *words).exception
        assert isinstance(error, UsageError)
        assert "no prompt named" in str(error)
    assert not folder.exists()
    error = lostkeys("--db", database, "prompts", "show", "judge", "--model", "m").exception
    assert isinstance(error, UsageError)
    assert "m was not asked with judge" in str(error)


def test_prompts_to_reason_have_no_worked_example() -> None:
    for name in ("question_steps", "choice_steps", "completion_steps"):
        prompt = prompts.load(name)
        sent = prompt.render(**dict.fromkeys(prompt.inputs, "X"))
        assert [one.role for one in sent] == ["system", "user"]
        assert "Answer:" in sent[0].content
