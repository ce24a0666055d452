"""The real program while its database, its disk, its terminal and its keys are against it.

With `LOSTKEYS_HEAVY` set there are more of these, and more keys and sizes in them.
"""

import fcntl
import os
import pty
import re
import resource
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import which

import pytest

import db.integrity
from core.errors import LostkeysError
from core.project import OpenProject
from core.settings.preferences import Settings
from core.views.session import Session
from core.vocabulary import Label, Task
from db.connection import write_transaction
from tests.core.making import a_fact, new_project, put_facts
from tests.effort import HEAVY
from tests.patience import PATIENCE, wait_until
from tests.terminal import KEYS, LOSTKEYS, QUIET, Terminal, forked, running, surroundings
from tests.tui.screens.task.making import antares, session_on
from tui.app.app import LostkeysApp
from tui.dialogs.confirm_dialog import ErrorDialog
from tui.dialogs.input_dialog import AskLine
from tui.keys import KEYS as TABLE

pytestmark = pytest.mark.slow

heavy = pytest.mark.skipif(not HEAVY, reason="takes long: set LOSTKEYS_HEAVY")
NAME = "x.db"
ALONE = 0.25
"""Seconds after which an escape cannot be the beginning of a longer key any more."""

BACK = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l")
"""What gives the terminal back: the screen before, the cursor, and no mouse."""

UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""A program that runs out of disk must not leave half a module for others to import."""

TO_THE_ANSWER = ("3", "3", "enter")
"""From the list to the open answer of the direct question."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of two facts, and settings with a name."""
    config = tmp_path / "config"
    config.mkdir()
    (config / "settings.toml").write_text('name = "mira"\n')
    return antares(tmp_path / NAME)


@pytest.fixture
def terminal(path: Path) -> Iterator[Terminal]:
    """The program on it, with the list in sight; at the end it must quit as asked."""
    with forked(("--db", NAME), path.parent, 120, 30, environment=UNCOMPILED) as found:
        found.wait("2 facts")
        found.settle()
        yield found
        quits(found)


def quits(terminal: Terminal, key: str = "ctrl+q") -> None:
    """It ends on a key, whatever is in front, and leaves the terminal as it was."""
    if terminal.process.poll() is None:
        terminal.press(key)
    assert terminal.end() == 0
    terminal.settle()
    left = bytes(terminal.raw).rpartition(b"\x1b[?2004l")[2]
    assert all(sequence in left for sequence in BACK)
    assert b"Traceback" not in terminal.raw


def press(terminal: Terminal, *keys: str) -> None:
    for key in keys:
        terminal.press(key)
        terminal.settle(ALONE if key == "escape" else QUIET)


def go_to_the_answer(terminal: Terminal) -> None:
    """Open the first answer, where labels can be set."""
    press(terminal, *TO_THE_ANSWER)
    terminal.wait(lambda text: "your label" in text and "g 1.00" in text)
    press(terminal, "enter")
    terminal.wait("c i p o label")


def status(terminal: Terminal) -> str:
    return terminal.rows[-2]


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def put_in_place(path: Path, other: Path) -> None:
    """Let another file stand where the database stood, without a moment when none does."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    other.replace(path)


def own_labels(path: Path) -> int:
    session = Session(path)
    session.open()
    session.name = "mira"
    own = session.summary().own
    session.close()
    return own


# Keys


def test_bytes_that_are_no_text_end_nothing(terminal: Terminal) -> None:
    terminal.send(b"\xb1\xff\x9b\xed\xa0\x80")
    press(terminal, "/", *"Ant")
    terminal.wait("/ Ant")
    terminal.send(b"\x1b[200~\xe9t\xff\x1b[201~")
    terminal.wait("Ant\N{REPLACEMENT CHARACTER}t")


# The database


def test_deleted_and_put_back(path: Path, terminal: Terminal) -> None:
    remove(path)
    terminal.wait("x.db is gone: put it back")
    press(terminal, "j", "k", "ctrl+r")
    assert "is gone" in status(terminal)
    assert "ctrl+r" in status(terminal)
    assert "Antares → RP-1" in terminal.text, "what was read stays"
    go_to_the_answer(terminal)
    press(terminal, "c")
    terminal.wait("is gone")
    antares(path)
    press(terminal, "ctrl+r")
    terminal.wait("1 not written")
    press(terminal, "ctrl+r")
    terminal.wait("2 facts")
    press(terminal, "c")
    terminal.wait("off 1 is CORRECT")
    assert own_labels(path) == 1


def test_replaced_by_another_file_and_by_a_smaller_one(path: Path, terminal: Terminal) -> None:
    go_to_the_answer(terminal)
    other = antares(path.with_name("other.db"))
    with OpenProject(other, "write") as project:
        put_facts(project, [a_fact("new", subject="Aab", page_title="Aab")])
    put_in_place(path, other)
    terminal.wait("replaced by another file")
    press(terminal, "c")
    terminal.wait("replaced by another file")
    press(terminal, "ctrl+r")
    terminal.wait("1 not written")
    press(terminal, "ctrl+r")
    terminal.wait("3 facts")
    press(terminal, "i")
    terminal.wait("off 1 is INCORRECT")
    assert own_labels(path) == 1
    press(terminal, "f1", "j")
    with new_project(other) as project:
        put_facts(project, [a_fact("only", subject="Only", page_title="Only")])
    put_in_place(path, other)
    terminal.wait("replaced by another file")
    press(terminal, "ctrl+r")
    terminal.wait("1 fact ")
    press(terminal, "f1")
    terminal.wait("Only → ")


def test_keys_act_where_the_open_answer_is_in_no_file_any_more(
    path: Path, terminal: Terminal
) -> None:
    go_to_the_answer(terminal)
    other = path.with_name("other.db")
    new_project(other).close()
    put_in_place(path, other)
    terminal.wait("replaced by another file")
    press(terminal, "ctrl+r")
    terminal.wait("This fact is not in the file")
    assert "Antares" not in terminal.text
    terminal.press("q")
    assert terminal.end() == 0


@heavy
@pytest.mark.parametrize("size", [0, 4096, 20_000])
def test_truncated(path: Path, terminal: Terminal, size: int) -> None:
    os.truncate(path, size)
    with path.with_name(path.name + "-wal").open("wb"):
        pass
    go = ("j", "enter", "ctrl+r", "f1", "ctrl+r", "s", "/", "a", "escape")
    press(terminal, *go)
    terminal.wait(lambda text: "damaged" in text or "not a database" in text or "is gone" in text)


def test_locked_for_a_moment_and_for_ever_while_a_label_is_set(
    path: Path, terminal: Terminal
) -> None:
    go_to_the_answer(terminal)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    press(terminal, "c")
    terminal.wait("not written yet: waiting for the database")
    press(terminal, "j", "v")
    other.execute("COMMIT")
    other.close()
    terminal.wait("off 1 is CORRECT")
    assert own_labels(path) == 1
    press(terminal, "u")
    terminal.wait("undone")
    assert own_labels(path) == 0
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    press(terminal, "c")
    terminal.wait("not written yet")
    press(terminal, "escape")
    terminal.press("q")
    assert terminal.end() == 1
    terminal.settle()
    assert b"what you did last is not written" in terminal.raw
    other.close()
    assert own_labels(path) == 0
    terminal.process.returncode = 0  # the rest of the leaving is as always


def test_the_disk_is_full(path: Path, terminal: Terminal) -> None:
    go_to_the_answer(terminal)
    press(terminal, "c")
    terminal.wait("off 1 is CORRECT")
    limits = resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
    for key in ("i", "x", "u"):
        press(terminal, key)
        terminal.wait(lambda text: "full" in text or "disk" in text)
    press(terminal, "j", "k", "f1", "j", "k", "f2")
    resource.prlimit(terminal.process.pid, resource.RLIMIT_FSIZE, limits)
    press(terminal, "f2", "enter", "p")
    terminal.wait("off 1 is PARTIALLY")
    assert own_labels(path) == 1
    with OpenProject(path, "read") as project:
        assert db.integrity.faults(project.connection) == []


AS_ANYBODY = f"""
import os, sys
rights = "--bounding-set=-dac_override,-dac_read_search"  # with these root may write anything
os.execvp("setpriv", ["setpriv", rights, sys.executable, "-c", {LOSTKEYS!r}, *sys.argv[1:]])
"""


@pytest.mark.skipif(os.geteuid() == 0 and not which("setpriv"), reason="root writes anywhere")
def test_made_read_only(path: Path) -> None:
    code = LOSTKEYS if os.geteuid() else AS_ANYBODY
    with running(("--db", NAME), path.parent, 120, 30, code) as terminal:
        terminal.wait("2 facts")
        go_to_the_answer(terminal)
        allow(path, 0o444, 0o555)
        for key in ("c", "x"):
            press(terminal, key)
            terminal.wait("x.db cannot be written: check the permissions")
        allow(path, 0o644, 0o755)
        press(terminal, "i")
        terminal.wait("off 1 is INCORRECT")
        quits(terminal)


def allow(path: Path, file: int, folder: int) -> None:
    """Set the rights to the database and its folder."""
    path.parent.chmod(0o755)
    for one in path.parent.glob(f"{NAME}*"):
        one.chmod(file)
    path.parent.chmod(folder)


# Other programs


def test_what_others_write_is_shown_and_nothing_jumps(path: Path, terminal: Terminal) -> None:
    other = session_on(path, "ada")
    other.set_flag(1, True)
    terminal.wait(lambda text: re.search(r"RF Antares → RP-1 +≠ \*", text) is not None)
    with OpenProject(path, "write") as project:
        put_facts(project, [a_fact("new", subject="Aab", page_title="Aab")])
    terminal.wait("1 new, ctrl+r shows them")
    assert "▌RF Antares" in terminal.text
    press(terminal, "ctrl+r")
    terminal.wait("2 of 3")
    assert "▌RF Antares" in terminal.text
    go_to_the_answer(terminal)
    view = other.task(1, Task.DIRECT)
    assert view is not None
    other.set_label(view.answers[0].slot, Label.OTHER)
    terminal.wait("(o)")
    press(terminal, "c")
    terminal.wait("off 1 is CORRECT")
    other.set_label(view.answers[0].slot, Label.INCORRECT)
    terminal.wait(lambda text: "7 of 8   .88 pass" in text)
    press(terminal, "u")
    terminal.wait("undone")
    other.close()


@heavy
def test_answers_taken_away_under_the_open_one(path: Path, terminal: Terminal) -> None:
    go_to_the_answer(terminal)
    with OpenProject(path, "write") as project:
        connection = project.connection
        slots = [row[0] for row in connection.execute("SELECT id FROM response").fetchall()]
        with write_transaction(connection):
            db.responses.set_aside(connection, slots, "test")
    press(terminal, "c", "j", "v", "n", "escape", "escape")
    terminal.wait("No model has been asked")


# The terminal


RESIZED_WHILE_READ = """
import fcntl, os, signal, struct, termios
from textual.drivers.linux_driver import LinuxDriver
from tui.cli.main import main

read = LinuxDriver._get_terminal_size

def read_late(driver):
    found = read(driver)
    if found == (60, 12):
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        os.kill(os.getpid(), signal.SIGWINCH)
    return found

LinuxDriver._get_terminal_size = read_late
main()
"""


def test_a_size_that_changes_while_it_is_read_is_read_again(path: Path) -> None:
    with running(("--db", NAME), path.parent, 80, 24, RESIZED_WHILE_READ, UNCOMPILED) as terminal:
        terminal.wait("2 facts")
        terminal.resize(60, 12)
        terminal.screen.resize(30, 120)
        terminal.wait(lambda text: max(map(len, map(str.rstrip, text.splitlines()))) > 100)
        quits(terminal)


def test_sizes_of_chance(terminal: Terminal) -> None:
    random = Random(5)
    for turn in range(60 if HEAVY else 10):
        width, height = random.randint(40, 200), random.randint(10, 60)
        if turn % 5 == 4:
            width, height = random.randint(1, 39), random.randint(1, 12)
        terminal.resize(width, height)
        terminal.press(random.choice(("j", "enter", "escape", "f1", "f2", "?", "m", "3", "v")))
        terminal.settle(0.03)
    terminal.resize(39, 9)
    terminal.wait("too small")
    terminal.resize(120, 30)
    terminal.wait(lambda text: "too small" not in text and "╭" in text)
    press(terminal, "escape", "escape", "escape", "f1")
    terminal.wait("Antares → RP-1")
    assert all(len(row) <= 120 for row in terminal.rows)


def test_stopped_and_continued_it_paints_all_of_the_screen(terminal: Terminal) -> None:
    def is_stopped() -> bool:
        words = ("ps", "-o", "stat=", "-p", str(terminal.process.pid))
        return subprocess.run(words, capture_output=True, check=False).stdout.startswith(b"T")

    terminal.process.send_signal(signal.SIGTSTP)
    wait_until(is_stopped)
    terminal.settle()
    terminal.screen.reset()
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait("Antares → RP-1")
    terminal.wait("2 facts")


@heavy
def test_a_signal_keeps_what_was_written(path: Path, terminal: Terminal) -> None:
    go_to_the_answer(terminal)
    press(terminal, "c")
    terminal.wait("off 1 is CORRECT")
    terminal.process.send_signal(signal.SIGTERM)
    terminal.end()
    assert own_labels(path) == 1


@pytest.mark.parametrize("with_signal", [True, False] if HEAVY else [False])
def test_a_terminal_that_is_closed_ends_it(path: Path, with_signal: bool) -> None:
    line, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))

    def lead() -> None:
        os.setsid()
        if with_signal:  # the kernel sends it to those whose terminal it is
            fcntl.ioctl(other, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, "-c", LOSTKEYS, "--db", NAME],
        cwd=path.parent,
        env=surroundings(path.parent),
        stdin=other,
        stdout=other,
        stderr=other,
        preexec_fn=lead,  # noqa: PLW1509
    )
    os.close(other)
    terminal = Terminal(process, line, 120, 30)
    terminal.wait("Antares → RP-1")
    os.close(line)
    process.wait(PATIENCE)


# Keys


def keys_to_hammer() -> list[str]:
    """Every key of the table but quitting, and what else a terminal may send."""
    sequences = {
        **KEYS,
        "slash": "/",
        "comma": ",",
        "shift+tab": "\x1b[Z",
        "left": "\x1b[D",
        "right": "\x1b[C",
        "pageup": "\x1b[5~",
    }
    found = {sequences.get(name, name) for key in TABLE for name in key.keys.split(",")}
    sendable = {one for one in found if len(one) == 1 or one.startswith("\x1b")} - {"q"}
    mouse = [f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m" for x, y in ((3, 1), (10, 10), (70, 12), (10, 30))]
    return [
        *sorted(sendable),
        *mouse,
        "\x1b[<65;20;10M",
        "é",
        "漢",
        "\x1b[200~a\x1b[31m b\x1b[201~",
    ]


@pytest.mark.parametrize("seed", range(8 if HEAVY else 1))
def test_keys_hammered(path: Path, terminal: Terminal, seed: int) -> None:
    random, keys = Random(seed), keys_to_hammer()
    assert len(keys) > 60
    for _ in range(500):
        terminal.press(random.choice(keys))
        terminal.read(0.05 if random.random() < 0.05 else 0.0)
        assert terminal.process.poll() is None, terminal.text
    press(terminal, "escape", "escape", "escape", "escape")
    terminal.wait("F1 Facts")
    terminal.settle()  # an escape that is still unread would make alt+q of it
    terminal.press("q")
    asks = "goes on in the background"  # where a key has started a job
    terminal.wait(lambda text: asks in text or terminal.process.poll() is not None)
    quits(terminal, "q")
    with OpenProject(path, "read") as project:
        assert db.integrity.faults(project.connection) == []


# Settings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"thme = 'dark'", "there is no setting `thme`: did you mean `theme`?"),
        (b"[keys]\n'facts.search' = ' '", "must be text"),
    ],
)
def test_settings_with_errors(path: Path, text: bytes, said: str) -> None:
    (path.parent / "config" / "settings.toml").write_bytes(text)
    with forked(("--db", NAME), path.parent, 90, 30) as terminal:
        terminal.wait("That did not work")
        terminal.wait(lambda text: said in " ".join(text.replace("│", " ").split()))
        press(terminal, "enter", "x")
        terminal.wait("Antares is flagged")
        quits(terminal)


def test_folders_that_cannot_be_written(path: Path) -> None:
    (path.parent / "config" / "settings.toml").unlink()
    (path.parent / "config").rmdir()
    for name in ("config", "state"):
        (path.parent / name).write_text("a file")
    with forked(("--db", NAME), path.parent, 120, 30) as terminal:
        terminal.wait("That did not work")
        press(terminal, "escape")
        go_to_the_answer(terminal)
        press(terminal, "c")
        terminal.wait("Your labels carry your name")
        press(terminal, *"x", "enter")
        terminal.wait("off 1 is CORRECT")
        press(terminal, "i")
        terminal.wait("off 1 is INCORRECT")
        quits(terminal)


async def test_a_dialog_closes_once(path: Path) -> None:
    """Two keys that both close it may come before it is gone."""
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test() as pilot:
        below, above = ErrorDialog(LostkeysError("below")), AskLine("above", "Above?", "")
        await app.push_screen(below)
        await app.push_screen(above)
        above.dismiss("closed")
        above.dismiss("closed")
        await pilot.pause()
        assert app.screen is below
