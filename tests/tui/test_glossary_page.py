"""The page of words in the docs is the glossary, all of it, as it is.

After a change run `uv run python -m tests.tui.test_glossary_page`, which writes the page anew.
"""

from core.glossary.glossary import SUBJECTS
from core.glossary.glossary_entry import GlossaryEntry
from tests.terminal import ROOT
from tui.cli.commands.explain import mark_of, screens_of

PAGE = ROOT / "docs" / "reference" / "glossary.md"

HEAD = """# Glossary

What the words, codes and marks of the screens mean. `?` shows those of the screen in sight, and
finds any by typing; `lostkeys explain TERM` prints one.
"""


def line(entry: GlossaryEntry) -> str:
    mark = mark_of(entry)
    head = f"**{literal(entry.term)}**"
    if mark and mark != entry.term:
        head += f" {literal(mark)}"
    if entry.name != entry.term:
        head += f", {entry.name}"
    also = f" Also: {', '.join(map(literal, entry.other_names))}." if entry.other_names else ""
    see = f" See {', '.join(map(literal, entry.see))}." if entry.see else ""
    screens = "every screen" if entry.is_general else ", ".join(screens_of(entry))
    return f"- {head}: {entry.short}. {entry.long}{also}{see} ({screens})"


def literal(text: str) -> str:
    return f"`{text}`"


def page() -> str:
    parts = [HEAD]
    for subject, entries in SUBJECTS.items():
        parts += [f"\n## {subject}\n\n", *(f"{line(entry)}\n" for entry in entries)]
    return "".join(parts)


def test_the_page_is_the_glossary() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
