"""Lakes from the command line: the worked example, round trips, and what is wrong with one."""

import json
import shutil
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from core.project import OpenProject
from tests.conftest import SHARED
from tests.core.scale.random_projects import make_project
from tui.cli import main as cli_main
from tui.cli.main import cli

EXAMPLE = SHARED / "design" / "examples" / "scale-lake"
needs_example = pytest.mark.skipif(not EXAMPLE.exists(), reason=f"{EXAMPLE} is not here")


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def check(expected: Any, found: Any) -> None:
    """At least these keys with these values."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            check(value, found[key])
    elif isinstance(expected, list):
        for one, other in zip(expected, found, strict=True):
            check(one, other)
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@needs_example
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--grader grader-a", "expected1.json"),
        ("--grader grader-b,grader-a --strategy fact", "expected2.json"),
        ("--grader grader-a --tau 0.25 --strategy partial", "expected3.json"),
    ],
)
def test_the_worked_example(words: str, expected: str) -> None:
    found = run("profiles", "--from", EXAMPLE / "lake", *words.split(), "--json")
    check(json.loads((EXAMPLE / expected).read_text()), json.loads(found.stdout))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    make_project(folder / "p.db", 15).close()
    run("--db", folder / "p.db", "export", "lake", "-o", folder / "lake")
    return folder / "lake"


@pytest.mark.slow
def test_commands_read_a_lake_as_they_read_its_database(lake: Path) -> None:
    database = lake.parent / "p.db"
    for words in (
        ("profiles", "--per-fact"),
        ("profiles", "--by", "popularity", "--intervals"),
        ("analyze", "direction"),
        ("confusion", "lexical", "llm:openai:g/2"),
    ):
        graders = () if words[0] == "confusion" else ("--grader", "human:*,lexical")
        expected = run("--db", database, *words, *graders, "--json")
        found = run(*words, "--from", lake, *graders, "--json")
        mine, theirs = (sort_models(json.loads(one.stdout)) for one in (found, expected))
        assert mine == theirs
        assert run(*words, "--from", lake, *graders).stdout


def sort_models(document: Any) -> Any:
    for key in ("models", "rows", "facts", "gaps"):
        if isinstance(document.get(key), list):
            document[key].sort(key=lambda row: row["model"])
    return document


def test_facts_rejected_in_a_database_stay_out(lake: Path, tmp_path: Path) -> None:
    database = tmp_path / "p.db"
    shutil.copy(lake.parent / "p.db", database)
    with OpenProject(database, "write") as project:
        project.connection.execute("UPDATE fact SET rejected = 1 WHERE id = 1")
        total = len(project.index)
    words = ("profiles", "--from", lake, "--grader", "lexical", "--json")
    (whole, *_) = json.loads(run(*words).stdout)["models"]
    (fewer, *_) = json.loads(run("--db", database, *words).stdout)["models"]
    assert (whole["total"], fewer["total"]) == (total, total - 1)


def labels_of(lake: Path) -> list[Path]:
    return sorted((lake / "labels" / "grader=lexical").rglob("*.parquet"))


def double(lake: Path) -> None:
    file = labels_of(lake)[0]
    shutil.copy(file, file.with_name("part-again.parquet"))


def double_fact(lake: Path) -> None:
    (file,) = (lake / "facts").iterdir()
    shutil.copy(file, file.with_name("part-again.parquet"))


def lose_task(lake: Path) -> None:
    folder = labels_of(lake)[0].parent
    labels_of(lake)[0].rename(folder.parent / "part.parquet")


def lose_responses(lake: Path) -> None:
    model = next((lake / "responses").iterdir())
    shutil.rmtree(next((model / "thinking=off").iterdir()))


def mislabel(lake: Path) -> None:
    file = labels_of(lake)[0]
    table = parquet.read_table(file)
    words = pa.array(["\x1b[31mWRONG"] * table.num_rows)
    parquet.write_table(table.set_column(2, "label", words), file)


def estrange(lake: Path) -> None:
    file = labels_of(lake)[0]
    table = parquet.read_table(file)
    parquet.write_table(table.set_column(0, "fact_id", pa.array(["x"] * table.num_rows)), file)


def cut_off(lake: Path) -> None:
    file = labels_of(lake)[0]
    file.write_bytes(file.read_bytes()[:-9])


def age(lake: Path) -> None:
    (lake / "lake.json").write_text('{"lostkeys_lake": 2}')


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (double, "a key stands twice"),
        (double_fact, "twice: take one file away"),
        (lose_task, "lacks task="),
        (lose_responses, "is missing, and "),
        (mislabel, "unknown label"),
        (estrange, "labels of the fact 'x' that is not in facts/"),
        (cut_off, "cannot be counted"),
        (age, "written by a newer Lostkeys (lake 2, this one knows 1)"),
        (lambda lake: (lake / "lake.json").write_text("{"), "cannot be read"),
        (lambda lake: (lake / "lake.json").unlink(), "is no lake, it has no lake.json"),
        (shutil.rmtree, "does not exist"),
        (lambda lake: shutil.rmtree(lake / "facts"), "holds no Parquet file"),
    ],
)
def test_what_is_wrong_with_a_lake_is_said_in_one_line(
    lake: Path,
    tmp_path: Path,
    change: Callable[[Path], object],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy = tmp_path / "lake"
    shutil.copytree(lake, copy)
    change(copy)
    words = ["profiles", "--from", copy, "--grader", "lexical", "--json"]
    check_refused(words, 1, says, capsys, monkeypatch)


def check_refused(
    words: list[object],
    code: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.argv", ["lostkeys", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        cli_main.main()
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (code, "")
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert says in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("profiles", "--save", "x"), "--save needs a database"),
        (("profiles", "--plot", "x.svg"), "--plot needs a database"),
        (("profiles", "--grader", "lexical", "--where", "noted"), "asks a database"),
        (("profiles", "--grader", "lexical", "--where", "differs"), "asks a database"),
        (("profiles", "--grader", "nobody"), "no labels by a grader named nobody"),
        (("profiles", "--model", "nobody"), "no responses of a model named nobody"),
        (("profiles",), "several graders have labelled"),
        (("confusion", "lexical", "lexical"), "agrees with itself"),
        (("confusion", "lexical", "choice", "human:ann"), "name two"),
        (("confusion", "--all"), "--all needs a database"),
    ],
)
def test_what_a_lake_cannot_say_is_said(
    lake: Path,
    words: tuple[str, ...],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_refused([*words, "--from", lake], 2, says, capsys, monkeypatch)


def test_without_duckdb_one_line_says_what_gets_it(
    lake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings.extras._is_there", lambda module: module != "duckdb")
    words: list[object] = ["profiles", "--from", lake, "--grader", "lexical"]
    check_refused(words, 1, 'pip install "lostkeys[scale]"', capsys, monkeypatch)


def test_a_lake_is_written_whole_or_not_at_all(
    lake: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words: list[object] = ["--db", lake.parent / "p.db", "export", "lake", "-o"]
    check_refused([*words, lake], 1, "is there already", capsys, monkeypatch)
    check_refused([*words, tmp_path / "no" / "x"], 1, "is not a folder", capsys, monkeypatch)

    def stop(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("core.transfer.lake_export._write_labels", stop)
    check_refused([*words, tmp_path / "x"], 1, "No space left", capsys, monkeypatch)
    assert list(tmp_path.iterdir()) == []
