"""Facts, settings, other programs and what to ask of files, for tests of the database."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import db.facts
import db.grades
import db.model_rows
import db.sampling_runs
from core.vocabulary import TASK_INDEX, TASKS, Side, Task
from db.connection import Mode, connect, write_transaction
from db.facts import Fact
from db.question_rows import Gold, Question
from db.sampling_runs import RunQuestions, join_ids
from db.sqlite_errors import DatabaseError

ROOT = Path(__file__).resolve().parents[2]
MODES: tuple[Mode, ...] = ("read", "write", "create")


def put_empty(path: Path) -> None:
    """Put an empty database where nothing is, as the program makes it."""
    with path.open("xb") as file:
        file.write(_empty())


@cache
def _empty() -> bytes:
    """Most tests look at what follows, and need not wait for the tables to be made."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        connect(path, "create").close()
        assert [path] == list(path.parent.iterdir())
        return path.read_bytes()


def a_fact(fact_id: str, tasks: Iterable[Task] = TASKS) -> Fact:
    """A fact with these tasks."""
    options = ("gold", "one", "two", "three")
    return Fact(
        fact_id,
        golds={side: Gold("gold") for side in Side},
        questions={
            task: Question(f"{fact_id} {task}?", options if task.is_choice else None)
            for task in tasks
        },
    )


def count_facts(connection: sqlite3.Connection) -> int:
    """How many facts a database has."""
    count: int = connection.execute("SELECT count(*) FROM fact").fetchone()[0]
    return count


def fill(connection: sqlite3.Connection, facts: int = 1) -> tuple[list[int], list[int], list[int]]:
    """Facts with all tasks, a model with both settings, two graders; gives the ids of
    questions, settings and graders."""
    with write_transaction(connection):
        db.facts.insert(connection, [a_fact(f"f{number}") for number in range(facts)])
        settings = [db.model_rows.ensure_setting(connection, "m", on) for on in (False, True)]
        graders = [db.grades.ensure_grader(connection, name, "1") for name in ("lexical", "llm:x")]
    rows = connection.execute("SELECT id, fact, task FROM question").fetchall()  # of any schema
    rows.sort(key=lambda row: (row[1], TASK_INDEX[Task(row[2])]))
    return [key for key, _, _ in rows], settings, graders


def start_run(
    connection: sqlite3.Connection,
    setting: int,
    tasks: Iterable[Task],
    facts: Iterable[int] | None,
    samples: int,
    curtailed: str | None = None,
) -> int:
    """Open a run of these tasks of some facts (ids), or of all. Inside a transaction."""
    rows = connection.execute("SELECT task, fact FROM question WHERE current").fetchall()
    wanted = {fact for _, fact in rows} if facts is None else set(facts)
    asked = []
    for task in tasks:
        mine = sorted(fact for one, fact in rows if one == task and fact in wanted)
        if mine:
            asked.append(RunQuestions((task,), join_ids(np.array(mine, np.int64))))
    return db.sampling_runs.start(connection, setting, asked, samples, curtailed=curtailed)


def program(code: str, *words: str | Path) -> "subprocess.Popen[str]":
    """Another Python process with this code; it can import the project."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line_of(process: "subprocess.Popen[str]") -> str:
    """The next line that the process prints; its errors if it prints none."""
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        process.kill()
        raise AssertionError(process.communicate()[1])
    return line


def tell(process: "subprocess.Popen[str]", line: str | Path) -> None:
    """Write a line to the process."""
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def stop(process: "subprocess.Popen[str]") -> None:
    """End the process and close its pipes."""
    process.kill()
    process.communicate()


def pragma(connection: sqlite3.Connection, name: str) -> Any:
    """A setting of the connection or the file."""
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def refusal(path: Path, mode: Mode) -> str:
    """The one line with which opening fails."""
    with pytest.raises(DatabaseError) as error:
        connect(path, mode).close()
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def files(folder: Path) -> set[str]:
    """Names of all that lies in a folder."""
    return {one.name for one in folder.iterdir()}
