"""`--plot FILE` of the commands that show what a figure shows."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tui.cli.terminal_text import one_line

if TYPE_CHECKING:
    from core.figures.figure import Figure
    from core.project import OpenProject
    from core.scoring.policy import Policy

F = TypeVar("F", bound=Callable[..., Any])


def plot_option(command: F) -> F:
    """`--plot`; gives the command `plot`, a path whose kind of file can be written, or None."""
    return click.option(
        "--plot",
        metavar="FILE",
        callback=_check_path,
        help="Also draw it to a file (.svg, .png or .pdf).",
    )(command)


def _check_path(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """The path, refused before anything is computed where it cannot be drawn to."""
    if value is None:
        return None
    from core.figures.plotting.figure_file import format_of

    path = Path(value)
    format_of(path)
    return path


def draw(
    project: "OpenProject",
    name: str,
    plot: Path | None,
    policy: "Policy",
    models: Sequence[str] | None,
    where: str | None,
    intervals: bool = False,
    graders: tuple[str, str] | None = None,
) -> None:
    """Draw a figure of the catalogue, if a file is named for it, and say so."""
    if plot is None:
        return
    from core.figures.figure_table import make

    save_figure(make(project, name, policy, models, where, intervals, graders), plot)


def save_figure(figure: "Figure", plot: Path) -> None:
    """Draw a figure to a file, and say so. Raises as `core.figures.plotting.figure_file.save`."""
    from core.figures.plotting.figure_file import save

    for path in save(figure, plot):
        click.echo(f"{one_line(str(path))} is drawn", err=True)
