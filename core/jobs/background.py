"""Leaving jobs to a program in the background, which goes on when this one ends."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from core.settings import paths

LOG = "background.log"

PROGRAM = "from tui.cli.main import main; main()"
"""The command line, in this interpreter: where the command itself lies nobody can know."""


def leave(path: Path, jobs: Sequence[int]) -> None:
    """Start a program that goes on with these jobs of a database (their ids), in this order.

    It has a session of its own and no terminal, so that it stays when the terminal goes; keys
    come to it through the environment alone. What it says is added to a log in the state folder.
    """
    words = ["--db", str(path.absolute()), "run", "--yes"]
    for job in jobs:
        words += ["--job", str(job)]
    with _log() as said:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, *words],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    _LEFT.append(process)


_LEFT: list["subprocess.Popen[bytes]"] = []
"""Programs that are not waited for; one that nobody holds would be warned about."""


def _log() -> IO[bytes]:
    """The log, open for adding to it; nowhere if it cannot be written."""
    try:
        log_path().parent.mkdir(parents=True, exist_ok=True)
        return log_path().open("ab")
    except OSError:
        return Path(os.devnull).open("wb")


def log_path() -> Path:
    """Where programs in the background say what they have to say."""
    return paths.state_folder() / LOG
