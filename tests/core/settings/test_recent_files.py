"""The list of databases opened lately."""

from pathlib import Path

import pytest

from core.settings import paths, recent_files


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state" / "lostkeys"
    monkeypatch.setenv(paths.STATE_VARIABLE, str(folder))
    return folder


def made(folder: Path, name: str) -> Path:
    path = folder / name
    path.touch()
    return path


def test_nothing_is_remembered_at_first(state: Path) -> None:
    assert recent_files.recents() == []
    assert not state.exists()


def test_the_newest_comes_first_and_each_once(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one.db"), made(tmp_path, "two.db")
    recent_files.remember(one, 3, 1)
    recent_files.remember(two, 5, 0)
    recent_files.remember(one, 4, 2)
    found = recent_files.recents()
    assert [(entry.path, entry.facts, entry.models) for entry in found] == [
        (one, 4, 2),
        (two, 5, 0),
    ]
    assert found[0].at >= found[1].at > 0


def test_a_relative_path_is_kept_as_it_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path, "here.db")
    recent_files.remember(Path("here.db"), 1, 1)
    monkeypatch.chdir(tmp_path.parent)
    assert [entry.path for entry in recent_files.recents()] == [tmp_path / "here.db"]


def test_what_is_gone_is_not_offered(tmp_path: Path) -> None:
    path = made(tmp_path, "gone.db")
    recent_files.remember(path, 1, 1)
    path.unlink()
    assert recent_files.recents() == []


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    for number in range(recent_files.MOST + 3):
        recent_files.remember(made(tmp_path, f"{number}.db"), number, 0)
    found = recent_files.recents()
    assert len(found) == recent_files.MOST
    assert found[0].facts == recent_files.MOST + 2


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'[{"path": 3}]', b"\xff\x00", b"null"])
def test_a_broken_file_counts_as_empty_and_is_written_anew(
    state: Path, tmp_path: Path, content: bytes
) -> None:
    state.mkdir(parents=True)
    (state / "recent.json").write_bytes(content)
    assert recent_files.recents() == []
    recent_files.remember(made(tmp_path, "new.db"), 1, 1)
    assert len(recent_files.recents()) == 1


def test_where_nothing_can_be_kept_nothing_breaks(state: Path, tmp_path: Path) -> None:
    state.parent.mkdir()
    state.write_text("a file where the folder should be")
    recent_files.remember(made(tmp_path, "some.db"), 1, 1)
    assert recent_files.recents() == []
