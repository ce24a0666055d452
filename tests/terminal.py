"""The real program in a pseudo-terminal, and what a terminal makes of its output."""

import atexit
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pyte
from wcwidth import wcwidth

from tests.forker import Forker, forker_of
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
QUIET = 0.1
"""Seconds without output after which a screen counts as finished."""

MOST = 1 << 18
"""Bytes taken in at once, at most."""

LOSTKEYS = "from lostkeys.__main__ import main; main()"

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "space": " ",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pagedown": "\x1b[6~",
    "ctrl+left": "\x1b[1;5D",
    "ctrl+right": "\x1b[1;5C",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "ctrl+o": "\x0f",
    "ctrl+p": "\x10",
    "ctrl+r": "\x12",
    "ctrl+s": "\x13",
    "ctrl+q": "\x11",
}


class CellScreen(pyte.Screen):
    """A screen on which half a wide character that is written over is blank, as on terminals."""

    def __init__(self, columns: int, lines: int) -> None:
        self._display: dict[int, str] = {}
        super().__init__(columns, lines)

    @property
    def display(self) -> list[str]:
        """The rows as text, each as wide as the screen; made anew are those that have changed."""
        for row in self.dirty:
            self._display.pop(row, None)
            self._display.pop(row - 1, None)  # a mark at a row's beginning goes to the row before
        self.dirty.clear()
        for row in set(range(self.lines)) - self._display.keys():
            self._display[row] = "".join(self._characters(row))
        return [self._display[row] for row in range(self.lines)]

    def _characters(self, row: int) -> Iterator[str]:
        data = [self.buffer[row][column].data for column in range(self.columns)]
        after_wide = False
        for here, after in zip(data, [*data[1:], " "], strict=True):
            if here:
                after_wide = wcwidth(here[0]) == 2 and not after
                yield " " if wcwidth(here[0]) == 2 and after else here
            else:
                yield "" if after_wide else " "
                after_wide = False


class Process(Protocol):
    """A program that runs: of ours, or forked by another one."""

    pid: int
    returncode: Any

    def poll(self) -> int | None:
        """Its exit code, minus a signal where one killed it; None while it runs."""

    def wait(self) -> int:
        """The same, once it has ended."""

    def kill(self) -> None:
        """End it."""

    def send_signal(self, number: int) -> None:
        """Give it a signal, unless it has ended."""


class ForkedProcess:
    """A program that a forker has started, looked at as if it were ours."""

    def __init__(self, forker: Forker, pid: int) -> None:
        self._forker, self.pid = forker, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, minus a signal where one killed it; None while it runs."""
        if self.returncode is None and (end := self._forker.poll(self.pid)):
            self.returncode = os.waitstatus_to_exitcode(end.status)
        return self.returncode

    def wait(self) -> int:
        """The same, once it has ended."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(self._forker.wait(self.pid))
        return self.returncode

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """Give it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


class Terminal:
    """A program, the pseudo-terminal it runs in, and the screen as a terminal shows it."""

    def __init__(self, process: Process, line: int, width: int, height: int):
        self.process, self._line = process, line
        self.screen = CellScreen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()

    @property
    def rows(self) -> list[str]:
        """The screen's rows as text, without blanks at their ends."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def text(self) -> str:
        """The screen as text."""
        return "\n".join(self.rows)

    def press(self, *keys: str) -> None:
        """Send keys, by name or as they are typed; does not wait."""
        for key in keys:
            self.send(KEYS.get(key, key).encode())

    def send(self, data: bytes) -> None:
        """Send bytes as they are; does not wait."""
        os.write(self._line, data)

    def resize(self, width: int, height: int) -> None:
        """Give the terminal another size."""
        self.screen.resize(height, width)
        fcntl.ioctl(self._line, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.process.send_signal(signal.SIGWINCH)  # it is not this terminal's foreground group

    def wait(self, sign: str | Callable[[str], bool], patience: float = PATIENCE) -> str:
        """Read until the screen shows a text, or satisfies a test; gives the screen."""
        seen = (lambda text: sign in text) if isinstance(sign, str) else sign
        last = time.monotonic() + patience
        while not seen(self.text):
            assert time.monotonic() < last, f"never saw {sign!r}:\n{self.text}"
            ended = self.process.poll() is not None
            if not self.read(0.2) and ended:
                raise AssertionError(f"ended without {sign!r}:\n{self.text}")
        return self.text

    def settle(self, quiet: float = QUIET, patience: float = PATIENCE) -> str:
        """Read until nothing has come for a while and the program sleeps; gives the screen."""
        last = time.monotonic() + patience
        calm = 0
        while calm < 2:
            assert time.monotonic() < last, f"never came to rest:\n{self.text}"
            calm = 0 if self.read(quiet / 2) or self.is_busy() else calm + 1
        return self.text

    def is_busy(self) -> bool:
        """Whether a thread of the program runs, or would if it got the processor or the disk.

        Where the system does not tell in this way, silence must do.
        """
        states = []
        for stat in Path(f"/proc/{self.process.pid}/task").glob("*/stat"):
            with suppress(OSError):  # it has ended meanwhile
                states.append(stat.read_text().rpartition(") ")[2][:1])
        return not {"R", "D"}.isdisjoint(states)

    def end(self, patience: float = PATIENCE) -> int:
        """Read until the program has ended, and all that it has written; gives its exit code."""
        last = time.monotonic() + patience
        while (code := self.process.poll()) is None:
            assert time.monotonic() < last, f"does not end:\n{self.text}"
            self.read(0.05)
        while self.read(0.0):
            pass
        return code

    def read(self, seconds: float) -> bool:
        """Take in what comes within a time, with all that is there then; gives whether any is.

        A line hands over a few kilobytes at once: a painted screen comes in several pieces, and
        only the whole one is worth a look.
        """
        data = found = self.read_bytes(seconds)
        while found and len(data) < MOST:
            found = self.read_bytes(0.0)
            data += found
        self.feed(data)
        return bool(data)

    def feed(self, data: bytes) -> None:
        """Let the terminal show output."""
        self.raw += data
        self._stream.feed(data)

    def read_bytes(self, seconds: float) -> bytes:
        """What comes within a time, as it comes."""
        ready, _, _ = select.select([self._line], [], [], seconds)
        if not ready:
            return b""
        try:
            return os.read(self._line, 1 << 16)
        except OSError:  # the other end is closed: the program has ended
            return b""


@contextmanager
def running(
    words: Sequence[str],
    folder: Path,
    width: int = 80,
    height: int = 24,
    code: str = LOSTKEYS,
    environment: Mapping[str, str] | None = None,
    errors: int | None = None,
) -> Iterator[Terminal]:
    """Run the program (or other Python code) in a terminal; its own settings lie in `folder`.

    `errors` is the file for stderr where that is not the terminal.
    """
    with opened(width, height) as (line, other):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=folder,
            env=surroundings(folder) | dict(environment or {}),
            stdin=other,
            stdout=other,
            stderr=other if errors is None else errors,
            start_new_session=True,
        )
        os.close(other)
        with ended(process):
            yield Terminal(process, line, width, height)


@contextmanager
def forked(
    words: Sequence[str],
    folder: Path,
    width: int = 80,
    height: int = 24,
    environment: Mapping[str, str] | None = None,
    errors: Path | None = None,
) -> Iterator[Terminal]:
    """The same with everything imported, for tests of what comes after the start.

    `environment` holds only what is not read while the program is imported.
    """
    with opened(width, height) as (line, other):
        around = surroundings(folder) | dict(environment or {})
        run = _forker().start("run_program", os.ttyname(other), words, folder, around, errors)
        process = ForkedProcess(_forker(), run)
        try:
            with ended(process):
                yield Terminal(process, line, width, height)
        finally:
            os.close(other)  # only now: before it is opened there, nobody would hold it


@cache
def _forker() -> Forker:
    """One for all tests of this program."""
    forking = forker_of("tests.forked_program")
    forker = forking.__enter__()
    atexit.register(forking.__exit__, None, None, None)
    return forker


@contextmanager
def opened(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Both ends of a pseudo-terminal; who has taken the second one closes it."""
    line, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    try:
        yield line, other
    finally:
        os.close(line)


@contextmanager
def ended(process: Process) -> Iterator[None]:
    """Kill a program at the end, where it still runs."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def surroundings(folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LOSTKEYS_") and name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    return {
        **kept,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PYTHONPATH": str(ROOT),
        "LOSTKEYS_CONFIG": str(folder / "config"),
        "LOSTKEYS_STATE": str(folder / "state"),
        "LOSTKEYS_THREADS": os.environ.get("LOSTKEYS_THREADS", "1"),
    }
