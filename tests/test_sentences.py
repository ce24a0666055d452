"""The sentences that a person can meet use the terms of CONTRIBUTING.md."""

import re

import pytest

from tests.sentences import sentences
from tests.terminal import ROOT

ROW = re.compile(r"^\| (?P<say>[^|]+) \| (?P<never>[^|]+) \|$", re.MULTILINE)
FOLLOW_PICTURES = ("tui/screens/", "tui/widgets/", "tui/dialogs/", "core/glossary/")
"""Rooms whose sentences stand in pictures of screens: they change with these."""


def old_terms() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.split("## Words\n")[1].split("\n## ")[0]
    rows = [row["never"].split(", ") for row in ROW.finditer(part) if row["say"] != "say"]
    return [term for row in rows for term in row]


OLD = re.compile(rf"\b({'|'.join(map(re.escape, old_terms()))})\b", re.IGNORECASE)


@pytest.mark.slow
def test_old_terms_are_in_no_sentence() -> None:
    found = [one for one in sentences(where=OLD) if OLD.search(one.text)]
    assert not [one for one in found if not one.place.startswith(FOLLOW_PICTURES)]
    assert OLD.search("3 labels are Stale")


def test_the_list_has_help_and_what_is_shown_and_says_where() -> None:
    found = {one.text: one for one in sentences("tui/cli/commands/discard.py")}
    assert found["nothing was discarded"].kind == "shown"
    assert found["nothing was discarded"].place.startswith("tui/cli/commands/discard.py:")
    (described,) = (one for one in found.values() if one.text.startswith("Discard responses so"))
    assert described.kind == "help"
    errors = [one for one in sentences("core/sampling/recipe.py") if one.kind == "error"]
    assert any("use --as NAME to keep this run apart" in one.text for one in errors)
