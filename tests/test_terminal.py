"""The terminal that the real program is tested in."""

from pathlib import Path

from tests.terminal import running


def test_what_is_written_last_is_read_after_the_end(tmp_path: Path) -> None:
    with running((), tmp_path, code="print('last words')") as terminal:
        terminal.process.wait()
        assert terminal.end() == 0
        assert b"last words" in terminal.raw
