"""Commands in programs of their own, which begin at once, may be killed, and have little room.

The program that forks them has everything imported: `python -m tests.commands`. Each
line that it reads is an order, each line that it writes the answer.
"""

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self._folder = process, folder
        self._outputs: dict[int, Path] = {}

    def run(self, *words: object, killed_after: float = 0.0, **most: int) -> Ended:
        """Run a command to its end, or kill it after seconds that it had a processor.

        `most`: limits of the system by name, such as `NOFILE=30` and `FSIZE=100_000` (bytes).
        """
        return self.wait(self.start(*words, killed_after=killed_after, **most))

    def start(self, *words: object, killed_after: float = 0.0, **most: int) -> int:
        """The same, without waiting; gives the process id."""
        output = self._folder / f"output-{len(self._outputs)}"
        order = {"words": [*map(str, words)], "output": str(output), "after": killed_after}
        run = int(self._order({**order, "most": most}))
        self._outputs[run] = output
        return run

    def wait(self, run: int) -> Ended:
        """Wait for the end of a command."""
        code, seconds = json.loads(self._order({"wait": run}))
        return Ended(code, seconds, self._outputs[run].read_text(encoding="utf-8"))

    def _order(self, order: dict[str, object]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def commands(folder: Path) -> Iterator[Commands]:
    """The program that forks; it ends at the end. What commands print goes into the folder."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.commands"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Commands(process, folder)
        assert process.stdin is not None
        process.stdin.close()


MODULES = (
    "core.engine.engine",
    "core.jobs.answer_job",
    "core.jobs.collection",
    "core.jobs.files_job",
    "core.jobs.service",
    "core.providers.embedded.embedded_scorer",
    "core.providers.openai_compatible",
    "core.providers.written_requests",
    "core.scale.file_player",
    "tui.cli.job_follower",
    "tui.cli.main",
)
"""What the commands import, so that those that are killed are at work."""


def _run(words: list[str], output: str, after: float, most: dict[str, int]) -> None:
    from tui.cli.main import main

    file = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
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


def _serve() -> None:
    for name in MODULES:
        importlib.import_module(name)
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            _, status, used = os.wait4(order["wait"], 0)
            seconds = used.ru_utime + used.ru_stime
            print(json.dumps([os.waitstatus_to_exitcode(status), seconds]), flush=True)
        elif run := os.fork():
            print(run, flush=True)
        else:
            code = 1
            try:
                _run(**order)
            except SystemExit as end:
                code = int(end.code or 0)
            finally:
                sys.stdout.flush()
                os._exit(code)


if __name__ == "__main__":
    _serve()
