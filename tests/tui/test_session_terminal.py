"""The real program is shown as it was left, however it ended, and beside another one."""

import shutil
import signal
from pathlib import Path

import orjson
import pytest

from tests.terminal import Terminal, forked
from tests.tui.sample import sample_project
from tui.app import lens_controller, saved_session_controller

NAME = "x.db"

WALKS = {
    "facts": (("j", "j", "right_square_bracket", "s"), "facts"),
    "task": (("f2", "j", "j"), "task"),
    "profiles": (("f3", "j", "v"), "profiles"),
    "confusion": (("f4", "j", "j"), "confusion"),
    "review": (("f5", "v", "j"), "review"),
    "jobs": (("f6",), "jobs"),
    "figures": (("f7", "j"), "figures"),
}
"""Keys, and the screen that they lead to."""

ENDS = {
    (80, 24): (
        ("facts", signal.SIGHUP),
        ("confusion", signal.SIGHUP),
        ("figures", signal.SIGHUP),
        ("task", signal.SIGTERM),
    ),
    (120, 40): (("task", signal.SIGHUP), ("review", signal.SIGHUP)),
    (200, 60): (("profiles", signal.SIGHUP), ("jobs", signal.SIGHUP)),
}
"""Screens that it is left on one after the other, and the signal that ends it there, by size."""

KEYS = {"right_square_bracket": "]"}

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('name = "mira"\nhints = false\n')
    sample_project(tmp_path / NAME)
    return tmp_path


def frame(terminal: Terminal) -> list[str]:
    """The screen without its status line, which says for some seconds that it is as it was left."""
    rows = terminal.rows
    return [*rows[:-2], rows[-1]]


def saved(folder: Path) -> dict[str, object]:
    """The session that is kept, as plain data; nothing where there is none."""
    for file in (folder / "state" / "sessions").glob("*.json"):
        found: dict[str, object] = orjson.loads(file.read_bytes())["session"]
        return found
    return {}


def walk(terminal: Terminal, keys: tuple[str, ...]) -> list[str]:
    terminal.wait("12")
    terminal.settle()
    for key in keys:
        terminal.press(KEYS.get(key, key))
        terminal.settle()
    return frame(terminal)


@pytest.mark.parametrize(("size", "ends"), ENDS.items(), ids=str)
def test_a_signal_ends_it_as_quitting_does(
    folder: Path, size: tuple[int, int], ends: tuple[tuple[str, signal.Signals], ...]
) -> None:
    """Each time it is started again, it is as it was left, and is left elsewhere."""
    left: list[str] = []
    for screen, end in ends:
        keys, tab = WALKS[screen]
        with forked(("--db", NAME), folder, *size) as terminal:
            if left:
                terminal.wait(lambda _: frame(terminal) == left)  # noqa: B023
            left = walk(terminal, keys)
            terminal.process.send_signal(end)
            terminal.end()
            assert b"Traceback" not in terminal.raw
        assert saved(folder)["tab"] == tab
    with forked(("--db", NAME), folder, *size) as terminal:
        terminal.wait(lambda _: frame(terminal) == left)


@pytest.mark.parametrize("screen", ["facts", "task", "confusion"])
def test_after_a_kill_it_is_as_it_was_written_last(folder: Path, screen: str) -> None:
    keys, _ = WALKS[screen]
    with forked(("--db", NAME), folder, 120, 40) as terminal:
        walk(terminal, keys)
        terminal.press("q")
        assert terminal.end() == 0
    wanted = saved(folder)
    shutil.rmtree(folder / "state")
    with forked(("--db", NAME), folder, 120, 40) as terminal:
        before = walk(terminal, keys)
        terminal.wait(lambda _: saved(folder) == wanted)
        terminal.process.kill()
        terminal.process.wait()
    with forked(("--db", NAME), folder, 120, 40) as terminal:
        terminal.wait(lambda _: frame(terminal) == before)


def test_what_cannot_be_kept_is_said_where_the_program_ends(folder: Path) -> None:
    (folder / "state").write_text("a file where the folder should be")
    with forked(("--db", NAME), folder, 80, 24) as terminal:
        walk(terminal, ("f7",))
        terminal.press("q")
        assert terminal.end() == 0
        assert "how you left this is not kept: Not a directory" in terminal.text


def test_a_change_is_written_within_two_seconds() -> None:
    assert saved_session_controller.AFTER + lens_controller.TICK <= 2.0


def test_two_programs_start_from_one_file_and_the_last_to_write_stays(folder: Path) -> None:
    with forked(("--db", NAME), folder, 120, 40) as terminal:
        walk(terminal, ("f3",))
        terminal.press("q")
        assert terminal.end() == 0
    with (
        forked(("--db", NAME), folder, 120, 40) as one,
        forked(("--db", NAME), folder, 120, 40) as other,
    ):
        for terminal in (one, other):
            terminal.wait("gemma3-27b  DR 25.0")
        walk(one, ("f4",))
        one.wait(lambda _: saved(folder)["tab"] == "confusion")
        walk(other, ("f5",))
        other.press("q")
        assert other.end() == 0
        assert saved(folder)["tab"] == "review"
        walk(one, ("f7",))
        one.press("q")
        assert one.end() == 0
        assert b"Traceback" not in one.raw + other.raw
    assert saved(folder)["tab"] == "figures"
    with forked(("--db", NAME), folder, 120, 40) as terminal:
        terminal.wait("Knowledge profiles of each model")
