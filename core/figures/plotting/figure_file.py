"""Saving a figure as SVG, PNG or PDF; the same figure gives the same bytes."""

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from core.errors import LostkeysError, UsageError
from core.figures.figure import Figure
from core.settings.file_writer import deliver

ABSENT = (
    'matplotlib is not installed, or cannot be loaded: `pip install "lostkeys[figures]"`, or in '
    "a checkout `uv sync --extra figures`, gets it"
)
DOTS_PER_INCH = 200
MOST_PANELS = 24
"""Panels of one file."""

MOST_DOTS = 24_000
"""Dots of a PNG from top to bottom: a longer figure is drawn more coarsely, so that it opens."""

FORMATS: Mapping[str, Mapping[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
"""Kinds of files by extension, each with the marks of time and program that it goes without."""

_drawing = Lock()
"""Settings of matplotlib hold for the whole program: one figure is drawn at a time."""


def is_there() -> bool:
    """Whether matplotlib is installed, and whole enough to be loaded."""
    if find_spec("matplotlib") is None:
        return False
    try:
        import_module("matplotlib.figure")
    except ImportError:
        return False
    return True


def format_of(path: Path) -> str:
    """What a file will be, by its extension. Raises `UsageError` for another one.

    To be called before a figure is computed; also says where matplotlib is absent.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise UsageError(f"{path}: the name must end in {', '.join('.' + one for one in FORMATS)}")
    if not path.absolute().parent.is_dir():
        raise LostkeysError(f"{path.parent} is not a folder: make it first, or choose another")
    if not is_there():
        raise LostkeysError(ABSENT)
    return kind


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure to a file of the kind that its extension names, whole or not at all.

    Panels that have no room on it go on to further files (`NAME-2.svg`); gives all of them.
    Raises `UsageError` for another extension, `LostkeysError` for a figure without data, where
    matplotlib is absent, and where the file cannot be written.
    """
    kind, paths = format_of(path), []
    drawn = [draw_figure(page, kind) for page in figure.pages(MOST_PANELS)]
    for number, content in enumerate(drawn, 1):
        paths.append(path if number == 1 else path.with_stem(f"{path.stem}-{number}"))
        deliver(paths[-1], content)
    return paths


def draw_figure(figure: Figure, kind: str, salt: str = "lostkeys") -> bytes:
    """The figure as the content of a file; `salt` tells the ids in one SVG from another's.

    Raises `LostkeysError` for a figure without data, and where matplotlib is absent.
    """
    if figure.missing or not figure.panels:
        raise LostkeysError(f"no figure {figure.name}: {figure.missing or 'there is no data'}")
    if not is_there():
        raise LostkeysError(ABSENT)
    with _drawing, _settings(salt):
        from core.figures.plotting.figure_page import compose

        content = io.BytesIO()
        sheet = compose(figure)
        sheet.canvas.savefig(
            content, format=kind, dpi=resolution(sheet.height), metadata=dict(FORMATS[kind])
        )
    return content.getvalue()


def resolution(height: float) -> float:
    """Dots per inch of a PNG that is so many inches high."""
    return min(DOTS_PER_INCH, MOST_DOTS / height)


@contextmanager
def _settings(salt: str) -> Iterator[None]:
    """Matplotlib as it comes, whatever a person's own settings, with text kept as text.

    A character that the font lacks is drawn as a box, without a warning for each.
    """
    from matplotlib import style

    from core.figures.plotting.paper_sheet import FONT

    ours = {
        "font.family": ["sans-serif"],
        "font.sans-serif": [FONT, "Verdana", "Arial", "Helvetica", "sans-serif"],
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "pdf.fonttype": 42,
    }
    with warnings.catch_warnings(), style.context(["default", ours]):
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        yield
