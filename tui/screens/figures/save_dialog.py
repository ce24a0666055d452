"""Saving a figure or the report to a file: asking for its name, writing it, saying where it is."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import LostkeysError
from core.figures.figure import Figure
from core.settings.escapes import is_printable
from tui.dialogs.input_dialog import AskLine
from tui.text.line import Line

if TYPE_CHECKING:
    from core.scoring.policy import Policy
    from core.views.session import Session
    from tui.app.app import LostkeysApp

QUESTION = "A file that ends in .svg, .png or .pdf; without a folder, where the program was started"
REPORT_QUESTION = (
    "A file that ends in .html or .md; without a folder, where the program was started"
)
NO_NAME = "that is no name of a file"
LONGEST_NAME = 230
"""Bytes; most file systems take 255, of which a draft beside the file needs a few."""


def path_of(text: str) -> Path:
    """The file that was typed; `~` is one's home."""
    return Path(text.strip()).expanduser()


def wrong_file(text: str, check: Callable[[Path], object]) -> str | None:
    """What is wrong with the name of a file to be written; None if nothing is.

    `check` raises a `LostkeysError` for a file of a kind that cannot be written.
    """
    try:
        path = path_of(text)
        if not is_printable(str(path)) or len(os.fsencode(path.name)) > LONGEST_NAME:
            return NO_NAME
        check(path)
        return f"{path.name} is there already: name another" if path.exists() else None
    except LostkeysError as error:
        return str(error)
    except (OSError, ValueError, RuntimeError):
        return NO_NAME


def wrong_figure_file(text: str) -> str | None:
    """What is wrong with the name of a figure's file; None if nothing is."""
    from core.figures.plotting.figure_file import format_of

    return wrong_file(text, format_of)


def wrong_report_file(text: str) -> str | None:
    """What is wrong with the name of a report's file; None if nothing is."""
    from core.report.report_file import check

    return wrong_file(text, check)


def ask_and_save(app: "LostkeysApp", figure: Figure) -> None:
    """Ask for a file, have the figure written, and say so."""

    def save_to_path(text: str | None) -> None:
        if text is not None:
            work = partial(_save, figure, path_of(text))
            app.write_background(work, partial(_say_saved, app))

    file = f"{figure.name}.svg"
    app.push_screen(
        AskLine("save", QUESTION, file, wrong_figure_file, does="saves it"), save_to_path
    )


def ask_and_report(app: "LostkeysApp") -> None:
    """Ask for a file, have the report under the present lens written, and say so."""

    def write_to_path(text: str | None) -> None:
        lens = app.lens
        if text is not None and lens is not None:
            path = path_of(text)
            work = partial(_write_report, path, lens.policy)
            app.write_background(work, partial(_say_saved, app))
            app.say(Line("writing the report to ", "ink-2").add(path.name))

    name = f"{app.path.stem}.html"
    dialog = AskLine("report", REPORT_QUESTION, name, wrong_report_file, does="writes it")
    app.push_screen(dialog, write_to_path)


def _say_saved(app: "LostkeysApp", paths: Sequence[Path]) -> None:
    line = Line("saved ", "ink-2").add(paths[0].name)
    if len(paths) > 1:  # what does not fit on a page goes on to the next
        line.add(" to " if len(paths) > 2 else " and ", "ink-2").add(paths[-1].name)
    app.say(line)


def _save(figure: Figure, path: Path, _: "Session") -> list[Path]:
    # Drawing on paper needs matplotlib, which takes long to load and may be absent.
    from core.figures.plotting.figure_file import save

    return save(figure, path)


def _write_report(path: Path, policy: "Policy", session: "Session") -> list[Path]:
    from core.views.figure_reader import write_report

    write_report(session, path, policy)
    return [path]
