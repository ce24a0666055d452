"""Progress of long work on a terminal, with the time left; silent where there is no terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from tui.cli.tables import console


class Bar:
    """A bar on a terminal, and lines of results that stand above it."""

    def __init__(self, shown: Progress, task: TaskID) -> None:
        self._shown, self._task = shown, task

    def advance(self, steps: int) -> None:
        """Count steps just done."""
        self._shown.advance(self._task, steps)

    def print(self, line: Text) -> None:
        """Print a result to stdout."""
        (self._shown.console if sys.stdout.isatty() else console()).print(line)


@contextmanager
def bar(what: str, total: int, unit: str = "") -> Iterator[Bar]:
    """A bar for `total` steps."""
    with progress(unit) as shown:
        yield Bar(shown, shown.add_task(what, total=total))


@contextmanager
def steps(what: str, total: int, unit: str = "") -> Iterator[Callable[[int], None]]:
    """A bar; yields what to call with all the steps done so far."""
    with progress(unit) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, completed=done)


def progress(unit: str = "") -> Progress:
    """A progress display that goes when it is done: on stderr, unless both are one terminal."""
    out = console(stderr=not sys.stdout.isatty())
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
