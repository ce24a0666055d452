"""Progress of long work on a terminal, with the time left; quiet where there is no terminal."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click
from rich.console import RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from core.jobs.job_progress import JobProgress as JobProgress
from core.jobs.job_progress import format_progress
from tui.cli.tables import QUIET, console
from tui.cli.terminal_text import one_line

LINE_EVERY = 30.0
"""Seconds between two lines of progress where there is no terminal."""

NAME = 40
"""Cells of a job's title beside its bar."""


class Reporter(Protocol):
    """Shows how far a job is: a bar on a terminal, now and then a line elsewhere."""

    def show(self, progress: JobProgress) -> None:
        """Show how far the job is now."""

    def tell(self, line: str) -> None:
        """Say something about the job, on stderr."""

    def print(self, line: Text) -> None:
        """Print a result, on stdout."""


class LineReporter:
    """A `Reporter` without a terminal."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._said, self._line = clock, clock(), ""

    def show(self, progress: JobProgress) -> None:
        """A line now and then, none that says the same as the one before."""
        now = self._clock()
        if (
            now - self._said >= LINE_EVERY
            and (line := format_progress_line(progress)) != self._line
        ):
            self._said, self._line = now, line
            self.tell(line)

    def tell(self, line: str) -> None:
        """A line on stderr."""
        click.echo(one_line(line), err=True)

    def print(self, line: Text) -> None:
        """A line on stdout."""
        console().print(line)


class BarReporter:
    """A `Reporter` with a bar on a terminal; lines stand above it, the last unit below."""

    def __init__(self, shown: "ProgressDisplay") -> None:
        self._shown = shown
        self._task = shown.add_task("", total=None, rate="", left="")

    def show(self, progress: JobProgress) -> None:
        """Move the bar."""
        now = format_progress(progress)
        state = "" if progress.state == "running" else f" ({progress.state})"
        self._shown.below = one_line(progress.latest, self._shown.console.width)
        self._shown.update(
            self._task,
            description=one_line(now.title, NAME) + state,
            completed=progress.done,
            total=progress.wanted or None,
            rate=now.rate,
            left=now.left,
        )

    def tell(self, line: str) -> None:
        """A line above the bar."""
        self._shown.console.print(Text(one_line(line)))

    def print(self, line: Text) -> None:
        """A line on stdout, above the bar if both go to one terminal."""
        (self._shown.console if sys.stdout.isatty() else console()).print(line)


def format_progress_line(progress: JobProgress) -> str:
    """How far a job is, in one line."""
    now = format_progress(progress)
    how = [now.count, now.rate, now.left] if progress.state == "running" else [progress.state]
    said = ", ".join(filter(None, how)) or "under way"
    return f"{now.title}: {said}; {progress.latest}" if progress.latest else f"{now.title}: {said}"


class ProgressDisplay(Progress):
    """A progress display with a line below."""

    below = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bar, and what came of the last unit."""
        yield from super().get_renderables()
        if self.below:
            yield Text(self.below, QUIET)


@contextmanager
def reporter() -> Iterator[Reporter]:
    """A bar if a person sees it, else lines."""
    shown = _display(
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TextColumn("{task.fields[left]}", markup=False),
    )
    if shown.disable:
        yield LineReporter()
        return
    with shown:
        yield BarReporter(shown)


def progress(unit: str = "") -> Progress:
    """A progress display that goes when it is done: on stderr, unless both are one terminal."""
    return _display(
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn(unit, markup=False),
        TaskProgressColumn(show_speed=True),
        TimeRemainingColumn(compact=True),
    )


def _display(*columns: ProgressColumn) -> ProgressDisplay:
    out = console(stderr=not sys.stdout.isatty())
    return ProgressDisplay(
        TextColumn("{task.description}", markup=False),
        *columns,
        console=out,
        transient=True,
        disable=not out.is_terminal,
    )
