"""The real program in a pseudo-terminal, with the real embedded model."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import db.integrity
from core.project import Project
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Terminal:
    """A program in a pseudo-terminal of 80 x 24 and what it has written there."""

    process: subprocess.Popen[bytes]
    screen: int
    seen: bytearray = field(default_factory=bytearray)

    def wait_for(self, pattern: bytes) -> None:
        """Read until the pattern shows."""
        last = time.monotonic() + PATIENCE
        while not re.search(pattern, self.seen):
            assert time.monotonic() < last, f"never saw {pattern!r} in {bytes(self.seen)!r}"
            if not self._read(1.0) and self.process.poll() is not None:
                assert re.search(pattern, self.seen), bytes(self.seen)

    def wait_for_end(self) -> int:
        """Read until the program ends; gives its exit code."""
        last = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < last, bytes(self.seen)
            self._read(0.2)
        while self._read(0.1):
            pass
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.screen], [], [], seconds)
        if not ready:
            return False
        try:
            self.seen += os.read(self.screen, 65536)
        except OSError:  # the other end is closed: the program has ended
            return False
        return True


@contextmanager
def lostkeys(folder: Path, *words: str) -> Iterator[Terminal]:
    screen, other = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "LINES": "24", "TERM": "xterm-256color"}
    code = "from tui.cli.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT)},
        stdin=other,
        stdout=other,
        stderr=other,
        start_new_session=True,
    )
    os.close(other)
    try:
        yield Terminal(process, screen)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(screen)


def count(path: Path) -> int:
    with Project(path, "read") as project:
        assert db.integrity.faults(project.connection) == []
        assert not db.integrity.grids_are_stale(project.connection)
        return project.grids.count(0)


def test_demo_is_stopped_killed_and_goes_on(tmp_path: Path) -> None:
    words = ("demo", "--headless", "--facts", "1", "--samples", "1", "--db", "demo.db")
    path = tmp_path / "demo.db"
    with lostkeys(tmp_path, *words) as terminal:
        terminal.wait_for(rb"[1-9]\d*/18")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.wait_for_end() == 130
        assert b"what was done is kept" in terminal.seen
        assert b"Traceback" not in terminal.seen
    stopped = count(path)
    assert 0 < stopped < 18
    with lostkeys(tmp_path, *words) as terminal:
        terminal.wait_for(rb"[1-9]\d*/18")
        terminal.process.send_signal(signal.SIGKILL)
    assert stopped <= count(path) <= 18
    with lostkeys(tmp_path, *words) as terminal:
        assert terminal.wait_for_end() == 0
        assert b"1 of 1" in terminal.seen
        assert b"embedded:smollm2-135m" in terminal.seen
    assert count(path) == 18
