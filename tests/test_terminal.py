"""The terminal that the real program is tested in."""

from pathlib import Path

import pyte
import pytest

from tests.terminal import CellScreen, running


def test_what_is_written_last_is_read_after_the_end(tmp_path: Path) -> None:
    with running((), tmp_path, code="print('last words')") as terminal:
        terminal.process.wait()
        assert terminal.end() == 0
        assert b"last words" in terminal.raw


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[1;1H歌", "歌    "),
        ("\x1b[1;1H歌\x1b[1;1Hx", "x     "),
        ("\x1b[1;1H歌\x1b[1;2Hx", " x    "),
        ("\x1b[1;1H歌\x1b[1;2H歌", " 歌   "),
        ("\x1b[1;1H歌歌歌", "歌歌歌"),
    ],
)
def test_half_a_wide_character_is_blank(written: str, shown: str) -> None:
    screen = CellScreen(6, 1)
    pyte.Stream(screen).feed(written)
    assert screen.display == [shown]
