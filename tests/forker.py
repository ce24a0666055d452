"""Functions run in programs of their own, which begin at once and can be killed.

The program that forks them has everything imported: `python -m tests.forker MODULE` imports a
module and calls its `warm_up`, where it has one. Each line that it reads is an order, each line
that it writes the answer. A program that is forked ends as any other that has run its function.
"""

import atexit
import gc
import importlib
import json
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class End(NamedTuple):
    """How a run ended: its status as `os.waitpid` has it, and how long it had a processor."""

    status: int
    seconds: float


class Forker:
    """Starts functions of a module, and tells how they ended."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def start(self, name: str, *values: object) -> int:
        """Begin a function with what JSON can say, and paths; gives the process id."""
        return int(self._order({"call": name, "with": values}))

    def wait(self, run: int) -> int:
        """Wait for the end of a run; gives its exit status, as `os.waitpid` has it."""
        return self.end(run).status

    def end(self, run: int) -> End:
        """Wait for the end of a run."""
        return End(*json.loads(self._order({"wait": run, "options": 0})))

    def poll(self, run: int) -> End | None:
        """How a run ended, if it has."""
        found = json.loads(self._order({"wait": run, "options": os.WNOHANG}))
        return End(*found) if found else None

    def _order(self, order: dict[str, object]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order, default=str) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def forker_of(module: str) -> Iterator[Forker]:
    """The program that forks functions of a module, in today's environment; ends at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.forker", module],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Forker(process)
        assert process.stdin is not None
        process.stdin.close()


def _serve(name: str) -> None:
    module = importlib.import_module(name)
    getattr(module, "warm_up", lambda: None)()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            ended, status, used = os.wait4(order["wait"], order["options"])
            end = [status, used.ru_utime + used.ru_stime] if ended else None
            print(json.dumps(end), flush=True)
        elif run := os.fork():
            print(run, flush=True)
        else:
            _run(module, order["call"], order["with"])


def _run(module: object, name: str, values: list[object]) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    status = 1
    try:
        getattr(module, name)(*values)
        status = 0
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        _leave(status)


def _leave(status: int) -> None:
    """End as every program does, but for taking apart all that has been imported: that is slow."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody is there, or it is closed
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1])
