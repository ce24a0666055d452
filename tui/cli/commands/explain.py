"""`lostkeys explain`."""

from typing import TYPE_CHECKING

import click
from rich.text import Text

from tui.cli.options import json_option
from tui.cli.tables import QUIET, console
from tui.cli.terminal_text import print_json

if TYPE_CHECKING:
    from core.glossary.glossary_entry import GlossaryEntry


@click.command("explain", context_settings={"ignore_unknown_options": True})
@click.argument("term", nargs=-1, required=True)
@json_option
def explain_command(term: tuple[str, ...], as_json: bool) -> None:
    """Explain a word, code or mark of the screens.

    Write TERM as on the screen or in full: `kn+T` or `knows with thinking`. The glossary in
    docs/reference lists all terms. Terms that share a spelling are all explained.
    """
    from core.glossary.glossary import explain_term

    found = explain_term(" ".join(term))
    if as_json:
        print_json({"terms": [as_document(entry) for entry in found]})
        return
    out = console()
    for place, entry in enumerate(found):
        if place:
            out.print()
        show(entry)


def show(entry: "GlossaryEntry") -> None:
    """Print one entry: term and name, the sentence, more, and where it stands."""
    out = console()
    head = Text(entry.term, "bold").append(f"  {entry.name}", "")
    mark = mark_of(entry)
    if mark and mark != entry.term:
        head.append(f"  {mark}", "bold")
    out.print(head)
    out.print(Text(entry.short))
    out.print(Text(entry.long))
    for name, words in (
        ("also", ", ".join(entry.other_names)),
        ("on", ", ".join(screens_of(entry))),
        ("see", ", ".join(entry.see)),
    ):
        if words:
            out.print(Text(f"{name}: ", QUIET).append(words, ""))


def as_document(entry: "GlossaryEntry") -> dict[str, object]:
    """An entry as `--json` has it."""
    return {
        "term": entry.term,
        "name": entry.name,
        "short": entry.short,
        "long": entry.long,
        "mark": mark_of(entry) or None,
        "also": list(entry.other_names),
        "screens": screens_of(entry),
        "see": list(entry.see),
    }


def mark_of(entry: "GlossaryEntry") -> str:
    """The character of an entry's mark; empty for one that has none."""
    from tui.theme.glyphs import UNICODE

    return UNICODE.get(entry.mark, "")


def screens_of(entry: "GlossaryEntry") -> list[str]:
    """The names of the screens that show it."""
    from tui.app.tab_table import TABS

    return [place.name for place in TABS if entry.is_on(place.tab)]
