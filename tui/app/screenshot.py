"""Pictures of the screen as SVG files, for papers, reports and the README."""

import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from core.errors import LostkeysError
from tui.text.line import Line

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

_REMOTE_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FAMILY = "Fira Code, monospace"
_FAMILIES = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def draw_svg(app: App[Any]) -> str:
    """The screen as it stands; the picture loads nothing from anywhere."""
    svg = _REMOTE_FONT.sub("", app.export_screenshot(title="Lostkeys"))
    return svg.replace(_FAMILY, _FAMILIES).replace("<text ", '<text xml:space="preserve" ')


def save_screen(app: "LostkeysApp", svg: str) -> None:
    """Write a picture of the screen to the folder where the program was started, and say so."""

    def say_saved(path: Path) -> None:
        app.say(Line().add("the picture is in ", "ink-2").add(path.name))

    tab = app.tab
    app.write(lambda _: save(svg, tab, Path.cwd()), say_saved)


def save(svg: str, tab: str, folder: Path) -> Path:
    """Write a picture to a new file in a folder: `lostkeys-facts.svg`, `lostkeys-facts-2.svg`.

    Raises `LostkeysError` where that cannot be done.
    """
    names = (f"lostkeys-{tab}{f'-{number}' if number > 1 else ''}.svg" for number in count(1))
    path = next(folder / name for name in names if not (folder / name).exists())
    try:
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise LostkeysError(f"no picture in {folder}: {error.strerror or error}") from error
    return path
