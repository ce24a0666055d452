"""Progress of long work on a terminal, with the time left; silent where there is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from tui.cli.tables import console


@contextmanager
def bar(what: str, total: int, unit: str = "") -> Iterator[Callable[[int], None]]:
    """A bar on stderr for `total` steps; yields what to call with the steps just done."""
    with progress(unit) as shown:
        task = shown.add_task(what, total=total)
        yield lambda steps: shown.advance(task, steps)


@contextmanager
def steps(what: str, total: int, unit: str = "") -> Iterator[Callable[[int], None]]:
    """A bar on stderr; yields what to call with all the steps done so far."""
    with progress(unit) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, completed=done)


def progress(unit: str = "") -> Progress:
    """A progress display on stderr, so that stdout holds results alone."""
    out = console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn(unit, markup=False),
        TaskProgressColumn(show_speed=True),
        TimeRemainingColumn(compact=True),
        console=out,
        transient=True,
        disable=not out.is_terminal,
    )
