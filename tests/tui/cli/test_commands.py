"""The commands: what they print, how they fail, what they leave behind."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from core.errors import UsageError
from tui.cli import main as cli_main
from tui.cli.commands.demo import explain_commands
from tui.cli.main import cli
from tui.cli.terminal_text import UV_RUNS

FACT = {
    "fact_id": "1__0",
    "gbc": 1200,
    "category": "Geography",
    "subject": "France",
    "object": "Paris",
    "object_type": "LOCATION",
    "completion": "The capital of France is ",
    "direct": "What is the capital of France?",
    "direct_answer": "Paris",
    "direct_choices": ["Paris", "Lyon", "Lille", "Nice"],
    "reverse": "Paris is the capital of which country?",
    "reverse_answer": "France",
}
TASKS = ("completion", "direct", "reverse")


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [*words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def failing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[int, str]:
    """Exit code and message of the real entry point; the message must be one line."""
    monkeypatch.setattr("sys.argv", ["lostkeys", *words])
    with pytest.raises(SystemExit) as stop:
        cli_main.main()
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    assert err.startswith("lostkeys: ")
    assert isinstance(stop.value.code, int)
    return stop.value.code, err.removeprefix("lostkeys: ").rstrip()


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def database(tmp_path: Path) -> str:
    """One fact, one model with two samples of three tasks, graded by two graders."""
    facts = write_lines(tmp_path / "facts.jsonl", [FACT])
    responses = [
        {
            "fact_id": "1__0",
            "task": task,
            "model": "alpha",
            "thinking": thinking,
            "sample": sample,
            "response": "Paris" if task != "reverse" else "Spain [/red]\x1b[31m",
            "grades": {"a": "CORRECT", "b": "CORRECT" if sample else "INCORRECT"},
        }
        for task in TASKS
        for thinking in (False, True)
        for sample in range(2)
    ]
    path = str(tmp_path / "some.db")
    run("--db", path, "import", str(facts), str(write_lines(tmp_path / "r.jsonl", responses)))
    return path


def test_profiles_for_people_and_for_programs(database: str) -> None:
    shown = run("profiles", "--db", database, "--grader", "a").stdout
    assert "alpha" in shown
    assert "DR 100" in shown
    document = json.loads(run("profiles", "--db", database, "--grader", "a", "--json").stdout)
    assert document["models"][0]["counts"]["direct_recall"] == 1
    assert document["graders"] == ["a"]
    assert document["weight"] is None
    listed = run("--db", database, "profiles", "--grader", "b", "--per-fact").stdout
    assert "France → Paris" in listed


def test_groups_have_the_same_keys(database: str) -> None:
    words = ("--db", database, "profiles", "--grader", "a", "--json", "--by", "category")
    (model,) = json.loads(run(*words).stdout)["models"]
    groups = model.pop("groups")
    assert list(groups) == ["Geography"]
    assert groups["Geography"] == model


def test_two_graders_and_no_choice_is_an_error(
    database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, message = failing(capsys, monkeypatch, "--db", database, "profiles")
    assert code == 2
    assert "--grader" in message
    assert "a, b" in message
    run("--db", database, "graders", "primary", "b")
    assert "human:* then b" in run("--db", database, "profiles").stdout


def options_of(command: click.Command) -> Iterator[click.Option]:
    """The options of a command and of all commands under it."""
    yield from (one for one in command.params if isinstance(one, click.Option))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            under = command.get_command(context, name)
            assert under is not None
            yield from options_of(under)


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400"])
def test_no_option_takes_a_number_that_is_none(number: str) -> None:
    """Bounds do not tell `nan`, so those that have any are of a type that does."""
    bounded = [one for one in options_of(cli) if isinstance(one.type, click.FloatRange)]
    assert len(bounded) > 10
    for option in bounded:
        with pytest.raises(click.BadParameter, match=r"is no|is not in the range"):
            option.type.convert(number, option, None)
    others = {one.name for one in options_of(cli) if isinstance(one.type, type(click.FLOAT))}
    assert others - {one.name for one in bounded} <= {"tau", "weight", "sure", "within"}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("grade", "--grader", "form", "--sure", "nan"), 2, "--sure nan"),
        (
            ("audit", "plan", "--person", "human:e", "--grader", "a", "--within", "nan"),
            2,
            "--within nan",
        ),
        (("profiles", "--weight", "inf"), 2, "outside [0, 1]"),
        (("profiles", "--tau", "1"), 2, "outside [0, 1)"),
        (("profiles", "--tau", "nan"), 2, "outside [0, 1)"),
        (("profiles", "--grader", "nobody"), 2, "nobody"),
        (("profiles", "--grader", "a", "--model", "beta"), 2, "models are alpha"),
        (("profiles", "--grader", "a", "--where", "views:many"), 2, "views:>1000"),
        (("profiles", "--grader", "a", "--where", '"open'), 2, "quotation mark"),
        (("profiles", "--strategy", "guess"), 2, "--help"),
        (("confusion", "a", "nobody"), 2, "nobody"),
        (("confusion", "a", "b", "--task", "sing"), 2, "the ten are completion"),
        (("grade", "--grader", "nobody"), 2, "lexical"),
        (("sample", "--model", "nothing"), 2, "openai:MODEL"),
        (("sample", "--model", "embedded:smollm2-135m", "--tasks", "sing"), 2, "sing"),
        (("discard", "--model", "beta", "--yes"), 2, "alpha"),
        (("import", "nowhere.csv"), 1, "nowhere.csv"),
        (("sing",), 2, "sing"),
    ],
)
def test_wrong_words(
    database: str,
    words: tuple[str, ...],
    code: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, message = failing(capsys, monkeypatch, "--db", database, *words)
    assert says in message
    assert found == code


def test_reading_makes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none.db"
    for words in (("profiles",), ("confusion", "a", "b"), ("grade", "--grader", "exact")):
        code, message = failing(capsys, monkeypatch, "--db", str(path), *words)
        assert code == 1
        assert "does not exist" in message
    run("--db", str(path), "models")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_file_leaves_no_database_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "facts.jsonl"
    broken.write_text('{"fact_id": "1"', encoding="utf-8")
    path = tmp_path / "new.db"
    code, message = failing(capsys, monkeypatch, "--db", str(path), "import", str(broken))
    assert code == 1
    assert "facts.jsonl" in message
    assert list(tmp_path.iterdir()) == [broken]


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_broken_file_stops_no_other(tmp_path: Path, dry: tuple[str, ...]) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"fact_id": "1"', encoding="utf-8")
    good = write_lines(tmp_path / "good.jsonl", [FACT])
    words = ("--db", str(tmp_path / "x.db"), "import", *dry, "--json", str(broken), str(good))
    result = run(*words, code=1)
    assert result.stderr.splitlines()[0].startswith(f"lostkeys: {broken}, line 1: not valid JSON")
    first, second = json.loads(result.stdout)["files"]
    assert (first["format"], first["rows"]) == (None, 0)
    assert first["error"].startswith(f"{broken}, line 1")
    assert (second["file"], second["added"]) == ("good.jsonl", 1)
    assert "error" not in second


def test_wrong_words_for_one_file_of_several_are_wrong_usage(tmp_path: Path) -> None:
    row = {"doc_id": 1, "doc": {}, "resps": [["a"]], "target": "a", "arguments": [["a?", {}]]}
    nameless = write_lines(tmp_path / "samples_a.jsonl", [row])
    good = write_lines(tmp_path / "good.jsonl", [FACT])
    path = str(tmp_path / "x.db")
    result = run("--db", path, "import", str(nameless), str(good), code=2)
    assert "--as NAME" in result.stderr
    assert "added 1" in result.stderr


def test_bad_rows_are_told_and_good_ones_land(tmp_path: Path) -> None:
    rows = write_lines(tmp_path / "facts.jsonl", [FACT, {"fact_id": "2"}])
    result = run("--db", str(tmp_path / "x.db"), "import", str(rows), code=1)
    assert "line 2" in result.stderr
    assert "added 1" in result.stderr


def test_an_import_of_bad_rows_alone_is_a_failed_job(database: str, tmp_path: Path) -> None:
    rows = write_lines(tmp_path / "facts.jsonl", [{**FACT, "fact_id": ""}] * 2)
    result = run("--db", database, "import", str(rows), code=1)
    assert "line 1" in result.stderr
    assert "line 2" in result.stderr
    newest = json.loads(run("--db", database, "jobs", "--json").stdout)["jobs"][0]
    assert (newest["kind"], newest["state"]) == ("import", "failed")
    assert "nothing of" in newest["reason"]


def test_a_format_that_is_not_there(
    database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(Path(database).with_name("facts.jsonl"))
    words = ("--db", database, "import", "--format", "nonsense", file)
    code, message = failing(capsys, monkeypatch, *words)
    assert code == 2
    assert "responses" in message


def test_grade_then_disagree(database: str) -> None:
    run("--db", database, "grade", "--grader", "lexical,exact")
    shown = run("--db", database, "confusion", "lexical", "a").stdout
    assert "disagreements" in shown
    document = json.loads(run("--db", database, "confusion", "lexical", "a", "--json").stdout)
    assert document["n"] == 12
    assert sum(sum(row.values()) for row in document["matrix"].values()) == 12
    assert list(document["by_task"]) == list(TASKS)


def test_discard_asks_first(database: str) -> None:
    words = ("--db", database, "discard", "--model", "alpha", "--thinking", "on")
    refused = CliRunner().invoke(cli, words, input="n\n")
    assert refused.exit_code == 1
    assert "6 responses" in refused.stderr
    assert "6 responses discarded" in run(*words, "--yes").stderr
    document = json.loads(run("--db", database, "profiles", "--grader", "a", "--json").stdout)
    assert document["models"][0]["thinking"] is False


def test_remove_counts_and_asks_first(database: str) -> None:
    words = ("--db", database, "remove", "grader", "a")
    planned = json.loads(run(*words, "--dry-run", "--json").stdout)
    assert planned == {
        "what": "grader",
        "name": "a",
        "removed": False,
        "counts": {"grader versions": 1, "labels": 12},
    }
    refused = CliRunner().invoke(cli, words, input="n\n")
    assert refused.exit_code == 1
    assert "12 labels" in refused.stderr
    assert run(*words, "--json", code=2).stdout == ""
    assert json.loads(run(*words, "--json", "--yes").stdout) == {**planned, "removed": True}
    with pytest.raises(UsageError, match="no grader named 'a'"):
        run(*words, "--yes")
    run("--db", database, "remove", "model", "alpha", "--yes")
    models = json.loads(run("--db", database, "models", "--json").stdout)["models"]
    assert "alpha" not in {one["model"] for one in models}


def test_model_text_never_reaches_the_terminal_raw(database: str, tmp_path: Path) -> None:
    hostile = {
        **FACT,
        "fact_id": "[/red]\x1b]52;c;x\x07",
        "subject": "\x1b[2J\u202eevil",
        "gbc": "",
    }
    run("--db", database, "import", str(write_lines(tmp_path / "h.jsonl", [hostile])))
    shown = run("--db", database, "profiles", "--grader", "a", "--per-fact").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[/red]" in shown


def test_graders_are_listed_and_measured(database: str, tmp_path: Path) -> None:
    assert "12" in run("--db", database, "graders").stdout
    case = {
        "id": "1",
        "question": "What is the capital of France?",
        "gold_answers": ["Paris"],
        "prediction": "Paris.",
        "human_correct": True,
        "source": "made",
    }
    file = str(write_lines(tmp_path / "cases.jsonl", [case]))
    words = ("graders", "evaluate", "exact", "--labels", file)
    document = json.loads(run(*words, "--json").stdout)
    assert document["accuracy"] == 1.0
    assert re.search(r"accuracy +100\.0", run(*words).stdout)


def test_saved_profiles_can_be_read_by_others(database: str) -> None:
    import sqlite3

    run("--db", database, "profiles", "--grader", "a", "--save", "first")
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT policy, profile, e, k0, kt FROM saved_profile").fetchall()
    connection.close()
    assert rows == [("first", "direct_recall", 1, 1, 1)]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("lostkeys pub", "publish"),
        ("lostkeys export edi", "edits"),
        ("lostkeys export edits --scor", "--score"),
        ("lostkeys zp-lke chec", "check"),
    ],
)
def test_a_shell_completes(
    typed: str,
    offered: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("_LOSTKEYS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    with pytest.raises(SystemExit) as done:
        cli_main.main()
    assert done.value.code in (0, None)
    assert capsys.readouterr().out == f"plain,{offered}\n"


@pytest.mark.parametrize("ran", [True, False])
def test_the_demo_ends_with_a_command_that_there_is(
    ran: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(UV_RUNS, raising=False)
    if ran:
        monkeypatch.setenv(UV_RUNS, "1")
    explain_commands()
    said = capsys.readouterr().out
    assert said.startswith("`uv run lostkeys import FILE`" if ran else "`lostkeys import FILE`")
    assert ("uv tool install ." in said) is ran
    readme = Path(__file__).parents[3].joinpath("README.md").read_text()
    assert "`lostkeys` stands for `uv run lostkeys`; `uv tool install .`" in readme
