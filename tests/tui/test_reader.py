"""`--reader` in a pseudo-terminal: sentences, one row a move, the terminal's own cursor on it."""

import re
from pathlib import Path

import pyte
import pytest

from tests.patience import PATIENCE
from tests.terminal import Terminal, forked
from tests.tui.sample import sample_project

pytestmark = pytest.mark.slow

SIZE = 100, 30
SHAPES = re.compile(r"[│─╭╮╰╯━▌█▁-▇░▒●≈·…→]")
CODES = re.compile(r"\b(DR|RT|IE|RF|EF)\b")


def open_reader(folder: Path, settings: str = "", *words: str) -> None:
    sample_project(folder / "p.db")
    (folder / "config").mkdir(exist_ok=True)
    (folder / "config" / "settings.toml").write_text(f'name = "ada"\n{settings}')


def rows_written(terminal: Terminal, key: str) -> list[tuple[int, str]]:
    """Which rows a key has written, and what."""
    start = len(terminal.raw)
    terminal.press(key)
    terminal.settle()
    blank = pyte.Screen(*SIZE)
    pyte.ByteStream(blank).feed(bytes(terminal.raw[start:]))
    return [(y, row.rstrip()) for y, row in enumerate(blank.display) if row.strip()]


def cursor_row(terminal: Terminal) -> str:
    """The row on which the terminal's own cursor stands, which must be seen."""
    assert not terminal.screen.cursor.hidden
    return terminal.rows[terminal.screen.cursor.y]


def test_a_move_writes_its_row_alone_and_the_cursor_stands_on_it(tmp_path: Path) -> None:
    open_reader(tmp_path)
    with forked(("--db", "p.db", "--reader"), tmp_path, *SIZE) as terminal:
        terminal.wait("China to Beijing")
        terminal.settle()
        assert "China to Beijing" in cursor_row(terminal)
        for name in ("France to Paris", "Islam to Quran", "Japan to Tokyo"):
            ((y, row),) = rows_written(terminal, "j")
            assert y == terminal.screen.cursor.y
            assert name in row == cursor_row(terminal)
        terminal.press("f4")
        terminal.wait("would change a profile")
        terminal.settle()
        for _ in range(3):
            ((y, row),) = rows_written(terminal, "j")
            assert y == terminal.screen.cursor.y
            assert re.search(r"\. A: \w+\. B: \w+\. [\w ]+ to [\w ]+$", row)


def test_long_sentences_go_on_below_and_marks_are_whole_words(tmp_path: Path) -> None:
    open_reader(tmp_path)
    with forked(("--db", "p.db", "--reader"), tmp_path, 80, 24) as terminal:
        terminal.wait("China to Beijing")
        terminal.settle()
        assert cursor_row(terminal).rstrip().endswith(", graders differ")
        heard = " ".join(row.strip() for row in terminal.rows)
        assert "the clasp locker to Whitcomb Judson, Tech, 4.2k, graders differ" in heard
        assert "views, marks" in heard
        terminal.press("f3")
        terminal.wait("gemma3-4b, ")
        terminal.settle()
        heard = " ".join(row.strip() for row in terminal.rows)
        assert re.search(
            r"gemma3-27b, direct recall [\d.]+, .*, chosen: encoding failure [\d.]+", heard
        )
        assert "..." not in "".join(terminal.rows[1:-2])


def test_the_first_move_after_a_card_is_closed_writes_its_row_alone(tmp_path: Path) -> None:
    open_reader(tmp_path)
    with forked(("--db", "p.db", "--reader"), tmp_path, *SIZE) as terminal:
        terminal.wait("China to Beijing")
        terminal.press("f4")
        terminal.wait("would change a profile")
        terminal.settle()
        terminal.press("\r")
        terminal.wait("1 of ")
        terminal.settle()
        terminal.press("\x1b")
        terminal.wait("would change a question")
        terminal.settle()
        ((_, row),) = rows_written(terminal, "j")
        assert row == cursor_row(terminal)


@pytest.mark.parametrize(("tab", "enter"), [("f3", ""), ("f7", "l")], ids=["profiles", "figures"])
def test_a_move_between_bars_writes_its_row_alone(tmp_path: Path, tab: str, enter: str) -> None:
    open_reader(tmp_path)
    with forked(("--db", "p.db", "--reader"), tmp_path, *SIZE) as terminal:
        terminal.wait("China to Beijing")
        terminal.press(tab)
        terminal.wait("gemma3-4b, ")
        terminal.settle()
        if enter:
            terminal.press(enter)
            terminal.settle()
        for key, name in (("j", "gemma3-4b, "), ("k", "gemma3-27b, "), ("j", "gemma3-4b, ")):
            ((_, row),) = rows_written(terminal, key)
            assert row.startswith(name)
            assert row == cursor_row(terminal)


def test_every_screen_is_heard_in_words(tmp_path: Path) -> None:
    """Where nothing has run Jobs says what can be started; parts of bars and rows have names."""
    open_reader(tmp_path)
    heard = dict[str, str]()
    with forked(("--db", "p.db", "--reader"), tmp_path, 120, 40) as terminal:
        terminal.wait("China to Beijing")
        for key in ("f1", "f2", "f3", "f4", "f5", "f6", "f7"):
            terminal.press(key)
            terminal.wait(f"{key.upper()} ")
            if key == "f6":
                terminal.wait("Nothing has run here yet")
            if key == "f7":
                terminal.wait("facts with a profile")
            terminal.settle()
            heard[key] = "\n".join(row.rstrip() for row in terminal.rows)
    for text in heard.values():
        assert not CODES.findall(text)
        assert not SHAPES.findall(text)
        assert not re.findall("^,", text, re.MULTILINE)
    assert "gemma3-27b, direct recall " in heard["f7"]
    parts = r"gemma3-27b, (?:[a-z: ]+ [\d.]+, ){2,}"
    assert re.search(parts, heard["f3"])
    assert "..." not in "".join(heard["f3"].splitlines()[1:-2])


def test_an_audit_of_five_answers_reads_as_sentences(tmp_path: Path) -> None:
    open_reader(tmp_path)
    heard = []
    with forked(("--db", "p.db", "--reader"), tmp_path, *SIZE) as terminal:
        terminal.wait("China to Beijing")
        terminal.press("f4")
        terminal.wait("would change a profile")
        terminal.settle()
        heard += terminal.rows
        terminal.press("\r")
        terminal.wait("1 of ")
        for number, (key, said) in enumerate(zip("abcip", DECIDED, strict=True), 1):
            terminal.settle()
            assert f"{number} of " in terminal.rows[1]
            question = terminal.rows[2]
            assert re.match(r"\d [\w ]+, [\w-]+, thinking (on|off)", question)
            assert cursor_row(terminal) == question
            terminal.press(key)
            terminal.wait(f"so far, {number} of ")
            terminal.settle()
            assert re.match(said, terminal.rows[-2])
            heard += terminal.rows
        terminal.press("\x1b")
        terminal.wait("would change a question")
        terminal.press("home")
        terminal.settle()
        heard += terminal.rows
        assert sum("Decided: " in row for row in terminal.rows) == 5
        terminal.press("q")
        assert terminal.end() == 0
    text = "\n".join(heard)
    assert not SHAPES.findall(text)
    assert not CODES.findall(text)
    assert not re.findall(r"\S  +\S", text)


DECIDED = (
    r"A is right, [\w ]+ (stays|becomes) [\w ]+\. u undoes it",
    r"B is right, [\w ]+ (stays|becomes) [\w ]+\. u undoes it",
    r"(it is CORRECT|[AB] is right), [\w ]+\. u undoes it",
    r"(it is INCORRECT|[AB] is right), [\w ]+\. u undoes it",
    r"(it is PARTIALLY|[AB] is right), [\w ]+\. u undoes it",
)


def falls_silent(terminal: Terminal) -> bool:
    """Whether a second comes in which nothing is drawn: what ticks never lets it come."""
    for _ in range(int(PATIENCE)):
        start = len(terminal.raw)
        terminal.read(1.0)
        if not re.sub(rb"\x1b\[\?2026[hl]", b"", terminal.raw[start:]):
            return True
    return False


def test_the_setting_does_as_the_option_and_nothing_ticks(tmp_path: Path) -> None:
    open_reader(tmp_path, "reader = true\n")
    with forked(("--db", "p.db"), tmp_path, *SIZE) as terminal:
        terminal.wait("China to Beijing")
        for key in ("f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "?", "\x1b", "r", "\x1b"):
            terminal.press(key)
            if key.startswith("f"):
                terminal.wait(f"{key.upper()} ")  # a screen may take a while the first time
            terminal.settle()
            assert not re.findall(r"[│╭╮╰╯]", terminal.text), key
            if key == "r":  # the form reads what a run would take
                continue
            assert falls_silent(terminal), key
