"""Pictures of the screen as SVG files, for papers, reports and the README."""

import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import LostkeysError

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

_REMOTE_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_FAMILY = "Fira Code, monospace"
_FAMILIES = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def drawn(app: "LostkeysApp") -> str:
    """The screen as it stands; the picture loads nothing from anywhere."""
    svg = _REMOTE_FONT.sub("", app.export_screenshot(title="Lostkeys"))
    return svg.replace(_FAMILY, _FAMILIES).replace("<text ", '<text xml:space="preserve" ')


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
