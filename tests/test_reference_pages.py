"""The generated pages of the documentation are up to date, and say what every column means.

After a change run `make docs`, or `uv run python -m tests.reference_pages`.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from core.settings.preferences import Settings
from core.transfer.exports import TABLES
from core.transfer.file_formats import FILE_FORMATS
from tests.file_columns import MEANINGS, ROWS
from tests.marks import slow
from tests.reference_pages import FOLDER, PAGES, find_command
from tests.terminal import ROOT
from tui.keys import KEYS, check


@pytest.mark.parametrize("name", ["commands.md", "keys.md", "glossary.md", slow("formats.md")])
def test_the_page_is_what_the_program_is(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


def test_every_key_is_on_the_page_once() -> None:
    text = (FOLDER / "keys.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w.]+)` \|", text, re.M) == [key.id for key in KEYS]


def test_the_example_of_the_page_of_keys_can_be_used() -> None:
    found = re.search(
        r'^"([\w.]+)" = "(.+)"$', (FOLDER / "keys.md").read_text(encoding="utf-8"), re.M
    )
    assert found
    check(Settings(keys={found[1]: found[2]}).keys)


def test_what_is_said_of_columns_is_said_of_columns_that_there_are() -> None:
    columns = {
        (name, column)
        for name in {*FILE_FORMATS, *TABLES}
        for column in (
            *(FILE_FORMATS[name].known if name in FILE_FORMATS else ()),
            *(TABLES[name][0] if name in TABLES else ()),
        )
    }
    names = {column for _, column in columns} | {f"{name}.{column}" for name, column in columns}
    assert not MEANINGS.keys() - names
    assert ROWS.keys() == {*FILE_FORMATS, *TABLES}


BLOCK = re.compile(r"```(?:bash)?\n(.*?)```", re.DOTALL)
WORD = re.compile(r"[A-Za-z0-9]")
OPTION = re.compile(r"--?[a-z][a-z-]*")
INLINE = re.compile(r"`(lostkeys [^`]+)`")


def shown_commands() -> Iterator[tuple[Path, list[str]]]:
    """Every command that the README or a page of the documentation shows, in words."""
    for page in (ROOT / "README.md", *ROOT.joinpath("docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
        for line in (*lines, *INLINE.findall(text)):
            if line.startswith("lostkeys "):
                plain = re.split(r"\s[|>#]\s", line.replace("\\|", "|"))[0]
                yield page, shlex.split(plain, comments=True)[1:]


def split_path(words: list[str]) -> tuple[list[str], list[str]]:
    """The command that the words name, and what follows it."""
    path: list[str] = []
    for number, word in enumerate(words):
        command, context = find_command(path)
        if not isinstance(command, click.Group) or command.get_command(context, word) is None:
            return path, words[number:]
        path.append(word)
    return path, []


def test_every_command_of_the_pages_exists_with_the_options_that_it_is_shown_with() -> None:
    seen = 0
    for page, words in shown_commands():
        path, others = split_path(words[2:] if words[:1] == ["--db"] else words)
        shown = f"{page.name}: lostkeys {' '.join(words)}"
        assert path or not others or others[0].startswith("-") or others[0] == "COMMAND", shown
        command, context = find_command(path)
        known = {
            name for one in command.get_params(context) for name in (*one.opts, *one.secondary_opts)
        }
        for word in others:
            option = word.partition("=")[0]
            assert not OPTION.fullmatch(option) or option in known, f"{shown}: no {option}"
        seen += 1
    assert seen > 150


def test_the_pages_that_people_write_are_short() -> None:
    """A page takes ten minutes at most, all of them 25,000 words; the README has two screens."""
    pages = {
        page: sum(bool(WORD.search(word)) for word in page.read_text(encoding="utf-8").split())
        for page in ROOT.joinpath("docs").rglob("*.md")
        if page.parent != FOLDER or page.name not in PAGES
    }
    assert sum(pages.values()) <= 25_000
    assert [page.name for page, count in pages.items() if count > 2_000] == []
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) < 700
