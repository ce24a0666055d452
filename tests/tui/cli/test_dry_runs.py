"""No `--dry-run` writes a byte: of each command that has one, beside a program that is writing."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import check_output

import click
import pytest
from click.testing import CliRunner

from core.alignment.reference_draw import draw_set
from core.project import OpenProject
from core.transfer.imports import import_file
from core.vocabulary import Outcome, Task
from db.connection import connect, write_transaction
from tests.core.jobs.scored import fill
from tests.core.making import a_fact, cell, new_project, put_facts, put_rows
from tui.cli.main import cli

MODEL = "openai:m@http://127.0.0.1:9/v1"
LOCAL = ("--model", "embedded:smollm2-135m", "--examples", "3")
ANSWER = (
    '{"fact_id": "g1", "task": "direct", "model": "new", "thinking": false, "sample": 0, '
    '"response": "x"}\n'
)
DOCUMENT = '{"id": "d", "title": "Tartu", "text": "Tartu is a city in Estonia. It is old."}\n'

WORDS: dict[tuple[str, ...], list[tuple[str, ...]]] = {
    ("import",): [("{folder}/answers.jsonl",), ("{folder}/documents.jsonl",)],
    ("build",): [
        ("--model", MODEL),
        ("--model", MODEL, "--documents", "{folder}/documents.jsonl"),
        ("--documents", "{folder}/documents.jsonl", "--funnel"),
        ("--model", MODEL, "--documents", "{folder}/documents.jsonl", "--max-cost", "1"),
    ],
    ("sample",): [("--model", MODEL), ("--model", MODEL, "--max-cost", "1"), ("--job", "1")],
    ("run",): [
        ("--model", MODEL, "--grader", "lexical", "--curtail"),
        ("--job", "1", "--grader", "lexical"),
    ],
    ("grade",): [("--grader", f"llm:{MODEL}"), ("--grader", "exact", "--max-cost", "1")],
    ("requests",): [
        ("--model", "file:m"),
        ("--model", "file:m", "-o", "{folder}/out"),
        ("--grader", f"llm:{MODEL}", "-o", "{folder}/out"),
    ],
    ("zp-lke", "run"): [(*LOCAL, "--options", "10"), ("--job", "1")],
    ("zp-lke", "positions"): [
        ("--model", "embedded:smollm2-135m", "--relation", "born", "--length", "5"),
        ("--job", "1"),
    ],
    ("fact-bench", "run"): [
        ("--model", MODEL, "--mode", "zero-shot", "--set", "born"),
        ("--job", "1"),
    ],
    ("align", "try"): [("june", "--grader", f"llm:{MODEL}")],
    ("align", "adopt"): [("june", "lexical")],
    ("remove",): [("model", "n"), ("grader", "lexical")],
}
"""Of each command with `--dry-run` in which ways it is called."""


def find_commands(
    group: click.Group, above: click.Context, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """All commands below a group that have the option."""
    for name in group.list_commands(above):
        command = group.get_command(above, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from find_commands(command, click.Context(command, parent=above), (*words, name))
        elif any("--dry-run" in option.opts for option in command.params):
            yield (*words, name)


def test_every_dry_run_is_tried() -> None:
    assert set(find_commands(cli, click.Context(cli))) == set(WORDS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of facts, answers, a set of triples and a job, and files."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "answers.jsonl").write_text(ANSWER, encoding="utf-8")
    (folder / "documents.jsonl").write_text(DOCUMENT, encoding="utf-8")
    with new_project(folder / "p.db") as project:
        put_facts(project, [a_fact("g0"), a_fact("g1")])
        put_rows(project, cell("g0", Task.DIRECT, "n", False, [Outcome.CORRECT, None]))
        fill(project, folder, 8)
        draw_set(project, "june", size=1)
        assert import_file(project, folder / "documents.jsonl", "documents").bad == 0
        with write_transaction(project.connection):
            project.connection.execute(
                "INSERT INTO job (kind, name, spec, state) VALUES ('sample', 'x', '{}', 'stopped')"
            )
    return folder


def read_files(folder: Path) -> dict[str, bytes]:
    """All files by name, but for the index of the log, which readers share.

    Another program reads them: SQLite alone opens a database that this one has open.
    """
    return {
        str(file.relative_to(folder)): check_output(["cat", file])
        for file in folder.rglob("*")
        if file.is_file() and not file.name.endswith("-shm")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "words"), [(command, words) for command in WORDS for words in WORDS[command]]
)
def test_a_dry_run_leaves_the_files_as_they_are(
    made: Path, tmp_path: Path, command: tuple[str, ...], words: tuple[str, ...]
) -> None:
    for name in ("answers.jsonl", "documents.jsonl"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    with OpenProject(made / "p.db") as project, closing(sqlite3.connect(tmp_path / "p.db")) as copy:
        project.connection.backup(copy)
    named = [word.format(folder=tmp_path) for word in words]
    args = ["--db", str(tmp_path / "p.db"), *command, *named, "--dry-run"]
    with closing(connect(tmp_path / "p.db", "write")) as other:
        with write_transaction(other):
            other.execute("UPDATE fact SET page_title = 'in the log' WHERE id = 1")
        before = read_files(tmp_path)
        assert len(before["p.db-wal"]) > 0
        CliRunner().invoke(cli, args)
        assert read_files(tmp_path) == before
    before = read_files(tmp_path)
    assert before.keys() == {"p.db", "answers.jsonl", "documents.jsonl"}
    result = CliRunner().invoke(cli, args)
    assert read_files(tmp_path) == before
    refused = "--job" in named or (command == ("requests",) and "--grader" in named)
    assert result.exit_code == 2 * refused, (result.output, result.exception)


def test_documents_are_looked_at_where_there_is_no_database_yet(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text(DOCUMENT * 2, encoding="utf-8")
    words = ["--db", str(tmp_path / "p.db"), "build", "--documents"]
    args = [*words, str(tmp_path / "documents.jsonl"), "--model", MODEL, "--dry-run"]
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == 0, result.output
    assert "documents, 2 rows read, would add 1" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["documents.jsonl"]
