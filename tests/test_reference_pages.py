"""The generated pages of the documentation are up to date, and say what every column means.

After a change run `make docs`, or `uv run python -m tests.reference_pages`.
"""

import re

import pytest

from core.settings.preferences import Settings
from core.transfer.exports import TABLES
from core.transfer.file_formats import FILE_FORMATS
from tests.file_columns import MEANINGS, ROWS
from tests.marks import slow
from tests.reference_pages import FOLDER, PAGES
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
