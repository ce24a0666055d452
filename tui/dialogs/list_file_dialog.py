"""Writing the list in sight to a file: its name, whether it may be written over, where it is."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.settings.escapes import is_printable
from core.stats.number_format import format_amount
from core.transfer.row_writers import ENDINGS
from core.views.lens import Lens
from core.views.list_file import ListTable, copied_text, meta_file, write_list
from core.views.list_words import ListWords
from tui.dialogs.confirm_dialog import confirm_overwrite
from tui.dialogs.input_dialog import AskLine
from tui.text.line import Line

if TYPE_CHECKING:
    from core.views.session import Session
    from tui.app.app import LostkeysApp

MOST_COPIED = 1_000
"""Rows that are copied at most."""

LONGEST_NAME = 230
"""Bytes; most file systems take 255, of which a draft and what stands beside need a few."""

ReadTable = Callable[["Session"], ListTable]
"""Makes the rows of the list in sight; runs in the thread of the db worker."""


def wrong_file(text: str) -> str | None:
    """What is wrong with the name of a file for a list; None if nothing is."""
    try:
        path = path_of(text)
        if not is_printable(str(path)) or len(os.fsencode(meta_file(path).name)) > LONGEST_NAME:
            return "that is no name of a file"
    except (OSError, ValueError, RuntimeError):
        return "that is no name of a file"
    if path.suffix.lower() not in ENDINGS:
        return f"the name must end in one of {', '.join(ENDINGS)}"
    if not path.parent.is_dir():
        return f"{path.parent} is not a folder: make it first, or choose another"
    if not os.access(path.parent, os.W_OK):
        return f"{path.parent} cannot be written to: choose another folder"
    return f"{path} is a folder: name a file in it" if path.is_dir() else None


def path_of(text: str) -> Path:
    """The file that was typed; `~` is one's home."""
    return Path(text.strip()).expanduser()


def ask_and_write(
    app: "LostkeysApp",
    read: ReadTable,
    words: ListWords,
    lens: Lens,
    command: Sequence[str] | None = None,
) -> None:
    """Ask for a file, and before one is written over; write the list, and say where it is.

    `command` shows the same rows, where that is not `export`.
    """
    name = "".join(char if char.isalnum() or char in "-_" else "-" for char in words.view)

    def write(path: Path) -> None:
        def save(table: ListTable) -> None:
            def work(_: "Session") -> tuple[Path, int]:
                write_list(path, table, words, lens, command=command)
                return path, len(table.rows)

            app.write_background(work, _say_written(app))

        app.ask("rows", read, save, app.report)

    def confirm(text: str | None) -> None:
        if text is None:
            return
        path = path_of(text)
        confirm_overwrite(app, "to a file", (path, meta_file(path)), partial(write, path))

    question = f"A file that ends in {', '.join(ENDINGS)}; without a folder, where the program "
    question += "was started. What it is a list of stands in .meta.json beside it"
    file = f"{name or words.name}.csv"
    app.push_screen(AskLine("to a file", question, file, wrong_file, does="writes it"), confirm)


def _say_written(app: "LostkeysApp") -> Callable[[tuple[Path, int]], None]:
    def say(done: tuple[Path, int]) -> None:
        path, rows = done
        app.say(Line(f"{format_amount(rows, 'row')} in ", "ink-2").add(path.name))

    return say


def copy_rows(app: "LostkeysApp", read: ReadTable) -> None:
    """Copy the rows of the list, up to a bound."""

    def copy(table: ListTable) -> None:
        rows = min(len(table.rows), MOST_COPIED)
        said = Line(f"copied {format_amount(rows, 'row')}", "ink-2")
        if rows < len(table.rows):
            said.add(f", the first of {len(table.rows):,}; ", "ink-2").add("W", "accent bold")
            said.add(" writes all", "ink-2")
        app.copy(copied_text(table, MOST_COPIED), said)

    app.ask("rows", read, copy, app.report)
