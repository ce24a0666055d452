"""Drafts of databases: who is making one keeps it, what a kill has left is found and deleted."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import doctor
from core.project import OpenProject
from core.transfer.database_merge import merge
from db import draft_files
from tests.terminal import ROOT

MAKE = """
import sys
from pathlib import Path
from core.transfer import database_merge
import db.merge_rows

take_over = db.merge_rows.take_over

def wait(connection, sides):
    print("at work", flush=True)
    sys.stdin.read()
    return take_over(connection, sides)

db.merge_rows.take_over = wait
database_merge.merge([Path("a.db"), Path("b.db")], Path("c.db"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.db", "b.db", "d.db", "e.db"):
        OpenProject(tmp_path / name, "create").close()
    return tmp_path


@pytest.fixture
def merging(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A merge of `a.db` and `b.db` to `c.db` by another program, in its midst."""
    program = subprocess.Popen(
        [sys.executable, "-c", MAKE],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "at work\n"
    yield program
    program.kill()
    program.communicate()


def parts(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if ".part" in file.name)


def told(folder: Path) -> list[str]:
    return [one.detail for one in doctor.examine(folder / "a.db") if one.name == "draft"]


@pytest.mark.slow
def test_the_next_merge_to_the_same_file_deletes_what_a_kill_has_left(
    folder: Path, merging: subprocess.Popen[str]
) -> None:
    merging.kill()
    merging.wait()
    assert parts(folder)
    merge([folder / "a.db", folder / "b.db"], folder / "other.db")
    assert parts(folder), "of another target"
    merge([folder / "a.db", folder / "b.db"], folder / "c.db")
    assert not parts(folder)


@pytest.mark.slow
def test_what_another_program_is_making_is_kept(
    folder: Path, merging: subprocess.Popen[str]
) -> None:
    before = parts(folder)
    merge([folder / "d.db", folder / "e.db"], folder / "c.db")
    (folder / "c.db").unlink()
    doctor.repair(folder / "a.db")
    assert told(folder) == []
    assert parts(folder) == before != []
    assert merging.communicate("")[0] == ""
    assert merging.returncode == 0
    assert not parts(folder)
    with OpenProject(folder / "c.db", "read") as project:
        assert len(project.index) == 0


@pytest.mark.slow
def test_doctor_tells_of_what_is_left_and_deletes_it(
    folder: Path, merging: subprocess.Popen[str]
) -> None:
    merging.kill()
    merging.wait()
    said = told(folder)
    assert len(said) == 1
    assert "merge that was killed: `lostkeys doctor --repair`" in said[0]
    doctor.repair(folder / "a.db")
    assert told(folder) == []
    assert not parts(folder)


def test_logs_alone_and_files_of_others(tmp_path: Path) -> None:
    log = tmp_path / f".c.db.{10**18}.part-wal"
    others = [tmp_path / ".report.csv.4711.part", tmp_path / "c.part"]
    for file in (log, *others):
        file.write_bytes(b"x")
    assert [one.name for one in draft_files.clear(tmp_path)] == [log.name.removesuffix("-wal")]
    assert sorted(tmp_path.iterdir()) == sorted(others)
