"""Views of the queues of Confusion and Review by their keys, in a real app."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.settings.preferences import Settings
from core.views import saved_views
from core.views.disagreements.disagreement_filter import Direction, DisagreementFilter
from core.views.saved_views import LensParts, SavedView
from core.vocabulary import Label, QueueKind
from tests.tui.sample import sample_project
from tests.tui.screens.facts.making import until
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.screens.confusion.screen import ConfusionScreen
from tui.screens.review.screen import ReviewScreen

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database of one's own, nobody's settings."""
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return sample_project(tmp_path / "sample.db")


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    return text(pilot.app)


async def test_a_queue_of_disagreements_is_saved_altered_and_switched_to(path: Path) -> None:
    saved_views.save(SavedView("a fact list", where="flagged"))
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        seen = await press(pilot, "f4", "V")
        assert "Views of Confusion" in seen
        assert "a fact list" not in seen
        assert "they have no columns" in seen
        await until(pilot, lambda: " 23 " in text(app).partition("wrong to B")[2][:110])
        seen = await press(pilot, "enter")
        screen = app.screen
        assert isinstance(screen, ConfusionScreen)
        assert screen.state.among.cell == (Label.CORRECT, Label.INCORRECT)
        assert screen.state.queue is not None
        assert len(screen.state.queue) == 23
        assert "right to A, wrong to B " in seen
        seen = await press(pilot, "V", "+", *"strict", "tab", "j", "j", "space", "enter")
        assert "saved as strict  alt+1" in seen
        found = saved_views.find("strict", "disagreements")
        assert (found.where, found.lens.tau) == ("cell:CORRECT/INCORRECT", 0.5)
        assert "Disagreements  strict " in seen
        assert "Disagreements  strict* " in await press(pilot, "f", *"reverse", "enter")
        await press(pilot, "V", "e", *"close", "enter")
        assert "Disagreements  close* " in await press(pilot, "escape")
        await press(pilot, "V", "e", *"strict", "enter", "escape")
        seen = await press(pilot, "F")
        assert screen.state.among == DisagreementFilter()
        assert "Disagreements  strict" not in seen
        seen = await press(pilot, "B", "alt+1")
        assert len(screen.state.queue) == 23
        assert "Disagreements  strict " in seen


async def test_a_view_of_answers_brings_its_lens_and_leaves_blind_alone(path: Path) -> None:
    parts = LensParts(tau=0.75, compared=("gpt-5", "gemini-2.5-pro"), graders=("human:*",))
    where = "model:gone direction:reverse"
    saved_views.save(SavedView("reverse", "disagreements", where, lens=parts))
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        seen = await press(pilot, "f4", "B", "alt+1")
        screen = app.screen
        assert isinstance(screen, ConfusionScreen)
        assert "no answers here of gone, the model of reverse" in seen
        await until(pilot, lambda: "Disagreements  reverse* " in text(app))
        among, lens = screen.state.among, app.lens
        assert (among.model, among.direction) == (None, Direction.REVERSE)
        assert lens is not None
        assert (lens.policy.tau, lens.compared) == (0.75, ("gpt-5", "gemini-2.5-pro"))
        assert screen.state.blind


async def test_a_queue_of_questions_is_saved_left_and_come_back_to(path: Path) -> None:
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        seen = await press(pilot, "f5", "V", "j", "enter")
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        assert screen.state.wanted.kind is QueueKind.RANDOM
        assert "Questions to review  random sample " in seen
        seen = await press(pilot, "V", "+", *"drawn", "enter")
        assert "saved as drawn  alt+1" in seen
        assert saved_views.find("drawn", "questions").where == "queue:random"
        assert "Questions to review  drawn* " in await press(pilot, "v")
        await press(pilot, "alt+1")
        assert "no view 2" in await press(pilot, "alt+2")
        position = screen.position
        screen.forget()
        screen.take_position(position)
        await until(pilot, lambda: "Questions to review  drawn " in text(app))
        assert screen.state.wanted.kind is QueueKind.RANDOM
