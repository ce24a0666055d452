"""Stepping through facts and numbers of examples in the real program."""

from pathlib import Path

import pytest

from tests.terminal import forked
from tests.tui.screens.latent.making import latent_project

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=str)
def test_facts_and_numbers_of_examples_are_stepped_through(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('name = "mira"\n')
    latent_project(tmp_path / "p.db")
    with forked(("--db", "p.db"), tmp_path, *size) as terminal:
        terminal.wait("F1 Facts")
        terminal.press("f8")
        terminal.wait("is known for")
        terminal.press("l")
        terminal.wait("the end of 50 examples")
        titles = set()
        for _ in range(3):
            terminal.press("j")
            terminal.settle()
            titles.add(next(row for row in terminal.rows if "→" in row and "─" in row))
        assert len(titles) == 3
        terminal.press("[")
        terminal.wait("the end of 5 examples")
        terminal.press("[")
        terminal.wait("of 1 example ")
        terminal.press("]")
        terminal.wait("the end of 5 examples")
        terminal.press("q")
        assert terminal.end() == 0
        assert b"Traceback" not in terminal.raw
