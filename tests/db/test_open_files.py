"""Live databases are opened by SQLite alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.project import OpenProject
from core.scale.engine_output import read_blocks
from core.scale.file_work import read_items
from core.settings.compression import open_bytes
from core.settings.file_writer import deliver
from core.transfer.file_kinds import check_file
from core.transfer.publication import publish
from db.open_files import is_open

ACTS: tuple[Callable[[Path], object], ...] = (
    open_bytes,
    check_file,
    lambda path: list(read_blocks(path)),
    lambda path: list(read_items(path)),
    lambda path: deliver(path, b"written over"),
)


@pytest.mark.parametrize("named", ["itself", "hard link", "symbolic link"])
@pytest.mark.parametrize("act", ACTS)
def test_the_open_database_is_no_file_to_read_or_to_write(
    project: OpenProject, act: Callable[[Path], object], named: str
) -> None:
    path = project.path
    if named != "itself":
        path = path.with_name("other.csv")
        (path.hardlink_to if named == "hard link" else path.symlink_to)(project.path)
    with pytest.raises(LostkeysError, match="is the open database itself: name another file"):
        act(path)
    assert len(project.index) == 0


def test_a_copy_is_not_published_over_the_open_database(project: OpenProject) -> None:
    with pytest.raises(LostkeysError, match="no published copy: name another with -o"):
        publish(project, project.path)


def test_a_file_that_took_the_place_of_a_database_is_none(project: OpenProject) -> None:
    assert is_open(project.path)
    project.path.rename(project.path.with_name("kept.db"))
    assert not is_open(project.path)
    project.path.write_text("fact_id")
    check_file(project.path)
