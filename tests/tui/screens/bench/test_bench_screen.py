"""Keys of the Bench screen: from arms to the board, to questions, to Task and back."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from core.project import OpenProject
from core.settings.preferences import Settings
from tests.core.making import new_project
from tests.tui.screens.bench.making import SENT, SET, bench_project
from tests.tui.screens.facts.making import until
from tests.tui.screens.latent.making import put_rows
from tests.tui.seeing import send, settled, text
from tui.app.app import LostkeysApp
from tui.dialogs.choice_dialog import Choose
from tui.screens.bench.screen import BenchScreen
from tui.screens.bench.state import ARMS, BOARD, QUESTIONS

pytestmark = pytest.mark.slow


async def test_from_an_arm_to_the_answer_and_back(tmp_path: Path) -> None:
    app = LostkeysApp(bench_project(tmp_path / "bench.db"), Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f9")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, BenchScreen)
        assert screen.panes.pane == ARMS
        assert screen.state.arm == "gemini-2.5-pro#zero-shot"
        await pilot.press("delete")
        await settled(pilot)
        assert f"set {screen.state.set_name}" in text(app)
        await pilot.press("down", "enter")
        await settled(pilot)
        assert "Remove model gemini-2.5-pro#zero-shot with all that rests on it: " in text(app)
        await pilot.press("escape")
        for key in ("j", "enter", "v"):
            await pilot.press(key)
            await settled(pilot)
        assert screen.panes.pane == BOARD
        assert (screen.state.arm, screen.state.by) == ("gemini-2.5-pro#10-shot", "property")
        assert [row.name for row in screen.state.groups] == [
            "date of birth", "place of birth", "elevation above sea level"
        ]  # fmt: skip
        for key in ("j", "enter"):
            await pilot.press(key)
            await settled(pilot)
        assert (screen.panes.pane, screen.state.group) == (QUESTIONS, "place of birth")
        fact = screen.state.fact
        await pilot.press("enter")
        await settled(pilot)
        assert app.tab == "task"
        assert app.lens is not None
        assert app.lens.model == "gemini-2.5-pro#10-shot"
        await pilot.press("escape")
        await pilot.press("escape")
        await settled(pilot)
        assert app.tab == "bench"
        assert screen.state.fact == fact


async def test_exemplars_have_the_width_of_the_screen_where_it_is_narrow(tmp_path: Path) -> None:
    app = LostkeysApp(bench_project(tmp_path / "bench.db"), Settings(name="mira"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("f9")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, BenchScreen)
        while screen.state.arm != SENT:
            await pilot.press("j")
            await settled(pilot)
        for key in ("l", "l"):
            await pilot.press(key)
            await settled(pilot)
        assert screen.panes.pane == QUESTIONS
        assert max(line.width for line in screen.panes.questions_view.tail) > 40


HOSTILE = (
    "[/red] [b",
    "\x1b[31mred\x1b[0m",
    "x" * 10_000,
    "שלום עולם",
    "👩‍👩‍👧 🇩🇪",
    "a\tb\r\nc",
    "{0}%s",
)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=str)
async def test_texts_of_others_stay_inert(tmp_path: Path, size: tuple[int, int]) -> None:
    path = bench_project(tmp_path / "bench.db")
    rows = [
        {"id": f"h{at}", "subject": text, "relation": text, "object": text, "domain": text}
        | {"question": f"What is {text}?", "split": "eval"}
        for at, text in enumerate(HOSTILE)
    ]
    answers = [
        {"fact_id": f"h{at}", "task": "direct", "model": f"{name}#zero-shot", "thinking": False}
        | {"sample": 0, "response": text}
        for at, text in enumerate(HOSTILE)
        for name in ("[/red]", "👩‍👩‍👧" * 30)
    ]
    with OpenProject(path, "write") as project:
        put_rows(project, "triples", rows, SET)
        put_rows(project, "responses", answers)
    app = LostkeysApp(path, Settings(name="mira"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        seen = set()
        for key in (
            "f9",
            "j",
            "v",
            "l",
            "j",
            "v",
            "l",
            "j",
            "s",
            "y",
            "h",
            "v",
            "s",
            "h",
            "f",
            "v",
        ):
            await pilot.press(key)
            shown = await settled(pilot)
            assert isinstance(app.screen, BenchScreen)
            assert not [char for char in shown if char != "\n" and not char.isprintable()
                        and char not in "\u200d\ufe0f\u200f\u200e"]  # fmt: skip
            assert max(cell_len(line) for line in shown.splitlines()) <= size[0]
            seen.add("[/red]" in shown)
        assert True in seen


async def test_a_key_pressed_before_anything_is_read_waits_for_it(tmp_path: Path) -> None:
    app = LostkeysApp(bench_project(tmp_path / "bench.db"), Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        send(app, "f9", "C")
        assert "10-shot" in await settled(pilot)
        assert isinstance(app.screen, Choose)


async def test_a_set_is_prepared_by_a_key_and_asks_again_where_answers_change_split(
    tmp_path: Path,
) -> None:
    rows = [
        {"id": f"t{at}", "subject": f"S{at}", "relation": "father", "object": f"Bo {at}"}
        | {"question": f"Who is the father of S{at}?"}
        for at in range(8)
    ]
    answers = [
        {"fact_id": f"t{at}", "task": "direct", "model": "m#zero-shot", "thinking": False}
        | {"sample": 0, "response": "Bo"}
        for at in range(8)
    ]
    with new_project(tmp_path / "new.db") as project:
        put_rows(project, "triples", rows, "fathers")
        put_rows(project, "responses", answers)
    app = LostkeysApp(tmp_path / "new.db", Settings(name="mira"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("f9")
        await settled(pilot)
        await pilot.press("P")
        assert "Prepare fathers? Triples that cannot be asked are dropped" in await settled(pilot)
        await pilot.press("y")
        await until(pilot, lambda: "would change split" in text(app))
        await pilot.press("y")
        await until(pilot, lambda: "8 of 8 triples are used, 2 train, 6 eval" in text(app))
