"""A program that is told to end does so, whatever its terminal takes in."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.transfer.imports import import_file
from tests.core.making import new_project
from tests.patience import wait_until
from tests.terminal import LOSTKEYS, ended, opened, surroundings

pytestmark = pytest.mark.slow


def end_when_stuck(words: Sequence[str], folder: Path) -> int:
    """How a program ends on SIGTERM whose terminal has taken in all that it can and no more."""
    with opened(400, 300) as (line, other):
        process = subprocess.Popen(
            [sys.executable, "-c", LOSTKEYS, *words],
            cwd=folder,
            env=surroundings(folder),
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)

        def is_full() -> bool:
            waits = fcntl.ioctl(line, termios.FIONREAD, bytes(4))
            return bool(struct.unpack("i", waits)[0] >= 4095) and is_asleep(process.pid)

        with ended(process):
            wait_until(is_full)
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: process.poll() is not None)
            return process.returncode


def is_asleep(process: int) -> bool:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def test_a_terminal_that_takes_in_nothing_holds_no_command(tmp_path: Path) -> None:
    facts = [
        {"fact_id": str(one), "direct": "Who? " * 50, "direct_answer": "She"} for one in range(500)
    ]
    (tmp_path / "facts.jsonl").write_text("\n".join(map(json.dumps, facts)), encoding="utf-8")
    with new_project(tmp_path / "p.db") as project:
        import_file(project, tmp_path / "facts.jsonl")
    words = ["--db", "p.db", "export", "facts", "-o", "-", "--as-type", "jsonl"]
    assert end_when_stuck(words, tmp_path) == 130


def test_a_terminal_that_takes_in_nothing_holds_no_screen(tmp_path: Path) -> None:
    with new_project(tmp_path / "p.db"):
        pass
    assert end_when_stuck(["--db", "p.db"], tmp_path) in (0, 130)


ENDING = """
import os, signal, sys
from tui.cli import main

class Last:
    def __del__(self, ask=signal.getitimer, which=signal.ITIMER_REAL, write=os.write):
        write(1, b"alarm" if any(ask(which)) else b"quiet")

def stop(**words):
    sys.last = Last()
    os.kill(os.getpid(), signal.SIGTERM)

main.cli.main = stop
main.main()
"""


def test_no_alarm_kills_a_program_that_is_as_good_as_ended() -> None:
    """Python forgets what an alarm is to do before it has taken everything apart."""
    ended = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (130, "quiet"), ended.stderr
