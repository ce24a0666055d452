"""Saving a figure to a file: asking for its name, writing it, saying where it is."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import LostkeysError
from core.figures.figure import Figure
from tui.dialogs.line_dialog import AskLine
from tui.text.line import Line

if TYPE_CHECKING:
    from tui.app.services import AppServices

QUESTION = "A file that ends in .svg, .png or .pdf; without a folder, where the program was started"
NO_NAME = "that is no name of a file"
LONGEST_NAME = 230
"""Bytes; most file systems take 255, of which a draft beside the file needs a few."""


def path_of(text: str) -> Path:
    """The file that was typed; `~` is one's home."""
    return Path(text.strip()).expanduser()


def wrong_file(text: str) -> str | None:
    """What is wrong with the name of a file to be written; None if nothing is."""
    from core.figures.plotting.figure_file import format_of

    try:
        path = path_of(text)
        if not str(path).isprintable() or len(os.fsencode(path.name)) > LONGEST_NAME:
            return NO_NAME
        format_of(path)
        return f"{path.name} is there already: name another" if path.exists() else None
    except LostkeysError as error:
        return str(error)
    except (OSError, ValueError, RuntimeError):
        return NO_NAME


def ask_and_save(app: "AppServices", figure: Figure) -> None:
    """Ask for a file, have it written, and say so."""

    def named(text: str | None) -> None:
        if text is not None:
            app.write_background(lambda _: _save(figure, path_of(text)), saved)

    def saved(path: Path) -> None:
        app.say(Line().add("saved ", "ink-2").add(path.name))

    app.push_screen(AskLine("save", QUESTION, f"{figure.name}.svg", wrong_file), named)


def _save(figure: Figure, path: Path) -> Path:
    # Drawing on paper needs matplotlib, which takes long to load and may be absent.
    from core.figures.plotting.figure_file import save

    save(figure, path)
    return path
