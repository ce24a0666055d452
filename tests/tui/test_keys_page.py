"""The page of keys in the docs lists the key table, all of it, as it is."""

import re

from core.settings.preferences import Settings
from tests.terminal import ROOT
from tui.keys import KEYS, cap, check

PAGE = ROOT / "docs" / "reference" / "keys.md"
ROW = re.compile(
    r"^\| `(?P<id>[\w.]+)` \| (?P<keys>.+?) \| (?P<does>.+?) \| (?P<where>.+?) \|$", re.M
)


def shown(keys: str) -> str:
    return " ".join(f"`{cap(name)}`" for name in keys.split(","))


def test_every_key_stands_there_as_it_is() -> None:
    rows = {row["id"]: row for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))}
    assert list(rows) == [key.id for key in KEYS]
    for key in KEYS:
        row = rows[key.id]
        assert row["keys"] == shown(key.keys), key.id
        assert row["does"] == (key.alone or key.help), key.id
        assert row["where"] == key.where.replace(" ", ", "), key.id


def test_the_example_can_be_used() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r'^"([\w.]+)" = "(.+)"$', text, re.M)
    assert found
    check(Settings(keys={found[1]: found[2]}).keys)
