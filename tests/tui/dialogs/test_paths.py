"""Completing paths."""

import os
from pathlib import Path

import pytest

from tui.dialogs import path_completion
from tui.dialogs.path_completion import PathEntry, complete_path, entries, expand_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("facts.csv", "Facts2.jsonl", "answers.parquet", "notes.txt", ".hidden.csv"):
        (tmp_path / name).write_text("12345")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "deep.json").touch()
    (tmp_path / "far.csv").symlink_to(tmp_path / "nowhere.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(typed: str) -> list[str]:
    return [entry.path.name for entry in entries(typed)]


def test_folders_then_files_that_can_be_imported(folder: Path) -> None:
    assert names("") == ["sub", "answers.parquet", "facts.csv", "Facts2.jsonl"]
    assert names(f"{folder}{os.sep}") == names("")
    assert [entry.size for entry in entries("")] == [0, 5, 5, 5]


def test_texts_alone_or_the_folder_that_holds_them(folder: Path) -> None:
    shown = entries("", texts=True)
    assert [entry.path.name for entry in shown if not entry.whole] == [*names(""), "notes.txt"]
    assert shown[-2] == PathEntry(Path(), False, whole=True)
    assert complete_path(shown[-2], "./") == "./"
    assert [entry.path.name for entry in entries("no", texts=True)] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    assert not any(entry.whole for entry in entries("", texts=True))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("fa", ["facts.csv", "Facts2.jsonl"]),
        ("FACTS.", ["facts.csv"]),
        (".", [".hidden.csv"]),
        ("sub/", ["deep.json"]),
        ("sub/x", []),
        ("[", []),
        ("*", []),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_fits_the_beginning(typed: str, found: list[str]) -> None:
    assert names(typed) == found


@pytest.mark.usefixtures("folder")
def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        entries("nowhere/")
    with pytest.raises(OSError, match=r"."):
        entries("facts.csv/")


@pytest.mark.usefixtures("folder")
def test_completing_keeps_what_was_typed_before() -> None:
    sub, *_ = entries("s")
    assert complete_path(sub, "s") == "sub/"
    (deep,) = entries("sub/d")
    assert complete_path(deep, "sub/d") == "sub/deep.json"
    assert complete_path(deep, "./sub/") == "./sub/deep.json"


def test_home_is_spelled_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert names("~/fac") == ["facts.csv", "Facts2.jsonl"]
    (first, _) = entries("~/fac")
    assert complete_path(first, "~/fac") == "~/facts.csv"
    assert expand_path("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")


def test_a_huge_folder_is_looked_at_in_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_completion, "MOST_LOOKED_AT", 2)
    assert len(entries("")) <= 2
