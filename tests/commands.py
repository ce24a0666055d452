"""Commands in programs of their own, which begin at once, may be killed, and have little room."""

import importlib
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.forker import Forker, forker_of


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code, minus a signal where one killed it; what it printed.

    `seconds`: how long it had a processor.
    """

    code: int
    seconds: float
    output: str


class Commands:
    """Starts commands in a folder, and tells how they ended."""

    def __init__(self, forker: Forker, folder: Path) -> None:
        self._forker, self._folder = forker, folder
        self._outputs: dict[int, Path] = {}

    def run(self, *words: object, killed_after: float = 0.0, **most: int) -> Ended:
        """Run a command to its end, or kill it after seconds that it had a processor.

        `most`: limits of the system by name, such as `NOFILE=30` and `FSIZE=100_000` (bytes).
        """
        return self.wait(self.start(*words, killed_after=killed_after, **most))

    def start(self, *words: object, killed_after: float = 0.0, **most: int) -> int:
        """The same, without waiting; gives the process id."""
        output = self._folder / f"output-{len(self._outputs)}"
        run = self._forker.start("run_command", [*map(str, words)], output, killed_after, most)
        self._outputs[run] = output
        return run

    def wait(self, run: int) -> Ended:
        """Wait for the end of a command."""
        status, seconds = self._forker.end(run)
        output = self._outputs[run].read_text(encoding="utf-8")
        return Ended(os.waitstatus_to_exitcode(status), seconds, output)


@contextmanager
def commands(folder: Path) -> Iterator[Commands]:
    """The program that forks; it ends at the end. What commands print goes into the folder."""
    with forker_of(__name__) as forker:
        yield Commands(forker, folder)


MODULES = (
    "core.engine.engine",
    "core.jobs.answer_job",
    "core.jobs.answer_collection",
    "core.jobs.files_job",
    "core.jobs.job_service",
    "core.providers.embedded.embedded_scorer",
    "core.providers.openai_compatible",
    "core.providers.written_requests",
    "core.scale.file_player",
    "tui.cli.job_follower",
    "tui.cli.main",
)
"""What the commands import, so that those that are killed are at work."""


def warm_up() -> None:
    for name in MODULES:
        importlib.import_module(name)


def run_command(words: list[str], output: str, after: float, most: dict[str, int]) -> None:
    from tui.cli.main import main

    file = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(file, 1)
    os.dup2(file, 2)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a full disk is an error, and kills nobody
    for name, limit in most.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    sys.argv = ["lostkeys", *words]
    if after:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, after)
    main()
