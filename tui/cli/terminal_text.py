"""Text from models, files and errors, made safe for a terminal."""

import json
import os
import re
import sys
from contextlib import suppress

import click

LONGEST = 2_000
"""Cells of an error line: room for the longest path, not for a whole file in one name."""

UV_RUNS = "UV_RUN_RECURSION_DEPTH"
"""What `uv run` leaves in the environment of the programs it runs."""

_ENDLESS = re.compile(r"[0-9]{100,}")
_ENDLESS_WORD = re.compile(r"\S{1000,}")


def mark_unseen(text: str) -> str:
    """The text with a visible mark for every control, bidirectional and invisible character."""
    from tui.text.inert_text import replace_unseen

    return text if text.isascii() and text.isprintable() else replace_unseen(text)


def one_line(text: str, width: int | None = None) -> str:
    """Visible text on one line; wider than `width` cells of a terminal it ends in `…`."""
    line = mark_unseen(" ".join(text.split()))
    if width is None:
        return line
    from tui.text.line import cut

    return cut(line, width)


def name_command() -> str:
    """What a person types to run this program again as it was run."""
    return "uv run lostkeys" if UV_RUNS in os.environ else "lostkeys"


def has_width() -> bool:
    """Whether stdout has a width to keep to: that of a terminal, or of `$COLUMNS`."""
    return sys.stdout.isatty() or "COLUMNS" in os.environ


def room(width: int) -> int | None:
    """The width of what gets `width` cells on a terminal; in a file it gets what it needs."""
    return width if has_width() else None


def fit_name(name: str, width: int | None) -> str:
    """A name on one line of at most `width` cells, cut in its middle: names differ at both ends.

    Without a width it is whole.
    """
    from tui.text.line import cut_inside

    line = one_line(name)
    return line if width is None else cut_inside(line, width)


def print_json(document: object) -> None:
    """Print one JSON document and nothing else, in ASCII: safe in every terminal and encoding."""
    click.echo(json.dumps(document, indent=1, allow_nan=False))


def error_line(message: str) -> str:
    """An error as one line of stderr.

    Numbers and words that nobody can read are given as how long they are, so that what stands
    behind them is seen.
    """
    short = _ENDLESS.sub(lambda found: f"{found[0][:20]}… ({len(found[0]):,} digits)", message)
    short = _ENDLESS_WORD.sub(lambda found: f"{found[0][:60]}… ({len(found[0]):,} letters)", short)
    return f"lostkeys: {one_line(short, LONGEST)}"


def print_error(message: str) -> None:
    """Print one line of stderr, if anybody is there to read it."""
    with suppress(OSError):
        click.echo(error_line(message), err=True)
