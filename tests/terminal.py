"""The real program in a pseudo-terminal, and what a terminal makes of its output."""

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
from pathlib import Path

import pyte
from wcwidth import wcwidth

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
QUIET = 0.1
"""Seconds without output after which a screen counts as finished."""

MOST = 1 << 18
"""Bytes taken in at once, at most."""

LOSTKEYS = "from tui.cli.main import main; main()"

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


class Terminal:
    """A program, the pseudo-terminal it runs in, and the screen as a terminal shows it."""

    def __init__(self, process: subprocess.Popen[bytes], line: int, width: int, height: int):
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
            os.write(self._line, KEYS.get(key, key).encode())

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
        while self.process.poll() is None:
            assert time.monotonic() < last, f"does not end:\n{self.text}"
            self.read(0.05)
        while self.read(0.0):
            pass
        return self.process.returncode

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
    line, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
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
    try:
        yield Terminal(process, line, width, height)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(line)


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
        "LOSTKEYS_THREADS": os.environ["LOSTKEYS_THREADS"],
    }
