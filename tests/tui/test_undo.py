"""Undoing in the running app: what is in sight at once, what is elsewhere once it was named."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.project import OpenProject
from core.settings.preferences import Settings
from tests.patience import until
from tests.tui.sample import sample_project
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.undo_history_dialog import ActsDialog


def flagged(path: Path) -> int:
    with OpenProject(path) as project:
        return int(project.connection.execute("SELECT sum(flagged) FROM fact").fetchone()[0])


def labels(path: Path) -> int:
    """How many labels Mira has set."""
    with OpenProject(path) as project:
        rows = project.connection.execute(
            "SELECT count(*) FROM grade JOIN grader ON grader.id = grade.grader "
            "WHERE grader.name = 'human:mira'"
        )
        return int(rows.fetchone()[0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sample_project(tmp_path / "sample.db")


@pytest.fixture
async def pilot(path: Path) -> AsyncIterator[Pilot[None]]:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as driven:
        await settled(driven)
        yield driven


def press(pilot: Pilot[None], *keys: str) -> None:
    """Send keys all at once."""
    assert isinstance(pilot.app, LostkeysApp)
    send(pilot.app, *keys)


async def seen(pilot: Pilot[None], words: str) -> None:
    """Wait until something is on screen."""
    app = pilot.app
    await until(lambda: words in text(app), lambda: text(app), lambda: pilot.pause(0.02))


async def test_what_is_elsewhere_is_named_before_it_is_undone(
    pilot: Pilot[None], path: Path
) -> None:
    press(pilot, "x", "j", "u")
    await seen(pilot, "u again undoes: ")
    assert "is flagged" in text(pilot.app)
    assert ", Facts" in text(pilot.app)
    assert flagged(path) == 1
    press(pilot, "u")
    await seen(pilot, "flag withdrawn")
    assert flagged(path) == 0
    press(pilot, "U")
    await seen(pilot, "redone: ")
    assert flagged(path) == 1
    press(pilot, "U")
    await seen(pilot, "nothing to redo")


async def test_steps_of_the_lens_are_said_and_taken_back_one_by_one(
    pilot: Pilot[None], path: Path
) -> None:
    app = pilot.app
    assert isinstance(app, LostkeysApp)
    press(pilot, "x")
    await seen(pilot, "China is flagged")
    press(pilot, "]", "]")
    await seen(pilot, "threshold .90, was .75   u takes it back")
    press(pilot, "u")
    await seen(pilot, "the lens is as it was   u takes back the step before")
    press(pilot, "u")
    await until(lambda: app.lens is not None and app.lens.policy.tau == 0.5, lambda: text(app),
                lambda: pilot.pause(0.02))  # fmt: skip
    assert flagged(path) == 1
    press(pilot, "u")
    await seen(pilot, "flag withdrawn")


@pytest.mark.slow
async def test_an_act_named_long_ago_is_named_again(pilot: Pilot[None], path: Path) -> None:
    press(pilot, "x", "j", "u")
    await seen(pilot, "u again undoes: ")
    press(pilot, "j", "U")
    await seen(pilot, "nothing to redo")
    press(pilot, "u")
    await seen(pilot, "u again undoes: ")
    assert flagged(path) == 1


@pytest.mark.slow
async def test_a_decision_is_undone_from_its_list_alone(pilot: Pilot[None], path: Path) -> None:
    press(pilot, "f4")
    await seen(pilot, "would change a profile")
    press(pilot, "enter", "a")
    await seen(pilot, "is right")
    press(pilot, "f1")
    await seen(pilot, "╭─ Facts")
    press(pilot, "end", "u")
    await seen(pilot, "u again undoes: ")
    assert ", Confusion" in text(pilot.app)
    assert labels(path) == 1
    press(pilot, "f4", "u")
    await seen(pilot, "undone: ")
    assert labels(path) == 0


@pytest.mark.slow
async def test_what_one_did_is_listed_undone_and_gone_to(pilot: Pilot[None], path: Path) -> None:
    press(pilot, "x", "4", "4")
    await seen(pilot, "your label")
    press(pilot, "enter", "c")
    await seen(pilot, "is CORRECT")
    press(pilot, "ctrl+p", *"what I did", "enter")
    await seen(pilot, "u undoes it   esc closes")
    dialog = pilot.app.screen
    assert isinstance(dialog, ActsDialog)
    press(pilot, "j", "u")
    await seen(pilot, "undone ")
    assert (flagged(path), labels(path)) == (0, 1)
    await settled(pilot)
    press(pilot, "k", "u")
    await until(lambda: labels(path) == 0, lambda: text(pilot.app), lambda: pilot.pause(0.02))
    await settled(pilot)
    press(pilot, "enter")
    await until(lambda: pilot.app.screen is not dialog, lambda: "", lambda: pilot.pause(0.02))
    await seen(pilot, "your label")


@pytest.mark.slow
async def test_a_model_is_removed_once_agreed_to_and_put_back(
    pilot: Pilot[None], path: Path
) -> None:
    def models() -> list[str]:
        with OpenProject(path) as project:
            return project.models()

    async def remove(*keys: str) -> None:
        press(pilot, *keys)
        await seen(pilot, "Remove model gemma3-4b")
        assert models() == before
        press(pilot, "y")
        await seen(pilot, "is removed: 1 model")
        assert models() == [name for name in before if name != "gemma3-4b"]

    before = models()
    press(pilot, "ctrl+p", *"remove a set")
    await seen(pilot, "remove a set, relation")
    press(pilot, "enter")
    await seen(pilot, "─ Remove ─")
    await remove(*"model gemma3-4b", "enter")
    press(pilot, "u")
    await seen(pilot, "is there again")
    assert models() == before
    press(pilot, "m")
    await seen(pilot, "delete removes it")
    await remove(*"4b", "left", "delete", "b", "delete")
    press(pilot, "ctrl+p", *"put back")
    await seen(pilot, "put back model gemma3-4b")
    press(pilot, "enter")
    await until(lambda: models() == before, lambda: str(models()), lambda: pilot.pause(0.02))
    press(pilot, "g")
    await seen(pilot, "delete removes")
    press(pilot, "j", "delete")
    await seen(pilot, "Remove grader gemini-2.5-pro with all that rests on it: 1 grader version")
