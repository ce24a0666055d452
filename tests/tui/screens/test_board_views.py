"""Views and files of the lists of Latent and Bench by their keys, in a real app."""

import csv
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.settings.preferences import Settings
from core.views import saved_views
from core.views.latent.latent_relations import LatentOrder
from tests.tui.screens.bench.making import SET, bench_project
from tests.tui.screens.facts.making import until
from tests.tui.screens.latent.making import latent_project
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.screens.bench.screen import BenchScreen
from tui.screens.bench.state import ARMS, QUESTIONS
from tui.screens.latent.screen import LatentScreen
from tui.screens.latent.state import FACTS, RELATIONS

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("LOSTKEYS_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


async def press(pilot: Pilot[None], *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    return text(pilot.app)


async def write(pilot: Pilot[None], name: str) -> list[dict[str, str]]:
    """Write the list in sight to a file of this name; its rows."""
    await press(pilot, "W")
    await press(pilot, *name, "enter")
    await until(pilot, lambda: Path(name).exists() and f"rows in {name}" in text(pilot.app))
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


async def test_facts_and_relations_of_latent_are_written_named_and_come_back_to(
    tmp_path: Path,
) -> None:
    path = latent_project(tmp_path / "sample.db")
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await press(pilot, "f8", "s", "s", "[")
        screen = app.screen
        assert isinstance(screen, LatentScreen)
        assert screen.state.facts is not None
        rows = await write(pilot, "facts.csv")
        assert [row["subject"] for row in rows] == list(screen.state.facts.subjects)
        assert [row["rank"] for row in rows[:3]] == [
            str(int(rank)) for rank in screen.state.facts.ranks[0][:3]
        ]
        seen = await press(pilot, "V", "+", *"few", "enter")
        assert "saved as few  alt+1" in seen
        found = saved_views.find("few", "latent")
        assert found.where == 'model:gemma3-27b n:5 "relation:is known for" set:rows'
        assert found.sort == "gold"
        assert "is known for  few " in seen
        assert "is known for  few*" in await press(pilot, "]")
        await press(pilot, "V", "e", *"some", "enter")
        assert "is known for  some*" in await press(pilot, "escape")
        await press(pilot, "V", "e", *"few", "enter", "escape")
        await press(pilot, "escape")
        assert screen.panes.pane == RELATIONS
        rows = await write(pilot, "relations.csv")
        assert [row["relation"] for row in rows] == ["is known for", "lies on"]
        await press(pilot, "V", "+", *"all", "enter")
        seen = await press(pilot, "alt+1")
        assert (screen.panes.pane, screen.state.setup.n) == (FACTS, 5)
        assert screen.state.order is LatentOrder.GOLD
        assert "is known for  few " in seen
        await press(pilot, "Y")
        assert app.clipboard.startswith("fact_id\tprofile\tsubject")
        app.session.look()
    again = LostkeysApp(path, Settings(name="mira"))
    async with again.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "is known for  few " in text(again))
        screen = again.screen
        assert isinstance(screen, LatentScreen)
        assert screen.state.setup.n == 5


async def test_each_list_of_bench_is_written_and_an_arm_is_compared_with_another(
    tmp_path: Path,
) -> None:
    path = bench_project(tmp_path / "sample.db")
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.snapshot is not None)
        await press(pilot, "f9", "j")
        screen = app.screen
        assert isinstance(screen, BenchScreen)
        lists = screen.state.lists
        assert lists is not None
        rows = await write(pilot, "arms.csv")
        assert [f"{row['model']}#{row['mode']}" for row in rows] == [
            row.label for row in lists.arms
        ]
        seen = await press(pilot, "C", *"gemma3-4b", "enter")
        assert screen.state.against == "gemma3-4b#10-shot"
        assert "beside gemma3-4b 10-shot" in seen
        assert "differ" in seen
        await press(pilot, "enter", "v", "enter")
        assert screen.panes.pane == QUESTIONS
        rows = await write(pilot, "answers.csv")
        assert [row["answer"] for row in rows] == [
            one.answer or "" for one in screen.state.questions
        ]
        seen = await press(pilot, "V", "+", *"births", "enter")
        assert "saved as births  alt+1" in seen
        where = f"set:{SET} split:eval arm:gemini-2.5-pro#10-shot by:property"
        found = saved_views.find("births", "bench")
        assert found.where == f'{where} "group:date of birth"'
        assert "date of birth  births " in seen
        assert "date of birth  births*" in await press(pilot, "s")
        await press(pilot, "escape", "escape", "k")
        assert screen.panes.pane == ARMS
        seen = await press(pilot, "alt+1")
        assert (screen.panes.pane, screen.state.group) == (QUESTIONS, "date of birth")
        assert "date of birth  births " in seen
        app.session.look()
    again = LostkeysApp(path, Settings(name="mira"))
    async with again.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "date of birth  births " in text(again))
        screen = again.screen
        assert isinstance(screen, BenchScreen)
        assert (screen.panes.pane, screen.state.against) == (QUESTIONS, "gemma3-4b#10-shot")
        seen = await press(pilot, "C", *"none", "enter")
        assert screen.state.against is None
        assert "beside gemma3-4b" not in seen
