"""What a person has written to a file takes the place of a file, and of nothing else."""

import os
import stat
from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.settings.file_writer import deliver


def test_a_link_stays_and_the_file_that_it_leads_to_is_written(tmp_path: Path) -> None:
    (folder := tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to(folder / "real.csv")
    for content in (b"one", b"two"):
        deliver(link, content)
        assert link.is_symlink()
        assert (folder / "real.csv").read_bytes() == content
    assert sorted(one.name for one in folder.iterdir()) == ["real.csv"]


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop"])
def test_what_is_no_file_is_refused_and_stays(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out.csv"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path)
    before = path.lstat()
    with pytest.raises(LostkeysError, match="name another") as caught:
        deliver(path, b"text")
    assert "\n" not in str(caught.value)
    assert stat.S_IFMT(path.lstat().st_mode) == stat.S_IFMT(before.st_mode)
    assert path.lstat().st_ino == before.st_ino
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]
