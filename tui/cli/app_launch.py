"""From a command into the screens: where there is a terminal for them."""

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import LostkeysError

if TYPE_CHECKING:
    from core.jobs.followed_job import FollowedJob
    from core.specs.job_kinds import Spec


TURN = 0.0005
"""Seconds after which a thread that computes lets another one go on, where one waits for that."""


def is_terminal() -> bool:
    """Whether somebody sees a screen and can press keys."""
    return not missing_terminals()


def missing_terminals() -> list[str]:
    """Which of the streams that the screens need are no terminal."""
    streams = {"stdin": sys.stdin, "stdout": sys.stdout}
    return [name for name, stream in streams.items() if stream is None or not stream.isatty()]


def open_screen(
    database: Path,
    job: "Spec | None" = None,
    followed: "FollowedJob | None" = None,
    fresh: bool = False,
    reader: bool = False,
) -> None:
    """Show the database (which need not be there) until the person quits.

    A job may run along, or one of another program be followed. `fresh`: not as it was left;
    `reader`: for a screen reader.
    """
    gc.disable()  # nothing of what is imported becomes garbage; the app enables it again
    sys.setswitchinterval(TURN)  # else a key waits 5 ms wherever the db worker computes
    from tui.app.app import LostkeysApp

    app = LostkeysApp(database, job=job, followed=followed, fresh=fresh, reader=reader)
    app.db.ends_at_faults = "--debug" in sys.argv
    app.run()
    if app.fault is not None:
        raise app.fault
    if app.refused is not None:
        raise app.refused
    progress = app.jobs.progress_here
    if progress is not None and progress.state == "stopped":
        click.echo(
            f"stopped {progress.doing} {progress.name}: {progress.done:,} {progress.unit} "
            "of it are kept; started again, it goes on",
            err=True,
        )
    if app.db.unwritten:
        raise LostkeysError(
            f"{app.path}: what you did last is not written, the database was not free: do it again"
        )
    if app.session.failure is not None:
        click.echo(f"how you left this is not kept: {app.session.failure}", err=True)
    if app.return_code:
        raise click.exceptions.Exit(app.return_code)
